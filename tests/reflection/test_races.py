"""Many clients complete the same loops at once: reruns granted equal the limit, no id twice, nothing lost.

16 clients on 10 families in ``make test``, on 200 with ``SENTINEL_SOAK=1`` (``make soak``).
"""

import http.client
import json
import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from sentinel_core.errors import StoreError
from sentinel_core.guardrails.audit import audit_problems
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.store import open_store

pytestmark = pytest.mark.unmeasured

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
CLIENTS = 16
FAMILIES = 200 if SOAK else 10
LIMIT = 3
POOR = {"alignment_score": 0.5, "drift_score": 0.5}


class Direct:
    """A client in this process."""

    def __init__(self, orchestrator):
        self._orchestrator = orchestrator

    def submit(self, loop_id):
        self._orchestrator.submit(loop_id, Reflection(**POOR))

    def complete(self, loop_id):
        return self._orchestrator.complete(loop_id)

    def close(self):
        """The store is the test's."""


class Remote:
    """A client over HTTP; an answer of 503 means to send the same again."""

    def __init__(self, host, headers):
        self._connection = http.client.HTTPConnection(host, timeout=120)
        self._headers = {**headers, "Content-Type": "application/json"}

    def submit(self, loop_id):
        self._send("PUT", f"/orchestrator/loops/{loop_id}", POOR)

    def complete(self, loop_id):
        return self._send("POST", "/orchestrator/loop-complete", {"loop_id": loop_id, "reflection_status": "done"})

    def _send(self, method, path, body):
        while True:
            self._connection.request(method, path, json.dumps(body), self._headers)
            response = self._connection.getresponse()
            told = json.loads(response.read())
            if response.status != http.HTTPStatus.SERVICE_UNAVAILABLE:
                assert response.status < 300, told
                return told

    def close(self):
        self._connection.close()


def drive(client, roots, at_start=lambda: None):
    """One client takes each family to its end; gives the answer to each loop that it completed."""
    at_start()
    answers = {}
    for root in roots:
        loop_id = root
        while loop_id is not None:
            client.submit(loop_id)
            answers[loop_id] = client.complete(loop_id)
            loop_id = answers[loop_id]["decision_result"]["new_loop_id"]
    client.close()
    return answers


def race(clients, beside=lambda: None):
    roots = [f"loop_{number}" for number in range(FAMILIES)]
    together = threading.Barrier(len(clients))
    with ThreadPoolExecutor(len(clients)) as pool:
        running = [pool.submit(drive, client, roots, together.wait) for client in clients]
        beside()
        return [one.result() for one in running]


def check(found, store):
    """All clients were told the same, and what is kept is exactly that."""
    first, *others = found
    assert all(other == first for other in others)
    granted = [answer["decision_result"]["new_loop_id"] for answer in first.values()]
    ids = [loop_id for loop_id in granted if loop_id is not None]
    assert len(ids) == len(set(ids)) == FAMILIES * LIMIT
    by_family = Counter(answer["decision_result"]["original_loop_id"] for answer in first.values())
    assert by_family == {f"loop_{number}": LIMIT + 1 for number in range(FAMILIES)}
    families = store.families()
    assert {loop.loop_id for family in families for loop in family.loops} == first.keys()
    assert all(family.version == family.rows == 2 * (LIMIT + 1) for family in families)
    assert list(audit_problems(families, store.audit())) == []
    store.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.process)])
def test_in_process(kind, address, make):
    place = "memory:" if kind == "memory" else address(kind)
    store = open_store(place)
    clients = [Direct(make(store)) for _ in range(CLIENTS)]
    check(race(clients), store)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_over_http(kind, address, service, bearer):
    place = address(kind)
    host = service("--store", place)
    check(race([Remote(host, bearer("agent")) for _ in range(CLIENTS)]), open_store(place))


def test_two_services_on_one_file(address, service, bearer):
    place = address("sqlite")
    hosts = [service("--store", place) for _ in range(2)]
    check(race([Remote(hosts[number % 2], bearer("agent")) for number in range(4)]), open_store(place))


def test_postgres_restarts_in_the_middle(address, service, bearer, postgres, until):
    place = address("postgres")
    watch = open_store(place)

    def restart():
        for done in range(1, 4):
            until(lambda done=done: _size(watch) > done * FAMILIES // 5)
            postgres.control("restart", "-m", "immediate")

    host = service("--store", place)
    check(race([Remote(host, bearer("agent")) for _ in range(CLIENTS)], beside=restart), open_store(place))
    watch.close()


def _size(store):
    try:
        return len(store.families())
    except StoreError:
        return 0
