"""Verdicts as events: what they say, which span they belong to, where they are kept, and the commands that give them."""

import json
import os
import pickle
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from forked_commands import run_forked

from sentinel_agent.conversation import to_trace
from sentinel_agent.events import MessageReceived, RunStarted
from sentinel_agent.telemetry import rebuild
from sentinel_core import RS1, STANDARD, Detection, ExecutionTrace, Finding, Message, evaluate_trace
from sentinel_core.cli.options import finish
from sentinel_core.errors import ConfigError
from sentinel_core.offers import Signal
from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry import trace_id_of
from sentinel_core.telemetry.names import nanos_of, root_span_id_of
from sentinel_core.telemetry.read_spans import read_document
from sentinel_core.telemetry.verdicts import Emission, judged_span, verdict_logs

REPOSITORY = Path(__file__).parents[2]
SENTINEL = Path(sys.executable).parent / "sentinel"


def sentinel(*arguments, cwd, code=0, largest=None, **more):
    """``largest``: the bytes that a file may have, as if the disk had no room for more."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("SENTINEL_", "OTEL_"))}
    environment = {**kept, "PYTHONDONTWRITEBYTECODE": "1", **more}
    if largest is None:
        done = run_forked(*arguments, cwd=cwd, env=environment, timeout=120)
    else:
        done = subprocess.run(
            [SENTINEL, *map(str, arguments)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
        )
    assert done.returncode == code, done.stderr
    return done


def records(path):
    found = []
    for line in path.read_text().splitlines():
        (record,) = json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        record["attributes"] = {pair["key"]: next(iter(pair["value"].values())) for pair in record["attributes"]}
        found.append(record)
    return found


def lines_of(emission, trace):
    return emission.lines(evaluate_trace(trace), *judged_span(trace))


def test_a_verdict_belongs_to_the_span_that_was_judged(busy, tmp_path, read):
    own = trace_id_of("id2")
    assert judged_span(to_trace(busy)) == (own, root_span_id_of(own))
    (path,) = rebuild(busy, tmp_path)
    assert judged_span(read(path)) == (own, root_span_id_of(own))
    foreign = ExecutionTrace(trace_id="ab" * 16, metadata={"otel_span_id": "cd" * 8})
    assert judged_span(foreign) == ("ab" * 16, "cd" * 8)
    assert judged_span(ExecutionTrace(trace_id="ab" * 16)) == ("ab" * 16, "")
    assert judged_span(ExecutionTrace(trace_id="a file's own id")) == ("", "")


def test_a_signal_that_failed_and_one_that_measured_nothing(busy):
    def broken(index):
        raise ValueError("no")

    trace = ExecutionTrace(trace_id="t", messages=(Message(role="user", content="Hi"),))
    report = evaluate_trace(trace, signals=[Signal(name="broken", summary="", detect=broken)])
    told = {log.attributes["gen_ai.evaluation.name"]: log for log in verdict_logs(report, "", "", 5)}
    assert told["sentinel.broken"].attributes["error.type"] == "signal_failed"
    explained = told["sentinel.broken"].attributes["gen_ai.evaluation.explanation"]
    assert re.fullmatch(r"raised ValueError: no \(test_verdicts\.py:\d+\)", explained)
    assert "gen_ai.evaluation.score.label" not in told["sentinel.verdict"].attributes
    whole = verdict_logs(evaluate_trace(trace), "", "", 5)
    cost = next(log.attributes for log in whole if log.attributes["gen_ai.evaluation.name"] == "sentinel.cost")
    assert "gen_ai.evaluation.score.value" not in cost


@pytest.mark.parametrize(
    ("name", "score", "severity", "standard", "rs1"),
    [
        ("loop", 0.3, "error", "FAIL", "PASS"),
        ("loop", 0.3, "warning", "WARN", "PASS"),
        ("loop", 0.9, "warning", "FAIL", "FAIL"),
        ("loop", 0.9, "note", "PASS", "FAIL"),
        ("ending", 0.5, "error", "PASS", "PASS"),
        ("ending", 0.8, "warning", "WARN", "PASS"),
    ],
)
def test_a_signals_label_is_the_verdict_that_it_gives_alone(name, score, severity, standard, rs1):
    found = Detection(score=score, findings=(Finding(rule="r", severity=severity, text="Seen."),))
    trace = ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Hi"),))
    signals = [
        Signal(name="cost", summary="", detect=lambda _: 0.0),
        Signal(name=name, summary="", detect=lambda _: found),
    ]
    for profile, label in ((STANDARD, standard), (RS1, rs1)):
        report = evaluate_trace(trace, signals=signals, profile=profile)
        told = {log.attributes["gen_ai.evaluation.name"]: log.attributes for log in verdict_logs(report, "", "", 5)}
        assert told[f"sentinel.{name}"]["gen_ai.evaluation.score.label"] == label
        assert told["sentinel.verdict"]["sentinel.risk"] == report.overall_score
        assert "gen_ai.evaluation.score.value" not in told["sentinel.verdict"]


def test_where_they_are_kept(tmp_path, busy):
    trace = to_trace(busy)
    emission = Emission.of(tmp_path).prepared()
    emission.write(lines_of(emission, trace))
    emission.finish()
    assert len(records(tmp_path / "logs" / "verdicts.otlp.jsonl")) == 7
    assert emission.prepared().start > 0
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r'file/logs/verdicts.otlp.jsonl": .*; verdicts cannot be written there'):
        Emission.of(tmp_path / "file").prepared()
    Emission.of(tmp_path / "file").write(b"nothing of it can be kept\n")
    (tmp_path / "logs" / "folder.otlp.jsonl").mkdir()
    with pytest.raises(ConfigError, match="Is a directory"):
        Emission.of(tmp_path, "folder").prepared()


def test_where_nothing_is_judged_no_empty_file_is_left(tmp_path, monkeypatch, busy):
    emission = Emission.of(tmp_path, endpoint="http://127.0.0.1:9").prepared()
    emission.finish()
    assert list((tmp_path / "logs").iterdir()) == []
    monkeypatch.setattr("os.access", lambda _path, _mode: False)
    with pytest.raises(ConfigError, match=r'logs/verdicts.otlp.jsonl": Permission denied; verdicts cannot be'):
        emission.prepared()


def test_a_run_without_anything_to_log_or_to_measure_has_no_such_files(tmp_path, busy):
    quiet = [event for event in busy if isinstance(event, RunStarted | MessageReceived)]
    rebuild(quiet, tmp_path / "quiet")
    assert all(path.stat().st_size for path in (tmp_path / "quiet").rglob("*") if path.is_file())
    assert not list((tmp_path / "quiet" / "logs").glob("*"))


def test_verdicts_on_a_run_stay_when_its_files_are_written_again(tmp_path, busy):
    rebuild(busy, tmp_path)
    trace = to_trace(busy)
    emission = Emission.of(tmp_path, trace_id_of("id2"))
    emission.write(lines_of(emission, trace))
    before = (tmp_path / "logs" / f"{trace_id_of('id2')}.otlp.jsonl").read_bytes()
    rebuild(busy, tmp_path)
    assert (tmp_path / "logs" / f"{trace_id_of('id2')}.otlp.jsonl").read_bytes() == before


def test_evaluate_emits(tmp_path):
    example = REPOSITORY / "examples" / "traces" / "fabricated.json"
    plain = sentinel("evaluate", example, cwd=tmp_path, code=2)
    assert not (tmp_path / ".sentinel").exists()
    emitting = sentinel("evaluate", example, "--emit", "otel", cwd=tmp_path, code=2)
    assert emitting.stdout == plain.stdout
    told = records(tmp_path / ".sentinel" / "logs" / "verdicts.otlp.jsonl")
    assert [record["attributes"]["gen_ai.evaluation.name"] for record in told] == [
        "sentinel.cost",
        "sentinel.effort",
        "sentinel.ending",
        "sentinel.hallucination",
        "sentinel.loop",
        "sentinel.tool_misuse",
        "sentinel.verdict",
    ]
    assert told[-1]["attributes"]["gen_ai.evaluation.score.label"] == "FAIL"
    assert told[-1]["severityNumber"] == 17


def test_a_collector_that_is_not_there_changes_no_exit_code(tmp_path):
    example = REPOSITORY / "examples" / "traces" / "honest.json"
    done = sentinel("evaluate", example, "--otlp", "http://127.0.0.1:9", cwd=tmp_path)
    assert "warning: verdicts were not emitted: http://127.0.0.1:9/v1/logs cannot be reached" in done.stderr
    done = sentinel("evaluate", example, "--otlp", "nowhere", cwd=tmp_path, code=3)
    assert '--otlp "nowhere": give the address of a collector' in done.stderr


@pytest.mark.parametrize("more", [(), ("--jobs", "2")])
@pytest.mark.unmeasured
def test_a_full_disk_costs_the_events_and_nothing_else(tmp_path, more):
    example = REPOSITORY / "examples" / "traces" / "honest.json"
    emit = ("evaluate", example, example, *more, "--emit", "otel")
    sentinel(*emit, cwd=tmp_path)
    path = tmp_path / ".sentinel" / "logs" / "verdicts.otlp.jsonl"
    kept = path.read_bytes()
    full = sentinel(*emit, "--otlp", "http://127.0.0.1:9", cwd=tmp_path, largest=len(kept) + 100)
    told = [line for line in full.stderr.splitlines() if "warning" in line]
    assert told == ["sentinel: warning: verdicts were not written: No space left on device"]
    assert path.read_bytes() == kept
    sentinel(*emit, cwd=tmp_path)
    assert len(records(path)) == 2 * kept.count(b"\n")


def test_half_a_line_is_neither_sent_nor_costs_the_next(tmp_path, busy, monkeypatch):
    sent = []
    monkeypatch.setattr("sentinel_core.telemetry.send.send", lambda *given: sent.extend(given[2]))
    emission = Emission.of(tmp_path, endpoint="http://127.0.0.1:9").prepared()
    lines = lines_of(emission, to_trace(busy))
    emission.write(lines[:100])
    emission.write(lines)
    with emission.path.open("ab") as file:
        file.write(lines[:50])
    emission.finish()
    assert b"".join(sent) == lines


def test_commands_that_share_a_file_send_their_own_verdicts_only(tmp_path, busy, monkeypatch):
    sent = []
    monkeypatch.setattr("sentinel_core.telemetry.send.send", lambda *given: sent.append(b"".join(given[2])))
    trace = to_trace(busy)
    mine, other = (Emission.of(tmp_path, endpoint="http://127.0.0.1:9").prepared() for _ in range(2))
    worker = pickle.loads(pickle.dumps(mine))
    own = [lines_of(at, trace) for at in (mine, worker)]
    foreign = [lines_of(other, trace) for _ in range(2)]
    for at, lines in ((other, foreign[0]), (mine, own[0]), (other, foreign[1]), (worker, own[1])):
        at.write(lines)
    mine.finish()
    again = mine.prepared()
    again.write(own[0])
    again.finish()
    other.finish()
    assert sent == [b"".join(own), own[0], b"".join(foreign)]


def test_a_line_that_another_process_is_writing_is_not_taken_for_one_cut_short(tmp_path, monkeypatch):
    path = tmp_path / "grows.jsonl"
    path.write_bytes(b'{"a":')
    rest = [b" ", b"1}\n"]
    monkeypatch.setattr("time.sleep", lambda _seconds: path.write_bytes(path.read_bytes() + rest.pop(0)))
    append_lines(path, [b"{}\n"])
    assert path.read_bytes() == b'{"a": 1}\n{}\n'


def test_a_process_that_writes_and_sends_tells_each_reason_once(tmp_path, capsys):
    (tmp_path / "file").touch()
    emission = Emission.of(tmp_path / "file")
    assert [emission.write(b"{}\n") for _ in range(2)] == [
        "verdicts were not written: is a file, but must be a folder",
        None,
    ]
    emission.problems.append("the password=hunter22 is told to nobody")
    finish(emission)
    assert capsys.readouterr().err.splitlines() == [
        "sentinel: warning: verdicts were not written: is a file, but must be a folder",
        "sentinel: warning: the password=[redacted] is told to nobody",
    ]


def test_the_switch_of_opentelemetry_keeps_verdicts_back_too(tmp_path):
    example = REPOSITORY / "examples" / "traces" / "honest.json"
    otlp = ("--otlp", "http://127.0.0.1:9")
    done = sentinel("evaluate", example, *otlp, cwd=tmp_path, OTEL_SDK_DISABLED="true")
    assert (done.stderr, list(tmp_path.iterdir())) == ("", [])
    releases = REPOSITORY / "examples" / "releases"
    done = sentinel("run", "v2.1.0", "--releases", releases, *otlp, cwd=tmp_path, OTEL_SDK_DISABLED="true")
    assert "warning" not in done.stderr
    assert not (tmp_path / ".sentinel" / "logs").exists()


def test_a_run_leaves_its_trace_metrics_logs_and_verdict(tmp_path):
    done = sentinel("run", "v2.1.0", "--releases", REPOSITORY / "examples" / "releases", cwd=tmp_path)
    run_id = re.search(r"runs/(\S+)\.trace\.json", done.stdout)[1]
    trace_id = trace_id_of(run_id)
    state = tmp_path / ".sentinel"
    assert all((state / folder / f"{trace_id}.otlp.jsonl").is_file() for folder in ("traces", "metrics", "logs"))
    told = [record for record in records(state / "logs" / f"{trace_id}.otlp.jsonl") if "eventName" in record]
    assert len(told) == 7
    assert {(record["traceId"], record["spanId"]) for record in told} == {(trace_id, root_span_id_of(trace_id))}
    native = sentinel("evaluate", state / "runs" / f"{run_id}.trace.json", "--json", cwd=tmp_path)
    spans = sentinel("evaluate", state / "traces" / f"{trace_id}.otlp.jsonl", "--json", cwd=tmp_path)
    assert native.stdout == spans.stdout
    assert f'"otel_trace_id":"{trace_id}"' in (state / "runs" / f"{run_id}.trace.json").read_text()


def test_documents_in_memory():
    (error,) = read_document(b"[")
    assert "JSON" in error.message


@pytest.mark.parametrize(
    ("at", "nanos"),
    [
        ("1970-01-01T00:00:01.5Z", 1_500_000_000),
        ("1970-01-01T00:00:01", 1_000_000_000),
        ("1969-01-01T00:00:00Z", 0),
        ("yesterday", 0),
    ],
)
def test_iso_times_become_nanoseconds(at, nanos):
    assert nanos_of(at) == nanos
