"""What CI reads: SARIF, JUnit, Markdown, annotations, code quality; all of one run, each by its own rules."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from commanding import run_command
from lying import CLAIM
from lying import run as trace

pytestmark = pytest.mark.unmeasured

EXAMPLES = Path(__file__).parents[2] / "examples" / "traces"
HOSTILE = "]]></failure> & <x> ::error::x\n::set-output name=a::b ##[error] \x00\u202e | `rm` @all"


@pytest.fixture
def sentinel(tmp_path):
    return partial(run_command, tmp_path)


def write(path, *traces):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in traces))
    return path


@pytest.fixture
def runs(tmp_path):
    return write(
        tmp_path / "runs.jsonl", trace("honest", "Hello."), trace("lie", CLAIM), trace("wild", f"{HOSTILE} {CLAIM}")
    )


def test_one_run_writes_all_formats(sentinel, runs, tmp_path):
    outputs = ["o.sarif", "o.xml", "o.md", "gitlab:o.codequality", "o.html", "o.json", "o.jsonl", "o.txt"]
    done = sentinel("evaluate", runs.name, *(word for one in outputs for word in ("-o", one)))
    assert (done.returncode, done.stdout) == (2, "")
    assert "3 traces: 1 PASS, 2 FAIL" in done.stderr
    assert len(json.loads((tmp_path / "o.json").read_text())) == 3
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 3
    assert (tmp_path / "o.txt").read_text().count("✗ FAIL") == 2
    alone = sentinel("evaluate", runs.name, "--jsonl").stdout
    assert (tmp_path / "o.jsonl").read_text() == alone


def test_jobs_change_no_byte(sentinel, runs, tmp_path):
    for jobs in ("1", "2"):
        sentinel("evaluate", runs.name, "-j", jobs, "-o", f"{jobs}.sarif", "-o", f"{jobs}.html", "-o", f"{jobs}.md")
    for ending in ("sarif", "html", "md"):
        assert (tmp_path / f"1.{ending}").read_bytes() == (tmp_path / f"2.{ending}").read_bytes()


def test_sarif_has_rules_places_and_fingerprints_that_stay(sentinel, runs, tmp_path):
    sentinel("evaluate", runs.name, "-o", "o.sarif")
    (run,) = json.loads((tmp_path / "o.sarif").read_text())["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rule["shortDescription"]["text"] and rule["help"]["markdown"] for rule in rules)
    results = {one["properties"]["traceId"]: one for one in run["results"]}
    lie = results["lie"]
    assert rules[lie["ruleIndex"]]["id"] == lie["ruleId"] == "hallucination.claim_without_call"
    place = lie["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("runs.jsonl", 2)
    moved = write(tmp_path / "moved.jsonl", trace("lie", "Let me see.", "And now?", CLAIM))
    sentinel("evaluate", moved.name, "-o", "moved.sarif")
    (again,) = json.loads((tmp_path / "moved.sarif").read_text())["runs"][0]["results"]
    assert again["partialFingerprints"] == lie["partialFingerprints"]


def test_sarif_says_the_line_of_a_session(sentinel, tmp_path):
    sentinel("evaluate", EXAMPLES / "coding-session.jsonl", "-o", "o.sarif")
    results = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results]
    assert lines == [8, 2, 8] or sorted(lines) == [2, 8, 8]


def line_of(file, text):
    return next(number for number, line in enumerate(file.read_text().splitlines(), start=1) if text in line)


@pytest.mark.parametrize("indent", [1, 4, None])
@pytest.mark.parametrize("shape", ["record", "records", "messages", "conversations"])
def test_a_finding_in_a_json_document_is_at_the_line_of_its_message(sentinel, tmp_path, shape, indent):
    """Of Sentinel's own records, whose messages have no origin, and of chat messages, whose origin is a path."""
    honest, lie = trace("honest", "Hello."), trace("lie", CLAIM)
    chat = [{"role": "user", "content": "Please send the email."}, {"role": "assistant", "content": CLAIM}]
    talk = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]
    document = {"record": lie, "records": [honest, lie], "messages": chat, "conversations": [talk, chat]}[shape]
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(document, indent=indent))
    done = sentinel("evaluate", file.name, "--format", "github", "-o", "o.sarif")
    begins = max(line_of(file, CLAIM) - 2, 1) if indent else 1  # the brace of the message, above its role
    assert re.search(rf"(?m)^::(?:error|warning) file=runs\.json,line={begins},", done.stdout)
    (result,) = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": begins}


