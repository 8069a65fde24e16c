"""The lines of a batch are in the file once, wherever writing them ended."""

import pytest

from sentinel_command_receive.cli.report_file import ReportFile

LINES = [b'{"trace": 1}\n', b'{"trace": 2}\n', b'{"trace": 2}\n', b'{"error": "\xc3\xbc"}\n']
BEFORE = b'{"trace": 2}\n'


def paths(tmp_path):
    return tmp_path / "reports.jsonl", tmp_path / "reported.json"


@pytest.mark.parametrize("size", range(len(b"".join(LINES)) + 1))
def test_wherever_a_kill_cuts_the_file(tmp_path, size):
    path, state = paths(tmp_path)
    path.write_bytes(BEFORE)
    ReportFile(path, state).begin(7, LINES, {})
    path.write_bytes(BEFORE + b"".join(LINES)[:size])
    again = ReportFile(path, state)
    assert again.batch.number == 7
    again.complete()
    again.settle()
    assert path.read_bytes().startswith(BEFORE)
    assert sorted(path.read_bytes().splitlines()) == sorted((BEFORE + b"".join(LINES)).splitlines())
    settled = ReportFile(path, state)
    assert (settled.batch.number, settled.batch.lines) == (7, [])


def test_a_file_that_was_moved_away_after_all_was_written_stays_so(tmp_path):
    path, state = paths(tmp_path)
    reports = ReportFile(path, state)
    reports.begin(1, LINES, {})
    reports.complete()
    reports.settle()
    path.unlink()
    ReportFile(path, state).complete()
    assert not path.exists()


def test_lines_that_others_append_meanwhile_stay(tmp_path):
    path, state = paths(tmp_path)
    reports = ReportFile(path, state)
    reports.begin(1, LINES[:2], {})
    path.write_bytes(LINES[0] + b'{"of": "others"}\n')
    reports.complete()
    assert path.read_bytes() == LINES[0] + b'{"of": "others"}\n' + LINES[1]


def test_a_damaged_state_says_what_to_do(tmp_path):
    path, state = paths(tmp_path)
    state.write_bytes(b"{")
    with pytest.raises(OSError, match=r"reported.json\" is damaged .* remove it"):
        ReportFile(path, state)
