"""What a verdict becomes, and promptfoo's assertion: its file format is JSON in and JSON out."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from runs import ASKED, LIE, RULE, TRUTH, messages_of, spans_of

from sentinel_core.errors import InputError, VerdictError
from sentinel_evals import score
from sentinel_evals.promptfoo import get_assert


def told(output, **context):
    """What promptfoo gets: both ways are through JSON."""
    return json.loads(json.dumps(get_assert(output, json.loads(json.dumps(context)))))


def response(answer):
    return {"output": answer, "metadata": {"messages": messages_of(answer)}}


def milliseconds(text):
    return datetime.fromisoformat(text).timestamp() * 1000


def trace_of(answer):
    """Spans as promptfoo holds them."""
    spans = [
        {
            "spanId": one["context"]["span_id"],
            "parentSpanId": one.get("parent_id"),
            "name": one["name"],
            "startTime": milliseconds(one["start_time"]),
            "endTime": milliseconds(one["end_time"]),
            "statusCode": 1,
            "attributes": one["attributes"],
        }
        for one in spans_of(answer)
    ]
    return {"traceId": "0" * 31 + "1", "spans": spans}


def test_a_lie_scores_nothing_and_the_truth_one():
    lie, truth = score(messages_of(LIE)), score(messages_of(TRUTH))
    assert (lie.value, lie.verdict, lie.passed, lie.rules) == (0.0, "FAIL", False, (RULE,))
    assert (truth.value, truth.verdict, truth.passed, truth.rules) == (1.0, "PASS", True, ())
    assert truth.reason == "No error or warning was found."


def test_the_reason_tells_each_thing_once_with_its_evidence():
    reason = score(messages_of(LIE)).reason
    assert reason.count("1 failed, 2 passed") == 1
    assert reason.endswith(f'- {RULE} "{LIE}"')


def test_a_warning_is_half_and_does_not_pass():
    asked, call, result, _ = messages_of(TRUTH)
    found = score([asked, *(call, result) * 3, {"role": "assistant", "content": TRUTH}])
    assert (found.value, found.verdict, found.passed) == (0.5, "WARN", False)


def test_the_reason_is_harmless_on_a_terminal():
    assert "\x1b" not in score(messages_of(f"{LIE} \x1b[31mred")).reason


def test_a_run_without_a_verdict_has_no_score():
    with pytest.raises(VerdictError, match="no assistant text and no tool call"):
        score([{"role": "user", "content": ASKED}])


def test_what_is_no_run_is_refused():
    with pytest.raises(InputError):
        score({"data": []}, reader="phoenix")


@pytest.mark.parametrize("answer", [LIE, TRUTH])
@pytest.mark.parametrize(
    "context",
    [
        lambda answer: {"providerResponse": response(answer)},
        lambda answer: {"trace": trace_of(answer), "providerResponse": {"output": answer}},
    ],
    ids=["messages", "spans"],
)
def test_promptfoo_fails_a_lie_and_passes_the_truth(context, answer):
    got = told(answer, **context(answer))
    value = float(answer == TRUTH)
    assert (got["pass"], got["score"], got["namedScores"]) == (answer == TRUTH, value, {"sentinel": value})
    assert (RULE in got["reason"]) == (answer == LIE)


def test_promptfoo_takes_an_output_that_is_the_run():
    assert told({"messages": messages_of(TRUTH)}, vars={})["pass"]


def test_promptfoo_hands_on_what_the_config_expects():
    got = told(TRUTH, providerResponse=response(TRUTH), config={"expect": ["called:deploy"]})
    assert not got["pass"]
    assert "deploy" in got["reason"]


@pytest.mark.parametrize(
    ("context", "why"),
    [
        ({}, "metadata.messages"),
        ({"trace": {"traceId": "1", "spans": []}, "providerResponse": None}, "metadata.messages"),
        ({"providerResponse": {"metadata": {"messages": [7]}}}, "the list"),
        ({"providerResponse": {"metadata": {"messages": "/etc/hostname"}}}, "metadata.messages"),
        ({"providerResponse": response(TRUTH), "config": {"expect": ["called"]}}, "called"),
        ({"providerResponse": response(TRUTH), "config": {"profile": "gone"}}, "gone"),
    ],
)
def test_promptfoo_is_told_why_a_run_cannot_be_judged(context, why):
    got = told(ASKED, **context)
    assert (got["pass"], got["score"]) == (False, 0.0)
    assert why in got["reason"]


def test_the_example_of_the_readme(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    code = next(
        block for block in re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL) if "print" in block
    )
    exec(compile(code, "README.md", "exec"), {})
    told = re.search(r"print\(.*\)  # (.+)", code)
    assert capsys.readouterr().out == f"{told[1]}\n"
