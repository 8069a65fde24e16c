"""``sentinel formats``, ``sentinel convert``, ``--from`` and ``--latest``."""

import json
import os

import pytest

pytestmark = pytest.mark.unmeasured

READER = """
from sentinel_core import ExecutionTrace, Message, ReadError, TraceReader, hookimpl


def read(source):
    with source.open() as stream:
        for number, line in enumerate(stream.read().decode().splitlines(), start=1):
            if line == "broken":
                yield ReadError(message="is broken at $", line=number)
            else:
                yield ExecutionTrace(trace_id=f"d{number}", messages=(Message(role="user", content=line),))


def write(trace):
    return b'["' + trace.messages[0].content.encode() + b'"]'


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="diary", summary="lines", sniff=lambda head, name: 5, read=read, write=write,
                        kept_at=("${DIARIES:-/nowhere}/*.txt",))]
"""


@pytest.fixture
def diary(folder):
    (folder / "diary.py").write_text(READER)
    (folder / "mine.txt").write_text("0.5 dear\nbroken\n0 diary\n")
    return ("--plugins", "./diary.py")


def test_formats_are_listed(inside, diary):
    done = inside("formats", *diary)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert ["diary", "lines (also written)"] in rows
    assert rows == sorted(rows, key=lambda row: row[0])
    told = {row["name"]: row for row in json.loads(inside("formats", "--json", *diary).stdout)}
    assert told["native"]["writes"] is True
    assert told["native"]["distribution"] == "reliability-sentinel-readers-native"
    assert (told["diary"]["grain"], told["diary"]["distribution"]) == ("file", None)


def test_formats_of_broken_readers(sentinel, distribution, folder):
    path = str(
        distribution(
            "broken", {"fake_reader": "raise ValueError('odd')"}, {"sentinel.trace_readers": {"b": "fake_reader"}}
        )
    )
    done = sentinel("formats", PYTHONPATH=path)
    assert done.returncode == 3
    assert done.stdout.startswith("native") or "\nnative" in done.stdout
    assert done.stderr == 'sentinel: warning: plugin "trace_readers:b" cannot be imported: ValueError: odd\n'
    (folder / "deadly.py").write_text("import os; os._exit(4)")
    done = sentinel("formats", "--plugins", "./deadly.py")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == 'sentinel: error: plugin "./deadly.py" ended the process with exit code 4\n'


@pytest.mark.parametrize(
    ("plugins", "told"),
    [
        ("nope", 'sentinel: error: no plugin named "nope" is installed ("sentinel plugins" lists the plugins)\n'),
        ("./gone.py", 'sentinel: warning: plugin "./gone.py": there is no such file\n'),
    ],
)
def test_formats_of_plugins_that_are_not_there(inside, plugins, told):
    done = inside("formats", "--plugins", plugins)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", told)


def test_a_reader_can_be_named(inside, diary, knob):
    plugins = ("--plugins", knob[1].replace("./knob.py", "./knob.py,./diary.py"), *knob[2:])
    done = inside("evaluate", "mine.txt", "--jsonl", *plugins)
    assert done.returncode == 3
    assert "nearest: diary; --from NAME forces a format" in done.stderr
    done = inside("evaluate", "mine.txt", "--jsonl", "--from", "diary", *plugins)
    assert [json.loads(line).get("trace_id") for line in done.stdout.splitlines()] == ["d1", None, "d3"]
    assert done.returncode == 3
    done = inside("evaluate", "mine.txt", "--from", "dairy", *plugins)
    assert done.returncode == 3
    assert '--from "dairy": there is no such trace reader; did you mean "diary"?' in done.stderr


def test_the_newest_session(inside, folder, diary, knob):
    plugins = ("--plugins", knob[1].replace("./knob.py", "./knob.py,./diary.py"), *knob[2:])
    (folder / "mine.txt").write_text("0.5 today\n")
    done = inside("evaluate", "--latest", "diary", "--json", *plugins, DIARIES=str(folder))
    assert (done.returncode, json.loads(done.stdout)["trace_id"]) == (1, "d1")
    done = inside("evaluate", "--latest", "diary", "-o", "page.html", *plugins, DIARIES=str(folder))
    session = f"session: {folder / 'mine.txt'} (the newest on this machine; none worked in this folder)\n"
    assert done.stderr == f"{session}1 trace: 1 WARN -> page.html\n"
    page = (folder / "page.html").read_bytes()
    done = inside("evaluate", "--latest", "diary", *plugins)
    missing = 'sentinel: error: --latest "diary": no session was found in /nowhere/*.txt\n'
    assert (done.returncode, done.stderr) == (3, missing)
    done = inside("evaluate", "--latest", "diary", "-o", "page.html", *plugins)
    assert (done.returncode, done.stderr) == (3, f"{missing}nothing was written\n")
    assert (folder / "page.html").read_bytes() == page


