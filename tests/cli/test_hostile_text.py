"""Nothing of a trace reaches the terminal raw, and no secret is repeated."""

import json
import unicodedata

import pytest

pytestmark = pytest.mark.unmeasured

SIGNS = {
    "escape": "\x1b[2J",
    "c1": "\x9b31m",
    "del": "\x7f",
    "return": "\r",
    "bell": "\x07",
    "bidi": "\u202e",
    "isolate": "\u2066",
    "zero width": "\u200b",
    "tag": "\U000e0041",
    "line separator": "\u2028",
    "byte order mark": "\ufeff",
}
NASTY = "".join(SIGNS.values())
SECRETS = ("sk-ant-REALLYSECRET1234567890", "ghp_REALLYSECRET1234567890abc", "hunter2hunter2")
LEAK = f"0.5 {SECRETS[0]} {SECRETS[1]} password={SECRETS[2]}"


def assert_harmless(text: str) -> None:
    raw = {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}
    assert raw == set()


@pytest.fixture
def hostile(folder) -> str:
    """A trace with harmful characters in every text that a report may repeat."""
    call = {"id": NASTY, "name": f"{NASTY}tool", "arguments": {NASTY: "TODO", "x": [NASTY]}}
    result = {"tool_call_id": f"other{NASTY}", "content": f"Error: {NASTY}", "success": False}
    messages = [
        {"role": "user", "content": f"0.5 {NASTY}"},
        *[{"role": "assistant", "content": f"I've sent the {NASTY} mail.", "tool_calls": [call]}] * 3,
        {"role": "tool", "tool_results": [result]},
        {"role": "assistant", "content": f"I've sent the {NASTY} mail to Bob."},
    ]
    path = folder / "t.json"
    path.write_text(json.dumps({"trace_id": NASTY, "messages": messages}, ensure_ascii=False))
    return path.name


@pytest.mark.parametrize("form", ["-v", "--json", "--jsonl", "--pretty"])
def test_a_report_is_harmless(sentinel, hostile, form):
    done = sentinel("evaluate", hostile, form, "--plugins", "./knob.py")
    assert done.returncode < 3
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert "\\x1b[2J" in done.stdout or "\\u001b[2J" in done.stdout
    if form != "-v":
        lines = done.stdout.splitlines() if form == "--jsonl" else [done.stdout]
        assert json.loads(lines[0])["trace_id"] == NASTY


def test_findings_were_told(inside, hostile):
    report = json.loads(inside("evaluate", hostile, "--json", "--plugins", "./knob.py").stdout)
    assert any(NASTY.split("\r", maxsplit=1)[0] in (finding["quote"] or "") for finding in report["findings"])


@pytest.mark.parametrize("form", ["-v", "--jsonl"])
def test_an_error_is_harmless(inside, folder, form):
    (folder / "t.jsonl").write_text(
        json.dumps({"trace_id": "t", "messages": [{"role": NASTY}]}, ensure_ascii=False)
        + "\n"
        + json.dumps({"trace_id": "t", "messages": [], NASTY: 1, f"{NASTY}2": {}})
        + "\n"
        + json.dumps({"trace_id": "t", "messages": [], "schema": NASTY})
        + '\n{"trace_id": "\\ud800", "messages": []}\n'
    )
    done = inside("evaluate", "t.jsonl", form, "--strict")
    assert done.returncode == 3
    assert done.stderr.count("sentinel: error: ") == 4
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)


def test_arguments_are_harmless(inside):
    for arguments in (("evaluate", NASTY), (NASTY,), ("evaluate", "x", "--plugins", NASTY), ("plugins", "show", NASTY)):
        done = inside(*arguments)
        assert done.returncode == 3
        assert_harmless(done.stderr)


@pytest.mark.parametrize("form", ["-v", "--json"])
def test_secrets_are_not_repeated(inside, write, knob, form):
    write("t.json", LEAK)
    done = inside("evaluate", "t.json", form, *knob)
    assert done.returncode == 1
    assert "[redacted]" in done.stdout
    assert not [secret for secret in SECRETS if secret in done.stdout + done.stderr]


UNMEASURED = """
from sentinel_core import Detection, Signal, hookimpl


def detect(index):
    text = index.messages[0].content
    {body}


@hookimpl
def sentinel_signals():
    return [Signal(name="leaky", summary="s", detect=detect)]
"""


@pytest.mark.parametrize("body", ["return Detection(score=None, details=text, gaps=[text])", "raise ValueError(text)"])
@pytest.mark.parametrize("form", ["-v", "--json"])
def test_secrets_are_not_repeated_where_nothing_was_found(inside, folder, write, body, form):
    (folder / "leaky.py").write_text(UNMEASURED.format(body=body))
    write("t.json", LEAK)
    done = inside("evaluate", "t.json", form, "--plugins", "./leaky.py")
    assert done.returncode == 0
    assert "[redacted]" in done.stdout
    assert not [secret for secret in SECRETS if secret in done.stdout + done.stderr]


def test_secrets_in_a_record_that_cannot_be_read(inside, folder):
    (folder / "t.json").write_text(json.dumps({"trace_id": "t", "messages": [{"role": SECRETS[0]}]}))
    done = inside("evaluate", "t.json", "--json")
    assert done.returncode == 3
    assert "[redacted]" in done.stderr
    assert "[redacted]" in done.stdout
    assert SECRETS[0] not in done.stdout + done.stderr
