"""Two lines in a program that uses OpenTelemetry already."""

import json
import logging
import subprocess
import sys
import threading
import time

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider

from sentinel_core import Detection, Signal
from sentinel_core.telemetry import SentinelSpanProcessor

DEADLINE = 20.0


def messages(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.input.messages": messages("user", "Cancel order 17."),
    "gen_ai.output.messages": messages("assistant", "I've cancelled order 17."),
    "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "cancel_order"}]),
}

FORKS = """
import os, queue
from opentelemetry.sdk.trace import TracerProvider
from sentinel_core.telemetry import SentinelSpanProcessor

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hello?"}]}]'}
reports = queue.Queue()
processor = SentinelSpanProcessor(on_report=reports.put, quiet=0.05)
provider = TracerProvider(shutdown_on_exit=False)
provider.add_span_processor(processor)
tracer = provider.get_tracer("program")

def judge_one(who):
    tracer.start_span("chat", attributes=CHAT).end()
    reports.get(timeout=30)
    print(who, processor.counts["judged"], flush=True)

judge_one("parent")
processor._judging.acquire()
tracer.start_span("chat", attributes=CHAT).end()
processor._lock.acquire()
child = os.fork()
if not child:
    try:
        judge_one("child")
    finally:
        os._exit(0)
os.waitpid(child, 0)
processor._lock.release()
processor._judging.release()
reports.get(timeout=30)
print(processor.counts["judged"])
"""


@pytest.fixture
def judged():
    """A program's tracer with the processor, its reports and log records; makes them, and shuts them down in the end."""
    made = []

    def make(**options):
        exporter = InMemoryLogRecordExporter()
        logs = LoggerProvider(shutdown_on_exit=False)
        logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
        reports = []
        options = {"on_report": reports.append, "quiet": 0.05, "logger_provider": logs, **options}
        processor = SentinelSpanProcessor(**options)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(processor)
        made.append((provider, logs))
        return provider.get_tracer("program"), processor, reports, exporter

    yield make
    for provider, logs in made:
        provider.shutdown()
        logs.shutdown()


def wait_for(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def run(tracer, **more):
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}) as root:
        tracer.start_span("chat", attributes={**CHAT, **more}).end()
    return root.get_span_context()


def test_a_finished_trace_is_judged_by_itself(judged, caplog):
    tracer, processor, reports, _exporter = judged()
    context = run(tracer)
    wait_for(lambda: reports)
    (report,) = reports
    assert (report.verdict, report.trace_id) == ("FAIL", f"{context.trace_id:032x}")
    assert report.metadata.total_tokens == 15
    assert processor.counts["verdict FAIL"] == 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    said = 'FAIL: The agent says that something was done ("cancelled")'
    assert caplog.messages[0].startswith(f"trace {report.trace_id}: {said}")


def test_verdicts_are_events_on_the_judged_span(judged):
    tracer, processor, _, exporter = judged(quiet=60.0)
    context = run(tracer)
    assert processor.force_flush()
    records = [one.log_record for one in exporter.get_finished_logs()]
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    assert {(record.trace_id, record.span_id) for record in records} == {(context.trace_id, context.span_id)}
    told = {record.attributes["gen_ai.evaluation.name"]: record.attributes for record in records}
    assert sorted(told) == [
        "sentinel.cost",
        "sentinel.effort",
        "sentinel.ending",
        "sentinel.hallucination",
        "sentinel.loop",
        "sentinel.tool_misuse",
        "sentinel.verdict",
    ]
    assert told["sentinel.verdict"]["gen_ai.evaluation.score.label"] == "FAIL"
    assert told["sentinel.hallucination"]["gen_ai.evaluation.score.value"] >= 0.8
    assert told["sentinel.hallucination"]["gen_ai.evaluation.score.label"] == "FAIL"
    assert told["sentinel.loop"]["gen_ai.evaluation.score.label"] == "PASS"
    assert told["sentinel.loop"]["gen_ai.evaluation.explanation"]


def test_traces_of_one_conversation_are_judged_as_one(judged):
    tracer, processor, reports, _ = judged(quiet=60.0)
    for _ in range(3):
        run(tracer, **{"gen_ai.conversation.id": "c"})
    processor.force_flush()
    assert [report.metadata.total_tokens for report in reports] == [45]


