"""Where the input is cut: pure, and the same records with the same numbers as in one piece."""

import io
import os

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.pool import Queue
from sentinel_core.judging.batch.split import LARGEST_PART, part_size, units
from sentinel_core.traces.codec import read_json_records
from sentinel_core.traces.sources import FileSource
from sentinel_core.traces.sources.parts import Part, cut_lines
from sentinel_core.traces.sources.streams import open_part

KINDS = [b'{"trace_id": "%d", "messages": []}', b"", b"  \t", b"{broken", b"[1, 2]", b"null", b' {"a": 1}', b"\xff\xfe"]


def told(source) -> list[tuple[str | None, int | None]]:
    return [(getattr(record, "trace_id", None), getattr(record, "line", None)) for record in read_json_records(source)]


@given(
    lines=st.lists(st.sampled_from(KINDS), max_size=40),
    size=st.integers(1, 200),
    end=st.sampled_from([b"", b"\n", b"\r\n"]),
)
@settings(max_examples=2000 if os.environ.get("SENTINEL_SOAK") == "1" else 60)
def test_parts_give_the_records_of_the_whole(tmp_path_factory, lines, size, end):
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    first = KINDS[0] % 0  # else it may be one object, or a list, and is not cut
    data = b"\n".join([first, *(line % number if b"%d" in line else line for number, line in enumerate(lines))]) + end
    path.write_bytes(data)
    whole = FileSource(path=path, label="cut.jsonl")
    expected = told(whole)
    found = []
    for part in cut_lines(io.BytesIO(data), size):
        assert part.records_before == len(found)
        found += told(attrs.evolve(whole, **attrs.asdict(part)))
    assert found == expected


def test_long_lines_are_not_held():
    line = b'{"a": "' + b"x" * (3 << 20) + b'"}\n'
    parts = list(cut_lines(io.BytesIO(line * 3 + b"   " * (1 << 20) + b"\n" + line), 1 << 20))
    assert [(part.lines_before, part.records_before) for part in parts] == [(0, 0), (1, 1), (2, 2), (4, 3)]
    assert sum(part.length for part in parts) == len(line) * 4 + (3 << 20) + 1


def test_nothing_has_no_parts():
    assert list(cut_lines(io.BytesIO(b""), 10)) == []


def test_a_part_ends_where_it_ends(tmp_path):
    path = tmp_path / "p"
    path.write_bytes(b"0123456789")
    with open_part(path, 3, 4) as stream:
        assert stream.read() == b"3456"
        assert stream.read() == b""
    with open_part(path, 8, 99) as stream:
        assert stream.read() == b"89"


@pytest.mark.parametrize(("total", "size"), [(0, 256 << 10), (64 << 20, 1 << 20), (1 << 40, LARGEST_PART)])
def test_the_size_of_a_part(total, size):
    assert part_size(total) == size


def sources(*names: str) -> list[FileSource | InputError]:
    return [FileSource(path=name, label=name) if name else InputError("gone") for name in names]


def test_small_files_go_together_and_large_ones_alone():
    sizes = [10, 0, 95, 5, 300, 300, 1]
    cuttable = [True, True, True, True, True, False, True]
    made = list(units(sources(*"a", "", *"bcdef"), sizes, cuttable, 100, latest="codex"))
    assert [(unit.first, len(unit.sources), unit.cuttable, unit.latest) for unit in made] == [
        (0, 3, False, None),
        (3, 1, False, None),
        (4, 1, True, None),
        (5, 1, False, None),
        (6, 1, False, None),
        (7, 0, False, "codex"),
    ]
    assert [unit.as_split(0).key for unit in made] == ["0-3", "3-4", "4-5", "5-6", "6-7", "7-7"]


def test_very_many_files_are_several_splits():
    made = list(units(sources(*["x"] * 600), [0] * 600, [False] * 600, 100))
    assert [len(unit.sources) for unit in made] == [256, 256, 88]


def test_numbers_are_given_in_the_order_of_the_input():
    plan = units(sources("small", "large", "last"), [1, 500, 1], [True] * 3, 100)
    queue = Queue(list(plan), 100, skip=0)
    assert queue.next(99).split.key == "0-1"
    cut = queue.next(99)
    assert cut.cut == 100
    assert queue.next(99) is None
    queue.add_parts([Part(0, 250, 0, 0)], finished=False)
    assert queue.next(1) is None
    assert (queue.next(2).split.number, queue.next(2)) == (1, None)
    again = [Part(0, 250, 0, 0), Part(250, 250, 7, 6)]  # from a worker that took over
    queue.add_parts(again, finished=True)
    second = queue.next(99).split
    assert (second.number, second.key, second.sources[0].lines_before, second.place) == (2, "1:250+250", 7, "large")
    assert queue.next(99).split.key == "2-3"
    assert queue.next(99) is None


def test_a_file_that_cannot_be_cut_is_one_split_and_finished_ones_are_passed_over():
    queue = Queue(list(units(sources("small", "large"), [1, 500], [True] * 2, 100)), 100, skip=1)
    assert queue.next(99).cut == 100
    queue.add_parts([], finished=True)
    assert (queue.next(99).split.number, queue.next(99)) == (1, None)
