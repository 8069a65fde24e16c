"""Calls that changed something by an identifier or an address that nothing on record has, although the record has others of its kind."""

import re
from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, evidence
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.carried import Carried
from sentinel_signal_hallucination.ledger.documents import Leaf
from sentinel_signal_hallucination.ledger.sources import Sources, family
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["invented"]

# Of a trace: each takes a look at all that was told, and each of the untold a long one.
_MOST, _MOST_UNTOLD = 500, 40
_ADDRESS = regex(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_PART, _PERIOD = regex(r"[^\W_]+"), regex(r"(?:19|20)\d\d-?(?:W\d\d?|Q[1-4]|H[12])")
_LAST_DIGITS = regex(r"\d{1,9}\Z")
_SIZES = (3, 4, 5, 6)
_LETTER = regex(r"[A-Za-z]")


def invented(carried: Carried, settings: Settings) -> Iterator[Evidence]:
    """At most one finding a trace: the first such call."""
    yield from islice(_invented(carried, settings), 1)


def _invented(carried: Carried, settings: Settings) -> Iterator[Evidence]:
    index = carried.turns.record.index
    named = ((action, leaf) for action in carried.actions for leaf in carried.by(action) if _names_something(leaf))
    before = _Before(index)
    unfound = ((action, leaf) for action, leaf in islice(named, _MOST) if not _was_found(action, leaf))
    untold = (row for row in unfound if not before.has(row[1].text.lstrip("#"), row[0].message_index))
    for action, rows in groupby(islice(untold, _MOST_UNTOLD), key=itemgetter(0)):
        sources = Sources(index, action.message_index)
        for _, leaf in rows:
            if not _is_given(leaf.text.lstrip("#"), sources) and _has_others(leaf, sources, carried, action):
                message = (
                    f'The call to "{action.facts.name}" carried "{leaf.text}" as {leaf.key}, which is in no result and in '
                    "nothing that the agent was given; the record has others."
                )
                yield evidence(
                    "invented_argument", leaf.value.kind, message, settings.effect_weight,
                    message_index=action.message_index, call_id=action.call.call.id, quote=leaf.text,
                )  # fmt: skip


class _Before:
    """What results, users and instructions say before a call: most calls carry just what stands there, and that is quick to see."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index

    @once
    def _given(self) -> tuple[str, list[int]]:
        """All of it in order, and how much of it stands before each message."""
        parts: list[str] = []
        ends, length = [0], 0
        for message in self._index.messages:
            spoken = [message.content] if message.content and message.role != "assistant" else []
            new = [*spoken, *(result.content for result in message.tool_results)]
            parts += new
            length += sum(map(len, new)) + len(new)
            ends.append(length)
        return "\n".join([*parts, ""]), ends

    def has(self, written: str, until: int) -> bool:
        """True where just this stands before a message."""
        given, ends = self._given
        return given.find(written, 0, ends[until]) >= 0


def _was_found(action: Action, leaf: Leaf) -> bool:
    """True for a guess that a lookup confirmed: what came back has it."""
    result = action.call.result
    is_look = action.facts.effect != "writes" and action.call.outcome.state != "failed"
    return is_look and result is not None and leaf.text in result.content


def _names_something(leaf: Leaf) -> bool:
    """True for an address, and for an identifier with letters: plain numbers are amounts and counts as often."""
    return leaf.value.kind == "address" or (leaf.value.kind == "identifier" and _LETTER.search(leaf.text) is not None)


def _is_given(written: str, sources: Sources) -> bool:
    """True for what was told, whole or in its parts: "RUN-43-BLK" beside "RUN-41-BLK" and size 43; and for a week or a quarter of a year."""
    parts = _PART.findall(written)
    is_composed = len(parts) > 1 and all(part in sources.context for part in parts)
    is_told = is_composed or _PERIOD.fullmatch(written) is not None or sources.names(written)
    return is_told or _is_in_range(written, sources.context) or _is_mended(written, sources.context)


def _is_mended(written: str, context: str) -> bool:
    """True for one that was told, with other last digits, which were told by themselves: "sorry, 8827"."""
    tails = (written[-size:] for size in _SIZES if written[-size:].isdigit() and len(written) > size)
    return any(
        re.search(rf"(?<![\w-]){tail}(?![\w-])", context)
        and re.search(rf"{re.escape(written[: -len(tail)])}\d{{{len(tail)}}}(?!\w)", context)
        for tail in tails
    )


def _is_in_range(written: str, context: str) -> bool:
    """True for a number between two of its kind that were told: "B-0513" of "B-0512 till B-0515"."""
    number = _LAST_DIGITS.search(written)
    if number is None:
        return False
    head = re.escape(written[: number.start()].lower())
    ends = re.findall(
        rf"(?<!\w){head}(\d{{1,9}})(?: ?[-–] ?| (?:to|till|until|through|up to) )(?:{head})?(\d{{1,9}})(?!\w)",
        context.lower(),
    )
    return any(int(first) <= int(number[0]) <= int(last) for first, last in ends)


def _has_others(leaf: Leaf, sources: Sources, carried: Carried, action: Action) -> bool:
    """True where the agent had one to give: a result has another of the family in such a field; of addresses, one that no call carried."""
    if leaf.value.kind == "address":
        given = carried.given_by(len(sources.index.messages))
        return any(address not in given for address in _ADDRESS.findall(sources.context))
    return family(leaf.text) in sources.families and carried.has_field(leaf.key, action)
