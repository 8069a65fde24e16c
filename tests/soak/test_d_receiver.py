"""A receiver that is killed again and again: of each trace that it acknowledged there is one report, and not two.

200 kills with ``SENTINEL_SOAK=1`` (``make soak``), else 8: of the parent, of any other process, or of all of them,
at any moment, also while the receiver starts. A client repeats each request until it is acknowledged, as exporters do.
"""

import contextlib
import http.client
import itertools
import json
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from forked_commands import Server
from receiving import agent, chat, document
from soaking import FIRST, SOAK, chance_of

pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the children of a process"),
]
KILLS = 200 if SOAK else 8
LONGEST = 120.0  # seconds for one start


def children_of(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def family_of(pid):
    """The process and all below it, the oldest first."""
    return [pid, *itertools.chain.from_iterable(map(family_of, children_of(pid)))]


def kill(processes):
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Sender(threading.Thread):
    """Sends a trace in one request after another, each until it is acknowledged; ``sent`` are their numbers."""

    def __init__(self, port):
        super().__init__()
        self.port, self.sent, self.stop = port, 0, threading.Event()

    def run(self):
        while not self.stop.is_set():
            number = self.sent + 1
            body = document([chat(number, 2, 1, says=f"It is {number}."), agent(number, 1)])
            while not self.is_acknowledged(body):
                time.sleep(0.01)
            self.sent = number

    def is_acknowledged(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        try:
            connection.request("POST", "/v1/traces", body, {"Content-Type": "application/json"})
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_of_each_acknowledged_trace_there_is_one_report(tmp_path):
    chance = chance_of("receiver", FIRST)
    nursery, port = Server(), free_port()
    sender = Sender(port)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "OTEL_"))}
    arguments = ["receive", "--port", str(port), "--quiet", "0"]
    told = []

    def receive():
        told.append(nursery.run(arguments, tmp_path, environ, b"", LONGEST))

    sender.start()
    try:
        for _ in range(KILLS):
            receiver = threading.Thread(target=receive)
            receiver.start()
            while not (started := children_of(nursery.process.pid)):
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.8))
            family = family_of(started[0])
            kill(chance.choice([family, family[:1], [chance.choice(family)]]))
            receiver.join(0.3)
            if receiver.is_alive():  # of a process that only judges, it starts another
                kill(family_of(started[0]))
            receiver.join(LONGEST)
            assert not receiver.is_alive()
        receiver = threading.Thread(target=receive)
        receiver.start()
        done = sender.sent
        while sender.sent < done + 3:  # it receives again
            time.sleep(0.01)
        sender.stop.set()
        sender.join()
        os.kill(children_of(nursery.process.pid)[0], signal.SIGTERM)
        receiver.join(LONGEST)
    finally:
        sender.stop.set()
        nursery.close()
    lines = (tmp_path / ".sentinel" / "reports.jsonl").read_bytes().splitlines()
    reports = Counter(int(json.loads(line)["trace_id"], 16) for line in lines)
    assert told[-1][0] == 0, told[-1]
    assert not any(b"Traceback" in error for _, _, error in told), told
    assert {number for number in reports if reports[number] > 1} == set()
    assert set(range(1, sender.sent + 1)) - set(reports) == set()
    assert not list((tmp_path / ".sentinel").glob("*.spool"))
