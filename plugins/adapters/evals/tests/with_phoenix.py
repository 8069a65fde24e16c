"""The real server of Phoenix on this machine, and its client."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import httpx
import pytest
from phoenix.client import Client
from runs import LIE, RULE, TRUTH, spans_of

from sentinel_core.errors import InputError
from sentinel_evals.phoenix import annotate_trace

PROJECT = "agents"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    port, grpc = free_ports(2)
    folder = tmp_path_factory.mktemp("phoenix")
    settings = {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": port,
        "PHOENIX_GRPC_PORT": grpc,
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    command = [Path(sys.executable).parent / "phoenix", "serve"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, env={**os.environ, **settings}, stdout=log, stderr=log) as server,
    ):
        address = f"http://127.0.0.1:{port}"
        while True:
            assert server.poll() is None, (folder / "log").read_text()
            try:
                urllib.request.urlopen(f"{address}/healthz").close()
            except OSError:
                time.sleep(0.2)
            else:
                break
        try:
            yield Client(base_url=address)
        finally:
            server.terminate()


def stored(client, trace_id):
    try:
        return len(client.spans.get_spans(project_identifier=PROJECT, trace_ids=[trace_id]))
    except httpx.HTTPStatusError:  # the project comes with its first span
        return 0


def recorded(client, trace, answer):
    """The trace's id, once the server has stored its spans: it does so in the background."""
    spans = spans_of(answer, trace)
    trace_id = spans[0]["context"]["trace_id"]
    client.spans.log_spans(project_identifier=PROJECT, spans=spans)
    while stored(client, trace_id) < len(spans):
        time.sleep(0.1)
    return trace_id, spans[0]["context"]["span_id"]


@pytest.mark.parametrize(("trace", "answer", "label", "value"), [(1, LIE, "FAIL", 0.0), (2, TRUTH, "PASS", 1.0)])
def test_the_outermost_span_is_annotated_once(client, trace, answer, label, value):
    trace_id, root = recorded(client, trace, answer)
    for _ in range(2):
        found = annotate_trace(client, PROJECT, trace_id)
        assert (found.verdict, found.report.metadata.total_tool_calls) == (label, 1)
    (one,) = client.spans.get_span_annotations(span_ids=[root], project_identifier=PROJECT)
    assert (one["name"], one["annotator_kind"]) == ("sentinel", "CODE")
    assert (one["result"]["label"], one["result"]["score"]) == (label, value)
    assert (RULE in one["result"]["explanation"]) == (label == "FAIL")


def test_a_trace_that_is_not_there_is_told(client):
    recorded(client, 3, TRUTH)
    with pytest.raises(InputError, match="no spans of the trace"):
        annotate_trace(client, PROJECT, "f" * 32)
