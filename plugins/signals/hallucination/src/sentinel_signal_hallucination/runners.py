"""How runs of tests end, as test runners print it: one row a way, each tried against what its runner really prints."""

import re

from sentinel_signal_hallucination.printed import last_ending, printed
from sentinel_signal_hallucination.tables import regex

__all__ = ["FAILED", "PASSED", "failed_ending"]


FAILED: dict[str, str] = {
    "pytest": r"=* ?(?:\d+ \w+, ){0,9}[1-9]\d* (?:failed|errors?)(?:, \d+ \w+){0,9} in \d[\d.]* ?s",
    "pytest, no test": r"=* ?no tests ran in \d[\d.]* ?s",
    "pytest, cut off": r"FAILED \S+::\S+ - ",
    "unittest": r"FAILED \((?:\w+ )*(?:failures|errors)=\d",
    "jest": r"Tests:\s+(?:\d+ \w+, ){0,9}[1-9]\d* failed",
    "jest, suites": r"Test Suites: [1-9]\d* failed[^\n]*(?:\nTests:[^\n]*)?",
    "vitest": r" *(?:Tests|Test Files)  [1-9]\d* failed",
    "mocha": r" *[1-9]\d* failing$",
    "node": r"[#ℹ] fail [1-9]",
    "go": r"(?:--- FAIL: |FAIL\t|FAIL$)",
    "cargo": r"test result: FAILED\.",
    "nextest": r" *Summary \[[^\]\n]{1,20}\] \d+ tests? run: [^\n]*\b[1-9]\d* failed",
    "maven": r"(?:\[\w+\] )?Tests run: \d+, Failures: (?:[1-9]|0, Errors: [1-9])",
    "gradle": r"\d+ tests? completed, [1-9]\d* failed",
    "rspec, minitest": r"\d+ (?:examples?|runs?|tests?), (?:\d+ assertions?, )?(?:[1-9]\d* failures?|0 failures, [1-9]\d* errors?)",
    "phpunit": r"(?:FAILURES!$|Tests: \d+, Assertions: \d+, (?:Errors|Failures): [1-9])",
    "dotnet": r"Failed!\s+- Failed:\s+[1-9]",
    "ctest": r"\d+% tests passed, [1-9]\d* tests? failed out of",
    "prove": r"Result: FAIL$",
    "bun": r" *[1-9]\d* fail$",
    "playwright": r" +[1-9]\d* failed$",
    "deno": r"FAILED \| \d+ passed",
    "xctest": r"[ \t]*Executed \d+ tests?, with [1-9]",
    "karma": r"[^\n]{1,80}: Executed \d+ of \d+ [^\n]{0,40}\([1-9]\d* FAILED\)",
    "ava": r" +[1-9]\d* tests? failed$",
}
"""The first words of a line with which a run in which a test failed ends."""

PASSED: dict[str, str] = {
    "pytest": r"=* ?(?:\d+ (?!failed|error)\w+, ){0,9}\d+ passed(?:, \d+ (?!failed|error)\w+){0,9} in \d[\d.]* ?s",
    "unittest": r"OK(?: \([\w=, ]+\))?$",
    "jest": r"Tests:\s+(?:\d+ (?!failed)\w+, ){0,9}\d+ passed",
    "vitest": r" *Tests  \d+ passed",
    "mocha": r" *\d+ passing\b",
    "node": r"[#ℹ] fail 0$",
    "go": r"(?:ok\s+\S+\s+(?:[\d.]+s|\(cached\))|PASS$)",
    "cargo": r"test result: ok\.",
    "nextest": r" *Summary \[[^\]\n]{1,20}\] \d+ tests? run: \d+ passed(?![^\n]*failed)",
    "maven": r"(?:\[\w+\] )?Tests run: \d+, Failures: 0, Errors: 0",
    "gradle": r"BUILD SUCCESSFUL",
    "rspec, minitest": r"\d+ (?:examples?|runs?|tests?), (?:\d+ assertions?, )?0 failures(?:, 0 errors)?\b(?!, [1-9])",
    "phpunit": r"OK \(\d+ tests?",
    "dotnet": r"Passed!\s+- Failed:\s+0",
    "ctest": r"100% tests passed",
    "prove": r"Result: PASS$",
    "bun": r" *0 fail$",
    "deno": r"ok \| \d+ passed",
    "xctest": r"[ \t]*Executed \d+ tests?, with 0 failures",
    "karma": r"[^\n]{1,80}: Executed \d+ of \d+ [^\n]{0,40}\bSUCCESS\b",
    "ava": r" +\d+ tests? passed$",
}
"""The same for a run in which none failed."""


def _any_of(table: dict[str, str]) -> re.Pattern[str]:
    return regex(rf"^(?:{'|'.join(table.values())})", re.MULTILINE)


_ENDINGS = (_any_of(FAILED), _any_of(PASSED))


def failed_ending(output: str) -> str | None:
    """The line with which the last run of tests in the output ends, where it failed; empty where it passed, None for no run."""
    return last_ending(*_ENDINGS, printed(output))
