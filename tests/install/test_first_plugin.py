"""A plugin copied from the docs, installed as its reader would install it."""

import json
import re
from pathlib import Path

import pytest

from sentinel_core.trace import ExecutionTrace, Message, TokenUsage
from sentinel_core.traces.codec import encode_trace
from wheels import REPOSITORY

pytestmark = pytest.mark.unmeasured


@pytest.fixture(scope="module")
def environment(make_environment, wheelhouse, tmp_path_factory):
    text = (REPOSITORY / "docs/write-a-plugin.md").read_text(encoding="utf-8")
    project = re.search(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    module = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    assert len(module.splitlines()) < 30
    folder = tmp_path_factory.mktemp("apology")
    (folder / "pyproject.toml").write_text(project, encoding="utf-8")
    (folder / "sentinel_signal_apology.py").write_text(module, encoding="utf-8")
    made = make_environment("reliability-sentinel[standard]")
    made.install(str(folder), wheelhouse=wheelhouse)
    return made


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Path:
    messages = [
        Message(role="user", content="Where is it?"),
        Message(role="assistant", content="I am sorry, I do not know."),
    ]
    path = tmp_path_factory.mktemp("traces") / "sorry.json"
    usage = TokenUsage(prompt_tokens=10, completion_tokens=5)
    path.write_bytes(encode_trace(ExecutionTrace(trace_id="sorry", messages=messages, token_usage=usage)))
    return path


def evaluated(environment, trace, *arguments):
    done = environment.sentinel("evaluate", str(trace), "--json", *arguments)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    return report, next(score for score in report["signal_scores"] if score["signal_name"] == "apology")


def test_it_is_advisory_at_first(environment, trace):
    report, score = evaluated(environment, trace)
    assert (score["score"], score["advisory"], score["contribution"]) == (1.0, True, 0.0)
    assert report["findings"][0]["rule"] == "apology.said_sorry"
    assert report["overall_score"] < 0.001
    assert score["distribution"] == "sentinel-signal-apology"


def test_it_counts_with_a_weight(environment, trace):
    report, score = evaluated(environment, trace, "--weight", "apology=0.25")
    assert (score["advisory"], score["contribution"]) == (False, 0.2)
    assert 0.2 <= report["overall_score"] < 0.201


def test_its_settings_can_be_set(environment, trace):
    report, score = evaluated(environment, trace, "--set", 'apology.words=["pardon"]')
    assert score["score"] == 0.0
    assert report["settings"]["apology"] == {"words": ["pardon"]}


def test_it_is_listed(environment):
    done = environment.sentinel("plugins", "show", "apology")
    assert done.returncode == 0
    assert "how often the agent is sorry" in done.stdout
    assert "sentinel-signal-apology 1.0" in done.stdout


def test_the_built_in_suite_is_in_the_wheel(environment, tmp_path):
    done = environment.sentinel("suite", "run", "release-risk", "--only", "low-clean", cwd=tmp_path)
    assert (done.returncode, "1 of 1 scenarios passed" in done.stdout) == (0, True), done.stderr