def test_a_finding_about_a_whole_run_is_at_the_line_of_its_record(sentinel, tmp_path):
    file = tmp_path / "runs.json"
    file.write_text(json.dumps([trace("first", "Hello."), trace("second", "Hello.")], indent=2))
    done = sentinel("evaluate", file.name, "--format", "github", "--expect", "called:send_email", "-j", "2")
    second = line_of(file, '"second"') - 1
    assert {line.split(",")[1] for line in done.stdout.splitlines() if "expect." in line} == {
        "line=2",
        f"line={second}",
    }


def test_a_finding_about_a_whole_run_is_at_the_line_of_its_messages(sentinel, tmp_path):
    rows = [{"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]}] * 40
    (tmp_path / "chats.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = sentinel("evaluate", "chats.jsonl", "--expect", "called:send_email", "-o", "o.sarif")
    found = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    assert [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in found] == list(range(1, 41))
    assert done.returncode == 2
    history = "".join(f"# aider chat started at 2026-01-0{day} 03:04:05\n\n#### Hi.  \n\nHello.\n\n" for day in (1, 2))
    (tmp_path / ".aider.chat.history.md").write_text(history)
    told = sentinel("evaluate", ".aider.chat.history.md", "--format", "github", "--expect", "called:send_email").stdout
    assert [line.split(",")[1] for line in told.splitlines() if "expect." in line] == ["line=3", "line=9"]


def test_sarif_is_read_by_strangers_tools(sentinel, runs, tmp_path):
    sarif = Path(sys.executable).with_name("sarif")
    if not sarif.exists():
        pytest.skip("sarif-tools is not installed")
    sentinel("evaluate", runs.name, "-o", "o.sarif")
    told = subprocess.run([sarif, "summary", tmp_path / "o.sarif"], capture_output=True, text=True, check=True).stdout
    assert "error: 2" in told
    assert "hallucination.claim_without_call" in told


def test_what_cannot_be_read_is_in_every_format(sentinel, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    done = sentinel("evaluate", "bad.json", "-o", "o.sarif", "-o", "o.xml", "-o", "o.md", "--format", "github")
    assert done.returncode == 3
    assert done.stdout.startswith("::error title=Sentinel::bad.json: ")
    (invocation,) = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"].startswith("bad.json: ")
    assert ET.parse(tmp_path / "o.xml").find(".//error").get("type") == "unreadable"
    assert "Not judged:" in (tmp_path / "o.md").read_text()


@pytest.mark.parametrize(("fail_on", "failures"), [("warn", 2), ("fail", 2), ("never", 0)])
def test_junit_fails_what_counts(sentinel, runs, tmp_path, fail_on, failures):
    sentinel("evaluate", runs.name, "--fail-on", fail_on, "-o", "o.xml")
    (suite,) = ET.parse(tmp_path / "o.xml").getroot()
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("runs.jsonl", "3", str(failures))
    assert [case.get("name") for case in suite.iter("testcase")] == ["honest", "lie", "wild"]
    assert {child.tag for case in suite for child in case} <= {"failure", "error", "system-out"}
    assert all(set(case.keys()) == {"classname", "name"} for case in suite.iter("testcase"))


# What junit-10.xsd of Jenkins' xUnit plugin lets through: children and attributes of each element, required ones first.
GRAMMAR = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
    ),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"},
    ),
    "failure": (set(), set(), {"type", "message"}),
    "error": (set(), set(), {"type", "message"}),
    "system-out": (set(), set(), set()),
}


@pytest.mark.parametrize("fail_on", ["warn", "never"])
def test_junit_keeps_to_the_grammar_of_jenkins(sentinel, runs, tmp_path, fail_on):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "empty.json").write_text('{"trace_id": "nothing", "messages": []}')
    sentinel("evaluate", ".", "--fail-on", fail_on, "-o", "o.xml")
    root = ET.parse(tmp_path / "o.xml").getroot()
    assert root.tag == "testsuites"
    seen = set()
    for element in root.iter():
        children, required, optional = GRAMMAR[element.tag]
        assert {child.tag for child in element} <= children
        assert required <= set(element.keys()) <= required | optional
        assert not (element.text or "").strip() or element.tag in ("failure", "error", "system-out")
        seen.add(element.tag)
    assert seen >= {"testsuite", "testcase", "error"} | {"failure" if fail_on == "warn" else "system-out"}


