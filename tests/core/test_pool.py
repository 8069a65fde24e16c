"""Workers: one task after the other, losses that are named and made good, several at once, one for each thread."""

import os
import signal
import threading
import time
from functools import partial

import pytest

from sentinel_core.errors import WorkerDied, WorkerError, WorkerJobError, WorkerTimeout
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Refusal, Warned
from sentinel_core.runtime.pool import CALLED, Pool, Worker, WorkerRefused, answer_calls, call, load

LONG = 60.0  # far above what a loaded machine needs; no test waits for it


class Started(Frame):
    pid: int


class Told(Frame):
    text: str


ENDS = {
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda: {}["nothing"],
    "sleep": lambda: time.sleep(LONG),
}


def job(outbox):
    outbox.send(Started(os.getpid()))
    for order in outbox.orders():
        outbox.mark(f"at {order}")
        outbox.send(Told(f"{order} begun"))
        if order in ENDS:
            ENDS[order]()
        outbox.send(Told(f"{order} done"))


launch = partial(Child, job, frames=Started | Told)


@pytest.fixture
def worker():
    made = Worker(launch, LONG)
    yield made
    made.close()


def texts(frames):
    return [frame.text for frame in frames if isinstance(frame, Told)]


def test_one_process_does_one_task_after_another(worker):
    assert not worker.is_busy
    worker.give("a")
    assert worker.is_busy
    first = list(worker.answers())
    assert isinstance(first[0], Started)
    assert texts(first) == ["a begun", "a done"]
    worker.give("b")
    worker.give("c")
    assert list(worker.answers()) == [Told("b begun"), Told("b done"), Told("c begun"), Told("c done")]
    assert not worker.is_busy


def test_it_may_be_started_before_there_is_a_task(worker):
    worker.start()
    assert [type(frame) for frame in worker.answers()] == [Started]
    worker.give("a")
    assert texts(worker.answers()) == ["a begun", "a done"]


@pytest.mark.parametrize(
    ("order", "error", "text", "number"),
    [
        ("exit", WorkerDied, "ended the process with exit code 3", None),
        ("kill", WorkerDied, "was killed by signal 9 (SIGKILL)", signal.SIGKILL),
        ("raise", WorkerJobError, "KeyError: 'nothing'", None),
    ],
)
def test_a_loss_is_named_and_the_next_task_has_a_new_process(worker, order, error, text, number):
    worker.give(order)
    received = []
    with pytest.raises(error) as caught:
        received.extend(worker.answers())
    assert texts(received) == [f"{order} begun"]
    assert (str(caught.value), caught.value.mark) == (text, f"at {order}")
    assert getattr(caught.value, "signal", None) == number
    assert not worker.is_busy
    worker.give("a")
    (other, *rest) = worker.answers()
    assert other != received[0]
    assert texts(rest) == ["a begun", "a done"]


def test_silence_is_a_loss():
    worker = Worker(launch, 3.0)
    worker.give("sleep")
    with pytest.raises(WorkerTimeout, match=r"^did not finish within 3 s$") as caught:
        list(worker.answers())
    assert caught.value.mark == "at sleep"
    assert not worker.is_busy


def test_a_job_without_orders_is_one_task():
    worker = Worker(partial(Child, lambda outbox: outbox.send(Told("all")), frames=Told), None)
    worker.start()
    assert list(worker.answers()) == [Told("all")]
    assert not worker.is_busy


def test_a_drained_worker_ends_by_itself(tmp_path):
    def closing(outbox):
        for _ in outbox.orders():
            outbox.send(Told("yes"))
        (tmp_path / "closed").touch()
        outbox.send(Told("closed"))

    worker = Worker(partial(Child, closing, frames=Told), LONG)
    worker.give("a")
    assert list(worker.answers()) == [Told("yes")]
    assert list(worker.drain()) == [Told("closed")]
    assert (tmp_path / "closed").exists()
    assert list(worker.drain()) == []


@pytest.mark.parametrize("frame", [b"bytes", {"text": 3}, Warned("of another kind"), 3])
def test_a_frame_that_is_none_of_those_declared_is_not_believed(frame):
    wrong = pytest.raises(WorkerDied, match=r"^sent a frame of an unknown type: ")
    with Child(lambda outbox: outbox.send(frame), frames=Told | Started) as child, wrong:
        list(child.frames(LONG))


