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
