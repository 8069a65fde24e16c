"""Nothing of a trace reaches the terminal raw, and no secret is repeated."""

import json
import unicodedata

import pytest

from sentinel_core.judging.output.formats import OWN

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
ORDER = "##vso[task.complete result=Succeeded;]::error title=x::y"
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


@pytest.mark.parametrize("form", ["-v", *(f"--format={name}" for name in OWN)])
@pytest.mark.parametrize("is_readable", [True, False])
def test_the_name_of_a_file_is_harmless(sentinel, hostile, folder, form, is_readable):
    name = f"\x1b]0;title\x07{NASTY}\n::error::x, y%.jsonl"
    (folder / name).write_bytes((folder / hostile).read_bytes() + (b"" if is_readable else b"\n{"))
    for command in (("evaluate", name, form), ("evaluate", ".", form), ("evaluate", f"{name}x", form)):
        done = sentinel(*command)
        assert_harmless(done.stdout)
        assert_harmless(done.stderr)
        shown = done.stderr if form == "--format=html" else done.stdout + done.stderr  # no log holds a page
        assert not any(line.startswith("::error::x") for line in shown.splitlines())


@pytest.mark.parametrize("command", ["convert", "explain", "mutate", "suite"])
def test_the_name_of_a_file_is_harmless_in_other_commands(sentinel, hostile, folder, command):
    name = f"\x1b]0;title\x07{NASTY}.jsonl"
    (folder / name).write_bytes((folder / hostile).read_bytes())
    ways = {
        "convert": ["convert", name],
        "explain": ["explain", name],
        "mutate": ["mutate", name],
        "suite": ["suite", "from-trace", name],
    }
    for file in (name, f"{name}x"):
        done = sentinel(*(file if one == name else one for one in ways[command]))
        assert_harmless(done.stdout)
        assert_harmless(done.stderr)


def test_arguments_are_harmless(inside):
    for arguments in (("evaluate", NASTY), (NASTY,), ("evaluate", "x", "--plugins", NASTY), ("plugins", "show", NASTY)):
        done = inside(*arguments)
        assert done.returncode == 3
        assert_harmless(done.stderr)


@pytest.mark.parametrize("form", ["-v", "--json", "--jsonl"])
def test_a_report_gives_no_orders_to_a_runner_of_ci(inside, folder, form, knob):
    trace = {"trace_id": f"::error::{ORDER}", "messages": [{"role": "user", "content": f"0.5 {ORDER}"}]}
    (folder / f"{ORDER}.json").write_text(json.dumps(trace))
    done = inside("evaluate", f"{ORDER}.json", "no.json", form, *knob)
    assert "vso[" in done.stdout
    assert "##vso[" not in done.stdout + done.stderr
    assert not [line for line in (done.stdout + done.stderr).splitlines() if line.lstrip().startswith("::")]


def secret(number: int) -> str:
    return f"ghp_{number:02}REALLYSECRET1234567890"


@pytest.mark.parametrize(
    "arguments",
    [("-v",), ("--json",), ("-o", "out.parquet", "--output-format", "parquet"), ("-o", "out/"), ("--emit", "otel")],
)
def test_no_field_of_a_report_holds_a_secret(inside, folder, arguments):
    call = {"id": secret(1), "name": "sh", "arguments": {}}
    result = {"tool_call_id": secret(1), "content": f"Error: {secret(2)}", "success": False}
    messages = [
        {"role": "assistant", "tool_calls": [call], "details": {"origin": secret(3)}},
        {"role": "tool", "tool_results": [result]},
        {"role": "assistant", "content": f"I've sent the mail {secret(4)}.", "details": {"origin": secret(5)}},
    ]
    name = f"{secret(6)}.json"
    (folder / name).write_text(json.dumps({"trace_id": f"a {secret(0)}", "messages": messages}))
    (folder / f"{secret(7)}.json").write_text("{")
    done = inside("evaluate", name, f"{secret(7)}.json", *arguments)
    written = [read(path) for path in folder.rglob("*") if is_output(path)]
    assert bool(written) is (arguments[0] in ("-o", "--emit"))
    assert "[redacted]" in done.stdout + "".join(written)
    for text in (done.stdout, done.stderr, *written):
        assert "REALLYSECRET" not in text


def read(path) -> str:
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        return str(parquet.read_table(path).to_pylist())
    return path.read_text()


def is_output(path) -> bool:
    """The manifest holds the names of files as they are, to go on with them."""
    return (
        path.is_file()
        and path.suffix not in (".py", ".toml", ".pyc")
        and path.name
        not in (
            "manifest.json",
            *(f"{secret(number)}.json" for number in (6, 7)),
        )
    )


@pytest.mark.parametrize("cut", [5, 12, 30])
def test_a_secret_that_a_quote_was_cut_in_is_not_repeated(inside, folder, cut):
    held = "https://deploy:REALLYSECRETREALLYSECRETREALLYSECRET@host"
    content = f"{'Error: ' + 'x ' * 100:.{159 - len('https://deploy:') - cut}} {held}"
    call = {"id": "c", "name": "sh", "arguments": {}}
    messages = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": "c", "content": content, "success": False}]},
    ]
    (folder / "t.json").write_text(json.dumps({"trace_id": "t", "messages": messages}))
    done = inside("evaluate", "t.json", "--json")
    assert "https://[redacted]" in done.stdout
    assert "REALLY" not in done.stdout


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