def test_annotations_keep_to_the_limits_worst_first(sentinel, tmp_path):
    lies = [trace(f"lie-{number:02}", CLAIM, "I've refunded the customer.") for number in range(15)]
    write(tmp_path / "many.jsonl", *lies)
    summary = tmp_path / "summary.md"
    done = sentinel("evaluate", "many.jsonl", "--format", "github", GITHUB_STEP_SUMMARY=str(summary))
    lines = done.stdout.splitlines()
    levels = Counter(re.match(r"::(\w+) ", line)[1] for line in lines if line.startswith("::"))
    assert max(levels.values()) <= 10
    assert levels["error"] == 10
    assert lines[-1].startswith("and ")
    named = re.findall(r"\(lie-(\d\d) ", done.stdout)
    assert len(set(named[:10])) == 10
    assert summary.read_text().startswith("## ❌ Sentinel failed: 15 traces: 15 FAIL")


def test_hostile_text_gives_no_command_to_a_runner(sentinel, runs, tmp_path):
    done = sentinel("evaluate", runs.name, "--format", "github", "-o", "o.md", "-o", "o.xml")
    for line in done.stdout.splitlines():
        assert re.match(
            r"::(error|warning|notice) file=runs\.jsonl,line=\d+,title=[^:,]+::[^\n]*$|and [\d,]+ findings", line
        )
    assert "##[" not in done.stdout
    assert "\n::set-output" not in done.stdout
    assert "<x>" not in (tmp_path / "o.md").read_text()
    assert ET.parse(tmp_path / "o.xml").getroot().tag == "testsuites"


def test_code_quality_for_gitlab(sentinel, runs):
    entries = json.loads(sentinel("evaluate", runs.name, "--format", "gitlab").stdout)
    assert {one["check_name"] for one in entries} == {"hallucination.claim_without_call"}
    assert len({one["fingerprint"] for one in entries}) == len(entries) == 2
    assert entries[0]["location"] == {
        "path": "runs.jsonl",
        "lines": {"begin": entries[0]["location"]["lines"]["begin"]},
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "sarf:x.json"), 'there is no format "sarf"; the formats are'),
        (("-o", "a.html", "-o", "folder/"), "cannot be combined with another output"),
        (("-o", "a.html", "-o", "html:a.html"), "is given twice"),
        (("-o", "a.html", "-o", "b.what"), "name the format"),
        (("-o", "a.html", "--resume"), "--resume needs an output to continue"),
        (("--format", "github", "--json"), "--format cannot be combined with --json or --jsonl"),
        (("--update-baseline",), "--update-baseline needs --baseline FILE"),
        (("--baseline", "gone.json"), 'baseline "gone.json" does not exist'),
        (("-o", "gone/a.html"), '"gone/a.html" cannot be written'),
    ],
)
def test_wrong_wishes_are_told(sentinel, runs, tmp_path, arguments, words):
    done = sentinel("evaluate", runs.name, *arguments)
    assert done.returncode == 3
    assert done.stdout == "" or done.stdout.startswith("::error title=Sentinel::")
    assert words in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["runs.jsonl"]


