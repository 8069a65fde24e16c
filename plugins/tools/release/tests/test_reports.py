import errno
import json
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from sentinel_core.errors import InputError
from sentinel_tools_release import ReportSettings, file_risk_report

FINDINGS = ["2 of 144 tests that ran failed (1.39%)"]


def file(place, release_id="v2.1.0", severity="high", findings=FINDINGS, key=None, **settings):
    made = ReportSettings(reports=str(place), **settings)
    return file_risk_report(made, release_id, severity, findings, idempotency_key=key)


def test_report_is_filed(tmp_path):
    folder = tmp_path / "new" / "reports"
    answer = file(folder)
    path = folder / "RR-v2.1.0-1.json"
    assert answer == {"status": "filed", "report_id": "v2.1.0-1", "path": str(path)}
    report = json.loads(path.read_bytes())
    assert report.pop("filed_at").endswith("Z")
    assert report == {"report_id": "v2.1.0-1", "release_id": "v2.1.0", "severity": "high", "findings": FINDINGS}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_next_report_takes_the_next_number(tmp_path):
    first = file(tmp_path)
    before = (tmp_path / "RR-v2.1.0-1.json").read_bytes()
    second = file(tmp_path, severity="low")
    assert [first["report_id"], second["report_id"]] == ["v2.1.0-1", "v2.1.0-2"]
    assert (tmp_path / "RR-v2.1.0-1.json").read_bytes() == before


def test_number_is_after_the_last_one(tmp_path):
    for name in ("RR-v2.1.0-7.json", "RR-v2.1.0-x.json", "RR-v2.1.0-07.json", "RR-v2x1x0-9.json", "RR-v2.1.0-99.txt"):
        (tmp_path / name).touch()
    assert file(tmp_path)["report_id"] == "v2.1.0-8"


def test_number_that_somebody_else_took_meanwhile(tmp_path, monkeypatch):
    file(tmp_path)
    monkeypatch.setattr("sentinel_tools_release.reports._numbers", lambda _folder, _name: [])
    assert file(tmp_path)["report_id"] == "v2.1.0-2"


def test_many_at_once_all_get_their_own(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: file(tmp_path)["report_id"], range(40)))
    assert sorted(ids) == sorted(f"v2.1.0-{number}" for number in range(1, 41))


@pytest.mark.parametrize("release_id", ["../../x", "/etc/x", "a/b", "v1\0", "v 1", "é", "x" * 129, "a\n"])
def test_ids_never_become_paths(tmp_path, release_id):
    folder = tmp_path / "reports"
    answer = file(folder, release_id)
    (path,) = folder.glob("RR-*")
    assert re.fullmatch(r"RR-[A-Za-z0-9._-]{1,40}-[0-9a-f]{12}-1\.json", path.name)
    assert list(tmp_path.iterdir()) == [folder]
    assert json.loads(path.read_bytes())["release_id"] == release_id
    assert path.name == f"RR-{answer['report_id']}.json"
    assert file(folder, release_id)["report_id"].endswith("-2")


@pytest.mark.parametrize("release_id", ["..", "x" * 128, "RR-1", "v1-1"])
def test_plain_ids_stay_readable(tmp_path, release_id):
    assert file(tmp_path, release_id)["report_id"] == f"{release_id}-1"


def test_ids_of_ranges_stay_readable(tmp_path):
    assert re.fullmatch(r"HEAD_20\.\.HEAD-[0-9a-f]{12}-1", file(tmp_path, "HEAD~20..HEAD")["report_id"])
    other = file(tmp_path, "HEAD^20..HEAD")["report_id"]
    assert other.endswith("-1")


def test_folder_that_is_a_file(tmp_path):
    (tmp_path / "reports").touch()
    with pytest.raises(InputError, match=r'the report cannot be written to .*reports"'):
        file(tmp_path / "reports")


def test_failed_write_leaves_no_half_report(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        file(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_same_key_gives_the_same_report(tmp_path):
    first = file(tmp_path, key="run-1")
    assert file(tmp_path) != first
    assert file(tmp_path, key="run-2")["report_id"] == "v2.1.0-3"
    assert file(tmp_path, key="run-1") == first
    assert json.loads((tmp_path / "RR-v2.1.0-1.json").read_bytes())["idempotency_key"] == "run-1"


def test_same_key_with_another_report_is_refused(tmp_path):
    file(tmp_path, key="run-1")
    with pytest.raises(
        InputError,
        match=r'RR-v2\.1\.0-1\.json" is a different report that was filed earlier with the same key; this report was not filed',
    ):
        file(tmp_path, severity="low", key="run-1")


def test_same_key_from_many_at_once_files_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        ids = {answer["report_id"] for answer in pool.map(lambda _: file(tmp_path, key="run-1"), range(16))}
    assert ids == {"v2.1.0-1"}
    assert len(list(tmp_path.glob("RR-*"))) == 1


@pytest.mark.parametrize("theirs", [b"broken", b"[1]", b"{}"])
def test_files_of_others_are_left_alone(tmp_path, theirs):
    (tmp_path / "RR-v2.1.0-1.json").write_bytes(theirs)
    assert file(tmp_path, key="run-1")["report_id"] == "v2.1.0-2"
    assert (tmp_path / "RR-v2.1.0-1.json").read_bytes() == theirs


def test_report_below_the_evidence_is_marked(tmp_path):
    settings = ReportSettings(reports=str(tmp_path))
    file_risk_report(settings, "v1", "low", FINDINGS, below_evidence=True)
    assert json.loads((tmp_path / "RR-v1-1.json").read_bytes())["below_evidence"] is True
    file_risk_report(settings, "v1", "low", FINDINGS)
    assert "below_evidence" not in json.loads((tmp_path / "RR-v1-2.json").read_bytes())


def test_defaults():
    settings = ReportSettings()
    assert (settings.reports, settings.outbox, settings.honors_keys) == (".sentinel/reports", ".sentinel/outbox", False)
