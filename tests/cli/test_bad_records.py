"""One bad record among many costs no other, and is named with file, line and path."""

import gzip
import json
import os
import zipfile

import pytest

pytestmark = pytest.mark.unmeasured

GOOD = '{"trace_id": "good", "messages": [{"role": "assistant", "content": "0"}]}'
BAD = '{"trace_id": "bad", "messages": [{"role": "robot"}, {"role": "user", "content": 5}]}'
PROBLEMS = (
    '"robot" is not one of system, user, assistant, tool at $.messages[0].role; '
    "expected text, got a whole number at $.messages[1].content"
)


def test_a_bad_line(sentinel, folder, knob):
    (folder / "t.jsonl").write_text(f"{GOOD}\n\n{BAD}\n{GOOD}\n")
    done = sentinel("evaluate", "t.jsonl", *knob)
    assert done.returncode == 3
    assert done.stderr == f'sentinel: error: "t.jsonl" line 3: {PROBLEMS}\n'
    assert done.stdout.count("✓ PASS") == 2
    assert done.stdout.endswith("3 traces: 2 PASS, 1 unreadable\n")


@pytest.mark.parametrize("form", ["--json", "--jsonl", "--pretty"])
def test_json_has_a_row_in_its_place(inside, folder, knob, form):
    (folder / "t.jsonl").write_text(f"{GOOD}\n{BAD}\n{GOOD}\n")
    done = inside("evaluate", "t.jsonl", form, *knob)
    rows = [json.loads(line) for line in done.stdout.splitlines()] if form == "--jsonl" else json.loads(done.stdout)
    assert [row.get("trace_id") for row in rows] == ["good", None, "good"]
    assert rows[1] == {"error": {"message": PROBLEMS, "source": "t.jsonl", "line": 2}}


def test_a_bad_element_of_a_list(inside, folder, knob):
    (folder / "t.json").write_text(f"[{GOOD}, {BAD}]")
    done = inside("evaluate", "t.json", "--jsonl", *knob)
    assert (
        'error: "t.json": "robot" is not one of system, user, assistant, tool at $[1].messages[0].role' in done.stderr
    )
    assert [json.loads(line).get("trace_id") for line in done.stdout.splitlines()] == ["good", None]


def test_bad_files_among_good_ones(inside, write, folder, knob):
    write("a.json", "0")
    (folder / "b.json").write_bytes(b"")
    (folder / "c.json").write_bytes(gzip.compress(b" " * 9 + GOOD.encode())[:-8])
    write("d.json", "0")
    done = inside("evaluate", "a.json", "gone.json", "b.json", "c.json", "*.none", "d.json", "--jsonl", *knob)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 3
    assert [row["error"]["source"] if "error" in row else row["trace_id"] for row in rows] == [
        *("t0", "gone.json", "b.json", "c.json", "*.none", "t0"),
    ]
    told = done.stderr.splitlines()
    assert told[0] == 'sentinel: error: "gone.json": no such file or folder'
    assert told[2].startswith('sentinel: error: "c.json": cannot be read completely: ')
    assert len(told) == 4


def test_a_damaged_file_of_an_archive_costs_no_other(inside, folder, knob):
    with zipfile.ZipFile(folder / "in.zip", "w") as archive:
        for name in ("a", "b"):
            archive.writestr(f"{name}.json", GOOD)
    (folder / "in.zip").write_bytes((folder / "in.zip").read_bytes().replace(b'"good"', b'"evil"', 1))
    done = inside("evaluate", "in.zip", "--jsonl", *knob)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [row.get("trace_id") for row in rows]) == (3, [None, "good"])
    assert rows[0]["error"]["message"] == "cannot be read completely: Bad CRC-32 for file 'a.json'"


def test_a_file_is_named_as_the_user_named_it(inside, folder, knob):
    (folder / "deep").mkdir()
    (folder / "deep" / "t.json").write_text(BAD)
    done = inside("evaluate", "deep", "--jsonl", *knob)
    assert done.stderr.startswith('sentinel: error: "deep/t.json" line 1: "robot"')
    assert json.loads(done.stdout)["error"]["source"] == "t.json"


def test_strict_refuses_what_is_otherwise_ignored(inside, folder, knob):
    (folder / "t.json").write_text(GOOD.replace('"trace_id"', '"traceid": 1, "trace_id": "x", "trace_id"'))
    assert inside("evaluate", "t.json", *knob).returncode == 0
    done = inside("evaluate", "t.json", "--strict", *knob)
    assert done.returncode == 3
    assert 'key "trace_id" is given more than once at $; unknown key "traceid" at $' in done.stderr


