import json
import locale
import os
import sys

import pytest

from sentinel_core.errors import WorkerDied
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.watch import AtWork, SideEffectError, Watch


def watched(foreign, *, after=lambda: None):
    """What became of ``foreign`` under a watch, in a child; and what ``after`` then gives."""

    def job(outbox):
        watch = Watch(outbox)
        watch.item = 4
        try:
            with watch("detect", "signals:mine"):
                foreign()
            told = "well"
        except SideEffectError as error:
            told = str(error)
        except ValueError as error:
            told = f"raised {error}"
        outbox.send(json.dumps([told, after()]).encode())

    with Child(job) as child:
        (frame,) = child.frames(60)
        return (*json.loads(frame), child.mark)


def test_who_answers_only_is_let_pass():
    assert watched(lambda: None) == ("well", None, "")


def test_what_is_printed_is_refused(capfd):
    assert watched(lambda: sys.stdout.write("PASS\n"))[0] == "wrote to standard output, which is for reports only"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "PASS\n")


def test_a_stolen_standard_output_is_put_back():
    told = watched(lambda: setattr(sys, "stdout", sys.stderr), after=lambda: type(sys.stdout).__name__)
    assert told[:2] == ("wrote to standard output, which is for reports only", "_Diverted")


def test_a_changed_folder_is_put_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = watched(lambda: os.chdir("/"), after=os.getcwd)
    assert told[:2] == ("changed the working directory", str(tmp_path.resolve()))


def test_a_changed_locale_is_put_back():
    before = locale.setlocale(locale.LC_ALL)
    other = "C" if before != "C" else "C.UTF-8"
    told = watched(lambda: locale.setlocale(locale.LC_ALL, other), after=lambda: locale.setlocale(locale.LC_ALL))
    assert told[:2] == ("changed the locale", before)


def test_all_is_told_at_once():
    def foreign():
        sys.stdout.write("x")
        os.chdir("/")

    assert watched(foreign)[0] == "wrote to standard output, which is for reports only; changed the working directory"


def test_an_error_of_its_own_goes_first():
    def foreign():
        sys.stdout.write("x")
        raise ValueError("mine")

    assert watched(foreign)[0] == "raised mine"


def test_each_is_asked_about_its_own_deeds():
    def job(outbox):
        watch = Watch(outbox)
        with pytest.raises(SideEffectError), watch("detect", "signals:loud"):
            sys.stdout.write("x")
        with watch("detect", "signals:quiet"):
            sys.stdout.flush()
        outbox.send(b"both")

    with Child(job) as child:
        assert list(child.frames(60)) == [b"both"]


def test_who_closes_the_pipe_to_the_parent_ends_the_process_and_is_named():
    with Child(lambda outbox: watch_and_send(outbox, lambda: os.closerange(3, 256))) as child:
        with pytest.raises(WorkerDied):  # by itself, or by its parent, which sees the pipe closed
            list(child.frames(60))
        assert AtWork.parse(child.mark) == AtWork("detect", "signals:mine", 0)


def watch_and_send(outbox, foreign):
    with Watch(outbox)("detect", "signals:mine"):
        foreign()
    outbox.send("well")


def test_the_mark_names_who_is_at_work():
    def foreign():
        os._exit(0)

    with Child(lambda outbox: _run(outbox, foreign)) as child:
        with pytest.raises(Exception, match="exit code 0"):
            list(child.frames(60))
        assert AtWork.parse(child.mark) == AtWork("detect", "signals:mine", 7)


def test_the_mark_stays_after_control_c():
    def foreign():
        raise KeyboardInterrupt

    with Child(lambda outbox: _run(outbox, foreign)) as child:
        with pytest.raises(Exception, match="KeyboardInterrupt"):
            list(child.frames(60))
        assert AtWork.parse(child.mark) == AtWork("detect", "signals:mine", 7)


def _run(outbox, foreign):
    watch = Watch(outbox)
    watch.item = 7
    with watch("detect", "signals:mine"):
        foreign()


@pytest.mark.parametrize(
    ("mark", "at_work"),
    [
        ("", None),
        ("detect\nsignals:loop\n0 0", AtWork("detect", "signals:loop", 0)),
        ("load\n./a\nb.py\n12 3", AtWork("load", "./a\nb.py", 12, 3)),
    ],
)
def test_marks_are_read_back(mark, at_work):
    assert AtWork.parse(mark) == at_work
    assert at_work is None or str(at_work) == mark
