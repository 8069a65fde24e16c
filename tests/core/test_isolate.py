import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sentinel_core.errors import WorkerDied, WorkerJobError, WorkerTimeout
from sentinel_core.runtime.isolate import Child, Fresh, call

LONG = 60.0  # far above what a loaded machine needs; no test waits for it


def frames(job, **options) -> list[bytes]:
    with Child(job, **options) as child:
        return list(child.frames(LONG))


def test_frames_come_whole_and_in_order():
    sizes = [0, 1, 65_535, 65_536, 65_537, 3_000_000, 2]
    sent = [bytes([number]) * size for number, size in enumerate(sizes)]

    def job(outbox):
        for frame in sent:
            outbox.send(frame)

    assert frames(job) == sent


def test_a_job_that_says_nothing():
    assert frames(lambda outbox: None) == []


def test_the_job_sees_what_the_parent_has_and_changes_nothing_of_it():
    state = {"count": 1}

    def job(outbox):
        state["count"] += 1
        outbox.send(str(state["count"]).encode())

    assert frames(job) == [b"2"]
    assert state == {"count": 1}


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (ValueError("odd"), "ValueError: odd"),
        (SystemExit(0), "SystemExit: 0"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (BaseException("\ud800"), "BaseException: ?"),
    ],
)
def test_what_a_job_raises_is_told(raised, text):
    def job(outbox):
        outbox.send(b"before")
        raise raised

    with Child(job) as child:
        received = child.frames(LONG)
        assert next(received) == b"before"
        with pytest.raises(WorkerJobError) as caught:
            next(received)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (lambda: os._exit(0), "ended the process with exit code 0"),
        (lambda: os._exit(7), "ended the process with exit code 7"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "was killed by signal 11 (SIGSEGV)"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by signal 9 (SIGKILL)"),
    ],
)
def test_a_death_is_told(end, text):
    def job(outbox):
        outbox.send(b"one")
        outbox.mark("at the end")
        end()

    with Child(job) as child:
        received = child.frames(LONG)
        assert next(received) == b"one"
        with pytest.raises(WorkerDied) as caught:
            next(received)
        assert str(caught.value) == text
        assert child.mark == "at the end"


def test_half_a_frame_is_no_frame():
    def job(outbox):
        os.write(outbox._descriptor, b"F" + (100).to_bytes(8, "big") + b"half")
        os._exit(0)

    with Child(job) as child, pytest.raises(WorkerDied):
        list(child.frames(LONG))


def test_a_child_that_shuts_its_pipe_is_ended():
    def job(outbox):
        os.close(outbox._descriptor)
        time.sleep(LONG)

    with Child(job) as child, pytest.raises(WorkerDied, match="SIGKILL"):
        list(child.frames(LONG))


def test_the_time_limit_is_for_each_frame():
    def job(outbox):
        outbox.mark("slow")
        outbox.send(b"quick")
        time.sleep(LONG)

    with Child(job) as child:
        assert next(child.frames(LONG)) == b"quick"
        with pytest.raises(WorkerTimeout, match=r"^did not finish within 0\.1 s$"):
            next(child.frames(0.1))
        assert child.mark == "slow"


def test_no_time_limit():
    with Child(lambda outbox: outbox.send(b"x")) as child:
        assert list(child.frames(None)) == [b"x"]


def wait_until(condition) -> bool:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_gone(pid: int) -> bool:
    """True for a process that is not there, or that is dead and not yet collected by the system."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("ending", ["finishes", "dies", "is stopped"])
def test_what_the_child_started_ends_with_it(ending):
    def job(outbox):
        sleeper = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
        outbox.send(str(sleeper.pid).encode())
        if ending == "dies":
            os._exit(1)
        if ending == "is stopped":
            time.sleep(LONG)

    with Child(job) as child:
        received = child.frames(LONG)
        pid = int(next(received))
        if ending == "finishes":
            assert list(received) == []
        if ending == "dies":
            with pytest.raises(WorkerDied, match="exit code 1"):
                next(received)
    assert wait_until(lambda: is_gone(pid))


def test_leaving_early_ends_the_child():
    def job(outbox):
        outbox.send(str(os.getpid()).encode())
        time.sleep(LONG)

    with Child(job) as child:
        pid = int(next(child.frames(LONG)))
    assert is_gone(pid)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\nb\n3", "a\nb\n3"), ("\N{SNOWMAN}", "\N{SNOWMAN}"), ("x" * 5000, "x" * 4094), ("\ud800", "?"), ("", "")],
)
def test_the_last_mark_is_kept(text, kept):
    def job(outbox):
        outbox.mark("something longer that was there before")
        outbox.mark(text)

    with Child(job) as child:
        list(child.frames(LONG))
        assert child.mark == kept


def test_memory_is_bounded():
    def job(outbox):
        outbox.send(str(len(bytes(1 << 20))).encode())
        outbox.send(str(len(bytes(1 << 30))).encode())

    with Child(job, memory=256 << 20) as child:
        received = child.frames(LONG)
        assert next(received) == b"1048576"
        with pytest.raises(WorkerJobError, match=r"^MemoryError$"):
            next(received)


def test_memory_that_was_there_before_does_not_count():
    held = bytes(300 << 20)
    assert frames(lambda outbox: outbox.send(held[:1]), memory=256 << 20) == [b"\0"]


def test_a_lower_limit_of_the_system_is_kept():
    import resource

    def job(outbox):
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        outbox.send(str(soft).encode())

    def inside(outbox):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))
        with Child(job, memory=1 << 50) as child:
            outbox.send(b"".join(child.frames(LONG)))

    assert frames(inside) == [str(1 << 40).encode()]


def test_standard_output_goes_to_standard_error(capfd):
    def job(outbox):
        os.write(1, b"raw ")
        sys.stderr.write("told\n")

    assert frames(job) == []
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == "raw told\n"


def test_control_c_is_the_parents_affair():
    def job(outbox):
        os.kill(os.getpid(), signal.SIGINT)
        outbox.send(b"still here")

    assert frames(job) == [b"still here"]


def test_the_child_leads_a_group_of_its_own():
    assert frames(lambda outbox: outbox.send(str(os.getpgid(0) == os.getpid()).encode())) == [b"True"]


def test_call():
    assert call(lambda: b"answer", timeout=LONG) == b"answer"
    with pytest.raises(WorkerJobError, match=r"^ZeroDivisionError: "):
        call(lambda: bytes(1 // 0), timeout=LONG)
    with pytest.raises(WorkerDied, match="exit code 3"):
        call(lambda: os._exit(3), timeout=LONG)
    with pytest.raises(WorkerTimeout):
        call(lambda: time.sleep(LONG), timeout=0.2)


@pytest.mark.parametrize(("kind", "what"), [(Child, "os.fork"), (Fresh, "subprocess.Popen"), (Child, "os.pipe")])
def test_a_process_that_cannot_be_had_is_told_and_leaves_nothing_open(monkeypatch, kind, what):
    def full(*_, **__):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    before = sorted(Path("/dev/fd").iterdir())
    monkeypatch.setattr(what, full)
    with pytest.raises(WorkerDied, match=r"^a process could not be started: Resource temporarily unavailable$"):
        kind(print)
    assert sorted(Path("/dev/fd").iterdir()) == before