@pytest.mark.parametrize("name", [b"\xff.json", b"\x1b2J.json"])
def test_names_that_are_no_text(inside, folder, knob, name):
    path = os.fsencode(folder) + b"/" + name
    done = inside("evaluate", os.fsdecode(name), "--jsonl", *knob)
    assert done.returncode == 3
    assert "no such file or folder" in done.stderr
    with open(path, "w") as file:  # noqa: PTH123 - a name in bytes
        file.write(GOOD)
    done = inside("evaluate", os.fsdecode(name), *knob)
    assert (done.returncode, done.stderr) == (0, "")
    with open(path, "w") as file:  # noqa: PTH123 - a name in bytes
        file.write(BAD)
    done = inside("evaluate", os.fsdecode(name), "--json", *knob)
    assert (done.returncode, json.loads(done.stdout)["error"]["line"]) == (3, 1)


READER = """
from sentinel_core import ExecutionTrace, Message, ReadError, ToolCall, TraceDetails, TraceReader, hookimpl


def read(source):
    yield ExecutionTrace(trace_id="first", messages=(Message(role="assistant", content="0"),))
    {second}
    yield ExecutionTrace(trace_id="third", messages=(Message(role="assistant", content="0"),))


def sniff(head, filename):
    {sniff}
    return 100


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="mine", summary="s", sniff=sniff, read=read)]
"""
HALF = (
    "call = ToolCall(id='c', name='n', arguments={'a': ['\\ud800']}); "
    "yield ExecutionTrace(trace_id='half', messages=(Message(role='assistant', content='0', tool_calls=(call,)),))"
)
SECONDS = {
    "raises": ("raise RuntimeError('odd')", ["first", None], 'its reader "mine" raised RuntimeError: odd'),
    "prints": ("print('PASS')", ["first", None], "wrote to standard output, which is for reports only"),
    "dies": ("import os; os._exit(0)", ["first", None], 'its reader "mine" ended the process with exit code 0'),
    "gives a dict": (
        "yield {'trace_id': 'x'}",
        ["first", None, "third"],
        'its reader "mine" returned a dict; expected an ExecutionTrace or a ReadError',
    ),
    "gives nothing": ("yield None", ["first", None, "third"], 'its reader "mine" returned a NoneType; expected an'),
    "refuses": ("yield ReadError(message='no at $.x', line=7)", ["first", None, "third"], '"t.json" line 7: no at $.x'),
    "refuses without a word": (
        "yield ReadError(message='')",
        ["first", None, "third"],
        'its reader "mine" rejected record 2',
    ),
    "no id": (
        "yield ExecutionTrace(trace_id='')",
        ["first", None, "third"],
        "malformed trace as record 2: trace_id is empty",
    ),
    "a number for an id": (
        "yield ExecutionTrace(trace_id=5)",
        ["first", None, "third"],
        'its reader "mine" returned a malformed trace as record 2: trace_id is 5 (an int); expected text',
    ),
    "no metadata": (
        "yield ExecutionTrace(trace_id='t', metadata=None)",
        ["first", None, "third"],
        "malformed trace as record 2: metadata is None",
    ),
    "a message that is a dict": (
        "yield ExecutionTrace(trace_id='t', messages=[{'role': 'user'}])",
        ["first", None, "third"],
        "malformed trace as record 2: messages[0] is {'role': 'user'} (a dict); expected a Message",
    ),
    "usage that is a dict": (
        "yield ExecutionTrace(trace_id='t', messages=[Message(role='assistant', content='0')], token_usage={'n': 1})",
        ["first", None, "third"],
        "malformed trace as record 2: token_usage is {'n': 1} (a dict); expected a TokenUsage or None",
    ),
    "a number for text": (
        "yield ExecutionTrace(trace_id='t', messages=[Message(role='user', content=5)])",
        ["first", None, "third"],
        "malformed trace as record 2: messages[0].content is 5 (an int); expected text or None",
    ),
    "a sub-agent that is a dict": (
        "yield ExecutionTrace(trace_id='t', details=TraceDetails(children=[{}]))",
        ["first", None, "third"],
        "malformed trace as record 2: details.children[0] is {} (a dict); expected an ExecutionTrace",
    ),
    "no sub-agents": (
        "yield ExecutionTrace(trace_id='t', details=TraceDetails(children=None))",
        ["first", None, "third"],
        "malformed trace as record 2: details.children is None",
    ),
    "half a character": (HALF, ["first", None, "third"], "contains half of a surrogate pair"),
    "half a character in a text": (
        "yield ExecutionTrace(trace_id='\\ud800', messages=(Message(role='assistant', content='0'),))",
        ["first", "?", "third"],
        "",
    ),
}


