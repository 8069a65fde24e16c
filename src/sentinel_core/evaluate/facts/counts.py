"""How many tests a run had, as it printed them, and whether it was told to run a part of them only."""

import re
from collections.abc import Sequence
from itertools import combinations

from sentinel_core.evaluate.expressions import regex

__all__ = [
    "can_be_sum",
    "counts_in",
    "failures_in",
    "folder_of",
    "is_of_one_package",
    "is_selected",
    "left_out_in",
    "others_in",
    "without_separators",
]

_TAIL, _MOST = 20_000, 10
_COUNT = regex(
    r"(?i)\b(\d{1,7})(?: \w+){0,2}? (?:passed|passing|pass|ok|total|tests?|examples?|runs|specs?|selected|collected|items|succeeded)\b"
    r"|\b(?:tests run|tests|pass(?:ed)?|total|passes|ran|executed|collected)(?:[:=][ \t]{0,8}| )(\d{1,7})\b|\bout of (\d{1,7})\b|\((\d{1,7})(?: tests?)?\)"
)
_FAILED = regex(
    r"(?i)\b(\d{1,7})(?: \w+){0,2}? (?:failed|failing|failures?|errors?)\b|\b(?:failed|failures|errors|failing)[:=][ \t]{0,8}(\d{1,7})\b"
)
_THOUSANDS = regex(r"(?<=\d),(?=\d{3}(?:\b|,))")
_OF_A_PACKAGE = regex(
    r"(?:cargo (?:\S+ )*(?:-p|--package|--manifest-path)[ =]|\S*mvnw? (?:\S+ )*(?:-pl|--projects)[ =]|go test (?:-\S+ )*(?!\./\.\.\.)\./|dotnet test (?:-\S+ )*(?!\S+\.sln)[\w./]+"
    r"|\S*gradlew? (?:-\S+ )*:?[\w-]+:[\w:-]*[tT]est|(?:npm|pnpm|yarn|turbo|nx) (?:\S+ )*(?:--workspace|--filter|--projects|-w|-F|workspace)[ =]|(?:nx|lerna) (?:\S+ )*--scope)"
)
_SELECTED = regex(
    r" (?:--plain-name|--name|-k|-t|--grep|-run|--filter|--testNamePattern|--tests|-Dtest|--only|-g|--last-failed|--lf)(?:[ =]|\Z)|::|[\w/.-]+\.(?:py|[jt]sx?|rb|go|php|java)(?::\d+)?\b"
)
_OF_FOLDERS = regex(
    r"(?:\S*/)?(?:python[\d.]* -m )?(?:pytest|jest|vitest|mocha|rspec|phpunit|go test|rails test|bun test|deno test)\b"
)
_SUITE = regex(r"(?:^|/)(?:unit|integration|e2e|functional|tests?|specs?|src)\Z")  # may be all there are
_FOLDERS = regex(r" (?:\./)?((?:[\w-]+/){1,9}[\w-]+)(?:/|/\.\.\.)?(?= |\Z)")
_OTHERS = regex(
    r"(?i)\b(\d{1,7})(?: \w+)? (?:skipped|xfailed|xpassed|failed|failing|failures?|errors?|todo|pending|ignored|deselected|disabled|filtered)\b|\b(?:skipped|failed|failures|errors|ignored|pending|todo)[:=][ \t]{0,8}(\d{1,7})\b"
)
_LEFT_OUT = regex(
    r"(?i)\b(\d{1,7})(?: \w+)? (?:skipped|skips?|xfailed|todo|pending|ignored|deselected|disabled|filtered out)\b|\b(?:skipped|ignored|pending|todo|skips)[:=][ \t]{0,8}(\d{1,7})\b"
)
_LEFT = regex(r"\b[1-9]\d* (?:deselected|filtered out)\b")


def counts_in(text: str) -> tuple[int, ...]:
    """The counts of tests at the end of what a run printed, in order and without zeros, each once a line; none where it printed none."""
    return _counts(_COUNT, text)


def _counts(row: re.Pattern[str], text: str) -> tuple[int, ...]:
    found = list[int]()
    for line in without_separators(text[-_TAIL:]).splitlines():
        counts = (int(next(filter(None, groups))) for groups in row.findall(line))
        found += dict.fromkeys(count for count in counts if count)
    return tuple(found)


def others_in(text: str) -> tuple[int, ...]:
    """The counts of tests that did not pass: skipped, failed, ignored and the like; with those that passed, they make up all."""
    return _counts(_OTHERS, text)


def left_out_in(text: str) -> int:
    """How many tests the last line that counts any says were not run, or may fail: skipped, deselected, ignored and the like."""
    for line in reversed(without_separators(text[-_TAIL:]).splitlines()):
        if _COUNT.search(line) or _FAILED.search(line):
            return sum(int(next(filter(None, groups))) for groups in _LEFT_OUT.findall(line))
    return 0


def failures_in(text: str) -> int:
    """The last count of tests that failed at the end of what a run printed; 0 where it printed none."""
    return next(reversed(_counts(_FAILED, text)), 0)


def without_separators(text: str) -> str:
    """The text with its numbers in one piece: "1,204" is "1204"."""
    return _THOUSANDS.sub("", text)


def can_be_sum(count: int, parts: Sequence[int]) -> bool:
    """True where some of the parts make up the count; also where there are too many to tell."""
    if len(parts) > _MOST:
        return True
    return any(sum(some) == count for size in range(1, len(parts) + 1) for some in combinations(parts, size))


def is_of_one_package(command: str) -> bool:
    """True for a run of the tests of one package, project or module of several: ``cargo test -p core``."""
    return _OF_A_PACKAGE.match(command) is not None


def folder_of(command: str) -> str:
    """The folder below another whose tests a run was told to run ("tests/api"); empty where it names none, or more."""
    found = _FOLDERS.findall(command) if _OF_FOLDERS.match(command) else []
    return found[0] if len(found) == 1 and _SUITE.search(found[0]) is None else ""


def is_selected(command: str, shown: str) -> bool:
    """True for a run that was told to run a part of the tests; a marker ("-m unit") may name a suite, which is whole."""
    return _SELECTED.search(f" {command}") is not None or _LEFT.search(shown[-_TAIL:]) is not None
