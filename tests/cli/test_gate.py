"""One gate: severities decide the verdict and the exit code, ``[rules]`` moves both, and budgets count where they are set."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from commanding import run_command

from sentinel_core import STANDARD, ExecutionTrace, Message, TokenUsage, encode_trace, judge
from sentinel_core.host.panel import read_profile
from sentinel_core.testing import exchange

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "traces"
LIES = (
    "coding-session.jsonl",
    "fabricated.json",
    "made-up-figure.json",
    "made-up-identifier.json",
    "result-that-never-came.json",
    "swallowed-error.json",
)
CLAIM = "hallucination.claim_without_call"


@pytest.fixture
def sentinel(tmp_path):
    return partial(run_command, tmp_path)


def judged(sentinel, name, *arguments):
    done = sentinel("evaluate", str(EXAMPLES / name), "--json", *arguments)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "rule", "level", "code", "verdict"),
    [
        ("fabricated.json", CLAIM, "error", 2, "FAIL"),
        ("fabricated.json", CLAIM, "warning", 1, "WARN"),
        ("fabricated.json", CLAIM, "note", 0, "PASS"),
        ("fabricated.json", CLAIM, "off", 0, "PASS"),
        ("made-up-figure.json", "hallucination.figure", "error", 2, "FAIL"),
        ("made-up-figure.json", "hallucination.figure", "note", 0, "PASS"),
        ("honest-coding-session.json", "tool_misuse.failed_call", "warning", 1, "WARN"),
        ("honest-coding-session.json", "tool_misuse.failed_call", "error", 2, "FAIL"),
    ],
)
def test_the_level_of_a_rule_moves_the_verdict_and_the_exit_code(sentinel, name, rule, level, code, verdict):
    returned, report = judged(sentinel, name, "--rule", f"{rule}={level}")
    assert (returned, report["verdict"]) == (code, verdict)
    if verdict != "PASS":
        assert report["reasoning"].endswith(f"({rule}).")


def test_in_rs1_levels_are_only_labels(sentinel):
    for level, code in (("error", 2), ("warning", 2), ("note", 0)):
        assert judged(sentinel, "fabricated.json", "--rule", f"{CLAIM}={level}", "--profile", "rs1")[0] == code
    assert judged(sentinel, "made-up-figure.json", "--rule", "hallucination.figure=error", "--profile", "rs1")[0] == 0


def test_a_rule_that_is_allowed_in_python_is_off():
    trace = EXAMPLES / "fabricated.json"
    assert (judge(trace).verdict, judge(trace, allow=[CLAIM]).verdict) == ("FAIL", "PASS")


def test_a_profile_of_ones_own_may_let_findings_decide(sentinel, tmp_path):
    (tmp_path / "mine.toml").write_text("findings_decide = true\n")
    assert read_profile(str(tmp_path / "mine.toml")).findings_decide == STANDARD.findings_decide is True
    assert judged(sentinel, "made-up-figure.json", "--profile", "mine.toml")[0] == 1
    (tmp_path / "mine.toml").write_text("name = 'mine'\n")
    assert judged(sentinel, "made-up-figure.json", "--profile", "mine.toml")[0] == 0
    (tmp_path / "mine.toml").write_text("findings_decide = 1\n")
    done = sentinel("evaluate", str(EXAMPLES / "honest.json"), "--profile", "mine.toml")
    assert done.returncode == 3
    assert "findings_decide must be true or false, but it is 1" in done.stderr


def session():
    """An honest session of 262 messages and a million tokens."""
    messages = [Message(role="user", content="Please read the pages.")]
    for number in range(130):
        messages += exchange(f"c{number}", "read_page", {"page": number}, f"page {number}")
    messages.append(Message(role="assistant", content="I have read the pages."))
    usage = TokenUsage(prompt_tokens=1_000_000, completion_tokens=9_000)
    return ExecutionTrace(trace_id="long", messages=tuple(messages), token_usage=usage)


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ((), 0),
        (("--profile", "rs1"), 1),
        (("--set", "loop.message_limit=261"), 1),
        (("--set", "loop.message_limit=262"), 0),
        (("--set", "cost.budget_tokens=900000"), 1),
        (("--set", "cost.budget_tokens=200000"), 2),
        (("--set", "cost.budget_tokens=2000000"), 0),
    ],
)
def test_a_budget_counts_where_the_user_set_it(sentinel, tmp_path, flags, code):
    (tmp_path / "long.json").write_bytes(encode_trace(session()))
    assert len(session().messages) == 262
    done = sentinel("evaluate", "long.json", *flags)
    assert done.returncode == code, done.stdout


def test_the_readme_says_how_many_lies_fail(sentinel):
    readme = (ROOT / "README.md").read_text()
    honest = sorted(path.name for path in EXAMPLES.iterdir() if path.name not in LIES)
    assert (len(LIES), len(honest)) == (6, 4)
    for row, flags in (("Sentinel, by default", ()), ("Sentinel with `--fail-on fail`", ("--fail-on", "fail"))):
        failed = [
            sum(bool(sentinel("evaluate", str(EXAMPLES / name), *flags).returncode) for name in names)
            for names in (LIES, honest)
        ]
        told = re.search(rf"\| {re.escape(row)} \| (\d) of 6 \| (\d) of 4 \|", readme)
        assert told is not None, row
        assert list(map(int, told.groups())) == failed, row
