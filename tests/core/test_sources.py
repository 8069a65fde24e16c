import errno
import gzip
import io
import os
from contextlib import contextmanager

import attrs
import pytest
import zstandard

from sentinel_core import TraceReader
from sentinel_core.errors import InputError
from sentinel_core.traces.sources import FileSource, choose_reader, find_sources, spool
from sentinel_core.traces.sources.memory import BytesSource
from sentinel_core.traces.sources.own import WITH_SESSION


def write(path, data: bytes = b"{}"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found(*arguments: str, **options: object) -> list[str]:
    return [str(one) if isinstance(one, InputError) else one.label for one in find_sources(arguments, **options)]


def test_files_folders_and_globs_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.json", "a.jsonl", "notes.txt", "deep/c.json.gz", "deep/er/d.ndjson", "deep/x.jsonl.gz"):
        write(tmp_path / name)
    (tmp_path / "folder.json").mkdir()
    everything = ["a.jsonl", "b.json", "deep/c.json.gz", "deep/er/d.ndjson", "deep/x.jsonl.gz"]
    assert found(".") == everything
    assert found("*.json*") == ["a.jsonl", "b.json"]
    assert found("**/*.ndjson") == ["deep/er/d.ndjson"]
    assert found("notes.txt", "b.json", "b.json") == ["notes.txt", "b.json", "b.json"]
    assert found(str(tmp_path / "*.jsonl")) == [str(tmp_path / "a.jsonl")]


def test_a_name_that_looks_like_a_pattern_is_a_name_first(tmp_path):
    path = write(tmp_path / "[a].json")
    write(tmp_path / "a.json")
    assert found(str(path)) == [str(path)]


def test_sub_agents_of_a_session_come_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = b'{"type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "isSidechain": true}\n'
    for name in ("s.jsonl", "s/subagents/agent-1.jsonl", "s/subagents/deep/agent-2.jsonl", "s/subagents/notes.jsonl"):
        write(tmp_path / "in" / name, b'{"type": "summary", "summary": "x", "leafUuid": "u"}\n' + line)
    write(tmp_path / "in/lone/subagents/agent-3.jsonl", line)
    left_out: dict[str, list[str]] = {}
    assert found("in", left_out=left_out) == [
        *("in/lone/subagents/agent-3.jsonl", "in/s/subagents/notes.jsonl", "in/s.jsonl"),
    ]
    assert left_out == {WITH_SESSION: ["in/s/subagents/agent-1.jsonl", "in/s/subagents/deep/agent-2.jsonl"]}
    assert found("in/s/subagents/agent-1.jsonl") == ["in/s/subagents/agent-1.jsonl"]
    assert len(found("in/s")) == 3
    monkeypatch.chdir(tmp_path / "in/s")
    assert len(found(".")) == 3


@pytest.mark.parametrize("first", [b"", b'{"type": "summary", "summary": "x", "leafUuid": "u"}\n'])
def test_sub_agents_come_with_a_session_whose_messages_are_long(tmp_path, monkeypatch, first):
    monkeypatch.chdir(tmp_path)
    log = b"long " * 14_000
    line = b'{"uuid": "u", "parentUuid": null, "sessionId": "s", "type": "user", "message": {"role": "user", "content": "%s"}}\n'
    for name in ("s.jsonl", "s/subagents/agent-1.jsonl"):
        write(tmp_path / "in" / name, first + line % log)
    left_out: dict[str, list[str]] = {}
    assert found("in", left_out=left_out) == ["in/s.jsonl"]
    assert left_out == {WITH_SESSION: ["in/s/subagents/agent-1.jsonl"]}


def test_what_only_lies_where_sub_agents_do_is_read_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = b'{"type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "isSidechain": true}\n'
    trace = b'{"trace_id": "t", "metadata": {"isSidechain": true, "x": "\\"sessionId\\""}, "messages": []}'
    for name, session, agent in (
        ("a", trace, line),
        ("b", line, trace),
        ("c", trace, trace),
        ("d.jsonl.d", line, line),
        ("f", b'{"messages": [], "metadata": {"sessionId": "s", "type": "x"}}', line),
    ):
        write(tmp_path / f"in/{name}.jsonl", session)
        write(tmp_path / f"in/{name}/subagents/agent-1.jsonl", agent)
    (tmp_path / "in/e/subagents").mkdir(parents=True)
    write(tmp_path / "in/e.jsonl", line)
    os.mkfifo(tmp_path / "in/e/subagents/agent-1.jsonl")
    assert len(found("in")) == 12


def test_what_is_not_a_file_is_reported_in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in/a.json")
    (tmp_path / "in/b.json").symlink_to("nowhere")
    os.mkfifo(tmp_path / "in/c.json")
    told = [f'"in/{name}.json": is not a file, or is a link to a missing file' for name in "bc"]
    assert found("in") == found("in/*.json") == ["in/a.json", *told]


def test_what_cannot_be_read_is_called_the_same_from_everywhere(tmp_path, monkeypatch):
    write(tmp_path / "in/open/b.json")
    (tmp_path / "in/open/gone.json").symlink_to("nowhere")
    write(tmp_path / "in/open/bad.zip", b"PK\x03\x04")

    def places(*arguments: str) -> list[str]:
        return [one.place for one in find_sources(arguments) if isinstance(one, InputError)]

    for folder, prefix in ((tmp_path, "in/"), (tmp_path / "in", "")):
        monkeypatch.chdir(folder)
        assert places(prefix or ".") == ["open/bad.zip", "open/gone.json"]
        assert places(f"{prefix}open/*") == ["bad.zip", "gone.json"]
        assert places(f"{prefix}open/bad.zip", f"{prefix}open/none.json", f"{prefix}*.none") == [
            *("bad.zip", "none.json", "*.none"),
        ]


@pytest.mark.parametrize(
    ("root", "place"), [("in", "b/c.json"), ("in/b/c.json", "c.json"), ("in/b/x", "c.json"), ("", "c.json")]
)
def test_a_place_is_below_the_folder_that_was_named(root, place):
    assert FileSource(path="c.json", label="in/b/c.json", root=root).place == place


def test_a_folder_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in/locked/a.json", "in/open/b.json", "in/a.json"):
        write(tmp_path / name)
    look = os.scandir

    def scandir(place):
        if str(place) == "in/locked":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), place)
        return look(place)

    monkeypatch.setattr(os, "scandir", scandir)
    assert found("in") == ["in/a.json", '"in/locked": this folder cannot be read: Permission denied', "in/open/b.json"]


