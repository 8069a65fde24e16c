"""What was read before is kept, and is used only where it fits: the same trace comes out as without it."""

import json

import pytest
from claude_sessions import ClaudeSession

from sentinel_command_hook import session as module
from sentinel_command_hook.memory import Told, memory_of
from sentinel_command_hook.panel import reader_of
from sentinel_command_hook.session import read_session
from sentinel_command_hook.tools import TOOLS
from sentinel_core import TraceIndex
from sentinel_core.errors import InputError

TOOL = TOOLS["claude-code"]


@pytest.fixture
def long(monkeypatch):
    """Every session counts as a long one, and is kept again at once."""
    monkeypatch.setattr(module, "WORTH", 1)
    monkeypatch.setattr(module, "AFRESH", 1)


@pytest.fixture
def reads(monkeypatch):
    """How many bytes each reading gave to the reader."""
    found, read = [], module._read
    monkeypatch.setattr(module, "_read", lambda reader, source: found.append(len(source.data)) or read(reader, source))
    return found


def read(path, tool=TOOL):
    memory = memory_of(path)
    session = read_session(path, tool, reader_of(tool.reader), memory)
    session.keep(session.index(), memory)
    return session.trace


def content(trace):
    """The conversation, without places in the file."""
    return [
        (one.role, one.content, [call.id for call in one.tool_calls], [result.content for result in one.tool_results])
        for one in trace.messages
    ]


def begun():
    session = ClaudeSession()
    session.user("Fix it.")
    return session.run("ls", "cart.py").says("It is fixed.")


def test_only_what_is_new_is_read(long, reads, tmp_path):
    session = begun()
    path = session.write(tmp_path)
    read(path)
    before = path.stat().st_size
    session.user("And test it.")
    session.run("pytest -q", "3 passed in 0.1s").says("Done.")
    session.write(tmp_path)
    grown = read(path)
    assert reads == [before, path.stat().st_size - before]
    assert grown.messages[-1].details.origin == f"line {len(session.lines)}"
    memory_of(path)._file("session").unlink()
    assert content(read(path)) == content(grown)
    assert read(path) == read(path)


def test_the_checks_of_what_was_read_are_kept(long, tmp_path, monkeypatch):
    session = begun().run("pytest -q", "3 passed in 0.1s")
    session.lines.pop()  # the result comes later
    path = session.write(tmp_path)
    read(path)
    session = begun().run("pytest -q", "1 failed in 0.1s", code=1).run("pytest", "4 passed in 0.1s")
    session.write(tmp_path)
    memory = memory_of(path)
    index = read_session(path, TOOL, reader_of(TOOL.reader), memory).index()
    assert [call._checks for call in index.calls] == [(), None, None]
    assert [[check.passed for check in call.checks] for call in index.calls] == [[], [False], [True]]
    fresh = TraceIndex(index.trace)
    assert [call.checks for call in index.calls] == [call.checks for call in fresh.calls]


def test_checks_that_are_none_are_looked_for_anew(long, tmp_path):
    path = begun().run("pytest -q", "3 passed in 0.1s").write(tmp_path)
    read(path)
    file = memory_of(path)._file("session")
    header, _, body = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(header), "checks": [[[1]], 2]}).encode() + b"\n" + body)
    index = read_session(path, TOOL, reader_of(TOOL.reader), memory_of(path)).index()
    assert [check.passed for check in index.calls[-1].checks] == [True]


def test_nothing_new_reads_nothing(long, reads, tmp_path):
    path = begun().write(tmp_path)
    first = read(path)
    assert content(read(path)) == content(first)
    assert len(reads) == 1


@pytest.mark.parametrize("damage", ["rewound", "rewritten", "shorter", "kept_cut", "kept_garbage", "kept_lies"])
def test_what_does_not_fit_is_read_anew(damage, long, reads, tmp_path):
    session = begun()
    path = session.write(tmp_path)
    read(path)
    kept = memory_of(path)._file("session")
    if damage == "rewound":  # the prompt was edited: what followed it was given up
        session._parent = session.lines[0]["uuid"]
        session.user("Fix the other thing.").says("It is.")
    elif damage == "rewritten":
        session.lines[0]["message"]["content"] = "Fix IT."
    elif damage == "shorter":
        del session.lines[-1]
    elif damage == "kept_cut":
        kept.write_bytes(kept.read_bytes()[:-9])
    elif damage == "kept_garbage":
        kept.write_bytes(b"\xff\xfe\n\x00")
    else:
        header, _, body = kept.read_bytes().partition(b"\n")
        kept.write_bytes(json.dumps({**json.loads(header), "leaves": 3}).encode() + b"\n" + body)
    session.write(tmp_path)
    again = read(path)
    kept.unlink()
    assert content(again) == content(read(path))
    assert reads[-2:] == [path.stat().st_size] * 2


def test_a_line_that_is_being_written_is_left_for_later(long, tmp_path):
    session = begun()
    path = session.write(tmp_path)
    with path.open("a") as file:
        file.write('{"type": "user", "mess')
    assert len(read(path).messages) == len(read(path).messages)
    session.user("Next.").write(tmp_path)
    assert read(path).messages[-1].content == "Next."


def test_sub_agents_are_read_once(long, tmp_path):
    session = begun()
    inner = session.sub_agent("a1", "Test it.", "Tested.")
    inner.run("pytest -q", "1 failed")
    path = session.write(tmp_path)
    assert [child.trace_id for child in read(path).details.children] == ["agent-a1"]
    inner.run("pytest -q", "3 passed")
    session.user("More.")
    session.sub_agent("b2", "Test more.", "Tested.").run("pytest -q", "4 passed")
    session.write(tmp_path)
    children = {child.trace_id: child for child in read(path).details.children}
    assert sorted(children) == ["agent-a1", "agent-b2"]
    assert children["agent-a1"].messages[-1].tool_results[0].content == "3 passed"


def test_short_sessions_leave_nothing_behind(tmp_path):
    path = begun().write(tmp_path)
    read(path)
    assert not memory_of(path)._file("session").exists()


def test_what_is_kept_is_the_owners_alone(long, tmp_path):
    path = begun().write(tmp_path)
    read(path)
    file = memory_of(path)._file("session")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_old_memories_go(long, tmp_path):
    import os

    path = begun().write(tmp_path)
    old = memory_of(tmp_path / "another.jsonl")
    old.tell(Told(), ["key"], 1)
    os.utime(old._file("told"), (0, 0))
    read(path)
    assert not old._file("told").exists()
    assert memory_of(path)._file("session").exists()


def test_a_folder_that_cannot_be_written_costs_nothing_else(long, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = begun().write(tmp_path)
    assert content(read(path)) == content(read(path))


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    path = begun().write(tmp_path)
    monkeypatch.setattr("sentinel_command_hook.transcript.MOST", 10)
    with pytest.raises(InputError, match="is larger than 0 MB"):
        read(path)


def test_other_tools_files_may_change_within_so_they_are_read_anew(long, reads, tmp_path):
    path = begun().write(tmp_path)
    tool = TOOL._replace(appends=False)
    for _ in range(2):
        read(path, tool)
    assert len(reads) == 2
    assert not memory_of(path)._file("session").exists()


def test_what_is_told_is_remembered(tmp_path):
    memory = memory_of(tmp_path / "session.jsonl")
    assert memory.told() == Told()
    memory.tell(Told(), ["b", "a"], 1)
    assert memory.told() == Told(keys=frozenset("ab"), row=1)
    memory._file("told").write_text('{"keys": 3}')
    assert memory.told() == Told()
    assert Told._fields[0] == "keys"
