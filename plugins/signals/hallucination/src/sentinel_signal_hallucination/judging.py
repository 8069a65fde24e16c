"""The signal: a first look at each text, every rule over the trace and its sub-agents, and one score."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

import attrs

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Detection, Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.prescan import Scan, scan
from sentinel_signal_hallucination.english.sentences import plain, sentences
from sentinel_signal_hallucination.english.statements import statements
from sentinel_signal_hallucination.evidence import Evidence, combined
from sentinel_signal_hallucination.ledger.actions import Record
from sentinel_signal_hallucination.ledger.carried import Carried
from sentinel_signal_hallucination.ledger.turns import Turns
from sentinel_signal_hallucination.rules.actions import actions
from sentinel_signal_hallucination.rules.arguments import invented
from sentinel_signal_hallucination.rules.coding import coding, witnessed
from sentinel_signal_hallucination.rules.figures import unheld
from sentinel_signal_hallucination.rules.protocol import imitated, orphaned, unanswered
from sentinel_signal_hallucination.rules.results import results
from sentinel_signal_hallucination.rules.states import states
from sentinel_signal_hallucination.rules.tool_use import tool_results, tool_uses
from sentinel_signal_hallucination.rules.values import other_values
from sentinel_signal_hallucination.rules.weakened_tests import weakened

__all__ = ["check_expressions", "detect"]

_SAMPLES = {
    "I have filed the report.": ("file", "own"),
    "Your **order** has been successfully cancelled!": ("cancel", "perfect"),
    "Once it is paid, the ticket is booked. Booked!": ("book", "brief"),
    "Done. Booked the `A-1` room.": ("do", "brief"),
}


@cache
def check_expressions() -> None:
    """Raise ``RuntimeError`` where the sentences are not read as they should be."""
    for sample, expected in _SAMPLES.items():
        found = next((one for part in sentences(plain(sample)) for one in statements(part)), None)
        read = None if found is None else (found.verb, found.voice)
        if read != expected:
            raise RuntimeError(
                f'this Python\'s re module is broken: "{sample}" was read as {read}; use another Python version'
            )


_NOWHERE: frozenset[int] = frozenset()
_CLEAN = Detection(score=0.0, details="Nothing that the agent says contradicts the record.")


# What stands on calls that are there: the last of them failed. All else stands on something that is absent.
_CONTRADICTIONS = frozenset(("contradicted_claim", "contradicted_checks"))
_NOT_READ = "Parts of the trace were not read: what may be in them was not missed."


def _standing(index: TraceIndex, rows: list[Evidence], gaps: list[str]) -> list[Evidence]:
    """The evidence that stands although parts of the trace were not read: there, the call that is missed may be made, or made again."""
    if not index.is_partial:
        return rows
    gaps.append(_NOT_READ)
    unread = len(index.messages) if index.unread_from is None else index.unread_from
    return [row for row in rows if row.finding.rule in _CONTRADICTIONS and _place(row.finding) < unread]


def _evidence(index: TraceIndex, settings: Settings, gaps: list[str]) -> list[Evidence]:
    # One text to search costs far less than many, and most searches come to nothing.
    spoken = "\n".join([text.content for text in index.texts])
    looks = scan(text for text in index.texts if not is_foreign(text.content))
    turns = Turns(Record(index))
    checked = list(_checked(turns.record, looks, settings))
    coded = list(coding(turns, settings, _places(checked)))
    errors = [row for row in checked if row.finding.severity == "error"]
    passed_over = list(_swallowed(turns, settings, _places(coded, errors)))
    claimed = list(_claimed(turns, looks, settings, _places(passed_over, coded) | witnessed(turns)))
    carried = Carried(turns)
    valued = list(other_values(carried, settings, _places(passed_over, claimed)))
    valued += results(turns, settings, _places(passed_over, claimed, valued))
    return [
        *passed_over,
        *checked,
        *weakened(turns.record, settings),
        *coded,
        *claimed,
        *valued,
        *states(turns, settings, _places(passed_over, claimed, valued)),
        *tool_results(index, [look.text for look in looks if look.gave], settings),
        *unheld(turns, settings),
        *invented(carried, settings),
        *imitated(index, settings, gaps, spoken),
        *unanswered(index, settings, gaps),
        *orphaned(index, settings, gaps),
    ]


def _places(*groups: Iterable[Evidence]) -> frozenset[int]:
    """The messages with a warning or an error."""
    if not any(groups):
        return _NOWHERE
    rows = chain.from_iterable(groups)
    return frozenset(row.finding.message_index or 0 for row in rows if row.finding.severity != "note")


def _claimed(turns: Turns, looks: list[Scan], settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """What is said to be done and was not, in messages that nothing else speaks against; the first sentence stands for its repetitions."""
    rows = (row for row in actions(turns, looks, settings) if row.finding.message_index not in known)
    found: dict[tuple[str, str], Evidence] = {}
    for row in rows:
        found.setdefault((row.finding.rule, " ".join((row.finding.quote or "").lower().split())), row)
    yield from found.values()
    known |= _places(list(found.values()))
    uses = tool_uses(turns.record.index, [look for look in looks if look.text.message_index not in known], settings)
    yield from {row.finding.text: row for row in reversed(list(uses))}.values()


def _checked(record: Record, looks: list[Scan], settings: Settings) -> Iterable[Evidence]:
    index = record.index
    texts = [look.text for look in looks if look.checks and look.named]
    if (record.runs_anything or any(look.checks for look in looks)) and any(call.checks for call in index.calls):
        texts = [text for text in index.texts if not (text.is_copied or is_foreign(text.content))]
    if not texts:
        return ()
    from sentinel_signal_hallucination.rules.checks import passing

    return passing(index, texts, settings)


def _swallowed(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterable[Evidence]:
    if not turns.record.runs_anything:
        return ()
    from sentinel_signal_hallucination.rules.ignored_failures import swallowed

    return swallowed(turns, settings, known)


def detect(index: TraceIndex, settings: Settings) -> Detection:
    """Judge one trace. None where it holds neither an assistant text nor a call: there is nothing to judge."""
    if not (index.texts or index.calls or index.orphans or index.children):
        return Detection(score=None, details="The trace contains no assistant text and no tool call.")
    check_expressions()
    gaps: list[str] = []
    rows = _standing(index, _evidence(index, settings, gaps), gaps)
    if not (rows or gaps or index.children):
        return _CLEAN
    score = combined(rows, settings.doubtful_ceiling)
    findings = sorted((row.finding for row in rows), key=_place)
    for position, child in enumerate(index.children):
        inner = detect(child, settings)
        score = max(score, inner.score or 0.0)
        findings += [attrs.evolve(finding, trace_path=(position, *finding.trace_path)) for finding in inner.findings]
        gaps += [gap for gap in inner.gaps if gap not in gaps]
    return Detection(score=score, findings=findings, details=_summary(findings), gaps=gaps)


def _place(finding: Finding) -> int:
    return finding.message_index or 0


def _summary(findings: list[Finding]) -> str:
    if not findings:
        return _CLEAN.details
    rules = sorted({finding.rule for finding in findings})
    counts = (f"{sum(finding.rule == rule for finding in findings)} {rule}" for rule in rules)
    return f"The record does not support what the agent says or calls: {', '.join(counts)}."