def test_what_leads_to_nothing_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    told = found("gone.json", "*.gone", "empty")
    assert told[:2] == ['"gone.json": no such file or folder', '"*.gone": no file matches']
    assert told[2].startswith('"empty": no trace files in this folder (looked for .json, .jsonl, .nd')


def test_standard_input(tmp_path):
    path = spool(io.BytesIO(b"twice"))
    (source,) = find_sources(("-",), stdin=path, strict=True)
    assert (source.label, source.name, source.strict) == ("stdin", "stdin", True)
    for _ in range(2):
        with source.open() as stream:
            assert stream.read() == b"twice"
    assert found("-") == ['"-": no such file or folder']


def test_a_pipe_can_be_read_twice():
    reader, writer = os.pipe()
    os.write(writer, gzip.compress(b"from a pipe"))
    os.close(writer)
    (source,) = find_sources((f"/dev/fd/{reader}",))
    os.close(reader)
    assert (source.label, source.name) == (f"/dev/fd/{reader}", str(reader))
    for _ in range(2):
        with source.open() as stream:
            assert stream.read() == b"from a pipe"


def test_what_cannot_be_read_is_told(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("odd.json")
        assert found("odd.json") == ['"odd.json": cannot be read: No such device or address']


@pytest.mark.parametrize("name", ["packed.json.gz", "packed.json"])
def test_packed_files_are_read_through(tmp_path, name):
    source = FileSource(path=write(tmp_path / name, gzip.compress(b"inside")), label=name)
    with source.open() as stream:
        assert stream.read() == b"inside"


@pytest.mark.parametrize("data", [b"", b"\x1f", b"plain"])
def test_plain_files_are_read_as_they_are(tmp_path, data):
    with FileSource(path=write(tmp_path / "a.json.gz", data), label="a").open() as stream:
        assert stream.read() == data


def test_zstandard_is_read_through_and_its_damage_told(tmp_path):
    packed = zstandard.compress(b"inside" * 1000)
    source = FileSource(path=write(tmp_path / "a.json.zst", packed), label="a")
    with source.open() as stream:
        assert stream.readline() == b"inside" * 1000
    write(source.path, packed[:10] + b"\xff" * 30)
    with source.open() as stream, pytest.raises((OSError, EOFError)):
        stream.read()


def test_damage_inside_is_an_error_of_reading_and_costs_nothing_before_it(tmp_path):
    packed = gzip.compress(b"before\n" * 9000)
    source = FileSource(path=write(tmp_path / "a.json.gz", packed + packed[:10] + b"\xff" * 20), label="a")
    with source.open() as stream:
        assert {stream.readline() for _ in range(9000)} == {b"before\n"}
        with pytest.raises(OSError, match="decompressing"):
            stream.read()


def test_a_packed_file_can_be_read_from_anywhere(tmp_path):
    source = FileSource(path=write(tmp_path / "a.eval.gz", gzip.compress(b"0123456789")), label="a")
    with source.open() as stream:
        assert (stream.seekable(), stream.read(), stream.seek(4), stream.read(2)) == (True, b"0123456789", 4, b"45")


def test_only_files_of_the_same_folder_are_siblings(tmp_path):
    source = FileSource(path=write(tmp_path / "in" / "a.json"), label="a.json", strict=True)
    write(tmp_path / "in" / "b.json", b"b")
    write(tmp_path / "in" / "[c].json")
    write(tmp_path / "in" / "deep" / "d.json")
    write(tmp_path / "outside.json")
    sibling = source.sibling("b.json")
    assert (sibling.path, sibling.name, sibling.strict) == (tmp_path / "in" / "b.json", "b.json", True)
    assert source.sibling("deep/d.json").name == "d.json"
    assert source.sibling("[c].json").name == "[c].json"
    for name in ("gone.json", "../outside.json", "", "..", "/etc/passwd", "deep", "*.json"):
        assert source.sibling(name) is None
    assert [one.name for one in source.siblings("**/*.json")] == ["[c].json", "b.json", "d.json"]
    assert source.siblings("../*.json") == []
    assert attrs.evolve(source, label="s3://in/a.json").siblings("*.json") == []
    assert attrs.evolve(source, path=spool(io.BytesIO())).siblings("*") == []


def test_a_link_that_leaves_the_folder_is_no_sibling(tmp_path):
    write(tmp_path / "in" / "b.json", b"b")
    write(tmp_path / "outside" / "c.json")
    (tmp_path / "here").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "inner.json").symlink_to("b.json")
    (tmp_path / "in" / "outer.json").symlink_to(tmp_path / "outside" / "c.json")
    (tmp_path / "in" / "outer").symlink_to(tmp_path / "outside")
    source = FileSource(path=write(tmp_path / "here" / "a.json"), label="a.json")
    assert [one.name for one in source.siblings("*.json")] == ["b.json", "inner.json"]
    assert source.siblings("outer/*.json") == []


