"""``judge()``: one call for whatever holds a run; and what a report is to those who print or assert it."""

import json
from pathlib import Path

import pytest
from lying import CLAIM, messages, run

from sentinel_core import ExecutionTrace, evaluate_trace, judge, report_page, report_text
from sentinel_core.errors import ConfigError, InputError, VerdictError
from sentinel_core.traces.codec import decode_trace

EXAMPLES = Path(__file__).parents[2] / "examples" / "traces"
SAID = messages(CLAIM)
TRACE = run("t", CLAIM)
MESSAGES = list(decode_trace(json.dumps(TRACE).encode()).messages)
CHAT = [
    SAID[0],
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
    SAID[3],
]
BLOCKS = [
    {"role": "user", "content": [{"type": "text", "text": SAID[0]["content"]}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_order", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "shipped"}]},
    {"role": "assistant", "content": [{"type": "text", "text": CLAIM}]},
]


def test_a_list_is_a_trace_of_that_name():
    assert [judge(said).trace_id for said in (SAID, CHAT, MESSAGES)] == ["messages"] * 3


@pytest.mark.parametrize(
    "what",
    [
        SAID,
        TRACE,
        MESSAGES,
        ExecutionTrace(trace_id="t", messages=MESSAGES),
        {"messages": CHAT, "model": "gpt-4o"},
        BLOCKS,
    ],
    ids=["messages", "a trace as JSON", "Message objects", "a trace", "a chat request", "content blocks"],
)
def test_one_call_for_whatever_holds_a_run(what):
    report = judge(what)
    assert [one.rule for one in report.findings] == ["hallucination.claim_without_call"]
    assert (report.verdict, report.ok) == ("FAIL", False)


def test_a_file_is_read_whatever_its_name_looks_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("[the run of my agent].json", "what the agent did today.json"):
        Path(name).write_bytes((EXAMPLES / "fabricated.json").read_bytes())
        assert judge(name).verdict == "FAIL"


def test_paths_are_read_as_the_command_line_reads_them():
    for path in (EXAMPLES / "coding-session.jsonl", str(EXAMPLES / "fabricated.json")):
        assert judge(path).verdict == "FAIL"


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("gone.json", '"gone.json": no such file or folder'),
        ([], '"the list" is an empty list: nothing to check'),
        (
            [TRACE, {**TRACE, "trace_id": "u"}],
            '"the list" contains 2 traces; judge() accepts one run: call it for each trace',
        ),
        ({"trace_id": "t", "messages": 3}, '"the dictionary"'),
        (str(EXAMPLES), " files; judge() accepts one run: call it for each file"),
        ('{"trace_id": "t", "messages": []}', "is JSON; give judge(json.loads(text))"),
        (' [{"role": "user"}]', "is JSON; give judge(json.loads(text))"),
        ("All tests passed, I ran them.", "is text; give a list of messages: judge([{"),
        ("Done.\nBye.", "is text; give a list of messages"),
        ("a\0b", "is text; give a list of messages"),
        ("  ", "is empty; name a file"),
        ("x" * 5000, "x"),
    ],
)
def test_what_is_no_single_run_is_told(what, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as told:
        judge(what)
    assert words in str(told.value)


@pytest.mark.parametrize("what", [3, b"[]", None])
def test_another_type_is_told(what):
    with pytest.raises(TypeError, match="expected a path, a dict, a list of messages, a framework's result or an Exec"):
        judge(what)


def test_what_is_expected_of_the_run():
    met, broken = ["called:get_order"], ["not called:get_*", "answer matches refund"]
    fine = judge(messages("Order 1017 has shipped."), expect=met)
    assert (fine.verdict, fine.findings) == ("PASS", ())
    for report in (
        judge(SAID, expect=broken),
        evaluate_trace(ExecutionTrace(trace_id="t", messages=MESSAGES), expect=broken),
    ):
        assert report.verdict == "FAIL"
        assert {"expect.answer", "expect.not_called"} < {one.rule for one in report.findings}


@pytest.mark.parametrize("wrong", ["called:get_order", ["calls get_order"], [3]])
def test_an_expectation_that_nobody_understands_is_told(wrong):
    with pytest.raises(ConfigError, match="expect"):
        judge(SAID, expect=wrong)


class OfAgentsSdk:
    def to_input_list(self):
        call = {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": "{}"}
        output = {"type": "function_call_output", "call_id": "c1", "output": "shipped"}
        return [SAID[0], call, output, {"role": "assistant", "content": CLAIM, "type": "message"}]


class OfPydanticAi:
    def all_messages_json(self):
        call = {"part_kind": "tool-call", "tool_name": "get_order", "args": {}, "tool_call_id": "c1"}
        output = {"part_kind": "tool-return", "tool_name": "get_order", "content": "shipped", "tool_call_id": "c1"}
        return json.dumps(
            [
                {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": SAID[0]["content"]}]},
                {"kind": "response", "parts": [call]},
                {"kind": "request", "parts": [output]},
                {"kind": "response", "parts": [{"part_kind": "text", "content": CLAIM}]},
            ]
        ).encode()


class OfLangChain:
    def __init__(self, **fields):
        self.fields = fields

    def model_dump(self, *, mode, fallback):
        return {name: fallback(value) if isinstance(value, set) else value for name, value in self.fields.items()}


LANGCHAIN = [
    OfLangChain(type="human", content=SAID[0]["content"]),
    OfLangChain(type="ai", content="", tool_calls=[{"name": "get_order", "args": {}, "id": "c1"}]),
    OfLangChain(type="tool", content="shipped", tool_call_id="c1", artifact={1}),
    OfLangChain(type="ai", content=CLAIM, tool_calls=[]),
]


@pytest.mark.parametrize("what", [OfAgentsSdk(), OfPydanticAi(), LANGCHAIN, {"messages": LANGCHAIN, "other": {1}}])
def test_what_frameworks_hand_out_is_a_run(what):
    report = judge(what, expect=["called:get_order"])
    assert [one.rule for one in report.findings] == ["hallucination.claim_without_call"]


def test_a_profile_by_name_or_file(tmp_path):
    lenient = tmp_path / "lenient.toml"
    lenient.write_text('name = "lenient"\n[critical]\nhallucination = false\n')
    assert judge(SAID, profile="rs1").verdict == "FAIL"
    assert judge(SAID, profile=str(lenient)).verdict == "PASS"
    with pytest.raises(ConfigError):
        judge(SAID, profile="nothing")


def test_the_ledger_lists_claims_unless_it_is_switched_off():
    said = messages("I've sent the email to the customer.")
    (entry,) = judge(said).ledger
    assert (entry.answer, entry.rule) == ("absent", "hallucination.claim_without_call")
    assert judge(said, ledger=False).ledger is None


def test_secrets_are_not_in_the_report():
    key = "sk-ant-" + "api03-" + "Ab1" * 20
    assert key not in str(judge(messages(f"I've sent the email with {key} to the customer.")))


def test_a_verdict_that_is_not_taken_is_raised_with_the_report():
    lie, fine = judge(SAID), judge([{"role": "assistant", "content": "Hello."}])
    assert fine.raise_for_verdict() is fine
    with pytest.raises(VerdictError) as told:
        lie.raise_for_verdict("fail")
    assert CLAIM in str(told.value)
    nothing = judge({"trace_id": "t", "messages": []})
    assert (nothing.verdict, nothing.ok) == (None, False)
    with pytest.raises(VerdictError):
        nothing.raise_for_verdict("fail")


def test_a_warning_is_let_through_where_only_fail_counts(tmp_path):
    strict = tmp_path / "strict.toml"
    strict.write_text('name = "strict"\nwarn_at = 0.0\n[critical]\nhallucination = false\n')
    report = judge(SAID, profile=str(strict))
    assert report.verdict == "WARN"
    assert report.raise_for_verdict("fail") is report
    with pytest.raises(VerdictError):
        report.raise_for_verdict()


def test_a_report_prints_as_the_command_line_shows_it():
    report = judge(SAID)
    assert str(report) == report_text(report)
    assert str(report).startswith("✗ FAIL  ")
    assert f"“{CLAIM}”" in str(report)


def test_a_notebook_shows_the_page_in_a_frame_that_can_do_nothing_else():
    report = evaluate_trace(ExecutionTrace(trace_id="<t>", messages=MESSAGES))
    shown = report._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!doctype html&gt;')
    assert shown.count("<") == 2


def test_the_page_of_a_report_has_the_timeline_where_the_trace_is_given():
    trace = ExecutionTrace(trace_id="t", messages=MESSAGES)
    report = evaluate_trace(trace)
    assert SAID[0]["content"] in report_page(report, trace)
    bare = report_page(report)
    assert json.dumps(CLAIM)[1:-1] in bare
    assert SAID[0]["content"] not in bare
