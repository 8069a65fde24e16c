"""The observer: writes and sends, never raises, and changes nothing of the run."""

import gzip
import http.server
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from sentinel_agent import events as ev
from sentinel_agent.telemetry import Telemetry
from sentinel_core.errors import ConfigError
from sentinel_core.telemetry.encode import is_disabled
from sentinel_core.telemetry.send import Unsent, check_endpoint, send

KINDS = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
}


@pytest.fixture
def collector():
    """A collector that keeps what it is sent; ``answers`` are the statuses that it gives first."""
    taken, answers = [], []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
            status = answers.pop(0) if answers else 200
            if status == 200:
                taken.append((self.path, self.headers, KINDS[self.path].FromString(body)))
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:9/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        server.taken, server.answers = taken, answers
        server.url = f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def observed(busy_agent):
    """Plays the busy run under this observer; gives the agent."""

    def play(telemetry):
        agent = busy_agent(telemetry)
        with telemetry:
            agent.send_message("Weigh the sacks.")
        return agent

    return play


def test_files_are_there_when_the_run_ends(tmp_path, spans_in, busy_agent):
    telemetry = Telemetry(tmp_path, live=False)
    agent = busy_agent(telemetry)
    agent.send_message("Weigh the sacks.")
    (path,) = (tmp_path / "traces").iterdir()
    assert len(spans_in(path)) == 26
    assert sorted(one.name for one in tmp_path.iterdir()) == ["logs", "metrics", "traces"]
    telemetry.close()
    assert agent.trace().metadata["otel_trace_id"] == path.name.partition(".")[0]


def test_what_comes_after_the_run_is_in_the_file_too(tmp_path, busy, spans_in):
    with Telemetry(tmp_path, live=False) as telemetry:
        for event in busy:
            telemetry(event)
        at = busy[-1].at
        telemetry(ev.GuardrailChecked(sequence=90, at=at, guardrail="rerun_limit", action="finalize", reason="limit"))
        telemetry(
            ev.AttemptJudged(sequence=91, at=at, loop_id="l1", verdict="WARN", overall_score=0.5, rules=("loop.same",))
        )
        telemetry(
            ev.AttemptReflected(
                sequence=92, at=at, loop_id="l1", alignment_score=0.9, drift_score=0.1, summary_valid=True
            )
        )
        telemetry(ev.LoopDecided(sequence=93, at=at, loop_id="l1", decision="finalize", reason="good"))
        telemetry(ev.DeliveryStarted(sequence=94, at=at, idempotency_key="k", arguments={"release_id": "v1"}))
        telemetry(ev.DeliveryFinished(sequence=95, at=at, status="failed", content="refused"))
        telemetry(ev.ContextSummarized(sequence=96, at=at, turn=9, covers=4, summary="short", duration_ms=5.0))
        telemetry(ev.RunResumed(sequence=97, at=at, accepted=("model",)))
    (path,) = (tmp_path / "traces").iterdir()
    told = {span["name"]: span for span in spans_in(path)}
    guardrail = told["sentinel.guardrail rerun_limit"]["attributes"]
    assert (guardrail["sentinel.decision"], guardrail["openinference.span.kind"]) == ("finalize", "GUARDRAIL")
    assert told["sentinel.judgement"]["attributes"]["sentinel.rules"] == ["loop.same"]
    assert told["sentinel.reflection"]["attributes"]["sentinel.reflection.drift"] == 0.1
    assert told["sentinel.loop"]["attributes"]["sentinel.loop.id"] == "l1"
    assert told["sentinel.delivery"]["status"] == {"code": 2, "message": "refused"}
    assert told["sentinel.context.summarize"]["attributes"]["sentinel.context.summary"] == "short"
    assert told["invoke_workflow release_risk"]["events"][-1]["name"] == "sentinel.resumed"


def test_a_disk_that_refuses_is_told_once_and_changes_nothing(tmp_path, busy_agent, observed):
    (tmp_path / "file").touch()
    told = []
    agent = observed(Telemetry(tmp_path / "file", live=False, warn=told.append))
    plain = busy_agent()
    plain.send_message("Weigh the sacks.")
    assert agent.events == plain.events
    assert len(told) == 1
    assert told[0].startswith("the run's spans could not be written: ")


def test_an_event_that_is_none_is_told(tmp_path, caplog):
    Telemetry(tmp_path)(object())
    assert caplog.messages == []
    telemetry = Telemetry(tmp_path)
    telemetry(ev.RunStarted(run_id="r", conversation_id="c", system_prompt="", provider="", tools=()))
    telemetry(ev.ToolFinished(result=None))
    telemetry.save()
    assert caplog.messages[0].startswith("the run's spans could not be written: ")


