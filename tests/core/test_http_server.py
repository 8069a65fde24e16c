"""What a client may do to a server of ours, over real sockets."""

import asyncio
import contextlib
import http.client
import select
import socket
import threading
import time

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse

from sentinel_core.runtime.http_server import Guard, make_server

WAIT = 60  # seconds, for what hangs; nothing comes near it
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
WHOLE = HEAD + b"Content-Length: 2\r\n\r\nhi"


class Serving:
    """A server at work. It answers what is sent to it; to ``/slow`` not before ``release`` is set."""

    def __init__(self, **limits) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        refusal = lambda status, detail: ("text/plain", f"{status}: {detail}".encode())  # noqa: E731
        self.release = threading.Event()
        self.server = make_server(self.echo, Guard(refusal=refusal, **limits))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()
        self.clients = []

    async def echo(self, scope, receive, send):
        request = Request(scope, receive)
        if request.url.path == "/refuse":
            await PlainTextResponse("no", 413)(scope, receive, send)
            return
        with contextlib.suppress(ClientDisconnect):
            body = await request.body()
            if request.url.path == "/slow":
                await asyncio.to_thread(self.release.wait, WAIT)
            await PlainTextResponse(body)(scope, receive, send)

    def connect(self, data=b""):
        self.clients.append(socket.create_connection(self.address, timeout=WAIT))
        self.clients[-1].sendall(data)
        return self.clients[-1]

    def connections(self):
        return sum(not one.transport.is_closing() for one in list(self.server.server_state.connections))

    def wait_for(self, number):
        deadline = time.monotonic() + WAIT
        while self.connections() != number:
            assert time.monotonic() < deadline, self.connections()
            time.sleep(0.01)

    def wait_for_requests(self, number):
        deadline = time.monotonic() + WAIT
        while len(self.server.server_state.tasks) < number:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def stop(self):
        self.release.set()
        self.server.should_exit = True
        self.thread.join(WAIT)
        for client in self.clients:
            client.close()
        return not self.thread.is_alive()


@pytest.fixture
def serving():
    started = []

    def start(**limits):
        started.append(Serving(**limits))
        return started[-1]

    yield start
    assert all([one.stop() for one in started])  # noqa: C419 - all of them


def answer(client) -> bytes:
    """All that comes until the server has no more to say."""
    found = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(1 << 16):
            found += piece
    return bytes(found)


def status(client) -> int:
    """Of the next answer, which is read to its end."""
    found = http.client.HTTPResponse(client)
    found.begin()
    found.read()
    return found.status


def is_closed(client) -> bool:
    with contextlib.suppress(ConnectionError):
        return client.recv(1) == b""
    return True


def drip(client, piece) -> None:
    with contextlib.suppress(ConnectionError):
        while not select.select([client], [], [], 0.02)[0]:
            client.sendall(piece)


def test_a_head_without_an_end_is_refused_with_431_that_the_client_can_read(serving):
    client = serving().connect(b"GET / HTTP/1.1\r\nHost: x\r\n")
    with contextlib.suppress(ConnectionError):
        for _ in range(400):  # 25 MB
            client.sendall(b"X-Long: " + b"a" * 65_536 + b"\r\n")
            if select.select([client], [], [], 0)[0]:
                break
    assert answer(client).startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


def test_other_clients_are_answered_while_one_sends_an_endless_head(serving):
    at_work = serving()
    stop = threading.Event()

    def flood():
        while not stop.is_set():
            with contextlib.suppress(OSError), socket.create_connection(at_work.address, timeout=WAIT) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
                while not stop.is_set():
                    client.sendall(b"a" * 65_536)

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        assert [status(at_work.connect(WHOLE)) for _ in range(20)] == [200] * 20
    finally:
        stop.set()
        flooding.join(WAIT)


@pytest.mark.parametrize("first", [b"", b"GET / HTTP/1.1\r\nX-Long: ", WHOLE], ids=["silent", "head", "kept alive"])
def test_a_connection_without_a_whole_head_has_its_time_and_no_more(serving, first):
    client = serving(head_seconds=0.2, idle_seconds=1).connect(first)
    if first == WHOLE:
        assert status(client) == 200
        client.sendall(b"G")
    drip(client, b"x" if first else b"")
    assert is_closed(client)


def test_of_too_many_silent_connections_the_oldest_gives_way(serving):
    at_work = serving(connections=4)
    silent = [at_work.connect() for _ in range(3)]
    at_work.wait_for(3)
    good = at_work.connect(WHOLE)
    assert status(good) == 200
    later = [at_work.connect() for _ in range(2)]
    assert is_closed(silent[0])
    assert is_closed(silent[1])
    assert status(at_work.connect(WHOLE)) == 200
    assert at_work.connections() == 4
    assert select.select(later, [], [], 0)[0] == []


def test_a_whole_request_never_gives_way(serving):
    at_work = serving(connections=2)
    slow = [at_work.connect(WHOLE.replace(b"/ ", b"/slow ", 1)) for _ in range(2)]
    at_work.wait_for_requests(2)
    assert status(at_work.connect()) == 503
    at_work.release.set()
    assert [status(one) for one in slow] == [200] * 2


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", b"conflicting Content-Length"),
        (b"Host: y\r\nContent-Length: 2\r\n\r\nhi", b"multiple Host"),
        (b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"chunk"),
        (b"No colon\r\n\r\n", b"this is not HTTP/1.1"),
    ],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused(serving, head, said):
    told = answer(serving().connect(HEAD + head))
    assert told.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert said in told.partition(b"\r\n\r\n")[2]


def test_after_a_refusal_a_body_that_drips_on_keeps_no_connection(serving):
    client = serving().connect(b"POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
    told = client.recv(1 << 16).lower()
    assert told.startswith(b"http/1.1 413 ")
    assert b"\r\nconnection: close\r\n" in told
    with contextlib.suppress(ConnectionError):
        while True:
            client.sendall(b" ")
            if select.select([client], [], [], 0.05)[0] and not client.recv(1 << 16):
                break
    assert is_closed(client)


def test_at_its_end_a_server_answers_whole_requests_and_lets_others_go(serving):
    at_work = serving()
    cut = at_work.connect(HEAD + b"Content-Length: 1000\r\n\r\nhi")
    whole = at_work.connect(WHOLE.replace(b"/ ", b"/slow ", 1))
    at_work.wait_for_requests(2)
    at_work.server.should_exit = True
    assert is_closed(cut)
    at_work.release.set()
    assert answer(whole).endswith(b"hi")


@pytest.mark.parametrize(
    "head",
    [
        b"Host: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
        b"Host: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        b"Host: 127.0.0.1\r\nHost: example.org\r\nContent-Length: 2\r\n",
    ],
    ids=("lengths", "lengths and chunks", "hosts"),
)
def test_heads_that_contradict_themselves_are_refused(serving, head):
    client = serving().connect(b"POST / HTTP/1.1\r\n" + head + b"\r\nhi")
    assert status(client) == 400
