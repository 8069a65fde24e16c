import json
from pathlib import Path

import pytest
from coding_samples import AIDER, COPILOT, CURSOR, CURSOR_HOOKS, READERS, SPECSTORY

from sentinel_core import TraceReader, evaluate_trace
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_core.traces.sources import choose_reader


def lines(events):
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


SAMPLES = {
    "aider": (".aider.chat.history.md", AIDER.encode()),
    "copilot": ("events.jsonl", lines(COPILOT)),
    "cursor": ("k1.cursor.jsonl", lines(CURSOR_HOOKS)),
    "cursor-stream": ("stream.jsonl", lines(CURSOR)),
    "specstory": ("2026-01-02_03-04-05Z-notes.md", SPECSTORY.encode()),
}


class OfSample(TraceReaderContract):
    name = ""

    def make(self) -> TraceReader:
        return READERS[self.name]

    def sample(self) -> bytes:
        return SAMPLES[self.name][1]

    def filename(self) -> str:
        return SAMPLES[self.name][0]


class TestAider(OfSample):
    name = "aider"


class TestCopilot(OfSample):
    name = "copilot"


class TestCursor(OfSample):
    name = "cursor"


class TestCursorStream(OfSample):
    name = "cursor-stream"


class TestSpecstory(OfSample):
    name = "specstory"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_clean_run_is_its_reader_s_alone_and_has_no_finding(name):
    readers = [plugin.offer for plugin in load(select(Selection(), ("trace_readers",))[0])[0]]
    filename, data = SAMPLES[name]
    source = BytesSource(data=data, name=filename)
    assert choose_reader(source, readers).name == name
    assert all(reader.sniff(data, filename) < 75 for reader in readers if reader.name != name)
    for trace in READERS[name].read(source):
        found = evaluate_trace(trace).findings
        # That a file is missing is told by the tool, and by the agent.
        assert {finding.rule for finding in found} <= {"ending.failure_told", "tool_misuse.failed_call"}


def test_every_reader_has_a_sample():
    assert SAMPLES.keys() == READERS.keys()
    assert {Path(name).suffix for name, _ in SAMPLES.values()} == {".md", ".jsonl"}
