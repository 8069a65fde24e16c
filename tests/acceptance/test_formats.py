"""Files that strangers' tools wrote, where the machine has them (``SENTINEL_FORMATS``): format, counts, hash, findings."""

import functools
import hashlib
import importlib.util
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import attrs
import pytest

from sentinel_core import ExecutionTrace, evaluate_trace
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.offers import TraceReader
from sentinel_core.traces.codec import encode_trace
from sentinel_core.traces.sources import FileSource, choose_reader

pytestmark = pytest.mark.unmeasured

DATA = Path(os.environ.get("SENTINEL_FORMATS", Path(__file__).parents[3] / "shared" / "data" / "formats"))
SENTINEL = Path(sys.executable).parent / "sentinel"


def _table():
    """Test folders are no packages: the table is loaded by its path."""
    spec = importlib.util.spec_from_file_location("formats_table", Path(__file__).with_name("formats_table.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE = _table()


@attrs.frozen
class Row:
    """What a file holds. Tokens are None where it tells none."""

    file: str
    reader: str
    traces: int
    messages: int
    calls: int
    results: int
    prompt: int | None
    completion: int | None
    children: int
    sha256: str


def row(line: str) -> Row:
    file, reader, *counts, sha256 = line.split()
    return Row(file, reader, *(None if count == "-" else int(count) for count in counts), sha256)


ROWS = [row(line) for line in TABLE.FILES.strip().splitlines()]
HERE = [one for one in ROWS if (DATA / one.file).is_file()]
named = pytest.mark.parametrize("expected", HERE, ids=lambda one: one.file)


def test_the_files_are_here():
    if not HERE:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no files in {DATA}")
        pytest.skip(f"no files of other tools in {DATA}; SENTINEL_FORMATS names their folder")
    found = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()}
    assert {name for name in found if not Path(name).name.startswith("LICENSE")} == {one.file for one in ROWS}


@functools.cache
def readers() -> list[TraceReader]:
    return [plugin.offer for plugin in load(select(Selection(), ("trace_readers",))[0])[0]]


@functools.cache
def read(file: str) -> tuple[str, list[ExecutionTrace]]:
    """The format that a file is taken for, and all that its reader makes of it."""
    source = FileSource(path=DATA / file, label=file)
    reader = choose_reader(source, readers())
    return reader.name, list(reader.read(source))


def counted(file: str) -> Row:
    reader, traces = read(file)
    assert all(isinstance(trace, ExecutionTrace) for trace in traces), traces
    messages = [message for trace in traces for message in trace.messages]
    usages = [trace.token_usage for trace in traces if trace.token_usage is not None]
    return Row(
        file,
        reader,
        len(traces),
        len(messages),
        sum(len(message.tool_calls) for message in messages),
        sum(len(message.tool_results) for message in messages),
        sum(usage.prompt_tokens for usage in usages) if usages else None,
        sum(usage.completion_tokens for usage in usages) if usages else None,
        sum(len(trace.details.children) for trace in traces),
        hashlib.sha256(b"".join(encode_trace(trace) + b"\n" for trace in traces)).hexdigest(),
    )


@named
def test_format_counts_and_conversion(expected):
    assert counted(expected.file) == expected


@named
def test_findings_only_where_something_went_wrong(expected):
    known = TABLE.FINDINGS.get(expected.file, {})
    reports = [evaluate_trace(trace) for trace in read(expected.file)[1]]
    found = {
        position: dict(Counter(finding.rule for finding in report.findings))
        for position, report in enumerate(reports)
        if report.findings
    }
    assert found == known
    ends_badly = any(
        finding.rule.startswith("ending.") and finding.severity != "note"
        for report in reports
        for finding in report.findings
    )
    assert {report.verdict for report in reports} == ({"WARN"} if ends_badly else {"PASS"})


def test_the_table_is_of_one_piece():
    assert len({one.file for one in ROWS}) == len(ROWS) == 24
    assert TABLE.FINDINGS.keys() < {one.file for one in ROWS}


@pytest.mark.skipif(not HERE, reason="the files are not here")
def test_tokens_that_spans_repeat_count_once():
    (trace,) = read("otlp/agentevals/helm.json")[1]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (3_776, 130)
    own = [message.details.usage for message in trace.messages if message.details and message.details.usage]
    assert [(usage.prompt_tokens, usage.completion_tokens) for usage in own] == [(1_820, 13), (1_956, 117)]


@pytest.mark.skipif(not HERE, reason="the files are not here")
def test_the_order_of_hashes_changes_no_byte():
    first, second = (
        subprocess.run(
            [SENTINEL, "convert", DATA],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            timeout=120,
            check=False,
        )
        for seed in ("0", "1")
    )
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout.count(b"\n") == sum(one.traces for one in ROWS)
    assert first.stdout == second.stdout
