"""What the page is made of: the same bytes, no secrets, nothing of a trace outside its data, the worst in full."""

import base64
import hashlib
import json
import random
import re
from importlib.resources import files
from pathlib import Path

import attrs
import msgspec
from tables import each_row

from sentinel_core import Detection, ExecutionTrace, Finding, Message, Signal, ToolCall, ToolResult, TraceIndex
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.output.evidence import evidence_of
from sentinel_core.judging.output.headline import headline, rank, worst_first
from sentinel_core.judging.output.page import page as page_module
from sentinel_core.judging.output.page.page import Page
from sentinel_core.judging.output.page.view import LONGEST, view
from sentinel_core.judging.output.record import MOST_IN_FULL, Record, Recorder, parse
from sentinel_core.judging.records import Readable
from sentinel_core.runtime.printable import visible
from sentinel_core.runtime.redact import redacted
from sentinel_core.trace import MessageDetails
from sentinel_core.traces.codec import encode_report
from sentinel_core.traces.sources import FileSource

KEY = "sk-ant-" + "api03-" + "Ab1" * 20
ASSETS = [one for one in files(page_module.__package__).iterdir() if one.name.endswith((".js", ".css", ".html"))]


def lying(name="t", text="I've sent the email to the customer."):
    call = ToolCall(id="c1", name="pytest", arguments={"path": "tests"})
    result = ToolResult(tool_call_id="c1", content="==== 1 failed, 2 passed in 0.31s ====", success=False)
    return ExecutionTrace(
        trace_id=name,
        messages=[
            Message(role="user", content="Please run the tests, and send the email to the customer."),
            Message(role="assistant", content="Running.", tool_calls=(call,)),
            Message(role="tool", tool_results=(result,)),
            Message(role="assistant", content=text),
        ],
    )


def recorded(traces, extras=frozenset({"page"})):
    recorder = Recorder(extras)
    for number, trace in enumerate(traces, 1):
        report = redacted(evaluate_trace(trace))
        place = Readable(
            trace=trace,
            file=FileSource(path=Path("runs.jsonl"), label="runs.jsonl"),
            grain="file",
            number=number,
            reader="native",
        )
        yield parse(recorder.record(report, encode_report(report), place, ""))


def page_of(traces, tmp_path):
    path = tmp_path / "page.html"
    with path.open("wb") as stream:
        page = Page(stream)
        for record in recorded(traces):
            page.add(record)
        page.finish()
    return path.read_text(encoding="utf-8")


def blocks(html):
    found = re.findall(r'<script type="application/json" id="(\w+)">(.*?)</script>', html, re.DOTALL)
    return {name: json.loads(data) for name, data in found}


def test_the_policy_names_the_style_and_the_script_and_nothing_else(tmp_path):
    html = page_of([lying()], tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1]
    for tag in ("style", "script"):
        held = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.findall(r'(?:src|href)="(?!#|data:)', html)


