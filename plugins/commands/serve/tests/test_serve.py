"""``sentinel serve`` as a process."""

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}

BROKEN = """
from sentinel_core import Guardrail, hookimpl


def check(history):
    raise RuntimeError("no idea")


@hookimpl
def sentinel_guardrails():
    return [Guardrail(name="mine", summary="s", check=check)]
"""


@pytest.fixture
def started(tmp_path):
    command = [Path(sys.executable).parent / "sentinel", "serve", "--port", "0"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1"},
    )
    yield process
    process.kill()
    process.communicate()


def test_it_makes_tokens_answers_and_ends_with_130_on_ctrl_c(started, tmp_path):
    address = re.fullmatch(r"Listening on http://(127\.0\.0\.1:\d+)\n", started.stdout.readline())[1]
    path = tmp_path / ".sentinel" / "tokens.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    tokens = tomllib.loads(path.read_text())["tokens"]
    assert {name: table["scopes"] for name, table in tokens.items()} == {
        "agent": ["complete", "read"],
        "operator": ["override", "read"],
        "orchestrator": ["complete", "override", "read"],
    }
    connection = http.client.HTTPConnection(address, timeout=30)
    headers = {"Authorization": f"Bearer {tokens['agent']['token']}"}
    statuses = []
    for path, given in (("/healthz", {}), ("/orchestrator/audit", {}), ("/orchestrator/audit", headers)):
        connection.request("GET", path, headers=given)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
        assert response.getheader("server") is None
    connection.close()
    assert statuses == [200, 401, 200]
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=60)
    assert (started.returncode, errors.strip()) == (130, "New tokens are in .sentinel/tokens.toml")


def test_sigterm_leaves_the_whole_store_in_its_one_file(service, sentinel, tmp_path, bearer):
    address, store = service(), tmp_path / ".sentinel" / "loops.sqlite3"
    connection = http.client.HTTPConnection(address, timeout=30)
    headers = {**bearer("agent"), "Content-Type": "application/json"}
    connection.request("PUT", "/orchestrator/loops/a", '{"alignment_score": 0, "drift_score": 1}', headers)
    assert connection.getresponse().status == 201
    connection.close()
    process = service.started[-1]
    process.terminate()
    assert process.wait(60) == 143
    assert [path.name for path in store.parent.glob("loops.sqlite3-*") if path.stat().st_size] == []
    copied = tmp_path / "copied.sqlite3"
    copied.write_bytes(store.read_bytes())
    (loop,) = json.loads(sentinel("loops", "show", "a", "--json", "--store", copied).stdout)["loops"]
    assert loop["loop_id"] == "a"


def test_a_store_that_is_taken_away_meanwhile_is_named(service, tmp_path, bearer):
    connection = http.client.HTTPConnection(service(), timeout=30)
    headers = {**bearer("agent"), "Content-Type": "application/json"}
    (tmp_path / ".sentinel" / "loops.sqlite3").unlink()
    for _ in range(2):
        connection.request("PUT", "/orchestrator/loops/a", '{"alignment_score": 0, "drift_score": 1}', headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())["detail"]
        why = "No such file or directory; no rerun is granted"
        assert (answer.status, told) == (503, f'store ".sentinel/loops.sqlite3" cannot be used: {why}')
    connection.close()


@pytest.mark.parametrize("more", ["Content-Length: 8388608", "Transfer-Encoding: chunked"])
def test_a_client_that_is_still_sending_reads_that_it_was_refused(service, bearer, more):
    host, _, port = service().partition(":")
    token = "".join(f"{name}: {value}" for name, value in bearer("agent").items())
    head = ("POST /orchestrator/loop-complete HTTP/1.1", f"Host: {host}", "Content-Type: application/json", token)
    with socket.create_connection((host, int(port)), timeout=30) as client:
        client.sendall("\r\n".join((*head, "Connection: close", more, "", "")).encode())
        for _ in range(128):
            client.sendall(b"10000\r\n" + b" " * (1 << 16) + b"\r\n" if "chunked" in more else b" " * (1 << 16))
        if "chunked" in more:
            client.sendall(b"0\r\n\r\n")
        answer = client.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"the body has more than 1048576 bytes" in answer


def test_a_client_that_stops_sending_is_not_waited_for(monkeypatch):
    from sentinel_core.runtime import http_server

    async def refuses(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 413})
        await send({"type": "http.response.body", "body": b"no"})

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    sent = []
    monkeypatch.setattr(http_server, "_DRAIN_SECONDS", 0.01)
    asyncio.run(http_server.Drain(refuses)({"headers": [(b"content-length", b"9")]}, receive, send))
    assert [(one.get("body"), one.get("more_body")) for one in sent] == [(None, None), (b"no", True), (None, None)]


def test_a_port_that_is_taken_and_one_that_is_none(sentinel, tokens):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = sentinel("serve", "--tokens", tokens, "--port", taken.getsockname()[1])
    assert (done.returncode, ": Address already in use; choose another port with --port" in done.stderr) == (3, True)
    done = sentinel("serve", "--tokens", tokens, "--port", 99999)
    assert (done.returncode, "99999 is not in the range 0<=x<=65535" in done.stderr) == (3, True)


def test_settings_that_cannot_be_used(sentinel, tokens):
    done = sentinel("serve", "--tokens", tokens, "--set", "rerun_limit.max_reruns=-1")
    assert (done.returncode, "max_reruns" in done.stderr) == (3, True)
    done = sentinel("serve", "--tokens", "none.toml")
    assert (done.returncode, '"none.toml" cannot be read' in done.stderr) == (3, True)
    done = sentinel("serve", "--tokens", tokens, "--store", "ftp://somewhere/loops")
    assert (done.returncode, '"ftp://somewhere/loops" is not a store' in done.stderr) == (3, True)


@pytest.mark.parametrize(
    ("missing", "arguments", "told"),
    [
        ("psycopg", ["loops", "--store", "postgresql:///x"], "pip install 'reliability-sentinel[postgres]'"),
    ],
)
def test_what_is_not_installed_is_named(tmp_path, missing, arguments, told):
    code = f"import sys; sys.modules[{missing!r}] = None; from sentinel_core.cli import main; main({arguments})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.returncode, told in done.stderr) == (3, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_guardrail_that_fails_ends_every_family(service, tmp_path, bearer):
    (tmp_path / "broken.py").write_text(BROKEN)
    connection = http.client.HTTPConnection(service("--plugins", "./broken.py"), timeout=30)
    headers = {**bearer("agent"), "Content-Type": "application/json"}
    connection.request("PUT", "/orchestrator/loops/a", '{"alignment_score": 0, "drift_score": 1}', headers)
    connection.getresponse().read()
    connection.request("POST", "/orchestrator/loop-complete", '{"loop_id": "a", "reflection_status": "done"}', headers)
    told = connection.getresponse().read().decode()
    connection.request("GET", "/orchestrator/loops/a", headers=headers)
    family = connection.getresponse().read().decode()
    connection.close()
    assert '"decision":"finalize"' in told
    assert '"rerun_reason":"guardrail_failed"' in told
    assert r"Guardrail \"mine\" raised RuntimeError: no idea (broken.py:6)." in family
