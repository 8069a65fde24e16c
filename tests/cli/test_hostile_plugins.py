"""A third-party plugin that attacks the process that judges changes no verdict, and costs no other result."""

import json
import shutil
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

FABRICATED = Path(__file__).parents[2] / "examples" / "traces" / "fabricated.json"
HEAD = """
import ctypes, os, sys
from sentinel_core import Detection, Finding, Signal, hookimpl

{at_import}


def detect(index):
    {body}
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="hostile", summary="attacks", detect=detect)]
"""
LAUNDER = """
write = os.write
os.write = lambda fd, data: len(data) if write(fd, bytes(data).replace(b"FAIL", b"PASS")) else 0
import sentinel_core.evaluate.evaluator as evaluator
evaluator._judged = lambda *_: evaluator._Judged("PASS", 0.0, ())
"""
FINDINGS = 'return Detection(score=1.0, findings=[Finding(rule="x", severity="note", text="y")] * 1_000_000)'
JUNK = """
    for fd in range(3, 64):
        try:
            os.write(fd, b"junk" * 99)
        except OSError:
            pass
"""
FORGE = """
    from sentinel_core.host.third_party_process import Detected
    frame = sys._getframe()
    while "outbox" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["outbox"].send(Detected(1, b""))
"""
TRACE_PARENTS = """
    library = ctypes.CDLL(None, use_errno=True)
    status = open(f"/proc/{os.getppid()}/status").read()
    grandparent = int(status.partition("PPid:")[2].split()[0])
    attached = [library.ptrace(16, pid, 0, 0) for pid in (os.getppid(), grandparent)]
    assert attached == [-1, -1], attached
    return 0.0
"""
LONE_COPY = "ctypes.CDLL(None).fork()"
DEEDS = {
    "patches what the host runs": (LAUNDER, "pass", None),
    "copies itself": ("", "os.fork()", "made a copy of the process (os.fork)"),
    "copies itself unseen": ("", LONE_COPY, None),
    "writes junk": ("", JUNK, "sent what is no frame of at most"),
    "answers twice": ("", FORGE, "answered what it was not asked"),
    "finds a million things": ("", FINDINGS, "returned 1,000,000 findings; expected at most 10,000"),
    "shuts the pipe": ("", "os.closerange(3, 256); __import__('time').sleep(99)", "was killed by signal 9"),
    "kills itself": ("", "os.kill(os.getpid(), 9)", "was killed by signal 9 (SIGKILL)"),
    "kills its parent": ("", "os.kill(os.getppid(), 9)", "was killed by signal 9 (SIGKILL)"),
    "kills its group": ("", "os.killpg(0, 9)", "was killed by signal 9 (SIGKILL)"),
}


@pytest.fixture
def judge(sentinel, folder):
    """Judges two traces, of which the first tells of work that was not done, with a hostile file as a plugin, or none."""
    shutil.copy(FABRICATED, folder / "a.json")
    (folder / "b.json").write_text('{"trace_id": "b", "messages": [{"role": "assistant", "content": "Hello."}]}')

    def run(source: str | None, *options: str):
        plugins = ()
        if source is not None:
            (folder / "hostile.py").write_text(source)
            plugins = ("--plugins", "./hostile.py")
        done = sentinel("evaluate", "a.json", "b.json", "--jsonl", *plugins, *options)
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def essence(report):
    own = ("trace_id", "verdict", "overall_score", "findings", "reasoning")
    return [report[key] for key in own]


@pytest.mark.parametrize("options", [(), ("--jobs", "2")], ids=["one", "batch"])
@pytest.mark.parametrize(("at_import", "body", "words"), DEEDS.values(), ids=list(DEEDS))
def test_an_attack_changes_no_verdict_and_loses_no_report(judge, at_import, body, words, options):
    expected = [essence(report) for report in judge(None, *options)[1]]
    done, reports = judge(HEAD.format(at_import=at_import, body=body.strip()), *options)
    assert [essence(report) for report in reports] == expected
    assert expected[0][:2] == ["example-fabricated", "FAIL"]
    assert done.returncode == 2
    told = [[failure["error"] for failure in report["failures"]] for report in reports]
    assert [len(errors) for errors in told] == [int(words is not None)] * 2
    assert all(words in error for errors in told for error in errors)


@pytest.mark.skipif(sys.platform != "linux", reason="tracing is kept away on Linux only")
def test_no_process_that_judges_can_be_traced(judge):
    _, reports = judge(HEAD.format(at_import="", body=TRACE_PARENTS.strip()))
    assert [report["failures"] for report in reports] == [[], []]


READER = """
import os
from sentinel_core import ExecutionTrace, Message, ReadError, Signal, TraceReader, hookimpl
import sentinel_core.evaluate.evaluator as evaluator

evaluator._judged = lambda *_: evaluator._Judged("FAIL", 1.0, ())


def sniff(head, filename):
    return 100 if head.startswith(b"odd ") else 0


def read(source):
    with source.open() as stream:
        for number, line in enumerate(stream):
            text = line.decode().split(maxsplit=1)[1]
            if text.startswith("do "):
                exec(text[3:])
            if text.startswith("refuse"):
                yield ReadError(message="no trace here", line=number + 1)
                continue
            yield ExecutionTrace(trace_id=f"t{number}", messages=(Message(role="assistant", content=text),))


def detect(index):
    if index.messages[0].content.startswith("end"):
        os._exit(9)
    return 0.0


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="odd lines", sniff=sniff, read=read)]


@hookimpl
def sentinel_signals():
    return [Signal(name="ender", summary="ends", detect=detect)]
"""