@pytest.mark.parametrize("command", ["evaluate", "convert"])
def test_latest_without_a_name_says_which_there_are(inside, diary, command):
    done = inside(command, "--latest", *diary)
    assert done.returncode == 3
    assert done.stderr.startswith("sentinel: error: --latest needs the name of a tool whose sessions can be found")
    assert "diary" in done.stderr


@pytest.mark.parametrize("options", [(), ("--json",), ("--jobs", "2"), ("-o", "out.jsonl")])
def test_it_is_said_which_session_was_taken(inside, folder, diary, knob, options):
    plugins = ("--plugins", knob[1].replace("./knob.py", "./knob.py,./diary.py"), *knob[2:])
    (folder / "mine.txt").write_text(f'0.5 "cwd": {json.dumps(str(folder.resolve()))}\n')
    (folder / "newer.txt").write_text("0.5 today\n")
    os.utime(folder / "newer.txt", (4_000_000_000, 4_000_000_000))
    done = inside("evaluate", "--latest", "diary", *options, *plugins, DIARIES=str(folder))
    assert f"session: {folder / 'mine.txt'} (the newest of this folder)\n" in done.stderr


def test_convert_says_which_session_was_taken(inside, folder, diary):
    (folder / "mine.txt").write_text("today\n")
    done = inside("convert", "--latest", "diary", *diary, DIARIES=str(folder))
    assert done.stderr.startswith(f"session: {folder / 'mine.txt'} (the newest on this machine")


def test_converting(inside, diary, folder):
    done = inside("convert", "mine.txt", "--from", "diary", *diary)
    assert done.returncode == 3
    assert done.stderr == 'sentinel: error: "mine.txt" line 2: is broken at $\n'
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["trace_id"], row["schema"]) for row in rows if "trace_id" in row] == [("d1", 2), ("d3", 2)]
    (folder / "t.jsonl").write_text(done.stdout.splitlines()[0] + "\n")
    done = inside("convert", "t.jsonl", "--to", "diary", "-o", "out.jsonl", *diary)
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "out.jsonl").read_text() == '["0.5 dear"]\n'


def test_what_a_terminal_acts_on_is_written_as_escapes(inside, write):
    write("t.json", "\x9b31m \u202e ##vso[task.complete]")
    done = inside("convert", "t.json")
    assert done.stdout.isascii()
    assert "##vso[" not in done.stdout
    assert json.loads(done.stdout)["messages"][0]["content"] == "\x9b31m \u202e ##vso[task.complete]"


def test_secrets_are_taken_out(inside, write):
    write("t.json", "password=hunter2hunter2")
    done = inside("convert", "t.json")
    assert json.loads(done.stdout)["messages"][0]["content"] == "password=[redacted]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "nothing to convert: give a file"),
        (("t.json", "--to", "gone"), '--to "gone": no installed reader writes this format; '),
        (("gone.json",), '"gone.json": no such file or folder'),
    ],
)
def test_what_cannot_be_converted_is_3(inside, write, arguments, words):
    write("t.json", "0")
    done = inside("convert", *arguments)
    assert done.returncode == 3
    assert words in done.stderr


def test_standard_input_is_converted(sentinel, write):
    data = write("t.json", "0").read_bytes()
    done = sentinel("convert", "-", stdin=data)
    assert (done.returncode, json.loads(done.stdout)["trace_id"]) == (0, "t0")


def test_a_reader_that_cannot_be_loaded_is_told_once_though_another_dies(sentinel, distribution, folder):
    died = "import os; os._exit(7)"
    modules = {
        "fake_bad": "raise ValueError('odd')",
        "fake_dies": READER.replace("def read(source):", f"def read(source):\n    {died}"),
    }
    points = {"sentinel.trace_readers": {"bad": "fake_bad", "diary": "fake_dies"}}
    path = distribution("two-readers", modules, points)
    (folder / "mine.txt").write_text("dear")
    done = sentinel("convert", "mine.txt", "--from", "diary", PYTHONPATH=str(path))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        'sentinel: warning: plugin "trace_readers:bad" (two-readers 1.0) cannot be imported: ValueError: odd\n'
        'sentinel: error: "mine.txt": its reader "diary" ended the process with exit code 7\n'
    )
