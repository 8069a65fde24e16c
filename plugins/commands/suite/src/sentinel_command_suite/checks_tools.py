"""The checks of ``tool_usage``: which tools were called, in which order, with what, and how failures were handled. Pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sentinel_command_suite.predicates import ADMITS_FAILURE
from sentinel_command_suite.runs import Check, Run
from sentinel_command_suite.scenario import CallExpectation, Order, ToolUsage
from sentinel_core import Call
from sentinel_core.evaluate.expectations import matching
from sentinel_core.runtime.printable import counted

__all__ = ["check_tools"]

_REFUSED = ("InvalidArgumentsError", "ToolNotFoundError")
_SHOWN = 160
_DIMENSION = "tool_usage"


def check_tools(run: Run, expect: ToolUsage) -> Iterator[Check]:
    """All checks of this dimension, including those that every scenario has."""
    if expect.calls is not None:
        yield _trajectory(run.calls, expect.calls, expect.order)
    yield _valid(run.calls)
    if expect.forbidden:
        used = sorted({call.call.name for tool in expect.forbidden for call in matching(run.calls, tool)})
        yield _check("no_forbidden_tool", not used, f"called {', '.join(used)}" if used else "none was called")
    if expect.most_calls is not None:
        made = len(run.calls)
        yield _check(
            "few_calls", made <= expect.most_calls, f"{counted(made, 'call')}; at most {expect.most_calls} expected"
        )
    if expect.errors_handled:
        yield _errors_handled(run)


def _check(name: str, score: float, evidence: str) -> Check:
    return Check(id=name, dimension=_DIMENSION, score=float(score), evidence=evidence)


def _trajectory(calls: Sequence[Call], wanted: Sequence[CallExpectation], order: Order) -> Check:
    matched, score = _SCORES[order](calls, wanted)
    made = " → ".join(call.call.name for call in calls) or "no calls"
    if score == 1:
        return _check("calls", 1.0, f"{made}: {matched} of {len(wanted)} expected calls, {order}")
    asked = " → ".join(map(_described, wanted)) or "no calls"
    return _check("calls", score, f"expected ({order}) {asked}; called {made}{_first_miss(calls, wanted)}")


def _ordered(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> int:
    """The longest common subsequence."""
    row = [0] * (len(wanted) + 1)
    for call in calls:
        before = 0
        for place, expected in enumerate(wanted, 1):
            before, row[place] = row[place], max(row[place], row[place - 1], before + matches(call, expected))
    return row[-1]


def _unordered(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> int:
    """The largest matching of calls to expectations (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(call: int, tried: set[int]) -> bool:
        for spot, expected in enumerate(wanted):
            if spot not in tried and matches(calls[call], expected):
                tried.add(spot)
                if spot not in taken or place(taken[spot], tried):
                    taken[spot] = call
                    return True
        return False

    return sum(place(call, set()) for call in range(len(calls)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _exact(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> tuple[int, float]:
    found = _ordered(calls, wanted)
    return found, _share(2 * found, len(calls) + len(wanted))


def _in_order(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> tuple[int, float]:
    found = _ordered(calls, wanted)
    return found, _share(found, len(wanted))


def _any_order(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> tuple[int, float]:
    found = _unordered(calls, wanted)
    return found, _share(2 * found, len(calls) + len(wanted))


def _superset(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> tuple[int, float]:
    found = _unordered(calls, wanted)
    return found, _share(found, len(wanted))


def _subset(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> tuple[int, float]:
    found = _unordered(calls, wanted)
    return found, _share(found, len(calls))


_SCORES: dict[Order, Callable[[Sequence[Call], Sequence[CallExpectation]], tuple[int, float]]] = {
    "exact": _exact,
    "in_order": _in_order,
    "any_order": _any_order,
    "superset": _superset,
    "subset": _subset,
}


def matches(call: Call, expected: CallExpectation) -> bool:
    """True if name, arguments and success are as expected."""
    if call.call.name != expected.name:
        return False
    if expected.succeeds is not None and (call.result is None or call.result.success is not expected.succeeds):
        return False
    real = {key: value for key, value in call.call.arguments.items() if key not in expected.ignore}
    wanted = {key: value for key, value in expected.arguments.items() if key not in expected.ignore}
    return real == wanted if expected.match == "exact" else _covers(real, wanted)


def _covers(real: Any, wanted: Any) -> bool:
    """True if objects contain all expected keys, at any depth, and other values are equal."""
    if isinstance(real, dict) and isinstance(wanted, dict):
        return all(key in real and _covers(real[key], value) for key, value in wanted.items())
    return type(real) is type(wanted) and bool(real == wanted) if isinstance(wanted, bool) else bool(real == wanted)


def _described(expected: CallExpectation) -> str:
    arguments = ", ".join(f"{key}={value!r}" for key, value in expected.arguments.items())
    return f"{expected.name}({arguments})"[:_SHOWN]


def _first_miss(calls: Sequence[Call], wanted: Sequence[CallExpectation]) -> str:
    """The first expected call that differs only in arguments or success."""
    for expected in wanted:
        same_name = [call for call in calls if call.call.name == expected.name]
        if same_name and not any(matches(call, expected) for call in same_name):
            return f"; {expected.name} had {str(same_name[-1].call.arguments)[:_SHOWN]}"
    return ""


def _valid(calls: Sequence[Call]) -> Check:
    refused = [call for call in calls if _error(call) in _REFUSED]
    evidence = "every call fits its tool's schema"
    if refused:
        evidence = f"{refused[0].call.name}: {refused[0].result.content[:_SHOWN] if refused[0].result else ''}"
    return _check("valid_calls", 1 - _share(len(refused), len(calls)) if calls else 1.0, evidence)


def _error(call: Call) -> object:
    return (call.result.metadata or {}).get("error") if call.result is not None else None


def _errors_handled(run: Run) -> Check:
    """A failed call is handled if the tool succeeded later, or if the answer or a finding admits a failure."""
    failed = [place for place, call in enumerate(run.calls) if call.result is not None and call.result.success is False]
    admitted = any(ADMITS_FAILURE.search(text) for text in run.statements)
    silent = [run.calls[place] for place in failed if not admitted and not _succeeds_after(run.calls, place)]
    if silent:
        return _check(
            "errors_handled", 1 - len(silent) / len(failed), f"the failure of {silent[0].call.name} is hidden"
        )
    return _check("errors_handled", 1.0, f"{len(failed)} failed calls, none hidden")


def _succeeds_after(calls: Sequence[Call], place: int) -> bool:
    name = calls[place].call.name
    return any(call.call.name == name and call.result and call.result.success for call in calls[place + 1 :])
