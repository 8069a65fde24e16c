"""The whole signal: score, sub-agents, settings, purity, cost."""

import gc
import os
import time
from pathlib import Path

import attrs
import pytest
from tables import each_row

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.testing import work_of
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_signal_hallucination import Settings, detect, sentinel_signals

# Ten times the input: a linear rule costs ten times as much, a quadratic one a hundred; the rest is a busy machine's noise.
TENFOLD = 25
FALSE_CLAIM = "I've cancelled your order."


def test_the_hook_offers_the_signal():
    (signal,) = sentinel_signals()
    assert (signal.name, signal.detect, signal.settings) == ("hallucination", detect, Settings)


@pytest.mark.parametrize("messages", [(), (Message(role="user", content="Hello?"),)])
def test_nothing_to_judge_is_unmeasured(messages):
    answer = detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)), Settings())
    assert (answer.score, answer.findings) == (None, ())


@pytest.mark.usefixtures("all_warn")
def test_doubtful_findings_never_reach_the_critical_threshold(script):
    doubtful = [
        script.call("get_a", None),
        script.say(f"{FALSE_CLAIM} <tool_response>1</tool_response> <tool_call>"),
    ] * 30
    answer = script.judge(script.user("Go."), script.call("get_a", "1"), *doubtful)
    assert answer.score == 0.75
    assert len({finding.rule for finding in answer.findings}) == 4


def test_two_certain_findings_weigh_more_than_one(script, monkeypatch):
    monkeypatch.setattr("sentinel_signal_hallucination.evidence.severity_of", lambda *_: "error")
    order, told = "Cancel my order and send the email.", f"{FALSE_CLAIM} I've sent the email."
    answer = script.judge(script.user(order), script.call("get_a", "1"), script.say(told))
    assert answer.score == round(1 - 0.15**2, 6)


def test_the_summary_counts_by_rule(script):
    answer = script.judge(script.user("Go."), script.call("get_a", "1"), script.say(FALSE_CLAIM))
    assert answer.details == "The record does not support what the agent says or calls: 1 claim_without_call."


def test_the_worst_sub_agent_counts(script):
    bad = script.trace(script.user("Cancel my order."), script.call("get_a", "1"), script.say(FALSE_CLAIM))
    grandchild = script.trace(script.user("Go."), script.say("Fine."), children=(bad,))
    answer = script.judge(script.user("Go."), script.say("Fine."), children=(bad, grandchild))
    assert answer.score == 0.85
    assert [finding.trace_path for finding in answer.findings] == [(0,), (1, 0)]


@each_row("name", [field.name for field in attrs.fields(Settings)])
@each_row("value", [-0.01, 1.01])
def test_weights_outside_their_range_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        Settings(**{name: value})


@each_row("name", [field.name for field in attrs.fields(Settings)])
@each_row("value", [0.0, 1.0])
def test_weights_at_the_ends_of_their_range_are_taken(name, value):
    assert getattr(Settings(**{name: value}), name) == value


def test_a_setting_changes_the_score(script):
    trace = script.trace(script.user("Cancel my order."), script.call("get_a", "1"), script.say(FALSE_CLAIM))
    assert script.detect(trace, effect_weight=0.2).score == 0.2


def test_labels_and_ids_are_never_read(script):
    trace = script.trace(script.user("Go."), script.call("get_a", "1"), script.say(FALSE_CLAIM))
    renamed = attrs.evolve(trace, trace_id="other", metadata={"labels": {"success": True}})
    assert script.detect(trace) == script.detect(renamed)


def test_the_index_is_left_as_it_was_and_the_answer_is_the_same_again(script):
    index = TraceIndex(script.trace(script.user("Go."), script.call("get_a", "1"), script.say(FALSE_CLAIM)))
    before = len(index.messages), len(index.calls), len(index.texts)
    assert detect(index, Settings()) == detect(index, Settings())
    assert (len(index.messages), len(index.calls), len(index.texts)) == before