def test_a_collector_gets_everything_but_content(tmp_path, collector, monkeypatch, observed):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b,broken")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mill")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
    collector.answers += [503]
    observed(Telemetry(tmp_path, endpoint=collector.url, live=False))
    assert [path for path, _, _ in collector.taken] == ["/v1/traces", "/v1/metrics", "/v1/logs"]
    _, headers, request = collector.taken[0]
    assert headers["x-key"] == "a b"
    resource = {pair.key: pair.value.string_value for pair in request.resource_spans[0].resource.attributes}
    assert (resource["service.name"], resource["deployment.environment.name"]) == ("mill", "test")
    spans = [one.scope_spans[0].spans[0] for one in request.resource_spans]
    assert len(spans) == 26
    assert {len(span.trace_id) for span in spans} == {16}
    assert b"sacks" not in request.SerializeToString()
    assert b"barley" not in request.SerializeToString()
    (path,) = (tmp_path / "traces").iterdir()
    assert b"Weigh the sacks." in path.read_bytes()


@pytest.mark.parametrize(("capture", "variable"), [(True, ""), (None, "SPAN_ONLY")])
def test_content_goes_to_a_collector_where_asked(tmp_path, collector, monkeypatch, capture, variable, observed):
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", variable)
    observed(Telemetry(tmp_path, endpoint=collector.url, capture=capture, live=False))
    assert b"Weigh the sacks." in collector.taken[0][2].SerializeToString()


@pytest.mark.parametrize(("status", "said"), [(400, "answered 400"), (302, "answered 302")])
def test_a_collector_that_refuses_is_told(tmp_path, collector, status, said, observed):
    collector.answers += [status]
    told = []
    observed(Telemetry(tmp_path, endpoint=collector.url, live=False, warn=told.append))
    assert len(told) == 1
    assert told[0].startswith("telemetry was not sent: ")
    assert said in told[0]


def test_no_collector_is_told(tmp_path, observed):
    told = []
    observed(Telemetry(tmp_path, endpoint="http://127.0.0.1:9", live=False, warn=told.append))
    assert "cannot be reached" in told[0]
    with pytest.raises(Unsent):
        send("http://127.0.0.1:9", "traces", [b'{"resourceSpans":[{}]}'])
    send("http://127.0.0.1:9", "traces", [])


def test_an_endpoint_is_checked():
    assert check_endpoint("http://127.0.0.1:4318") == "http://127.0.0.1:4318"
    for wrong in ("localhost:4318", "http://h:port", "http://[::1", "http:///v1", "http://h/\u00fc"):
        with pytest.raises(ConfigError, match=re.escape(f'--otlp "{wrong}": give the address')):
            check_endpoint(wrong)


@pytest.mark.parametrize(
    "endpoint", ["http://user:passw0rd99@h:1/v1", "http://passw0rd99@h:1/v1", "http://u:passw0rd99/@h:1/v1"]
)
def test_an_endpoint_with_a_password_is_refused_and_not_shown(endpoint):
    with pytest.raises(ConfigError, match=re.escape('--otlp "http://[redacted]@h:1/v1": ')) as caught:
        check_endpoint(endpoint)
    assert "passw0rd99" not in str(caught.value)


@pytest.mark.parametrize(
    "header", ["x-team=%0Ahcaik_01supersecretvalue", "x team=hcaik_01supersecretvalue", "x=\u2020hcaik"]
)
def test_a_header_that_cannot_be_sent_is_not_shown(collector, monkeypatch, header):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", header)
    with pytest.raises(Unsent) as caught:
        send(collector.url, "traces", [b'{"resourceSpans":[{}]}'])
    assert str(caught.value) == "OTEL_EXPORTER_OTLP_HEADERS contains a header that cannot be sent"


def test_a_server_that_speaks_no_http_is_told():
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=_babble, args=(server,))
        answering.start()
        with pytest.raises(Unsent, match="cannot be reached: "):
            send(f"http://127.0.0.1:{server.getsockname()[1]}", "traces", [b'{"resourceSpans":[{}]}'])
        answering.join()


def _babble(server):
    connection, _ = server.accept()
    with connection:
        connection.recv(1 << 16)
        connection.sendall(b"good day\r\n\r\n")


def test_the_switch_of_opentelemetry(monkeypatch):
    assert not is_disabled()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "TRUE")
    assert is_disabled()


def test_an_unfinished_run_is_written_at_the_end(tmp_path, busy, spans_in):
    with Telemetry(tmp_path, live=False) as telemetry:
        for event in busy[:12]:
            telemetry(event)
        assert list(tmp_path.iterdir()) == []
    (path,) = (tmp_path / "traces").iterdir()
    assert spans_in(path)[0]["attributes"]["sentinel.outcome"] == "interrupted"


def test_nothing_of_opentelemetry_is_imported(tmp_path):
    """Neither to judge a trace nor to write the files of a run."""
    code = (
        "import sys\n"
        "from sentinel_core.cli import main\n"
        "try:\n    main(['evaluate', sys.argv[1]])\nexcept SystemExit as end:\n    assert end.code == 0, end.code\n"
        "from sentinel_agent.telemetry import Telemetry, rebuild, spans_of\n"
        "import sentinel_core.telemetry.verdicts, sentinel_core.telemetry.send, sentinel_command_receive.cli.receive\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'google.protobuf', 'httpx'))])\n"
    )
    honest = Path(__file__).parents[2] / "examples" / "traces" / "honest.json"
    done = subprocess.run(
        [sys.executable, "-c", code, honest], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