@each_row("asset", ASSETS)
def test_no_asset_reads_text_as_markup_or_asks_for_anything(asset):
    text = asset.read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|DOMParser|srcdoc|fetch\(|XMLHttp|import\(|@import|url\(",
        text,
    )
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/2000/svg", "", text)
    assert len(text.splitlines()) <= 400


def test_text_of_a_trace_stands_in_data_alone(tmp_path):
    html = page_of([lying("</script><script>alert(1)</script>", "<!-- <script> I've sent the email.")], tmp_path)
    assert html.count("<script") == 3
    assert html.count("</script>") == 3
    assert "<!--" not in html
    assert blocks(html)["run"]["rows"][0][3] == "</script><script>alert(1)</script>"
    unasked = attrs.evolve(lying("</script>"), messages=lying().messages[1:])
    assert "&lt;/script&gt;" in page_of([unasked], tmp_path).partition("</title>")[0]


def test_the_title_is_the_request_on_one_line(tmp_path):
    def title(*said):
        messages = [Message(role="user", content=text, details=details) for text, details in said]
        trace = attrs.evolve(lying(), messages=(*messages, *lying().messages[1:]))
        return re.search("<title>[A-Z]+: (.*?)</title>", page_of([trace], tmp_path))[1]

    assert title(("\n Fix  the\nlogin <test>. ", None)) == "Fix the login &lt;test&gt;."
    assert title((None, None), ("asked", None)) == "asked"
    assert title(("## Fix `login()`\n> for **all** 2*3*4", None)) == "Fix login() for all 2*3*4"
    assert title(("repeated", MessageDetails(is_copied_context=True)), ("asked", None)) == "asked"
    assert title((f"use {KEY}", None)) == "use [redacted]"
    long = title(("word " * 1000, None))
    assert long.endswith("word …")
    assert len(long) < 160
    assert title() == "t"


def test_secrets_do_not_reach_the_page(tmp_path):
    trace = lying(text=f"I've sent the email with {KEY}.")
    call = ToolCall(id="c2", name="http", arguments={"headers": {"Authorization": f"Bearer {KEY}"}, KEY: "x"})
    result = ToolResult(tool_call_id="c2", content=json.dumps({"api_key": KEY}))
    more = (Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(result,)))
    html = page_of([ExecutionTrace(trace_id=f"t-{KEY}", messages=[*trace.messages, *more])], tmp_path)
    assert KEY not in html
    assert "[redacted]" in html


def test_hidden_characters_are_shown_and_emoji_stay():
    assert visible("a\u202eb\x00\x1b[31m") == "a\\u202eb\\x00\\x1b[31m"
    assert visible("line\r\nnext\tcell") == "line\nnext\tcell"
    assert visible("✅\ufe0f 👩\u200d💻") == "✅\ufe0f 👩\u200d💻"
    assert visible("pass\ufe0fword\u200d") == "pass\\ufe0fword\\u200d"


def test_a_long_text_keeps_its_start_and_its_end():
    trace = ExecutionTrace(trace_id="t", messages=[Message(role="user", content="start " + "x" * 50_000 + " end")])
    content = view(trace, evaluate_trace(trace))["messages"][0]["content"]
    assert content["text"].startswith("start ")
    assert content["tail"].endswith(" end")
    assert len(content["text"]) + len(content["tail"]) == LONGEST
    assert content["left"] == 50_010 - LONGEST


def test_what_is_embedded_is_named():
    content = f"See data:image/png;base64,{'QUJD' * 100} above."
    trace = ExecutionTrace(trace_id="t", messages=[Message(role="user", content=content)])
    assert (
        view(trace, evaluate_trace(trace))["messages"][0]["content"]["text"]
        == "See [image/png, 300 bytes, left out] above."
    )


def test_the_evidence_is_the_result_that_the_finding_quotes():
    index = TraceIndex(lying())
    told = 'The agent says that the tests pass, but the last run ended with "1 failed, 2 passed in 0.31s".'
    finding = Finding(rule="r", severity="error", text=told, message_index=3, quote="All tests pass.")
    evidence = evidence_of(finding, index)
    assert (evidence.call, evidence.shown) == (index.calls[0], "1 failed, 2 passed in 0.31s")
    without = evidence_of(
        Finding(rule="r", severity="error", text='"sent", no call', message_index=3, quote="sent"), index
    )
    assert (without.before, without.number) == ((index.calls[0],), 1)
    of_call = evidence_of(Finding(rule="r", severity="note", text="failed", message_index=1, call_id="c1"), index)
    assert of_call.call is index.calls[0]
    assert evidence_of(Finding(rule="r", severity="note", text="all of it"), index).before is None


def test_the_evidence_is_found_whatever_white_space_its_words_have():
    call = ToolCall(id="c1", name="Bash", arguments={"command": "go test ./..."})
    result = ToolResult(
        tool_call_id="c1", content="--- FAIL: TestA\nFAIL\texample.org/shop/cart\t0.412s\n", success=False
    )
    messages = [
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", tool_results=(result,)),
        Message(role="assistant", content="All tests pass."),
    ]
    report = evaluate_trace(trace := ExecutionTrace(trace_id="t", messages=messages))
    finding = next(one for one in report.findings if one.rule == "hallucination.contradicted_checks")
    assert evidence_of(finding, TraceIndex(trace)).shown == "FAIL example.org/shop/cart 0.412s"


def test_the_evidence_is_the_failed_call_that_the_finding_names():
    calls = tuple(ToolCall(id=f"c{n}", name="Bash", arguments={"command": "git push"}) for n in (1, 2))
    rejected = ToolResult(tool_call_id="c2", content="error: failed to push some refs to 'x'", success=False)
    messages = [
        Message(role="assistant", tool_calls=calls),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="c1", content="", success=False), rejected)),
        Message(role="assistant", content="I pushed it."),
    ]
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=messages))
    text = 'The agent says that something was done ("pushed"), but "git push" failed.'
    found = evidence_of(Finding(rule="r", severity="error", text=text, message_index=2, quote="I pushed it."), index)
    assert (found.call, found.shown) == (index.calls[1], "error: failed to push some refs to 'x'")