@pytest.mark.parametrize(("second", "rows", "words"), SECONDS.values(), ids=list(SECONDS))
def test_a_reader_that_goes_wrong_costs_its_file(inside, folder, write, knob, second, rows, words):
    (folder / "mine.py").write_text(READER.format(second=second, sniff="pass"))
    write("t.json", "0")
    signals = knob[1].replace("./knob.py", "./knob.py,./mine.py")
    done = inside("evaluate", "t.json", "t.json", "--jsonl", "--plugins", signals, *knob[2:])
    found = [json.loads(line).get("trace_id") for line in done.stdout.splitlines()]
    assert found == rows * 2
    assert done.returncode == (3 if None in rows else 0)
    assert done.stderr.count(words) == (2 if words else 1)


@pytest.mark.parametrize(
    "second", ["yield ExecutionTrace(trace_id='')", "yield ExecutionTrace(trace_id='t', metadata=0)"]
)
@pytest.mark.parametrize("options", [["-o", "out"], ["--strict"]])
def test_a_malformed_trace_costs_no_other_wherever_reports_go(inside, folder, write, knob, second, options):
    (folder / "mine.py").write_text(READER.format(second=second, sniff="pass"))
    write("t.json", "0")
    signals = knob[1].replace("./knob.py", "./knob.py,./mine.py")
    done = inside("evaluate", "t.json", *options, "--plugins", signals, *knob[2:])
    assert (done.returncode, done.stderr.count('its reader "mine" returned a malformed trace as record 2: ')) == (3, 1)
    assert "3 traces: 2 PASS, 1 unreadable" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("deed", "words"),
    {"os._exit(7)": "ended the process with exit code 7", "len(0)": "raised TypeError: object of type 'int'"}.items(),
)
def test_a_reader_that_goes_wrong_before_its_first_record(inside, folder, write, knob, deed, words):
    eager = f"    import os\n    {deed}\n    return []\n\n\ndef _unused():\n    yield"
    (folder / "mine.py").write_text(
        READER.replace("def read(source):", f"def read(source):\n{eager}").format(
            second="pass", sniff="return 100 * head.startswith(b'MINE')"
        )
    )
    write("t.json", "0")
    (folder / "mine.json").write_text("MINE")
    signals = knob[1].replace("./knob.py", "./knob.py,./mine.py")
    done = inside("evaluate", "mine.json", "t.json", "--jsonl", "--plugins", signals, *knob[2:])
    assert [json.loads(line).get("trace_id") for line in done.stdout.splitlines()] == [None, "t0"]
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert done.stderr.startswith(f'sentinel: error: "mine.json": its reader "mine" {words}')


def test_a_reader_that_raises_at_the_first_look_costs_nothing(inside, folder, write, knob):
    (folder / "mine.py").write_text(READER.format(second="pass", sniff="raise ValueError('odd')"))
    write("t.json", "0")
    (folder / "diary.json").write_text("Dear diary")
    signals = knob[1].replace("./knob.py", "./knob.py,./mine.py")
    done = inside("evaluate", "t.json", "--jsonl", "--plugins", signals, *knob[2:])
    assert (done.returncode, done.stderr) == (0, "")
    done = inside("evaluate", "diary.json", "--jsonl", "--plugins", signals, *knob[2:])
    assert done.returncode == 3
    assert "mine raised ValueError: odd" in done.stderr


def test_a_reader_that_dies_at_the_first_look_leaves_the_file_to_others(inside, folder, write, knob):
    (folder / "mine.py").write_text(READER.format(second="pass", sniff="import os; os._exit(0)"))
    write("t.json", "0")
    signals = knob[1].replace("./knob.py", "./knob.py,./mine.py")
    done = inside("evaluate", "t.json", "t.json", "--jsonl", "--plugins", signals, *knob[2:])
    assert (done.returncode, done.stderr, done.stdout.count('"trace_id":"t0"')) == (0, "", 2)
    (folder / "diary.json").write_text("Dear diary")
    done = inside("evaluate", "diary.json", "--jsonl", "--plugins", signals, *knob[2:])
    assert done.returncode == 3
    assert "mine ended the process with exit code 0" in done.stderr
