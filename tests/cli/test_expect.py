"""``sentinel evaluate --expect``."""

import json
from pathlib import Path

import pytest

FORMS = "use one of: called:TOOL, not called:TOOL"


@pytest.fixture
def honest():
    return Path(__file__).parents[2] / "examples/traces/honest.json"


def test_a_broken_expectation_is_a_fail(sentinel, honest):
    done = sentinel("evaluate", honest, "--expect", "called:file_risk_report", "--expect", "max-calls:9")
    assert done.returncode == 0
    done = sentinel("evaluate", honest, "--expect", "not called:get_*", "--json")
    assert done.returncode == 2
    report = json.loads(done.stdout)
    [found] = [one for one in report["findings"] if one["rule"] == "expect.not_called"]
    assert (found["severity"], report["attribution"]["basis"]) == ("error", "expect.not_called")
    assert report["profile"]["name"] == "standard"


def test_expectations_in_a_file_and_over_many_processes(sentinel, honest, tmp_path):
    file = tmp_path / "expect.toml"
    file.write_text('[tasks]\n"example-honest" = ["not called:get_*"]\n')
    for more in ((), ("-j", "2")):
        done = sentinel("evaluate", honest, honest, "--expect-file", str(file), "--jsonl", *more)
        assert done.returncode == 2
        assert {json.loads(line)["verdict"] for line in done.stdout.splitlines()} == {"FAIL"}


def test_what_is_no_expectation_is_an_error(sentinel, honest):
    done = sentinel("evaluate", honest, "--expect", "call x")
    assert (done.returncode, done.stdout) == (3, "")
    assert FORMS in done.stderr


@pytest.mark.parametrize(
    "more", [(), ("-j", "2"), ("-o", "out.jsonl"), ("-o", "out.parquet"), ("--format", "github", "-j", "2")]
)
def test_a_task_that_no_run_is_of_is_a_warning(sentinel, honest, tmp_path, more):
    file = tmp_path / "expect.toml"
    file.write_text('[tasks]\n"example-honset" = ["not called:get_*"]\n"example-honest" = ["max-calls:99"]\n')
    done = sentinel("evaluate", honest, honest, "--expect-file", str(file), *more)
    assert done.returncode == 0
    assert done.stderr.count('no run belongs to the task "example-honset"') == 1
    assert 'did you mean "example-honest"?' in done.stderr
    assert 'task "example-honest"' not in done.stderr


def test_a_wrong_wish_is_an_annotation_of_its_run(sentinel, honest, tmp_path):
    for wrong in (("--expect", "call x"), ("--baseline", str(tmp_path / "missing.json"))):
        done = sentinel("evaluate", honest, "--format", "github", *wrong)
        assert done.returncode == 3
        assert done.stdout.startswith("::error title=Sentinel::")
        assert "::error" not in sentinel("evaluate", honest, *wrong).stdout
