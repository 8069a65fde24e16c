"""What Sentinel wrote itself is left out of folders and globs, and read where it is named; traces stay."""

import io

import pytest

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.parquet import write_table
from sentinel_core.traces.sources import find_sources
from sentinel_core.traces.sources.own import OWN as OUT

REPORT = b'{"trace_id":"a \\" b","verdict":"PASS","overall_score":0.0,"signal_scores":[]}\n'
OF_PLUGIN = b'{"trace_id":"a","verdict":"PASS","overall_score":0.0,"signal_scores":[{"signal":"messages"}],%s}\n'
ROW = b'{"error": {"message": "is empty", "source": "a.json", "line": null}}\n'
SUMMARY = b'{\n "schema": 1,\n "records": 1,\n "verdicts": {\n  "PASS": 1,'
MANIFEST = b'{"inputs": {"a.json": [1935, 1795349898965073664]}, "fingerprint": {}}'
LOGS = (
    b'{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{"name":"sentinel","version":"0.1.0"},"logRecords":[]}]}]}'
)
OWN = {
    "reports.jsonl": REPORT,
    "errors first.jsonl": ROW + REPORT,
    "list.json": b"[" + REPORT + b"]",
    "setting.jsonl": OF_PLUGIN % b'"settings":{"mine":{"messages":[{"role":"user"}]}}',
    "settings.json": b"[%s, %s]" % (REPORT, OF_PLUGIN % b'"profile":{"weights":{"messages":1}}'),
    "text.json": OF_PLUGIN % (b'"reasoning":"a } \\" } messages:","x":"%s' % (b"messages: " * 500)),
    "pretty.json": b'[\n{\n  "trace_id": "a",\n  "verdict": null,\n  "overall_score": null,\n  "signal_scores": [\n',
    "reports.summary.json": SUMMARY,
    "out/manifest.json": MANIFEST,
    "out/part-00000.jsonl": b"",
    "out/part-00001.jsonl": REPORT,
    "out/part-00002.jsonl": b'{"error": {"message": "' + b"long " * 1000 + b'"}}\n',
    "out/summary.json": SUMMARY,
    "nothing/manifest.json": b'{"inputs": {}, "fingerprint": {}}',
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
SAID = b'"messages":[{"role":"assistant","content":"I filed it."}]'
DISGUISED = {
    ".sentinel/reports/RR-2.json": b'{"trace_id":"e",%s}' % SAID,
    "judged.json": b'{"trace_id":"e","verdict":"PASS","overall_score":0,%s}' % SAID,
    "scored.json": b'{"trace_id":"e","verdict":"PASS","overall_score":0,"signal_scores":[],%s}' % SAID,
    "scored too.json": b"[\n%s]" % OF_PLUGIN % (b'"settings":{"mine":{}},' + SAID),
    "scored lines.jsonl": REPORT + OF_PLUGIN % (b'"reasoning":"] \\" } ]",' + SAID),
    "out/part-00003.jsonl": b'{"trace_id":"e",%s}' % SAID,
    "empty/manifest.json": b'{"inputs": {}, %s}' % SAID,
    "empty/part-00000.jsonl": b'{"trace_id":"e",%s}' % SAID,
}
TRACES |= DISGUISED

TEXTS = {
    "pass.txt": "✓ PASS (cost not measured)  a  (a.json, record 1)\n  PASS: no error or warning was found.\n",
    "warn.txt": "! WARN  a\n  At least WARN: Twice (loop.again).\n",
    "fail.out": "✗ FAIL  a\n  FAIL: Twice (loop.again).\n",
    "none.txt": "? NO VERDICT  a\n  No verdict: no weighted signal could be measured.\n",
}
FOREIGN = {
    "pytest.log": "✓ PASS  tests/a.py\n",
    "said.txt": "It said: ✓ PASS  a\n  PASS: no error or warning was found.\n",
    "app.manifest": '{"inputs": {"a": 1}}',
    "broken.parquet": "PAR1....\xff\xff\xff\x7fPAR1",
    "short.parquet": "PAR1",
}

ONLY = "only files that Sentinel wrote itself (name a file to read it)"


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


def of_all_kinds(place) -> list[str]:
    """Files that only a pattern leads to; the names of those that Sentinel did not write."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, text in {**TEXTS, **FOREIGN}.items():
        (place / "all" / name).write_text(text)
    (place / "all/r.jsonl.manifest").write_bytes(MANIFEST)
    row = b'{"source":"a","record":1,"report":%s}\n' % REPORT.strip()
    write_table(io.BytesIO(row * 9000), place / "all/r.parquet", ["cost", "loop"])
    pq.write_table(pa.table({"source": ["a"], "record": [1], "trace_id": ["b"]}), place / "all/foreign.parquet")
    return sorted(["foreign.parquet", *FOREIGN])


def test_a_pattern_leads_to_no_output_of_any_kind(tmp_path):
    (tmp_path / "all").mkdir()
    others = of_all_kinds(tmp_path)
    assert found(f"{tmp_path}/all/*") == [f"{tmp_path}/all/{name}" for name in others]
    url = f"file://{tmp_path}/all"
    assert found(f"{url}/*") == [f"{url}/{name}" for name in others]
    assert found(f"{tmp_path}/all/r.parquet") == [f"{tmp_path}/all/r.parquet"]


def test_what_is_left_out_is_told(place):
    left_out: dict[str, list[str]] = {}
    assert len(list(find_sources((".", "rep*.jsonl", "about.json"), left_out=left_out))) == len(TRACES) + 2
    assert [(why, sorted(labels)) for why, labels in left_out.items()] == [(OUT, sorted([*OWN, "reports.jsonl"]))]


@pytest.mark.parametrize("name", OWN)
def test_what_is_named_is_read(place, name):
    assert found(name) == [name]


def test_where_there_is_nothing_else_it_is_told(place):
    assert found("nothing", "rep*.jsonl") == [f'"nothing": {ONLY}', f'"rep*.jsonl": {ONLY}']


@pytest.fixture(params=["memory", "file"])
def url(request, place):
    """The same folder at a URL."""
    import fsspec

    if request.param == "file":
        yield f"file://{place}"
        return
    system = fsspec.filesystem("memory")
    system.put(f"{place}/", "/own/", recursive=True)
    yield "memory:///own"
    system.rm("/own", recursive=True)


def test_a_folder_at_a_url_is_its_traces(url):
    assert sorted(found(url)) == [f"{url}/{name}" for name in sorted(TRACES)]
    assert found(f"{url}/out/part-*0.jsonl") == [f'"{url}/out/part-*0.jsonl": {ONLY}']
    assert found(f"{url}/agent/part-*.jsonl") == [f"{url}/agent/part-00000.jsonl"]
    assert found(f"{url}/nothing") == [f'"{url}/nothing": {ONLY}']
    left_out: dict[str, list[str]] = {}
    assert len(list(find_sources((f"{url}/out",), left_out=left_out))) == 1
    assert left_out == {OUT: sorted(f"{url}/{name}" for name in OWN if name.startswith("out/"))}
    assert [one for name in OWN for one in found(f"{url}/{name}")] == [f"{url}/{name}" for name in OWN]


def test_what_cannot_be_read_at_a_url_is_told_where_it_is_read(url, monkeypatch):
    import fsspec

    def refused(*_, **__):
        raise PermissionError

    monkeypatch.setattr(fsspec.filesystem(url.partition(":")[0]), "cat_file", refused)
    assert len(found(f"{url}/out")) == len([name for name in (*OWN, *TRACES) if name.startswith("out/")])
