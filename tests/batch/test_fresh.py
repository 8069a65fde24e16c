"""A child that is started afresh, for a parent with threads."""

import threading
from functools import partial
from pathlib import Path

import pytest

from sentinel_core.errors import WorkerDied, WorkerJobError, WorkerTimeout
from sentinel_core.runtime.isolate import Child, Fresh

LONG = 60.0  # far above what a loaded machine needs; no test waits for it


@pytest.fixture
def child(monkeypatch):
    """Starts a child of either kind that runs source code."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import fresh_jobs

    started = []

    def start(kind, code: str, **options):
        started.append(kind(partial(fresh_jobs.run, code), **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


KINDS = pytest.mark.parametrize("kind", [Child, Fresh])


@KINDS
def test_orders_and_frames(child, kind):
    made = child(
        kind, "for order in iter(outbox.order, None): outbox.mark('at ' + order[:1].decode()); outbox.send(order * 2)"
    )
    for order in (b"a", b"b" * 3_000_000, b"c"):
        made.order(order)
        received = []
        while not received:
            received = list(made.arrived())
        assert received == [order * 2]
        assert made.mark == f"at {order[:1].decode()}"


@KINDS
def test_ends_with_its_parents_end_of_the_pipe(child, kind):
    made = child(kind, "outbox.send(b'up'); assert outbox.order() is None; outbox.send(b'down')")
    assert list(made.arrived()) == [b"up"]
    made.want_no_more()
    assert list(made.frames(LONG)) == [b"down"]


@KINDS
@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", WorkerDied, r"was killed by signal 11 \(SIGSEGV\)"),
        ("os._exit(5)", WorkerDied, "ended the process with exit code 5"),
        ("raise ValueError('odd')", WorkerJobError, "^ValueError: odd$"),
        ("outbox.send(bytes(1 << 30))", WorkerJobError, "^MemoryError$"),
        ("time.sleep(99)", WorkerTimeout, "within 2 s"),
    ],
)
def test_a_child_that_ends_early_is_an_error_that_says_how(child, kind, code, error, text):
    made = child(kind, f"outbox.mark('here'); {code}", memory=256 << 20)
    with pytest.raises(error, match=text):
        list(made.frames(2 if error is WorkerTimeout else LONG))
    assert made.mark == "here"


@KINDS
def test_what_came_before_the_end_is_not_lost(child, kind):
    made = child(kind, "outbox.send(b'one'); outbox.send(b'two'); raise ValueError('odd')")
    received = []
    with pytest.raises(WorkerJobError, match="odd"):
        received.extend(made.frames(LONG))
    assert received == [b"one", b"two"]


@KINDS
def test_a_job_that_is_over_takes_no_orders(child, kind):
    made = child(kind, "pass")
    assert list(made.frames(LONG)) == []
    assert made.is_over
    made.order(b"x" * 3_000_000)


def test_many_threads_start_some(child):
    answers = []

    def start():
        made = child(Fresh, "outbox.send(str(os.getpgid(0) == os.getpid()).encode())")
        answers.extend(made.frames(LONG))

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [b"True"] * 3
