"""What the record knows of the agent's deeds: each call with what it can have done, and what was ordered when."""

import re
from bisect import bisect_left
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import ToolFacts, facts_of, name_words, singular
from sentinel_signal_hallucination.tables import once
from sentinel_signal_hallucination.words import KIN, lemmas

if TYPE_CHECKING:
    from sentinel_signal_hallucination.orders import Order, Orders

__all__ = ["Deed", "Record", "failed", "groups_of", "only_looks"]

_STEPS = (";", "&&", "|", "\n")


def failed(call: Call) -> bool:
    """True where the call failed, and nothing of what it was made for can have been done.

    What runs anything is given the benefit of the doubt: of several steps, the last may have failed.
    """
    if call.outcome.state != "failed":
        return False
    return not facts_of(call.call.name).runs_anything or _is_one_step(call)


def _is_one_step(call: Call) -> bool:
    arguments = call.call.arguments
    command = next((arguments[name] for name in ("command", "cmd") if name in arguments), None)
    return isinstance(command, str) and not any(map(command.strip().__contains__, _STEPS))


_MOST_ARGUMENTS, _LONGEST = 40, 200
_message_index = attrgetter("message_index")


class Deed(NamedTuple):
    """One call that may have done something. ``groups`` are those of its tool's verbs; none where they say nothing."""

    call: Call
    facts: ToolFacts
    groups: frozenset[str]
    failed: bool
    writes: bool

    @property
    def message_index(self) -> int:
        """Where it was called."""
        return self.call.message_index

    @property
    def objects(self) -> frozenset[str]:
        """What it was done to: the nouns of the tool, and the words of its arguments."""
        return self.facts.objects | _argument_words(self.call)


@lru_cache(maxsize=1024)
def groups_of(facts: ToolFacts) -> frozenset[str]:
    """The groups of lemmas that a tool's verbs are in."""
    group = lemmas().group
    return frozenset(group[verb] for verb in facts.verbs if verb in group) - {"work", "light"}


@lru_cache(maxsize=256)
def _covered(groups: frozenset[str]) -> frozenset[str]:
    """The groups of statements that a call of these groups may back."""
    return frozenset(group for group, kin in KIN.items() if not groups or not kin.isdisjoint(groups)) | {"light"}


def _argument_words(call: Call) -> frozenset[str]:
    found: set[str] = set()
    for key, value in list(call.call.arguments.items())[:_MOST_ARGUMENTS]:
        found.update(name_words(str(key)))
        if isinstance(value, str):
            found.update(value[:_LONGEST].lower().split())
    return frozenset(singular(word) for word in found)


_LOOKS = re.compile(
    r"(?:cd|ls|pwd|find|which|git (?:-C \S+ )?(?:status|diff|log|show|branch$|remote -v))\b(?!.*(?:-delete|-exec))"
)


_CHANGES = (">", "<<", " -exec", " -delete", " -i", "tee ", "xargs", "$(", "`")


def only_looks(call: Call) -> bool:
    """True for a shell command of which each part shows something or runs a check: it did nothing else."""
    command = command_of(call.call.arguments)
    if command is None or any(map(command.__contains__, _CHANGES)):
        return False
    parts = parts_of(command)
    checks = {check.command for check in call.checks}
    known = (
        part.text in checks or _LOOKS.match(part.text) or part.text.partition(" ")[0] in VIEWERS
        for part in parts
        if part.text
    )
    return bool(parts) and all(known)


