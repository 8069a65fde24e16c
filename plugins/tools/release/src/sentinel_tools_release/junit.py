"""Streams test results from JUnit XML, refuses document type declarations and deep nesting, and checks totals against the cases."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from xml.parsers import expat

import attrs

from sentinel_core.errors import InputError
from sentinel_tools_release.plain_text import plain

__all__ = ["Claims", "Status", "TestCase", "TestRun", "read_junit"]

_KINDS = ("tests", "failures")
_MOST = 10**9
_PYTEST = ("pytest", "pytest tests")  # pytest counts subtests in a suite's total, but does not list them


@attrs.define
class _Count:
    """Counts of one kind in one suite and its inner suites: claimed, listed, and claimed but not listed."""

    claimed: int
    listed: int = 0
    missing: int = 0


class Claims:
    """Compares the totals that suites claim with the tests that they list.

    A suite that lists more than it claims is fine, because writers count differently.
    """

    def __init__(self) -> None:
        self._total = {kind: _Count(0) for kind in _KINDS}
        self._open: list[tuple[bool, dict[str, _Count]]] = []

    def larger(self) -> dict[str, int]:
        """The claimed number of ``tests`` and ``failures`` (errors included), each only if it exceeds the listed number."""
        return {kind: count.listed + count.missing for kind, count in self._total.items() if count.missing}

    def begin_suite(self, attributes: Mapping[str, str]) -> None:
        """Open a suite, inside the open one, with its claimed totals."""
        by_pytest = attributes.get("name") in _PYTEST or bool(self._open and self._open[-1][0])
        self._open.append((by_pytest, {kind: _Count(claimed) for kind, claimed in _claimed(attributes).items()}))

    def listed(self, kind: str) -> None:
        """Count one of ``tests`` or ``failures`` in the innermost suite."""
        self._open[-1][1][kind].listed += 1

    def end_suite(self) -> None:
        """Close the innermost suite."""
        by_pytest, counts = self._open.pop()
        for kind, count in counts.items():
            if by_pytest and kind == "tests":
                count.listed = max(count.listed, count.claimed)
            around = (self._open[-1][1] if self._open else self._total)[kind]
            around.listed += count.listed
            around.missing += max(count.missing, count.claimed - count.listed)


def _claimed(attributes: Mapping[str, str]) -> dict[str, int]:
    tests, failures, errors = (_count(attributes.get(name, "")) for name in ("tests", "failures", "errors"))
    # Some writers count each failure under both names.
    return {"tests": tests, "failures": failures if failures == errors else failures + errors}


def _count(text: str) -> int:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return 0
    return int(min(number, _MOST)) if number > 0 else 0  # neither for NaN


Status = Literal["passed", "failed", "skipped"]

_ROOTS = ("testsuites", "testsuite")
_STATUS: dict[str, Status] = {"failure": "failed", "error": "failed", "skipped": "skipped"}
_MAX_DEPTH = 100
_MAX_FILES = 5000
_MAX_CASES = 1_000_000
_CHUNK = 1 << 16
_TEXT_LENGTH = 500


@attrs.define(kw_only=True)
class TestCase:
    """One test. ``seconds`` is None if unknown; ``message`` says why it failed or was skipped."""

    __test__ = False  # not a pytest class

    name: str
    seconds: float | None = None
    status: Status = "passed"
    message: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The test as in a tool's result; an empty message is left out."""
        found: dict[str, Any] = {"name": self.name, "status": self.status, "seconds": self.seconds}
        return {**found, "message": self.message} if self.message else found


@attrs.frozen
class TestRun:
    """Every test of a run, in the order of the report. A test with a failure and an error counts once.

    ``claimed`` is the number of ``tests`` or ``failures`` that the report claims, if it lists fewer.
    """

    __test__ = False

    cases: tuple[TestCase, ...]
    claimed: Mapping[str, int] = attrs.field(factory=dict)

    def with_status(self, status: Status) -> list[TestCase]:
        """The tests with this status."""
        return [case for case in self.cases if case.status == status]

    def counts(self) -> dict[str, Any]:
        """The number of passed, failed and skipped tests; and ``claimed``, if that is more."""
        found = {"passed": 0, "failed": 0, "skipped": 0}
        for case in self.cases:
            found[case.status] += 1
        return {**found, "claimed": dict(self.claimed)} if self.claimed else found


