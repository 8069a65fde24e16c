"""What a batch shows while it works."""

import io
import os

import pytest
from commanding import drained, terminal_of

from sentinel_core.judging.batch.progress import Progress

pytestmark = pytest.mark.unmeasured


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("before", "lines"),
    [
        (
            0,
            [
                "0 traces, 0.0 of 2.0 kB (0%)",
                "50 traces, 0.5 of 2.0 kB (25%), 5/s, 0:30 left",
                "100 traces, 1.0 of 2.0 kB (50%), 5/s, 0:20 left",
            ],
        ),
        (
            1,
            [
                "50 traces, 0.5 of 2.0 kB (25%)",
                "100 traces, 1.0 of 2.0 kB (50%), 5/s, 0:20 left",
                "150 traces, 1.5 of 2.0 kB (75%), 5/s, 0:10 left",
            ],
        ),
    ],
)
def test_progress_from_the_start_and_after_an_earlier_run(monkeypatch, before, lines):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for stream in (Terminal(), io.StringIO()):
        progress = Progress(2000, stream)
        for done in range(before, before + 3):
            progress.show(50 * done, 500 * done)
            now[0] += 10
        progress.clear()
        progress.clear()
        shown = stream.getvalue().split("\r")
        lines = [*lines, " " * len(lines[-1]), ""]
        assert shown == (["", *lines] if stream.isatty() else [""])


@pytest.mark.parametrize(("columns", "longest"), [(20, 19), (0, 47)])
def test_progress_fits_the_terminal(monkeypatch, columns, longest):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    reader, writer = terminal_of(columns)
    with os.fdopen(writer, "w") as stream:
        progress = Progress(2000, stream)
        for done in range(3):
            progress.show(50 * done, 500 * done)
            now[0] += 10
        progress.clear()
    lines = drained(reader).split("\r")
    assert lines[2] == "50 traces, 0.5 of 2.0 kB (25%), 5/s, 0:30 left"[:longest]
    assert lines[4] == " " * min(longest, len("100 traces, 1.0 of 2.0 kB (50%), 5/s, 0:20 left"))


def test_progress_moves_before_the_first_split_is_finished(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = Terminal()
    progress = Progress(2_000_000, stream)
    progress.show(0, 0)
    for records in (10, 20):
        now[0] += 1
        progress.pending(records)
    now[0] += 1
    progress.show(100, 1_000_000)
    now[0] += 1
    progress.pending(50)
    assert [line.rstrip() for line in stream.getvalue().split("\r")[1:]] == [
        "0 traces, 0.0 of 2.0 MB (0%)",
        "10 traces, 0.0 of 2.0 MB (0%), 10/s",
        "20 traces, 0.0 of 2.0 MB (0%), 10/s",
        "100 traces, 1.0 of 2.0 MB (50%), 33/s, 0:03 left",
        "150 traces, 1.5 of 2.0 MB (75%), 38/s, 0:01 left",
    ]