class Record:
    """Built once a trace, when a text first says that something was done."""

    def __init__(self, index: TraceIndex) -> None:
        self.index = index
        self.tools = index.tools

    @once
    def deeds(self) -> list[Deed]:
        """What the agent did, or tried to do, in order."""
        return [deed for call in self.index.calls if (deed := self._deed(call)) is not None]

    @once
    def _orders(self) -> "Orders":
        from sentinel_signal_hallucination.orders import Orders

        return Orders(self.index)

    @once
    def tool_groups(self) -> frozenset[str]:
        """The groups of what the tools on offer or called can do."""
        return frozenset[str]().union(*(groups_of(facts) for facts in self.tools.values() if facts.effect != "reads"))

    @once
    def tool_words(self) -> frozenset[str]:
        """All words in the names of the tools."""
        return frozenset(word for name in self.tools for word in name_words(name))

    @property
    def orders(self) -> "list[Order]":
        """All orders, in order of time."""
        return self._orders.all

    @property
    def has_business(self) -> bool:
        """False where nobody asked for anything and there is no tool: then no deed is Sentinel's business."""
        return bool(self.tools or self.index.asked or self.index.children)

    def covers(self, message_index: int, groups: frozenset[str]) -> bool:
        """True where, without a look at words, a fresh deed that worked backs all statements of these groups."""
        if self.index.children:
            return False
        if self._is_free:
            return self._freely_done <= message_index
        asked = self.index.asked
        since = asked[number] if (number := bisect_left(asked, message_index) - 1) >= 0 else -1
        fresh = False
        vain, done = set[str](), set[str]()
        for deed in self.deeds_until(message_index):
            (vain if deed.failed else done).update(deed.groups)
            if not deed.failed and (
                deed.facts.runs_anything or (deed.message_index > since and groups <= _covered(deed.groups))
            ):
                fresh = True
        return fresh and groups.isdisjoint(vain - done)

    @once
    def _is_free(self) -> bool:
        """True where all that was called runs anything: then it backs everything, or nothing."""
        return all(facts.runs_anything and not groups_of(facts) for facts in self.tools.values())

    @once
    def _freely_done(self) -> int:
        """Where a tool that runs anything first did something."""
        return next(
            (deed.message_index for call in self.index.calls if (deed := self._deed(call)) and not deed.failed),
            len(self.index.messages),
        )

    @once
    def _ran(self) -> int:
        calls = self.index.calls
        return next(
            (call.message_index for call in calls if self.tools[call.call.name].runs_anything), len(self.index.messages)
        )

    def has_run(self, message_index: int) -> bool:
        """True where a tool that runs anything was called up to a message."""
        return self._ran <= message_index

    def says_yes(self, message_index: int) -> bool:
        """True where the last user's message before a message begins like a yes."""
        return self._orders.says_yes(message_index)

    def may_wait(self, message_index: int) -> bool:
        """True where the user has just said yes, and nothing was done since."""
        if not self.says_yes(message_index):
            return False
        asked = self.index.asked
        since = asked[bisect_left(asked, message_index) - 1]
        return not any(deed.message_index > since and not deed.failed for deed in self.deeds_until(message_index))

    @once
    def _below(self) -> list[Deed]:
        records = [Record(child) for child in self.index.children]
        return [deed for record in records for deed in (*record.deeds, *record._below)]  # noqa: SLF001 - of its own kind

    @property
    def deeds_of_children(self) -> list[Deed]:
        """What sub-agents did that worked: it backs their parent, whenever it was."""
        return [deed for deed in self._below if not deed.failed]

    @property
    def failed_deeds_of_children(self) -> list[Deed]:
        """What sub-agents tried in vain."""
        return [deed for deed in self._below if deed.failed]

    def _deed(self, call: Call) -> Deed | None:
        facts = self.tools[call.call.name]
        if facts.is_inert:
            return None
        writes = facts.effect != "reads"
        if facts.runs_anything and only_looks(call):
            return None
        if not writes:
            return None
        return Deed(call, facts, groups_of(facts), failed(call), writes)

    def order_before(self, message_index: int) -> "Order | None":
        """The last order before a message."""
        return self._orders.before(message_index)

    def deeds_until(self, message_index: int) -> list[Deed]:
        """The deeds up to a message; those of the message itself count."""
        return self.deeds[: bisect_left(self.deeds, message_index + 1, key=_message_index)]

    def deeds_after(self, message_index: int) -> list[Deed]:
        """The deeds after a message."""
        return self.deeds[bisect_left(self.deeds, message_index + 1, key=_message_index) :]