def read_junit(place: str, max_bytes: int) -> TestRun:
    """The tests in a JUnit file, or in all ``*.xml`` files of a folder and below that are JUnit's.

    Raises ``InputError`` with file and line for a file that is not JUnit XML or has a document type declaration, and if
    all files together exceed ``max_bytes``.
    """
    path = Path(place)
    files = _files(path) if path.is_dir() else [path]
    cases: list[TestCase] = []
    claims = Claims()
    left = max_bytes
    for file in files:
        left -= _read(file, _Reader(cases, claims), left, max_bytes)
    return TestRun(tuple(cases), claims.larger())


def _files(folder: Path) -> list[Path]:
    places = os.walk(folder, onerror=_refuse_folder)
    named = (Path(place, name) for place, _, names in places for name in names if name.endswith(".xml"))
    found = sorted(path for path in named if path.is_file())
    if not found:
        raise InputError(f'"{os.fspath(folder)}" contains no *.xml file; --junit sets the path of the test report')
    if len(found) > _MAX_FILES:
        raise InputError(
            f'"{os.fspath(folder)}" contains {len(found)} *.xml files, more than {_MAX_FILES}; use a folder with fewer files'
        )
    return found


def _refuse_folder(error: OSError) -> None:
    raise InputError(
        f'"{error.filename}" cannot be read: {error.strerror}; --junit sets the path of the test report'
    ) from error


def _read(path: Path, reader: "_Reader", left: int, max_bytes: int) -> int:
    """Add a file's tests; returns its size in bytes."""
    name, size = os.fspath(path), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if size > left:
                    raise InputError(f'"{name}": the test reports exceed {max_bytes} bytes; raise "max_junit_bytes"')
                reader.parser.Parse(chunk, False)
            reader.parser.Parse(b"", True)
    except OSError as error:
        raise InputError(
            f'"{name}" cannot be read: {error.strerror}; --junit sets the path of the test report'
        ) from error
    except (
        expat.ExpatError,
        _RefusedError,
        LookupError,
        ValueError,
    ) as error:  # the last two come from the declared encoding
        line = reader.parser.CurrentLineNumber
        reason = str(error).partition(":")[0] if isinstance(error, expat.ExpatError) else str(error)
        raise InputError(f'"{name}" is not JUnit XML: {reason} at line {line}; correct the file') from error
    return size


class _RefusedError(Exception):
    """Well-formed XML that is not acceptable as a test report."""


class _Reader:
    """Expat's callbacks. Only the open test is kept, never a tree."""

    def __init__(self, cases: list[TestCase], claims: Claims) -> None:
        self.cases = cases
        self.claims = claims
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self._path: list[str] = []
        self._case: TestCase | None = None
        self._texts: list[str] = []

    def _refuse_doctype(self, *_: object) -> None:
        raise _RefusedError("it has a document type declaration (<!DOCTYPE), which test reports do not need")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag not in _ROOTS:
            raise _RefusedError(f"its root element is <{plain(tag, 40)}>, not <testsuites> or <testsuite>")
        if len(self._path) == _MAX_DEPTH:
            raise _RefusedError(f"elements are nested deeper than {_MAX_DEPTH} levels")
        inside = self._path[-1] if self._path else ""
        self._path.append(tag)
        if tag in _ROOTS:
            self.claims.begin_suite(attributes)
        elif tag == "testcase":
            self._case = TestCase(name=_name(attributes), seconds=_seconds(attributes.get("time")))
        elif self._case is not None and inside == "testcase" and tag in _STATUS:
            self._settle(self._case, _STATUS[tag], attributes.get("message", ""))

    def _settle(self, case: TestCase, status: Status, message: str) -> None:
        if status == "failed":
            self.claims.listed("failures")
        if case.status != "failed":
            case.status, case.message = status, plain(message, _TEXT_LENGTH)
            self._texts = []

    def _text(self, data: str) -> None:
        if self._case is not None and self._path[-1] in _STATUS and sum(map(len, self._texts)) < _TEXT_LENGTH:
            self._texts.append(data)

    def _end(self, tag: str) -> None:
        self._path.pop()
        if self._case is not None and tag in _STATUS and not self._case.message:
            self._case.message = plain("".join(self._texts), _TEXT_LENGTH)
        if tag == "testcase" and self._case is not None:
            if len(self.cases) == _MAX_CASES:
                raise _RefusedError(f"it contains more than {_MAX_CASES} tests")
            self.cases.append(self._case)
            self._case = None
            self.claims.listed("tests")
        elif tag in _ROOTS:
            self.claims.end_suite()


def _name(attributes: dict[str, str]) -> str:
    return plain("::".join(_named(attributes)), _TEXT_LENGTH) or "(a test without a name)"


def _named(attributes: dict[str, str]) -> Iterator[str]:
    for key in ("classname", "name"):
        if attributes.get(key):
            yield attributes[key]


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float((text or "").replace(",", ""))  # some writers group thousands
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
