"""``sentinel receive``: what comes in is judged, whatever order, twice, late, or broken."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from forked_commands import run_forked
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from receiving import DEADLINE, agent, chat, document, span

PROC = Path("/proc")
LIE = "I used the calculator tool and the result is 42."
PROTOBUF = "application/x-protobuf"
EXPORTER = """
import json, sys
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

traces, spans = int(sys.argv[1]), int(sys.argv[2])
provider = TracerProvider()
processor = BatchSpanProcessor(OTLPSpanExporter(), max_queue_size=100_000)
provider.add_span_processor(processor)
tracer = provider.get_tracer("program")
text = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "It is noon."}]}])
chat = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 10, "gen_ai.output.messages": text}
for number in range(traces):
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
        for _ in range(spans - 1):
            tracer.start_span("chat", attributes=chat).end()
    if number % 500 == 499:
        processor.force_flush()
provider.shutdown()
"""


def _has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


def test_a_trace_is_judged_and_the_exit_code_is_the_verdict(receiver):
    at_work = receiver()
    at_work.send(chat(1, 2, 1, says=LIE), agent(1, 1))
    (report,) = at_work.wait_for_reports(1)
    assert (report["trace_id"], report["verdict"]) == (f"{1:032x}", "FAIL")
    assert report["metadata"]["total_tokens"] == 15
    assert at_work.stop() == 2
    assert at_work.out[0].startswith(f"{1:032x}: FAIL: The agent says")
    assert "judged 1, spans 2" in "".join(at_work.err)
    path = at_work.folder / ".sentinel" / "reports.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_report_is_the_one_of_the_same_spans_in_a_file(receiver):
    at_work = receiver()
    spans = [chat(1, 2, 1, says=LIE), chat(1, 3, 1), agent(1, 1)]
    at_work.send(*spans)
    at_work.wait_for_reports(1)
    at_work.stop()
    (at_work.folder / "spans.json").write_bytes(document(spans))
    done = run_forked("evaluate", "spans.json", "--jsonl", cwd=at_work.folder, text=False)
    assert done.stdout == (at_work.folder / ".sentinel" / "reports.jsonl").read_bytes()


def test_what_waits_is_judged_at_the_end(receiver):
    at_work = receiver("--quiet", 100)
    at_work.send(chat(1, 2, 1), packed=True)
    assert at_work.stop(signal.SIGINT) == 130
    assert len(at_work.reports()) == 1


def test_nothing_came(receiver):
    at_work = receiver()
    assert at_work.stop() == 0
    assert "Received: nothing." in "".join(at_work.err)


def test_it_ends_by_itself_where_asked(receiver):
    at_work = receiver("--until-quiet", 0.5)
    at_work.send(chat(1, 1))
    assert at_work.end() == 0
    assert len(at_work.reports()) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not tell the children of a process")
def test_a_receiving_process_that_dies_is_told(receiver):
    at_work = receiver()
    pid = at_work.process.pid
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    assert at_work.end() == 3
    assert "sentinel: error: the receiving process was killed by signal 9 (SIGKILL)\n" in at_work.err


def peak_of(pid: int) -> float:
    """The most megabytes that a process, or one that it started, has held; 0 where the system does not tell."""
    if not PROC.is_dir():
        return 0
    held = re.search(r"VmHWM:\s+(\d+) kB", (PROC / str(pid) / "status").read_text())
    children = (PROC / str(pid) / "task" / str(pid) / "children").read_text().split()
    return max([int(held[1]) / 1024 if held else 0, *map(peak_of, map(int, children))])


def test_official_exporters_in_a_process_of_their_own(receiver, tmp_path):
    traces = 10_000 if os.environ.get("SENTINEL_SOAK") else 150
    at_work = receiver()
    environ = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": at_work.url, "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}
    subprocess.run([sys.executable, "-c", EXPORTER, str(traces), "20"], env=environ, check=True)
    largest = peak_of(at_work.process.pid)
    assert at_work.stop() == 0, at_work.err
    reports = at_work.reports()
    assert len({report["trace_id"] for report in reports}) == len(reports) == traces
    assert {report["metadata"]["total_messages"] for report in reports} == {19}
    assert f"judged {traces}, spans {traces * 20}" in "".join(at_work.err)
    assert (10 if PROC.is_dir() else 0) <= largest < 500


@pytest.mark.parametrize(
    ("status", "request_", "said"),
    [
        (400, {"body": b"{"}, "the body is not an OTLP request"),
        (400, {"body": b"[]"}, "the body is not an OTLP request"),
        (400, {"body": b'{"resourceSpans": 5}'}, "the body is not an OTLP request"),
        (400, {"body": b"[" * 100_000}, "the body is not an OTLP request"),
        (400, {"body": b"\xff\xff\xff", "Content_Type": PROTOBUF}, "the body is not an OTLP request"),
        (400, {"body": b"{}", "Content_Encoding": "gzip"}, "the body is not gzip"),
        (400, {"body": gzip.compress(b"{}")[:-4], "Content_Encoding": "gzip"}, "the body is incomplete"),
        (400, {"body": b"zz\r\n", "Transfer_Encoding": "chunked"}, "chunk"),
        (400, {"body": b"-1\r\n{}", "Transfer_Encoding": "chunked"}, "chunk"),
        (400, {"body": b"0x2\r\n{}\r\n0\r\n", "Transfer_Encoding": "chunked"}, "chunk"),
        (403, {"body": b"{}", "Origin": "https://example.org"}, "web pages"),
        (403, {"body": b"{}", "Host": "attacker.example:4318"}, "the Host header does not match"),
        (
            403,
            {"body": None, "path": "/", "method": "GET", "Host": "attacker.example"},
            "the Host header does not match",
        ),
        (403, {"body": b"{}", "path": "/v1/logs", "Host": "127.0.0.1.attacker.example"}, "Host header"),
        (404, {"body": b"{}", "path": "/v1/other"}, "this path does not exist"),
        (404, {"body": None, "path": "/v1", "method": "GET"}, "this path does not exist"),
        (405, {"body": None, "method": "GET"}, "accepts only POST"),
        (405, {"body": b"{}", "method": "PUT"}, "accepts only POST"),
        (405, {"body": b"{}", "path": "/"}, "accepts only GET"),
        (405, {"body": None, "path": "/", "method": "DELETE"}, "accepts only GET"),
        (413, {"body": b" " * ((1 << 20) + 1)}, "larger than 1048576 bytes"),
        (413, {"body": gzip.compress(b" " * (1 << 24)), "Content_Encoding": "gzip"}, "when decompressed"),
        (413, {"body": b"100001\r\n" + b" " * 0x100001, "Transfer_Encoding": "chunked"}, "larger than 1048576 bytes"),
        (415, {"body": b"{}", "Content_Encoding": "br"}, 'unknown content encoding "br"'),
        (415, {"body": b"{}", "Content_Type": "text/plain"}, 'unknown content type "text/plain"'),
    ],
)
def test_refusals(refusing, status, request_, said):
    """Each by its status, and the receiver goes on."""
    told, headers, body = refusing.post(**request_)
    assert told == status
    assert said in json.loads(body)["message"]
    if status == 405:
        assert "Allow" in headers or request_.get("path") == "/"
    assert refusing.post(b"{}")[0] == 200


def test_a_client_that_is_still_sending_reads_that_it_was_refused(refusing):
    with socket.create_connection(("127.0.0.1", refusing.port), timeout=DEADLINE) as client:
        client.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2097152\r\n\r\n")
        for _ in range(8):
            client.sendall(b" " * (1 << 16))
            time.sleep(0.02)
        assert client.makefile("rb").readline() == b"HTTP/1.1 413 Request Entity Too Large\r\n"


def test_a_name_can_be_allowed(receiver):
    at_work = receiver("--allow-host", "collector")
    told = [at_work.post(b"{}", Host=host)[0] for host in ("collector:4318", "localhost", "127.0.0.1:1", "other")]
    assert told == [200, 200, 200, 403]
    assert at_work.stop() == 0


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    from receiving import Receiving

    at_work = Receiving(tmp_path_factory.mktemp("refusing"), "--max-body-mb", 1)
    yield at_work
    assert at_work.stop() == 0


def test_logs_metrics_and_broken_spans_are_counted(refusing):
    assert refusing.post(b"anything", "/v1/logs")[0] == 200
    assert refusing.post(b"anything", "/v1/metrics")[0] == 200
    bad = [5, {}, {"traceId": 7}, {"traceId": "a" * 65}]
    answer = json.loads(refusing.post(document(bad))[2])
    assert answer["partialSuccess"]["rejectedSpans"] == "4"
    counts = refusing.counts()
    assert (counts["/v1/logs"], counts["/v1/metrics"], counts["rejected"]) == (1, 1, 4)


def test_protobuf_answers_in_protobuf(refusing):
    request = ExportTraceServiceRequest()
    status, headers, body = refusing.post(request.SerializeToString(), Content_Type=PROTOBUF)
    assert (status, headers["Content-Type"], body) == (200, PROTOBUF, b"")
    request.resource_spans.add().scope_spans.add().spans.add().name = "no trace id"
    status, _, body = refusing.post(request.SerializeToString(), Content_Type=PROTOBUF)
    assert b"without a trace id" in body


def test_chunks_as_they_come(refusing):
    body = document([span(77, 1)])
    chunks = iter([body[:10], body[10:]])
    assert refusing.post(chunks)[0] == 200


def test_late_double_rootless_and_ringed(receiver):
    at_work = receiver("--patience", 0.3)
    at_work.send(chat(1, 2, 1), agent(1, 1))
    at_work.send(chat(1, 2, 1))
    assert len(at_work.wait_for_reports(1)) == 1
    at_work.send(chat(1, 3, 1))
    at_work.send(chat(2, 2, 1))
    at_work.send(chat(3, 1, 2), chat(3, 2, 1), chat(3, 3, 3))
    at_work.wait_for_reports(4)
    at_work.wait_for(waiting=0)
    counts = at_work.counts()
    assert (counts["duplicates"], counts["late"], counts["judged"], counts["judged_again"]) == (1, 1, 3, 1)
    assert counts["rootless"] == 2
    tokens = {report["trace_id"][-1]: report["metadata"]["total_tokens"] for report in at_work.reports()}
    assert tokens == {"1": 30, "2": 15, "3": 30}  # of a call within a call, tokens count once
    at_work.stop()


def test_a_chain_of_20_000(receiver):
    at_work = receiver("--quiet", 600, "--patience", 600)  # what waits is judged at the end, however long sending takes
    links = [span(1, number, number - 1 if number > 1 else "", step=number) for number in range(1, 20_000)]
    at_work.send(chat(1, 20_000, 19_999))
    for start in reversed(range(0, len(links), 5_000)):
        at_work.send(*links[start : start + 5_000], packed=True)
    at_work.wait_for(spans=20_000)
    assert at_work.stop() == 0
    (report,) = at_work.reports()[-1:]
    assert (report["verdict"], report["metadata"]["total_tokens"]) == ("PASS", 15)


def test_conversations_are_judged_as_one(receiver):
    at_work = receiver("--until-quiet", 0.5)
    at_work.send(chat(1, 1, gen_ai__conversation__id="c"), chat(2, 2, gen_ai__conversation__id="c"))
    assert at_work.end() == 0
    (report,) = at_work.reports()
    assert (report["trace_id"], report["metadata"]["total_tokens"]) == (f"{1:032x}", 30)


def test_spans_of_no_agent_are_no_error(receiver):
    at_work = receiver()
    at_work.send(span(1, 1, http__method="GET"))
    at_work.wait_for(**{"no agent": 1})
    assert at_work.stop() == 0
    assert "Received: /v1/traces 1, no agent 1, spans 1." in "".join(at_work.err)
    assert at_work.reports() == []


def test_a_trace_that_tells_nothing_is_told(receiver):
    at_work = receiver()
    at_work.send(span(1, 1, gen_ai__agent__name="x"))
    (row,) = at_work.wait_for_reports(1)
    assert "contains no span" in row["error"]["message"]
    assert at_work.stop() == 3


def test_a_trace_that_cannot_be_judged_is_named_once(receiver):
    at_work = receiver()
    at_work.send(agent(1, 1))
    at_work.wait_for_reports(1)
    assert at_work.stop() == 3
    said = f'"trace {1:032x}": contains no message, call or result of its agent'
    assert [line for line in at_work.err if "contains no message" in line] == [f"sentinel: error: {said}\n"]


@pytest.mark.skipif(not _has_ipv6() and os.environ.get("CI") != "true", reason="this machine has no IPv6")
def test_an_ipv6_address_can_be_used_as_it_is_told(receiver):
    at_work = receiver("--host", "::1")
    assert at_work.url == f"http://[::1]:{at_work.port}"
    with urllib.request.urlopen(at_work.url, timeout=DEADLINE) as answer:
        assert json.load(answer) == {"waiting": 0}
    assert at_work.stop() == 0


def test_verdicts_are_emitted(receiver):
    at_work = receiver("--emit", "otel", "--until-quiet", 0.5)
    at_work.send(chat(1, 2, 1, says=LIE), agent(1, 1))
    assert at_work.end() == 2
    lines = (at_work.folder / ".sentinel" / "logs" / "verdicts.otlp.jsonl").read_text().splitlines()
    records = [json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0] for line in lines]
    assert {record["eventName"] for record in records} == {"gen_ai.evaluation.result"}
    assert {(record["traceId"], record["spanId"]) for record in records} == {(f"{1:032x}", f"{1:016x}")}
    assert len(records) == 7


def test_a_collector_that_is_not_there_is_told(receiver):
    at_work = receiver("--otlp", "http://127.0.0.1:9", "--until-quiet", 0.5)
    at_work.send(chat(1, 1))
    assert at_work.end() == 0
    assert "verdicts were not emitted: http://127.0.0.1:9/v1/logs cannot be reached: Connection refused" in "".join(
        at_work.err
    )


def test_a_full_receiver_judges_early_to_make_room(receiver):
    at_work = receiver("--max-spans", 3, "--quiet", 100)
    at_work.send(chat(1, 1), chat(1, 2, 1), chat(1, 3, 1))
    assert len(at_work.wait_for_reports(1)) == 1
    assert at_work.post(document([chat(2, 1)]))[0] == 200
    assert at_work.stop() == 0


def test_a_request_without_room_is_refused_whole_and_taken_when_it_comes_again(receiver):
    at_work = receiver("--max-spans", 5, "--quiet", 100)
    at_work.send(*(chat(1, number) for number in range(1, 5)))
    more = document([chat(2, number) for number in range(1, 5)])
    status, headers, body = at_work.post(more)
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "too many spans are waiting" in json.loads(body)["message"]
    assert len(at_work.wait_for_reports(1)) == 1
    assert at_work.post(more)[::2] == (200, b"{}")
    assert at_work.stop() == 0
    assert [report["metadata"]["total_tokens"] for report in at_work.reports()] == [60, 60]


@pytest.mark.parametrize("kind", ["application/json", PROTOBUF])
def test_a_request_larger_than_all_room_is_told_what_was_dropped(receiver, kind):
    at_work = receiver("--max-spans", 5, "--quiet", 100)
    request = ExportTraceServiceRequest()
    for number in range(1, 21):
        request.resource_spans.add().scope_spans.add().spans.add(trace_id=b"\x01" * 16, span_id=bytes([number] * 8))
    bodies = {PROTOBUF: request.SerializeToString(), "application/json": document(span(1, n) for n in range(1, 21))}
    status, _, body = at_work.post(bodies[kind], Content_Type=kind)
    answer = (
        ExportTraceServiceResponse.FromString(body) if kind == PROTOBUF else Parse(body, ExportTraceServiceResponse())
    )
    assert (status, answer.partial_success.rejected_spans) == (200, 15)
    assert "too many for one request" in answer.partial_success.error_message
    counts = at_work.counts()
    assert (counts["dropped"], counts["rejected"], counts["spans"]) == (15, 15, 20)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "PORT"], 'cannot listen on "127.0.0.1" port'),
        (["--host", "192.0.2.1"], "port 4318: Cannot assign requested address; choose another host with --host"),
        (["--port", "0", "--otlp", "nowhere"], '--otlp "nowhere": give the address'),
        (["--port", "0", "-o", "missing/file/below/reports"], "missing"),
        (["--port", "0", "--profile", "strickt"], '"strickt" is not a profile'),
        (["--port", "0", "--weight", "lop=3"], 'no such signal is installed; did you mean "loop"?'),
        (["--port", "0", "--set", "cost.budget=3"], 'unknown setting "signals.cost.budget"'),
    ],
)
def test_what_cannot_be_used(refusing, tmp_path, options, said):
    (tmp_path / "missing").touch()
    options = [str(refusing.port) if option == "PORT" else option for option in options]
    done = run_forked("receive", *options, cwd=tmp_path, timeout=DEADLINE)
    assert done.returncode == 3
    assert said in done.stderr
    assert "Receiving" not in done.stderr
    assert "Traceback" not in done.stderr