def test_a_program_that_ends_has_its_last_trace_judged(judged):
    tracer, processor, reports, _ = judged(quiet=60.0)
    run(tracer)
    processor.shutdown()
    assert len(reports) == 1
    run(tracer)
    assert processor.counts["spans"] == 2


def test_spans_of_no_agent_are_counted(judged):
    tracer, processor, reports, _ = judged(quiet=60.0)
    with tracer.start_as_current_span("GET"):
        pass
    processor.force_flush()
    assert (reports, processor.counts["unreadable"]) == ([], 1)


def test_a_remote_parent_is_no_reason_to_wait(judged):
    tracer, _, reports, _ = judged()
    parent = api.SpanContext(5, 6, is_remote=True, trace_flags=api.TraceFlags(1))
    with tracer.start_as_current_span(
        "chat", context=api.set_span_in_context(api.NonRecordingSpan(parent)), attributes=CHAT
    ):
        pass
    wait_for(lambda: reports)
    assert reports[0].trace_id == f"{5:032x}"


def test_memory_is_bounded(judged):
    tracer, processor, _, _ = judged(quiet=60.0, most_spans=4)
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
        for _ in range(50):
            with tracer.start_as_current_span("chat", attributes=CHAT):
                pass
    processor.force_flush()
    counts = processor.counts
    assert counts["spans"] == 51
    assert counts["dropped"] + 4 * (counts["judged"] + counts.get("judged_again", 0)) >= 47


def test_nothing_is_raised_into_the_program(judged, caplog):
    def broken(report):
        raise RuntimeError("on_report is broken")

    tracer, processor, _, _ = judged(quiet=60.0, on_report=broken)
    run(tracer)
    assert processor.force_flush()
    counts = processor.counts
    assert (counts["on_report failed"], counts["judged"], counts["verdict FAIL"]) == (1, 1, 1)
    assert "failed" not in counts
    assert caplog.messages[-1].endswith(": on_report raised RuntimeError: on_report is broken")


def test_a_trace_that_cannot_be_judged_is_told_and_counted(judged, caplog):
    tracer, processor, reports, _ = judged(quiet=60.0, profile=object())
    context = run(tracer)
    assert processor.force_flush()
    assert (reports, processor.counts["failed"]) == ([], 1)
    assert caplog.messages[-1].startswith(f"trace {context.trace_id:032x} could not be judged: ")


def test_a_forked_worker_judges_what_ends_in_it_and_no_more():
    """In a process of its own: the parent's judge is at work, and holds its locks, when the program forks."""
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["parent", "1", "child", "1", "2"], done.stderr


def test_own_signals_judge(judged, caplog):
    caplog.set_level(logging.INFO)
    calm = Signal(name="calm", summary="none", detect=lambda index: Detection(score=0.0))
    tracer, processor, reports, _ = judged(quiet=60.0, signals=[calm], profile=None)
    run(tracer)
    processor.force_flush()
    assert [score.signal_name for score in reports[0].signal_scores] == ["calm"]


def test_the_program_does_not_wait(judged):
    """Ending a span while a trace is judged takes no longer than ever."""
    entered, leave = threading.Event(), threading.Event()

    def slow(index):
        entered.set()
        leave.wait(DEADLINE)
        return Detection(score=0.0)

    tracer, processor, reports, _ = judged(signals=[Signal(name="slow", summary="", detect=slow)])
    run(tracer)
    assert entered.wait(DEADLINE)
    run(tracer)
    assert processor.counts["spans"] == 4
    assert reports == []
    assert not processor.force_flush(timeout_millis=1)
    leave.set()
    wait_for(lambda: len(reports) == 2)


def test_without_opentelemetry_the_error_names_the_extra():
    code = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "try:\n    from sentinel_core.telemetry import SentinelSpanProcessor\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "SentinelSpanProcessor needs OpenTelemetry: pip install 'reliability-sentinel[otel]'\n"


def test_other_names_are_not_there():
    import sentinel_core.telemetry

    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sentinel_core.telemetry.nothing
