import subprocess

import pytest

from sentinel_command_mcp.evaluations import Evaluations
from sentinel_core import ExecutionTrace, Message, encode_trace
from sentinel_core.errors import InputError
from sentinel_core.testing import exchange

pytestmark = pytest.mark.process

FAILED = "Exit code 1\n1 failed, 2 passed in 0.31s"


def test_what_decides_comes_first_of_what_is_as_bad(tmp_path):
    runs = (exchange(f"c{number}", "Bash", {"command": "pytest -q"}, FAILED, success=False) for number in range(3))
    messages = [message for run in runs for message in run]
    lie = Message(role="assistant", content="All tests pass now. \x1b[31m" + "It is done. " * 200)
    path = tmp_path / "lie.json"
    path.write_bytes(encode_trace(ExecutionTrace(trace_id="lie", messages=(*messages, lie))))
    (report,) = Evaluations(None).judge(path)
    assert report["verdict"] == "FAIL"
    errors = [one["rule"] for one in report["findings"] if one["severity"] == "error"]
    assert errors[0] == "hallucination.contradicted_checks"
    severities = [one["severity"] for one in report["findings"]]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert "tool_misuse.failed_call" in {one["rule"] for one in report["findings"]}
    assert max(len(one["quote"] or "") for one in report["findings"]) <= 520
    assert "\x1b" not in str(report["findings"])


def test_plugins_are_chosen_as_on_the_command_line(tmp_path):
    path = tmp_path / "said.json"
    path.write_bytes(
        encode_trace(ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="I see."),)))
    )
    assert Evaluations("no:effort").judge(path)[0]["verdict"] == "PASS"
    with pytest.raises(InputError, match='no plugin named "nobody" is installed'):
        Evaluations("nobody").judge(path)


def test_what_takes_too_long_or_cannot_be_started_is_told(tmp_path, monkeypatch):
    def run(*_, timeout, **__):
        raise subprocess.TimeoutExpired("sentinel", timeout)

    with pytest.raises(InputError, match='"sentinel explain" could not be started: embedded null byte'):
        Evaluations(None).explain("a\0b")
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(InputError, match=r'^"sentinel evaluate" did not finish within 600 s$'):
        Evaluations(None).judge(tmp_path)
