"""Which files of tests failed in a run, as it printed them, and whether a later run had them again. Pure."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.facts.commands import kinds_of_call

if TYPE_CHECKING:
    from sentinel_core.evaluate.checks import Check
    from sentinel_core.evaluate.index import Call

__all__ = ["failing_files", "left_failing"]

_TAIL, _MOST = 20_000, 20
_FAILING = regex(
    r"(?m)^\s{0,6}(?:FAILED|FAIL|ERROR|rspec|❯|✗|×|not ok \d{1,5} -)\s{1,4}(?:\./)?(?P<path>[\w.@-]+(?:/[\w.@\[\]-]+)*\.(?:py|[cm]?[jt]sx?|rb|go|php|exs?|java|kt|cs|dart))(?![\w/])"
)


def failing_files(output: str) -> tuple[str, ...]:
    """The files whose tests failed, as the end of what a run printed names them, each once; none where it names none."""
    found = (match["path"] for match in _FAILING.finditer(output[-_TAIL:]))
    return tuple(dict.fromkeys(found))[:_MOST]


def left_failing(runs: Iterable[tuple["Call", "Check"]], later: Iterable["Call"]) -> tuple["Call", str] | None:
    """The last run of tests that failed, and a file that failed in it and was in none of the runs that passed since.

    None where that cannot be told: a later run had everything or a selection, nothing tells how it ended, or the file may be gone.
    """
    found: Call | None = None
    files: tuple[str, ...] = ()
    for call, check in runs:
        if check.passed is False:
            shown = failing_files(call.result.content) if call.result is not None else ()
            # What failed before is still open where this run did not have it.
            found, files = call, (*shown, *_without(files, check.covers)) if shown else ()
        elif check.passed is None or not all(map(_is_path, check.covers)):
            files = ()
        else:
            files = tuple(_without(files, check.covers))
    if found is None or not files:
        return None
    gone = [call for call in later if call.position > found.position and _may_remove(call)]
    named = " ".join(str(call.call.arguments) for call in gone)
    left = [path for path in files if path.rpartition("/")[2] not in named]
    return (found, left[0]) if left else None


def _without(files: Iterable[str], covers: tuple[str, ...]) -> Iterator[str]:
    """The files that a run with these paths did not have; one without paths had all."""
    return (path for path in files if covers and not any(_has(cover, path) for cover in covers))


def _has(cover: str, path: str) -> bool:
    """True for the file itself or a test in it, and a folder above it; paths may begin in other folders."""
    one, other = cover.partition(":")[0].removeprefix("./").rstrip("/."), path.removeprefix("./")
    return f"/{one}/" in f"/{other}/" or one.endswith(f"/{other}")


def _is_path(cover: str) -> bool:
    return " " not in cover and ("/" in cover or "." in cover)


def _may_remove(call: "Call") -> bool:
    return kinds_of_call(call.call.name, call.call.arguments).can_be("delete")