def seconds(trace):
    index = TraceIndex(trace)
    best = float("inf")
    gc.collect()
    for _ in range(3):
        begin = time.process_time()
        detect(index, Settings())
        best = min(best, time.process_time() - begin)
    return best


@pytest.mark.parametrize("tool", ["get_order", "get_order_{}"])
def test_cost_is_linear_in_the_messages(script, tool):
    def long(count):
        steps = [script.call(tool.format(number), '{"total": 3}', says=FALSE_CLAIM) for number in range(count)]
        return script.trace(script.user("Go."), *steps)

    for count in (100, 800):
        detect(TraceIndex(long(count)), Settings())  # what a tool's name says is found once
    short, several = TraceIndex(long(100)), TraceIndex(long(800))
    assert work_of(lambda: detect(several, Settings())) < 10 * work_of(lambda: detect(short, Settings()))


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"order_id": "W{}", "amount": 12}, "Done: order W{} is paid, and {} more."),
        ({"mail": "ana{}@shop.example"}, "I've sent it to bob{}@shop.example."),
        pytest.param({"order_id": "W7", "amount": 1}, "I've paid {}.50 for order W7.", marks=pytest.mark.exhaustive),
    ],
)
def test_cost_is_linear_in_the_calls_that_change_something(script, arguments, answer):
    """Each carries values, which are compared with all that was given and told before and after."""

    def long(count):
        steps = []
        for number in range(count):
            given = {
                name: value.format(number) if isinstance(value, str) else number * value
                for name, value in arguments.items()
            }
            steps.append(script.call("pay_order", f'{{"ok": true, "invoice": "R-{number}"}}', **given))
        told = " ".join(answer.format(number, number) for number in range(count))
        return script.trace(script.user("Pay them."), *steps, script.say(told))

    for count in (100, 800):
        detect(TraceIndex(long(count)), Settings())
    short, several = TraceIndex(long(100)), TraceIndex(long(800))
    assert work_of(lambda: detect(several, Settings())) < 12 * work_of(lambda: detect(short, Settings()))


HOSTILE = each_row(
    "unit",
    ["I ", "I've ", "I have finally ", " been ", "has been ", "`", '"', "<code", "<code>", "```", "Action: a\n", "Dear ", "(", "1", "1,", "1.",
     "I filed, and ", "earch results ", "</execute>", '"name": "a", ', "the report was ", "> ", "not ", "May 1 ", "\n", " ", "If ", "ly ",
     "x\nHi A,\n", "I've confirmed a ", "I've placed a ", "I ** just ", "all tests ", "tests pass ",
     "1 failed, "],
)  # fmt: skip


def hostile(script, text):
    return script.trace(script.user("Go."), script.call("get_a", '{"a": 1}'), script.say(text))


@HOSTILE
def test_hostile_texts_are_judged(script, unit):
    """What backtracks without end would never come to its end here."""
    assert 0 <= script.detect(hostile(script, unit * 1_000)).score <= 1


@pytest.mark.skipif(os.environ.get("SENTINEL_SOAK") != "1", reason="needs a quiet machine: make soak")
@HOSTILE
def test_hostile_texts_cost_no_more_than_their_length(script, unit):
    assert seconds(hostile(script, unit * 4_000)) < TENFOLD * max(seconds(hostile(script, unit * 400)), 0.002)


def test_the_readme_tells_every_rule_and_setting():
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    rules = {rule.id for rule in sentinel_signals()[0].rules}
    for name in sorted(rules | {field.name for field in attrs.fields(Settings)}):
        assert f"`{name}`" in readme or f"({name})" in readme
    for field in attrs.fields(Settings):
        assert f"{field.default:g}" in readme


def test_the_example_of_the_readme_runs(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    code = readme.rpartition("```python\n")[2].partition("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip() == code.rpartition("# ")[2].strip()
