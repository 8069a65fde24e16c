"""Which calls could back a claim: built once a trace, asked in constant time a claim."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import attrgetter

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_signal_hallucination.families import Family
from sentinel_signal_hallucination.results import failed
from sentinel_signal_hallucination.tools import Ability, ability, ability_of_command

__all__ = ["Ledger", "LedgersBelow"]

_NEVER = 1 << 62
_message_index = attrgetter("message_index")
_NEITHER = (_NEVER, _NEVER)


class Ledger:
    """The trace's calls, by what they could have done, split into those that may have worked and those that failed."""

    __slots__ = ("_abilities", "_calls", "_families", "_nouns", "_texts", "_tools", "_tries")

    def __init__(self, index: TraceIndex) -> None:
        self._texts = index.texts
        self._calls, self._abilities = _by_tool(index.calls)
        # Of each tool and family the first call that may have worked and the first that failed; of each family the first
        # of either kind: all looked for when first asked for.
        self._tools: dict[str | Ability, tuple[int, int]] = {}
        self._families: dict[str, tuple[int, int]] = {}
        self._tries: dict[str, int] = {}
        self._nouns: dict[str, tuple[int, int]] | None = None

    def first(self, family: Family, noun: str = "") -> int:
        """The position of the first call that could have done it. Trying is enough for ``work`` and ``read``."""
        if family.strength == "effect":
            return self._firsts(family, noun)[0]
        if noun and family.strength != "read":
            return min(self._firsts(family, noun))
        return self._tried_at(family)

    def _tried_at(self, family: Family) -> int:
        known = self._tries.get(family.name)
        if known is None:
            known = _NEVER
            for tool, able in self._abilities.items():
                if family.name in able.families:
                    known = self._calls[tool][0].position
                    break
            self._tries[family.name] = known
        return known

    def unbacked(self) -> list[Text]:
        """The texts before the first call that could have done anything and did not fail: after it, every claim is backed."""
        able = [self._calls[tool] for tool, able in self._abilities.items() if able.kind == "any"]
        first = min([_worked_at(calls) for calls in able]) if able else _NEVER
        return self._texts if first == _NEVER else self._texts[: bisect_left(self._texts, first, key=_message_index)]

    def backed(self, family: Family, noun: str, calls: int = _NEVER) -> bool:
        """True where one of the first ``calls`` calls could have done it."""
        return self.first(family, noun) < calls

    def tried(self, family: Family, noun: str, calls: int = _NEVER) -> bool:
        """True where one of the first ``calls`` calls could have done it and failed."""
        return self._firsts(family, noun)[1] < calls

    def _firsts(self, family: Family, noun: str) -> tuple[int, int]:
        known = self._families.get(family.name)
        if known is None:
            able = [tool for tool, able in self._abilities.items() if family.name in able.families]
            known = self._families[family.name] = _earliest(map(self._tool, able))
        # A tool that writes to the thing itself may do more than its verb says.
        if not noun or family.strength == "read":
            return known
        if self._nouns is None:
            self._nouns = self._by_noun()
        return _earliest((known, self._nouns.get(noun, _NEITHER)))

    def _by_noun(self) -> dict[str, tuple[int, int]]:
        table: dict[str, tuple[int, int]] = {}
        for tool, able in self._abilities.items():
            for noun in able.nouns:
                table[noun] = _earliest((table.get(noun, _NEITHER), self._tool(tool)))
        return table

    def _tool(self, name: str | Ability) -> tuple[int, int]:
        if name not in self._tools:
            self._tools[name] = self._looked_up(name)
        return self._tools[name]

    def _looked_up(self, name: str | Ability) -> tuple[int, int]:
        calls = self._calls[name]
        # Where trying is enough, how the call went need not be found out.
        if self._abilities[name].kind == "read" or not failed(calls[0]):
            return calls[0].position, _NEVER
        good = next((call.position for call in calls if not failed(call)), _NEVER)
        return good, calls[0].position


class LedgersBelow:
    """Those of the trace's sub-agents, and of theirs. When each of them ran is not recorded: it may have been at any time."""

    __slots__ = ("_backed", "_ledgers")

    def __init__(self, index: TraceIndex) -> None:
        self._ledgers = tuple(map(Ledger, _below(index)))
        self._backed: dict[tuple[str, str], bool] = {}

    def backed(self, family: Family, noun: str) -> bool:
        """True where a call of any of them could have done it."""
        key = family.name, noun
        if key not in self._backed:
            self._backed[key] = any(ledger.backed(family, noun) for ledger in self._ledgers)
        return self._backed[key]

    def tried(self, family: Family, noun: str) -> bool:
        """True where a call of any of them could have done it and failed."""
        return any(ledger.tried(family, noun) for ledger in self._ledgers)


def _below(index: TraceIndex) -> Iterator[TraceIndex]:
    for child in index.children:
        yield child
        yield from _below(child)


_Calls = dict[str | Ability, list[Call]]


def _by_tool(calls: list[Call]) -> tuple[_Calls, dict[str | Ability, Ability]]:
    """The calls of each tool, and what it could do; those of a shell by what their commands could have done."""
    groups: _Calls = {}
    for call in calls:
        groups.setdefault(call.call.name, []).append(call)
    abilities: dict[str | Ability, Ability] = {tool: ability(found[0].call.name) for tool, found in groups.items()}
    generic = {tool for tool, able in abilities.items() if able.kind == "any"}
    if not generic:
        return groups, abilities
    from sentinel_signal_hallucination.shell import deeds_of  # most traces have no such tool

    groups = {}
    for call in calls:
        deeds = deeds_of(call) if call.call.name in generic else None
        tool = call.call.name if deeds is None else ability_of_command(deeds)
        groups.setdefault(tool, []).append(call)
    return groups, {tool: tool if isinstance(tool, Ability) else ability(tool) for tool in groups}


def _worked_at(calls: Iterable[Call]) -> int:
    """The message of the first call that did not fail."""
    return next((call.message_index for call in calls if not failed(call)), _NEVER)


def _earliest(firsts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    # Mostly one or two: a loop is quicker than "min" over columns.
    good, bad = _NEITHER
    for worked, failing in firsts:
        good = min(good, worked)
        bad = min(bad, failing)
    return good, bad
