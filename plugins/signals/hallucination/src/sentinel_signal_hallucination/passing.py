"""Tests that are said to pass although the last run of them failed."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.tools import RUN, ability

__all__ = ["broken_tests"]

# One of these stands in every claim.
_PASSES = ("pass", "green", "succeed")
_HOW = r"(?:(?:now|all|both|again|still|also|finally|successfully|are|is|have|has|been|were|was) ){0,4}"
_PASS = rf"{_HOW}(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b"
# Not "the new tests", nor "the parser's tests": those may have passed while others failed.
_CLAIM = regex(
    r"\b(?:[Aa]ll (?:of )?(?:the |our |your )?(?:\d[\d,]{0,8} )?(?:unit )?tests?(?: cases?| suites?)?|[Ee]very (?:single )?test"
    rf"|(?:[Tt]he )?(?:(?:[Ff]ull|[Ee]ntire|[Ww]hole|[Cc]omplete) )?test suite|[Tt]he tests) {_PASS}"
    rf"|(?:^|(?<=[.!:;,*] )|(?<=and ))[Tt]ests {_PASS}"
    rf"|(?:^|(?<=[.!*] ))(?:Everything|All \d{{1,6}}|The suite|(\d{{1,6}})/\1 tests) {_PASS}"
    r"|(?:^|(?<=[\W] ))\**[Tt]ests?\W{1,8}(?:all )?\d{1,6} (?:passed|passing)\b"
    rf"|\btests?(?: suite)?[,;]? (?:and )?(?:they|it|everything|all(?: of them| \d{{1,6}})?) {_PASS}",
    re.MULTILINE,
)


class _Runs:
    """The calls, each looked at once: which of them was the last that may have run tests, and which passed since the last edit."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._seen = 0
        self._last: Call | None = None
        self._passed: set[tuple[str, bytes]] = set()

    def last(self, calls: int) -> Call | None:
        """The last among the first ``calls`` calls, a number that never goes down."""
        for call in self._calls[self._seen : calls]:
            self._look(call)
        self._seen = max(self._seen, calls)
        return self._last

    def is_compared(self) -> bool:
        """True where another command ran tests of the same code, and they passed: the agent may compare the two."""
        return self._last is not None and not self._passed <= {self._last.key}

    def _look(self, call: Call) -> None:
        from sentinel_signal_hallucination.runners import failed_ending
        from sentinel_signal_hallucination.shell import only_looks, runs_no_tests

        tool = ability(call.call.name)
        if tool.edits:
            self._passed.clear()
        elif call.result is not None and not only_looks(call) and failed_ending(call.result.content) == "":
            self._passed.add(call.key)
        if RUN in tool.families and not runs_no_tests(call):
            self._last = call


def broken_tests(index: TraceIndex, settings: Settings, spoken: str) -> Iterable[Evidence]:
    """The first text that says that the tests pass, after a run of tests in which some failed; none where that is not plain.

    ``spoken`` is all assistant texts.
    """
    if not _has(spoken, _PASSES) or _CLAIM.search(spoken) is None:
        return ()
    # What few traces need is imported when one does.
    from sentinel_signal_hallucination.outright import said_outright
    from sentinel_signal_hallucination.runners import failed_ending

    runs, known, told = _Runs(index.calls), dict[int, str | None](), _told(index)
    for text in index.texts:
        run = runs.last(text.calls_before) if _CLAIM.search(text.content) else None
        if run is None or run.result is None or text.is_copied or runs.is_compared():
            continue
        if bisect_left(told, run.message_index) < bisect_left(told, text.message_index):
            continue
        if run.position not in known:
            known[run.position] = failed_ending(run.result.content)
        ending, said = known[run.position], next(said_outright(text.content, _CLAIM), None)
        if ending and said is not None:
            return (_evidence(text, said[1], ending, settings),)
    return ()


def _told(index: TraceIndex) -> list[int]:
    """The messages in which a user speaks of what passes: he may have run the tests himself."""
    return [at for at in index.asked if _has(index.messages[at].content or "", _PASSES)]


def _has(text: str, words: Iterable[str]) -> bool:
    return any(map(text.__contains__, words))


def _evidence(text: Text, sentence: str, ending: str, settings: Settings) -> Evidence:
    finding = Finding(
        rule="contradicted_tests",
        severity="error",
        text=f'The agent says that the tests pass, but the last run of tests before it ended with "{ending}".',
        message_index=text.message_index,
        quote=sentence,
    )
    return Evidence(finding, settings.tests_weight, certain=True)