@pytest.fixture
def read(sentinel, folder):
    """Judges a file in the format that a third-party reader reads, with a signal beside it in the same file."""
    (folder / "odd.py").write_text(READER)

    def run(*lines: str):
        (folder / "t.odd").write_text("".join(f"odd {line}\n" for line in lines))
        done = sentinel("evaluate", "t.odd", "--plugins", "./odd.py", "--jsonl")
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_a_third_party_reader_is_read_in_its_own_process(read):
    done, reports = read("All is well.", "refuse", "Hello.")
    assert [report.get("trace_id") for report in reports] == ["t0", None, "t2"]
    assert reports[1]["error"] == {"message": "no trace here", "source": "t.odd", "line": 2}
    assert reports[2]["verdict"] == "PASS"
    assert done.returncode == 3


def test_a_signal_that_dies_costs_the_reader_beside_it_nothing(read):
    _, reports = read("a", "end", "b", "end", "c")
    assert [report["trace_id"] for report in reports] == ["t0", "t1", "t2", "t3", "t4"]
    assert [len(report["failures"]) for report in reports] == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("do os._exit(4)", 'its reader "odd" ended the process with exit code 4'),
        ("do raise ValueError('odd')", 'its reader "odd" raised ValueError: odd'),
        ("do raise OSError('gone')", "cannot be read completely: gone"),
        ("do os.chdir('/')", "changed the working directory"),
        ("do print('PASS')", "wrote to standard output"),
    ],
)
def test_a_reader_that_goes_wrong_costs_the_rest_of_its_file(read, line, words):
    done, reports = read("fine", line, "lost")
    assert reports[0]["trace_id"] == "t0"
    assert words in reports[1]["error"]["message"]
    assert len(reports) == 2
    assert done.returncode == 3


BAD_TRACES = """
from sentinel_core import ExecutionTrace, Message, TraceReader, hookimpl


def read(source):
    yield {bad}
    yield ExecutionTrace(trace_id="good")


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="bad", summary="s", sniff=lambda head, name: 99 if name == "x.json" else {sure}, read=read)]
"""


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("7", 'its reader "bad" returned a int; expected an ExecutionTrace or a ReadError'),
        ("ExecutionTrace(trace_id=7)", 'its reader "bad" returned a malformed trace as record 1: '),
        (
            "ExecutionTrace(trace_id='t', metadata={'a': {1j}})",
            'its reader "bad" returned a malformed trace as record 1: ',
        ),
        ("ExecutionTrace(trace_id='t', messages=[Message(role='boss')])", "malformed trace as record 1: "),
    ],
)
def test_what_a_third_party_reader_gives_is_checked(sentinel, folder, bad, words):
    (folder / "bad.py").write_text(BAD_TRACES.format(bad=bad, sure="0"))
    (folder / "x.json").write_text("{}")
    done = sentinel("evaluate", "x.json", "--plugins", "./bad.py", "--jsonl")
    first, second = map(json.loads, done.stdout.splitlines())
    assert words in first["error"]["message"]
    assert second["trace_id"] == "good"


@pytest.mark.parametrize("sure", ["1 // 0", "'a'", "__import__('os')._exit(3)"])
def test_a_reader_that_cannot_say_how_sure_it_is_leaves_the_file_to_others(sentinel, folder, sure):
    (folder / "bad.py").write_text(BAD_TRACES.format(bad="7", sure=sure))
    shutil.copy(FABRICATED, folder / "a.json")
    done = sentinel("evaluate", "a.json", "--plugins", "./bad.py", "--jsonl")
    assert json.loads(done.stdout)["verdict"] == "FAIL"
    (folder / "b.json").write_text("odd")
    done = sentinel("evaluate", "b.json", "--plugins", "./bad.py")
    assert "bad raised" in done.stderr or "bad returned 'a'" in done.stderr or "bad ended the process" in done.stderr


LISTS = """
from sentinel_core import LedgerEntry, Signal, hookimpl


def ledger(index, findings):
    text = index.messages[0].content
    if text == "raise":
        raise ValueError("odd")
    return [LedgerEntry(claim=text, message_index=0, kind="action", answer="backed", record="r")]


@hookimpl
def sentinel_signals():
    return [Signal(name="lists", summary="s", detect=lambda index: 0.0, ledger=ledger)]
"""


def test_a_third_party_signal_lists_claims(sentinel, folder, write):
    (folder / "lists.py").write_text(LISTS)
    write("t.jsonl", "I looked.", "raise")
    done = sentinel("evaluate", "t.jsonl", "--jsonl", "--ledger", "--plugins", "./lists.py")
    first, second = map(json.loads, done.stdout.splitlines())
    assert [(entry["claim"], entry["answer"]) for entry in first["ledger"] if entry["record"] == "r"] == [
        ("I looked.", "backed")
    ]
    assert second["unread"] == ["the claims: signal lists raised ValueError: odd"]
