"""What Sentinel wrote itself is left out of folders and globs, and read where it is named; traces stay."""

import pytest

from sentinel_core.errors import InputError
from sentinel_core.sources import find_sources

REPORT = b'{"trace_id":"a \\" b","verdict":"PASS","overall_score":0.0,"signal_scores":[]}\n'
ROW = b'{"error": {"message": "is empty", "source": "a.json", "line": null}}\n'
MANIFEST = b'{"inputs": {"a.json": [1935, 1795349898965073664]}, "fingerprint": {}}'
LOGS = (
    b'{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{"name":"sentinel","version":"0.1.0"},"logRecords":[]}]}]}'
)
OWN = {
    "reports.jsonl": REPORT,
    "errors first.jsonl": ROW + REPORT,
    "list.json": b"[" + REPORT + b"]",
    "pretty.json": b'[\n{\n  "trace_id": "a",\n  "verdict": null,\n  "overall_score": null,\n',
    "reports.summary.json": b'{\n "schema": 1,\n "records": 1,\n "verdicts": {\n  "PASS": 1,',
    "out/manifest.json": MANIFEST,
    "out/part-00000.jsonl": b"",
    "out/summary.json": b"{}",
    "otel.jsonl": LOGS,
    "metrics.jsonl": LOGS.replace(b"Logs", b"Metrics"),
    ".sentinel/logs/verdicts.otlp.jsonl": b"",
    ".sentinel/reports/RR-1.json": b"{}",
    ".sentinel/suites/gate/journal.jsonl": b"{}",
}
TRACES = {
    ".sentinel/runs/a.trace.json": b"{}",
    ".sentinel/suites/gate/runs/a.trace.json": b"{}",
    ".sentinel/traces/a.otlp.jsonl": b'{"resourceSpans":[]}',
    "about.json": b'{"messages": [], "about": ' + REPORT + b"}",
    "agent/manifest.json": b'{"inputs": {"messages": [{"role": "user"}]}}',
    "agent/part-00000.jsonl": b"",
    "agent/summary.json": b"{}",
    "error.json": b'{"error": {"message": "overloaded", "type": "server"}}',
    "foreign.jsonl": LOGS.replace(b"sentinel", b"collector"),
}


def found(*arguments: str) -> list[str]:
    return [str(one) if isinstance(one, InputError) else one.label for one in find_sources(arguments)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, data in {**OWN, **TRACES}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_folder_is_its_traces(place):
    assert sorted(found(".")) == sorted(TRACES)
    assert sorted(found("**/*.json*")) == sorted(name for name in TRACES if not name.startswith("."))


@pytest.mark.parametrize("name", OWN)
def test_what_is_named_is_read(place, name):
    assert found(name) == [name]


def test_where_there_is_nothing_else_it_is_told(place):
    only = "nothing but what Sentinel wrote itself (a file of it that is named is read)"
    assert found("out", "rep*.jsonl") == [f'"out": {only}', f'"rep*.jsonl": {only}']