def test_the_multitool_of_microsoft_finds_no_error_against_the_schema(sentinel, runs, tmp_path):
    tool = Path(sys.prefix, "browser", "node_modules", "@microsoft", "sarif-multitool-linux", "Sarif.Multitool")
    if not tool.exists():
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            pytest.fail("Sarif.Multitool is not installed (make test does it where npm is)")
        pytest.skip("Sarif.Multitool is not installed (make test does it where npm is, on Linux)")
    tool.chmod(0o755)
    sentinel("evaluate", runs.name, "-o", "o.sarif")
    done = subprocess.run([tool, "validate", tmp_path / "o.sarif"], capture_output=True, text=True, check=False)
    assert "error SARIF" not in done.stdout + done.stderr
    assert "error JSON" not in done.stdout + done.stderr
    assert "warning SARIF2005" not in done.stdout + done.stderr  # what a reader of code scanning must know of the tool
    assert "Analysis completed successfully" in done.stdout


def test_the_summary_says_first_whether_the_gate_passed(sentinel, runs, tmp_path):
    def summary(*arguments):
        done = sentinel("evaluate", runs.name, "-o", "o.md", *arguments)
        heading, _, why = (tmp_path / "o.md").read_text().splitlines()[:3]
        return done.returncode, heading[:18], why

    failed, passed = "## ❌ Sentinel failed:"[:18], "## ✅ Sentinel passed:"[:18]
    code, heading, why = summary("--fail-on", "fail")
    assert (code, heading) == (2, failed)
    assert why.startswith("The gate failed: 2 FAIL")
    code, heading, why = summary("--fail-on", "never")
    assert (code, heading) == (0, passed)
    assert "2 FAIL" in why
    assert "did not count (--fail-on never)" in why
    code, heading, why = summary("--baseline", "known.json", "--update-baseline")
    assert (code, heading) == (0, passed)
    code, heading, why = summary("--baseline", "known.json")
    assert (code, heading) == (0, passed)
    assert "with known findings only did not count" in why


def test_what_was_not_read_is_told_to_a_runner(sentinel, tmp_path):
    said = [{"role": "user", "content": "Hello"}, {"role": "bot", "content": "I refunded it."}]
    (tmp_path / "odd.json").write_text(json.dumps(said))
    done = sentinel("evaluate", "odd.json", "--format", "github", "-o", "o.md")
    gap = '1 message with the unknown role "bot"'
    assert f"::warning title=Sentinel not read::odd.json (odd.json): {gap}" in done.stdout
    assert "unknown role" in (tmp_path / "o.md").read_text()


@pytest.mark.parametrize(
    ("form", "line", "place"), [("lines", 2, "o.json line 2"), ("indented", 25, "o.json"), ("one line", 1, "o.json")]
)
def test_the_line_is_that_of_the_record_and_fits_the_text(sentinel, tmp_path, form, line, place):
    """A message inside a line has no line of its own: the text says which message it is."""
    said = [
        {"role": "user", "content": "Please refund order 1017."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "get_order", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
        {"role": "assistant", "content": "I've refunded order 1017."},
    ]
    honest = [*said[:3], {"role": "assistant", "content": "It has shipped."}]
    rows = [{"messages": honest}, {"messages": said}]
    text = (
        "".join(f"{json.dumps(row)}\n" for row in rows)
        if form == "lines"
        else json.dumps(rows[1], indent=1 if form == "indented" else None)
    )
    (tmp_path / "o.json").write_text(text)
    done = sentinel("evaluate", "o.json", "--format", "github", "-o", "o.sarif")
    (error,) = [one for one in done.stdout.splitlines() if one.startswith("::error")]
    assert f"file=o.json,line={line}," in error
    assert error.endswith(" message 3)")
    assert place in error
    found = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    results = [one for one in found if one["level"] == "error"]
    assert {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results} == {line}


def test_a_finding_without_a_message_leaves_no_blank(sentinel, tmp_path):
    write(tmp_path / "o.json", trace("a", "Hello."))
    done = sentinel("evaluate", "o.json", "--format", "github", "--expect", "called:refund")
    assert "it was not called; known tools: get_order. (a)" in done.stdout