def test_half_a_surrogate_pair_is_told_as_a_question_mark():
    def telling(outbox):
        outbox.warn("half \ud800")
        outbox.refuse(ValueError("half \udfff"))

    with Child(telling, frames=Warned | Refusal) as child:
        assert list(child.frames(LONG)) == [Warned("half ?"), Refusal("half ?")]


def test_a_pool_hears_whoever_has_something_to_say():
    with Pool(launch, LONG, size=3) as pool:
        orders = dict(zip(pool.workers, "abc", strict=True))
        heard = {order: [] for order in "abc"}
        for worker, order in orders.items():
            worker.give(order)
        while pool.busy:
            for worker in pool.ready():
                heard[orders[worker]] += texts(worker.heard())
    assert heard == {order: [f"{order} begun", f"{order} done"] for order in "abc"}


def test_a_silent_worker_of_a_pool_is_lost_alone():
    with Pool(launch, 3.0, size=2) as pool:
        first, second = pool.workers
        first.give("sleep")
        second.give("a")
        lost, heard = [], []
        while pool.busy:
            for worker in pool.ready():
                try:
                    heard += [(worker is second, text) for text in texts(worker.heard())]
                except WorkerTimeout as error:
                    lost.append((worker is first, error.mark))
    assert lost == [(True, "at sleep")]
    assert (True, "a done") in heard


def test_threads_borrow_and_no_more_work_at_once_than_there_are():
    pool, lock = Pool(launch, LONG, size=2), threading.Lock()
    at_once, most, pids, answers = set(), [], set(), []

    def ask(number):
        with pool.borrowed() as worker:
            with lock:
                at_once.add(number)
                most.append(len(at_once))
            worker.give(number)
            frames = list(worker.answers())
            with lock:
                pids.update(frame.pid for frame in frames if isinstance(frame, Started))
                answers.extend(texts(frames))
                at_once.discard(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()
    assert sorted(answers) == sorted(f"{number} {what}" for number in range(8) for what in ("begun", "done"))
    assert max(most) <= 2
    assert len(pids) <= 2


def test_a_borrowed_worker_that_was_left_in_the_middle_is_replaced():
    pool = Pool(launch, LONG, size=1)
    with pool.borrowed() as worker:
        worker.give("sleep")
    with pool.borrowed() as worker:
        worker.give("a")
        assert texts(worker.answers()) == ["a begun", "a done"]
        pool.close()
        worker.give("b")
        assert texts(worker.answers()) == ["b begun", "b done"]
    assert worker not in pool.busy


class Calculator:
    def divide(self, number, by):
        return {"quotient": number / by}

    def text(self, text):
        return text

    def refused(self):
        raise ValueError("not\nthis")


def calculating(outbox):
    outbox.warn("slow")
    answer_calls(outbox, Calculator(), refuses=(ValueError,))


def refusing(outbox):
    outbox.refuse("wrongly set")


def test_an_object_in_a_process_is_called_by_method():
    warnings = []
    worker = Worker(partial(Child, calculating, frames=CALLED), LONG)
    assert load(worker, warnings.append) is None
    assert warnings == ["slow"]
    assert call(worker, "divide", 6, 3) == b'{"quotient":2.0}'
    with pytest.raises(WorkerRefused, match=r"^raised ValueError: not this$"):
        call(worker, "refused")
    assert call(worker, "text", "half \ud800") == b'"half ?"'
    with pytest.raises(WorkerJobError, match=r"ZeroDivisionError"):
        call(worker, "divide", 1, 0)
    assert call(worker, "divide", 1, 1, warn=warnings.append) == b'{"quotient":1.0}'
    assert warnings == ["slow", "slow"]
    worker.close()


def test_a_process_that_cannot_be_made_ready_says_why():
    worker = Worker(partial(Child, refusing, frames=CALLED), LONG)
    for ask in (load, partial(call, method="divide")):
        with pytest.raises(WorkerRefused, match=r"^wrongly set$"):
            ask(worker)


def test_a_process_that_says_nothing_gives_no_answer():
    worker = Worker(partial(Child, lambda _outbox: None, frames=CALLED), LONG)
    with pytest.raises(WorkerError, match=r"^its process ended without an answer$"):
        call(worker, "divide", 1, 1)
