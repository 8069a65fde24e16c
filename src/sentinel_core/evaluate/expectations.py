"""What a user expects of a run: which tools it calls, which not, in which order, how many times, and what it answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import attrs

from sentinel_core.evaluate.answer import answer_of
from sentinel_core.report import Detection, Finding

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import Call, TraceIndex

__all__ = ["Expectation", "check_expectations", "matching", "parse_expectation"]

_FORMS = "called:TOOL, not called:TOOL, called:TOOL before TOOL, answer matches REGEX, grounded, max-calls:N (TOOL may contain *)"
_QUOTE = 160
_SHOWN = 8


@attrs.frozen
class Expectation:
    """One expectation as it was ``written``; ``first`` and ``second`` are its patterns, or its number, empty if it has none."""

    rule: str
    written: str
    first: str = ""
    second: str = ""


class _Made(NamedTuple):
    """A call, and which sub-agent made it."""

    call: "Call"
    path: tuple[int, ...]


def parse_expectation(written: str) -> Expectation:
    """From text such as ``called:file_*``. Raises ``ValueError`` that says which forms there are."""
    text = " ".join(written.split()) if "answer matches" not in written else written.strip()
    patterns = (
        ("not_called", r"not called: ?(\S+)"),
        ("before", r"called: ?(\S+) before (\S+)"),
        ("called", r"called: ?(\S+)"),
        ("max_calls", r"max-calls: ?(\d{1,9})"),
        ("grounded", r"grounded"),
        ("answer", r"(?s)answer matches (.+)"),
    )
    for rule, pattern in patterns:
        found = re.fullmatch(pattern, text)
        if found is not None:
            if rule == "answer":
                _refuse_bad(found[1], written)
            return Expectation(rule, text, *found.groups())
    raise ValueError(f'"{written}" is not an expectation; use one of: {_FORMS}')


def _refuse_bad(pattern: str, written: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f'"{written}": the regular expression is not valid: {error}') from None


def matching(calls: "Iterable[Call]", pattern: str) -> "Iterator[Call]":
    """The calls of tools whose name the pattern fits: ``*`` and ``?`` as in a shell, case counting."""
    return (call for call in calls if fnmatchcase(call.call.name, pattern))


def check_expectations(index: "TraceIndex", expected: Sequence[Expectation]) -> Detection:
    """Score 1 and an error for each expectation that is broken, else 0; not measured where nothing is expected."""
    if not expected:
        return Detection(score=None, details="There are no expectations for this task.")
    made = list(_family(index, ()))
    open_ = [one for one in expected if index.is_partial and _misses_call(one, made)]
    gaps = [f'Parts of the trace were not read: whether "{one.written}" is met was not checked.' for one in open_]
    judged = [one for one in expected if one not in open_]
    broken = [found for one in judged if (found := _CHECKS[one.rule](one, made, index)) is not None]
    details = (
        f"{len(broken)} of {len(expected)} expectations were not met; {_called_tools(made)}."
        if broken
        else f"{len(judged)} of {len(expected)} expectations were met."
    )
    score = 1.0 if broken else 0.0 if judged else None
    return Detection(score=score, findings=broken, details=gaps[0] if score is None else details, gaps=gaps)


def _misses_call(one: Expectation, made: list[_Made]) -> bool:
    """True where all that is wrong is a call that is absent."""
    return one.rule in ("called", "before") and not _fits(made, one.first)


def _family(index: "TraceIndex", path: tuple[int, ...]) -> Iterator[_Made]:
    """The calls of the trace and its sub-agents; what was copied after compaction was not called again."""
    yield from (_Made(call, path) for call in index.calls if not call.is_copied)
    for position, child in enumerate(index.children):
        yield from _family(child, (*path, position))


def _called_tools(made: Iterable[_Made]) -> str:
    names = list(dict.fromkeys(one.call.call.name for one in made))
    return f"called: {_listed(names)}" if names else "no tool was called"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _tools(index: "TraceIndex") -> Iterator[str]:
    """The tools that the agent or a sub-agent could call, or did."""
    yield from index.tools
    for child in index.children:
        yield from _tools(child)


def _uncalled(pattern: str, index: "TraceIndex") -> str:
    """That no call fits; where no tool does either, which tools there are: the pattern may be misspelt."""
    known = list(dict.fromkeys(_tools(index)))
    if any(fnmatchcase(name, pattern) for name in known):
        return "was not called."
    return f"was not called; known tools: {_listed(known)}." if known else "was not called; no tool is known."


def _fits(made: Iterable[_Made], pattern: str) -> list[_Made]:
    return [one for one in made if fnmatchcase(one.call.call.name, pattern)]


def _finding(one: Expectation, text: str, at: _Made | None = None) -> Finding:
    place = (None, None, ()) if at is None else (at.call.message_index, at.call.call.id, at.path)
    return Finding(
        rule=one.rule,
        severity="error",
        text=f'Expected "{one.written}": {text}',
        message_index=place[0],
        call_id=place[1],
        trace_path=place[2],
    )


def _called(one: Expectation, made: list[_Made], index: "TraceIndex") -> Finding | None:
    fits = _fits(made, one.first)
    if any(each.call.outcome.state != "failed" for each in fits):
        return None
    if not fits:
        return _finding(one, f"it {_uncalled(one.first, index)}")
    return _finding(
        one,
        "it was called once and failed."
        if len(fits) == 1
        else f"it was called {len(fits)} times and failed each time.",
        fits[-1],
    )


def _not_called(one: Expectation, made: list[_Made], _: "TraceIndex") -> Finding | None:
    fits = _fits(made, one.first)
    return _finding(one, f'"{fits[0].call.call.name}" was called.', fits[0]) if fits else None


def _before(one: Expectation, made: list[_Made], index: "TraceIndex") -> Finding | None:
    first, second = _fits(made, one.first), _fits(made, one.second)
    if not first:
        return _finding(one, f'"{one.first}" {_uncalled(one.first, index)}', second[0] if second else None)
    if second and made.index(second[0]) < made.index(first[0]):
        name = second[0].call.call.name
        return _finding(one, f'"{name}" was called before any call to "{one.first}".', second[0])
    return None


def _max_calls(one: Expectation, made: list[_Made], _: "TraceIndex") -> Finding | None:
    most = int(one.first)
    return (
        _finding(one, "1 call was made." if len(made) == 1 else f"{len(made)} calls were made.", made[most])
        if len(made) > most
        else None
    )


def _answer(one: Expectation, _: list[_Made], index: "TraceIndex") -> Finding | None:
    last = index.texts[-1] if index.texts else None
    answers = [answer_of(index), *([] if last is None else [last.content])]
    if any(re.search(one.first, answer) for answer in answers):
        return None
    found = _finding(one, "the answer does not match." if any(answers) else "there is no answer.")
    if last is None:
        return found
    return attrs.evolve(found, message_index=last.message_index, quote=last.content[-_QUOTE:] or None)


def _grounded(one: Expectation, made: list[_Made], index: "TraceIndex") -> Finding | None:
    """The last report, which is a call with a list of findings, and the answer, held against the results of the tools."""
    from sentinel_core.evaluate.facts.reports import Report, contradictions

    reports = [each for each in made if isinstance(each.call.call.arguments.get("findings"), list)]
    given = reports[-1].call.call.arguments if reports else {}
    report = Report(
        release_id=str(given.get("release_id", "")),
        severity=str(given.get("severity", "")),
        findings=tuple(finding for finding in given.get("findings", ()) if isinstance(finding, str)),
        answer=answer_of(index),
    )
    found = contradictions(index.messages, report)
    if not found:
        return None
    place = reports[-1] if reports and found[0].where == "finding" else None
    return attrs.evolve(_finding(one, f"{found[0].told}.", place), quote=found[0].quote[:_QUOTE])


_CHECKS: Mapping[str, Callable[[Expectation, list[_Made], "TraceIndex"], Finding | None]] = {
    "answer": _answer,
    "before": _before,
    "called": _called,
    "grounded": _grounded,
    "max_calls": _max_calls,
    "not_called": _not_called,
}