def test_bytes_have_no_siblings():
    source = BytesSource(data=b"in memory")
    assert (source.open().read(), source.sibling("x"), source.siblings("*")) == (b"in memory", None, [])


def reader(name: str, sure: int) -> TraceReader:
    return TraceReader(name=name, summary="s", sniff=lambda head, filename: sure, read=lambda source: ())


def source_of(tmp_path, data: bytes = b"x") -> FileSource:
    return FileSource(path=write(tmp_path / "t.json", data), label="t.json")


@pytest.mark.parametrize(
    ("readers", "chosen"),
    [
        ({"a": 10, "b": 20}, "b"),
        ({"a": 20, "b": 20}, "a"),
        ({"a": 90, "native": 90, "z": 90}, "native"),
        ({"a": 91, "native": 90}, "a"),
        ({"a": 10, "b": 0}, "a"),
        ({"a": 10, "b": 11}, "b"),
    ],
)
def test_the_surest_reader_reads(tmp_path, readers, chosen):
    offered = [reader(name, sure) for name, sure in readers.items()]
    assert choose_reader(source_of(tmp_path), offered).name == chosen


def test_a_reader_sees_the_head_and_the_name(tmp_path):
    seen = []
    sniffer = TraceReader(
        name="s", summary="s", sniff=lambda head, name: seen.append((len(head), name)) or 90, read=lambda source: ()
    )
    choose_reader(source_of(tmp_path, b"x" * 100_000), [sniffer])
    assert seen == [(65_536, "t.json")]


