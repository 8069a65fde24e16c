import json

import pytest
from tables import each_row

from sentinel_core.errors import InputError
from sentinel_tools_release import HistorySettings, get_release_history
from sentinel_tools_release.history import compare, numbers_of


def summary(version, passed=100, failed=0, error_rate=0.01, **metrics):
    return {
        "version": version,
        "tests": {"passed": passed, "failed": failed, "skipped": 0},
        "deployment_metrics": {"error_rate": error_rate, **metrics},
    }


@pytest.fixture
def releases(tmp_path):
    folder = tmp_path / "releases"
    folder.mkdir()
    for one in (
        summary("v2.9.0", error_rate=0.01),
        summary("v2.10.0", error_rate=0.03, failed=1),
        summary("v2.8", error_rate=0.02),
        summary("v2.11.0", error_rate=0.04, failed=4, throughput=50),
        summary("v3.0"),
    ):
        (folder / f"{one['version']}.json").write_text(json.dumps(one))
    (folder / "broken.json").write_text("{")
    (folder / "other.json").write_text("{}")
    return folder


def history(place, release_id, **asked):
    return get_release_history(HistorySettings(releases=str(place)), release_id, **asked)


def rows(found):
    return {row["number"]: row for row in found["comparison"]}


def test_earlier_releases_newest_first(releases):
    found = history(releases, "v2.11.0")
    assert [one["version"] for one in found["earlier"]] == ["v2.10.0", "v2.9.0", "v2.8"]
    assert found["release"]["tests_failed"] == 4
    assert found["baseline"] == "median of 3 earlier releases"
    assert rows(found)["error_rate"] == {
        "number": "error_rate",
        "now": 0.04,
        "baseline": 0.02,
        "change": 0.02,
        "change_percent": 100.0,
        "trend": "worse",
        "releases": 3,
    }
    assert "throughput" not in rows(found)


def test_against_one_release(releases):
    found = history(releases, "v2.11.0", baseline="v2.10.0", limit=1)
    assert (found["baseline"], found["left_out"], len(found["earlier"])) == ("v2.10.0", 2, 1)
    assert rows(found)["error_rate"]["baseline"] == 0.03


def test_only_so_many(releases):
    found = history(releases, "v2.11.0", limit=2)
    assert (found["left_out"], found["baseline"]) == (1, "median of 2 earlier releases")


def test_baseline_that_is_not_there(releases):
    with pytest.raises(InputError, match=r'no earlier release "v3\.0" .*; known releases: "v2\.10\.0", "v2\.9\.0"'):
        history(releases, "v2.11.0", baseline="v3.0")
    with pytest.raises(InputError, match="known releases: none"):
        history(releases, "v2.8", baseline="v1")


def test_a_single_file_has_no_history(releases):
    found = history(releases / "v2.8.json", "v2.8")
    assert (found["earlier"], found["comparison"]) == ([], [])
    settings = HistorySettings(releases=str(releases / "v3.0.json"), history=str(releases))
    assert len(get_release_history(settings, "v3.0")["earlier"]) == 4


def test_history_must_be_a_folder(releases):
    settings = HistorySettings(releases=str(releases), history=str(releases / "v2.8.json"))
    with pytest.raises(InputError, match=r'v2\.8\.json" is not a folder'):
        get_release_history(settings, "v3.0")


def test_history_of_a_server(service):
    def answer(path):
        return {"releases": [summary("v1"), summary("v2"), 7, {}]} if "history" in path else summary("v2", failed=5)

    service.answer_to = answer
    found = get_release_history(HistorySettings(releases=service.base), "v2")
    assert [path for _, path, _, _ in service.asked] == [
        "/release-summary?release_id=v2",
        "/release-history?release_id=v2",
    ]
    assert [one["version"] for one in found["earlier"]] == ["v1"]
    assert rows(found)["tests_failed"]["trend"] == "worse"


def test_history_of_a_repository(repository, tmp_path):
    for number in range(4):
        for extra in range(number + 1):
            repository.commit(f"Change {number}.{extra}", {f"f{number}-{extra}.txt": "x\n" * 10})
        repository.git("tag", f"v{number}.0")
    repository.git("tag", "same-commit", "v1.0^0")
    known = tmp_path / "known"
    known.mkdir()
    (known / "v2.0.json").write_text(json.dumps(summary("v2.0", failed=3)))
    settings = HistorySettings(repo=str(repository.path), history=str(known))
    found = get_release_history(settings, "v2.0..v3.0")
    assert found["release"] == {
        "version": "v2.0..v3.0", "commits": 4, "authors": 1, "files_changed": 4, "lines_added": 40, "lines_deleted": 0,
    }  # fmt: skip
    assert [(one["version"], one["commits"]) for one in found["earlier"]] == [("v2.0", 3), ("v1.0", 2)]
    assert found["earlier"][0]["tests_failed"] == 3
    assert rows(found)["commits"]["baseline"] == 2.5
    assert rows(found)["commits"]["trend"] == "changed"
    assert get_release_history(settings, "v3.0", baseline="v1.0", limit=1)["baseline"] == "v1.0"
    assert get_release_history(settings, "v0.0..v3.0")["earlier"] == []


@each_row(
    ("name", "now", "before", "trend"),
    [
        ("error_rate", 0.02, 0.01, "worse"),
        ("error_rate", 0.0, 0.01, "better"),
        ("error_rate", 0.0104, 0.01, "same"),
        ("response_time_p95", 500, 400, "worse"),
        ("tests_passed", 90, 100, "worse"),
        ("tests_passed", 110, 100, "better"),
        ("tests_failed", 1, 0, "worse"),
        ("tests_failed", 0, 0, "same"),
        ("commits", 40, 10, "changed"),
        ("odd", -5, -10, "changed"),
    ],
)
def test_trends(name, now, before, trend):
    (row,) = compare({name: now}, [{name: before}, {}])
    assert (row["trend"], row["releases"]) == (trend, 1)
    assert (row["change_percent"] is None) == (before == 0)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({}, {}),
        ({"tests": 3, "deployment_metrics": []}, {}),
        ({"tests": {"passed": True, "failed": "1", "skipped": 2}}, {"tests_skipped": 2}),
        ({"tests": {"passed": 3, "failed": 1}}, {"tests_passed": 3, "tests_failed": 1, "test_failure_rate": 0.25}),
        ({"tests": {"passed": 0, "failed": 0}}, {"tests_passed": 0, "tests_failed": 0}),
        ({"deployment_metrics": {"a": 1e400, "b": None, "c": 0.5}}, {"c": 0.5}),
    ],
)
def test_numbers_of_a_summary(given, numbers):
    assert numbers_of(given) == numbers