def test_the_worst_are_whole_whatever_order_they_come_in(tmp_path):
    honest = [
        ExecutionTrace(trace_id=f"h{n}", messages=[Message(role="user", content="Hello.")])
        for n in range(MOST_IN_FULL + 50)
    ]
    traces = [*honest, lying("lie-a"), lying("lie-b")]
    random.Random(7).shuffle(traces)
    held = blocks(page_of(traces, tmp_path))
    columns, rows = held["run"]["columns"], held["run"]["rows"]
    whole = {row[columns.index("id")] for row in rows if row[columns.index("full")]}
    assert len(whole) == MOST_IN_FULL == len(held) - 1
    assert {"lie-a", "lie-b"} <= whole
    assert {rows[place][columns.index("id")] for place in held["run"]["order"][:2]} == {"lie-a", "lie-b"}


def test_a_record_that_could_not_be_read_has_a_row(tmp_path):
    with (tmp_path / "page.html").open("wb") as stream:
        page = Page(stream)
        page.add(parse(b'{"error": {"message": "no JSON <", "source": "a.json", "line": 3}}'))
        page.finish()
    row = blocks((tmp_path / "page.html").read_text())["run"]["rows"][0]
    assert (row[0], row[4], row[7]) == ("UNREADABLE", "a.json", "no JSON <")


def test_reports_are_ranked_by_verdict_then_risk():
    lie, fine = evaluate_trace(lying()), evaluate_trace(lying(text="One test failed."))
    assert rank(lie) < rank(fine)
    as_read = msgspec.json.decode(encode_report(lie))
    worst, (quote, text) = headline(as_read)
    assert worst == worst_first(as_read["findings"])[0]
    assert quote == "I've sent the email to the customer."
    assert text == worst["text"]
    nothing = evaluate_trace(ExecutionTrace(trace_id="t", messages=[Message(role="user", content="Hello.")]))
    assert headline(msgspec.json.decode(encode_report(nothing))) == (None, ("", nothing.reasoning))


def test_the_headline_is_of_a_signal_that_counts_if_there_is_one():
    def detection(severity, text):
        return lambda _: Detection(score=0.5, findings=(Finding(rule="r", severity=severity, text=text),))

    def told(**signals):
        offers = [Signal(name=name, summary="s", detect=detection(*found)) for name, found in signals.items()]
        return headline(msgspec.json.decode(encode_report(evaluate_trace(lying(), signals=offers))))[1][1]

    assert told(loop=("warning", "Twice."), mine=("error", "Mine.")) == "Twice."
    assert told(ending=("warning", "Late."), mine=("error", "Mine.")) == "Late."
    assert told(loop=("note", "Once."), mine=("error", "Mine.")) == "Mine."


def test_a_record_without_a_report_says_so():
    assert not Record().is_judged
    assert next(recorded([lying()])).is_judged