@pytest.mark.parametrize(
    ("data", "offered", "error"),
    [
        (b"x", [], "no trace reader is installed"),
        (b"", [reader("a", 90)], "is empty: nothing to check"),
        (b" \n\t ", [reader("a", 90)], "is empty: nothing to check"),
        (b"x", [reader("a", 0), reader("b", -5)], r"is in no format .* it looks like text that is not JSON \("),
        (b"x", [reader("a", 9), reader("b", 0)], r"is in no format .*\(nearest: a; --from NAME forces a format\)"),
        (b'{"a": 1, "b": {}}', [reader("a", 0)], r"it looks like JSON with the keys a, b \("),
        (b'[{"a": 1}]', [reader("a", 0)], r"it looks like a JSON list with the keys a \("),
        (b"[1]", [reader("a", 0)], r"it looks like a JSON list \("),
        (b" [ ]\n", [reader("a", 0)], "is an empty list: nothing to check"),
        (b'{"trace_id": "t", "signal_scores": []}', [reader("a", 0)], "Sentinel's own reports, which are not traces"),
        (b"\0\1", [reader("a", 0)], r"it looks like a binary file \("),
        ('[{"role": "user"}]'.encode("utf-16"), [reader("a", 0)], r"it looks like text in UTF-16: save it as UTF-8 \("),
        (b"\xfe\xff\0[", [reader("a", 0)], r"it looks like text in UTF-16: save it as UTF-8 \("),
        (b'"hi"', [reader("a", 0)], r"it looks like JSON, but neither an object nor a list \("),
        (b"\xef\xbb\xbf 42\nnull\n", [reader("a", 0)], r"it looks like JSON, but neither an object nor a list \("),
        (b"42 is it", [reader("a", 0)], r"it looks like text that is not JSON \("),
        (b"{'role': 'user'}", [reader("a", 0)], r"it looks like a Python value, not JSON: write it with json.dumps \("),
        (
            b"[{'role': 'user'}]",
            [reader("a", 0)],
            r"it looks like a Python value, not JSON: write it with json.dumps \(",
        ),
        (b"{role: 1}", [reader("a", 0)], r"it looks like text that is not JSON: .* \(byte 1\) \("),
        (b'"[{\\"role\\": 1}]"', [reader("a", 0)], r"it looks like JSON inside a JSON string: decode it once more \("),
        (b"\n<!doctype html><p>", [reader("a", 0)], r"it looks like HTML or XML \("),
        (b'"id","name","input"\r\n"1","a, b","c"\r\n', [reader("a", 0)], r"it looks like CSV, which no reader reads: "),
        (b"Hello, Ann, how\nare you?", [reader("a", 0)], r"it looks like text that is not JSON \("),
        (b"<?xml version='1.0'?>", [reader("a", 0)], r"it looks like HTML or XML \("),
        (b"l.json".ljust(257, b"\0") + b"ustar\x00", [reader("a", 0)], r"it looks like a tar archive: unpack it,"),
        (b"PK\5\6" + b"\0" * 18, [reader("a", 0)], r"it looks like a zip archive without trace files \("),
        (b'{"a":1', [reader("a", 0)], r"it looks like JSON that is cut off \("),
        (b'{"a":1}\n{"b":', [reader("a", 0)], r"it looks like JSON with the keys a, b \("),
        (b'{"a":[' + b"1," * 70_000, [reader("a", 0)], r"it looks like JSON with the keys a \("),
        (b"[" * 60_000, [reader("a", 0)], r"it looks like a JSON list \("),
    ],
)
def test_no_reader_fits(tmp_path, data, offered, error):
    with pytest.raises(InputError, match=error):
        choose_reader(source_of(tmp_path, data), offered)


def test_a_reader_that_raises_costs_the_others_nothing(tmp_path):
    bad = [
        TraceReader(name="raises", summary="s", sniff=lambda head, name: 1 // 0, read=lambda source: ()),
        TraceReader(name="silent", summary="s", sniff=lambda head, name: None, read=lambda source: ()),
    ]
    source = source_of(tmp_path)
    assert choose_reader(source, [bad[0], reader("good", 50), bad[1]]).name == "good"
    with pytest.raises(
        InputError, match=r"raises raised ZeroDivisionError: .*; silent returned None; expected a whole"
    ):
        choose_reader(source, bad)


@pytest.mark.parametrize("answer", ["yes", 1000, -1, True, 50.0])
def test_an_answer_to_the_first_look_that_is_no_number_from_0_to_100(tmp_path, answer):
    odd = reader("odd", answer)
    source = source_of(tmp_path)
    assert choose_reader(source, [odd, reader("good", 50)]).name == "good"
    with pytest.raises(InputError, match=f"odd returned {answer!r}; expected a whole number from 0 to 100"):
        choose_reader(source, [odd])


def test_a_reader_that_the_user_named_is_taken(tmp_path):
    assert choose_reader(source_of(tmp_path), [reader("a", 0)], forced=True).name == "a"


def test_readers_are_watched(tmp_path):
    seen = []

    @contextmanager
    def watch(stage, label):
        seen.append((stage, label))
        yield

    choose_reader(source_of(tmp_path), [reader("a", 10), reader("b", 20)], watch)
    assert seen == [("sniff", "trace_readers:a"), ("sniff", "trace_readers:b")]
