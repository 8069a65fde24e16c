import os

import pytest

from sentinel_command_hook.panel import reader_of
from sentinel_command_hook.transcript import Transcript, opened, whole_lines
from sentinel_core.errors import InputError


@pytest.fixture
def transcript(tmp_path):
    for name in ("a.jsonl", "b.jsonl", "sub/c.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}\n{")
    os.mkfifo(tmp_path / "d.jsonl")
    return Transcript(path=tmp_path / "a.jsonl", data=b"{}\n")


def names(files):
    return [file.path.name for file in files]


def test_plain_files_beside_and_below_are_found(transcript):
    assert names(transcript.siblings("*.jsonl")) == ["b.jsonl"]
    assert names(transcript.siblings("**/*.jsonl")) == ["b.jsonl", "c.jsonl"]
    (beside,) = transcript.siblings("b*")
    assert beside.open().read() == b"{}\n"
    assert transcript.sibling("sub/c.jsonl").name == "c.jsonl"
    assert transcript.sibling("e.jsonl") is None


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "", "sub/../../*"])
def test_nothing_elsewhere_is_found(transcript, pattern):
    assert transcript.siblings(pattern) == []


def test_what_was_read_before_is_left_out_while_it_stays_as_it_is(transcript):
    other = transcript.path.with_name("b.jsonl")
    known = Transcript(path=transcript.path, data=b"", known={str(other): other.stat().st_size})
    assert known.siblings("b*") == []
    other.write_text("{}\n{}\n")
    assert names(known.siblings("b*")) == ["b.jsonl"]


def test_a_file_that_is_gone_meanwhile_raises_when_it_is_read(transcript):
    (beside,) = transcript.siblings("b*")
    beside.path.unlink()
    with pytest.raises(FileNotFoundError):
        beside.open()


def test_a_link_to_nowhere_is_no_file(transcript):
    transcript.path.with_name("e.jsonl").symlink_to("nowhere")
    assert transcript.siblings("e*") == []


@pytest.mark.parametrize("name", ["d.jsonl", "sub"])
def test_a_pipe_or_folder_is_refused(transcript, name):
    with pytest.raises(InputError, match="is not a regular file"):
        opened(transcript.path.with_name(name))


@pytest.mark.parametrize(
    ("name", "data", "kept"),
    [
        ("a.jsonl", b"{}\n{}\n", b"{}\n{}\n"),
        ("a.jsonl", b"{}\n{", b"{}\n"),
        ("a.jsonl", b"{", b""),
        ("a.json", b'{\n"a": 1}', b'{\n"a": 1}'),
    ],
)
def test_a_line_that_is_being_written_is_left_out(tmp_path, name, data, kept):
    assert whole_lines(data, tmp_path / name) == kept


def test_codex_finds_its_sub_agents(tmp_path):
    name = "01a20676-0000-7000-8000-00000000000{}"
    lines = [
        f'{{"timestamp": "T", "type": "session_meta", "payload": {{"id": "{name.format(1)}", "timestamp": "T"}}}}',
        (
            '{"timestamp": "T", "type": "response_item", "payload": {"type": "message", "role": "user", "content": '
            '[{"type": "input_text", "text": "Go."}]}}'
        ),
    ]
    spawn = (
        '{"timestamp": "T", "type": "event_msg", "payload": {"type": "collab_agent_spawn_end", "call_id": "c", '
        f'"new_thread_id": "{name.format(2)}"}}}}'
    )
    own = tmp_path / f"rollout-{name.format(1)}.jsonl"
    own.write_text("\n".join([*lines, spawn]) + "\n")
    (tmp_path / f"rollout-{name.format(2)}.jsonl").write_text(
        "\n".join(lines).replace(name.format(1), name.format(2)) + "\n"
    )
    (trace,) = reader_of("codex").read(Transcript(path=own, data=own.read_bytes()))
    assert [child.trace_id for child in trace.details.children] == [name.format(2)]
