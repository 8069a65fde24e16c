"""The HTTP side of the receiver by itself: how long it waits for a client."""

import contextlib
import http.client
import json
import select
import socket
import threading

import pytest

from sentinel_command_receive import server as receiving
from sentinel_command_receive.bodies import BadRequest

HEAD = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def taken():
    """Bodies that a server took; and a way to connect to it."""
    bodies = []

    def take(_path, _kind, body):
        if body == b"one too many":
            raise BadRequest(503, "too many spans are waiting")
        bodies.append(body)
        return 0

    listener = socket.create_server(("127.0.0.1", 0))
    server = receiving.make_server(take, dict, max_body=1 << 20, hosts=("localhost",))
    address = listener.getsockname()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield bodies, lambda: socket.create_connection(address, timeout=60)
    server.should_exit = True
    thread.join()


@pytest.fixture
def _impatient(monkeypatch):
    monkeypatch.setattr(receiving, "_PATIENCE", 0.5)


def answered(connection) -> tuple[int, http.client.HTTPMessage, str]:
    """Status, headers and message of the answer."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status, answer.headers, json.loads(answer.read()).get("message")


def drip(connection, piece) -> None:
    """Send a piece now and then until the server says something, or nothing any more."""
    with contextlib.suppress(ConnectionError):
        while not select.select([connection], [], [], 0.05)[0]:
            connection.sendall(piece)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize(
    ("head", "piece"),
    [(b"Content-Length: 1000000\r\n\r\n", b" "), (b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n")],
)
def test_a_body_that_drips_has_its_time_and_no_more(taken, head, piece):
    bodies, connect = taken
    with connect() as connection:
        connection.sendall(HEAD + head)
        drip(connection, piece)
        status, headers, message = answered(connection)
    assert headers["Server"] == "sentinel"
    assert (status, headers["Connection"], message) == (408, "close", "the body did not arrive within 0.5 seconds")
    assert bodies == []


@pytest.mark.usefixtures("_impatient")
def test_a_head_that_drips_is_left(taken):
    _, connect = taken
    with connect() as connection:
        connection.sendall(HEAD + b"X-Long: ")
        drip(connection, b"x")
        with contextlib.suppress(ConnectionError):
            assert connection.recv(1) == b""


def test_a_full_receiver_says_when_to_come_again(taken):
    _, connect = taken
    with connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 12\r\n\r\none too many")
        status, headers, message = answered(connection)
    assert (status, headers["Retry-After"], message) == (503, "1", "too many spans are waiting")


def test_two_requests_in_one_connection(taken):
    bodies, connect = taken
    with connect() as connection:
        for body in (b"one", b"two"):
            connection.sendall(HEAD + b"Content-Length: 3\r\n\r\n" + body)
            assert answered(connection)[0] == 200
    assert bodies == [b"one", b"two"]


@pytest.mark.parametrize("head", [b"", b"Content-Length: 1048576\r\n\r\n "], ids=["silent", "bodies that drip"])
def test_clients_that_wait_keep_nobody_waiting(taken, head):
    bodies, connect = taken
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(connect()).sendall(HEAD + head if head else b"")
        good = stack.enter_context(connect())
        good.sendall(HEAD + b"Content-Length: 4\r\n\r\ngood")
        assert answered(good)[0] == 200
    assert bodies == [b"good"]


@pytest.mark.parametrize(
    ("head", "status", "said"),
    [
        (b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}", 400, "conflicting Content-Length"),
        (b"X-Long: " + b"x" * (1 << 20), 431, "the head of the request is larger than"),
        (b"\r\n", 411, "send the length of the body"),
    ],
)
def test_a_request_that_cannot_be_read_in_one_way_is_refused(taken, head, status, said):
    bodies, connect = taken
    with connect() as connection:
        connection.sendall(HEAD + head)
        told, headers, message = answered(connection)
    assert (told, headers["Content-Type"]) == (status, "application/json")
    assert said in message
    assert bodies == []
