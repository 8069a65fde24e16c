import attrs
import pytest

from sentinel_core import (
    ExecutionTrace,
    Message,
    MessageDetails,
    TokenDetails,
    TokenUsage,
    TraceDetails,
    TraceIndex,
)
from sentinel_signal_cost import CostSettings, detect, sentinel_signals

SETTINGS = CostSettings()


def usage(prompt, completion=0, cached=0, total=None):
    details = TokenDetails(cached_tokens=cached) if cached else None
    return TokenUsage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=total, details=details)


def reply(tokens, key=None, *, copied=False):
    details = MessageDetails(id=key, usage=tokens, is_copied_context=copied)
    return Message(role="assistant", content="Well.", details=details)


def run(*messages, total=None, children=()):
    details = TraceDetails(children=tuple(child.trace for child in children))
    return TraceIndex(ExecutionTrace(trace_id="t", messages=messages, token_usage=total, details=details))


def found(*messages, total=None, children=(), **changes):
    return detect(run(*messages, total=total, children=children), attrs.evolve(SETTINGS, **changes))


def budget_score(tokens, budget=200_000):
    """The README's formula, written out."""
    share = tokens / budget
    return round(share * share / (1 + share * share), 6)


def test_unrecorded_usage_cannot_be_measured():
    nothing = found(Message(role="assistant", content="Well."))
    assert (nothing.score, nothing.findings) == (None, ())
    assert nothing.details == "Token usage was not recorded."
    assert len(nothing.gaps) == 1


def test_a_small_run_scores_little_and_has_no_finding():
    small = found(total=usage(900, 100))
    assert (small.score, small.findings, small.gaps) == (budget_score(1000), (), ())
    assert small.score < 0.001
    assert small.details == "1,000 tokens; no budget is set."
    assert found(total=usage(900, 100), budget_tokens=2_000).details == "1,000 tokens of a budget of 2,000."


def test_the_budget_itself_scores_one_half_and_is_allowed():
    assert found(total=usage(200_000)).score == 0.5
    assert found(total=usage(200_000)).findings == ()
    [one] = found(total=usage(200_001), budget_tokens=200_000).findings
    assert (one.rule, one.severity) == ("over_budget", "warning")
    assert one.text == "The run used 200,001 tokens (with cached tokens discounted); its budget is 200,000."


@pytest.mark.parametrize(("times", "severity"), [(1.9, "warning"), (2, "error"), (3, "error")])
def test_severity_follows_the_score(times, severity):
    [one] = found(total=usage(int(times * 200_000)), budget_tokens=200_000).findings
    assert one.severity == severity


@pytest.mark.parametrize(
    ("limit", "run_", "text"),
    [
        ({"budget_tokens": 200_000}, {"total": usage(900_000)}, "the usual budget is 200,000"),
        ({"completion_ratio": 2.0}, {"total": usage(1000, 9000)}, "The model wrote 9,000 tokens and read 1,000"),
        ({"growth_tokens": 8_000}, {"messages": [reply(usage(1)), reply(usage(90_001))]}, "8,000 are usual"),
    ],
)
def test_a_limit_that_nobody_set_gives_the_score_and_a_note(limit, run_, text):
    messages = run_.pop("messages", ())
    unset, set_ = found(*messages, **run_), found(*messages, **run_, **limit)
    assert (unset.score, [one.rule for one in unset.findings]) == (set_.score, [one.rule for one in set_.findings])
    assert text in unset.findings[0].text
    assert {one.severity for one in unset.findings} == {"note"}
    assert set_.findings[0].severity in ("warning", "error")


def test_three_budgets_are_critical():
    assert found(total=usage(600_000)).score == 0.9


@pytest.mark.parametrize("tokens", [10**15, 10**16, 10**308, 10**400])
def test_counts_beyond_all_reason_stay_finite(tokens):
    for count in (usage(tokens), usage(1, tokens), usage(tokens, tokens, cached=tokens), usage(1, total=tokens)):
        assert found(total=count).score == 1.0
    growing = found(reply(usage(1)), reply(usage(tokens)), budget_tokens=10**19, growth_weight=0.3)
    assert growing.score == 0.3
    assert growing == found(reply(usage(1)), reply(usage(10**15)), budget_tokens=10**19, growth_weight=0.3)


def test_a_stated_total_goes_before_the_sum():
    assert found(total=usage(10, 10, total=200_000)).score == 0.5


def test_cached_tokens_are_a_discounted_part_of_the_prompt():
    assert found(total=usage(200_000, cached=200_000)).score == budget_score(20_000)
    assert found(total=usage(200_000, cached=100_000), cached_weight=1.0).score == 0.5
    assert found(total=usage(200_000, cached=100_000), cached_weight=0.0).score == budget_score(100_000)


def test_more_cached_tokens_than_prompt_tokens_are_not_believed():
    assert found(total=usage(1000, 1000, cached=50_000)).score == budget_score(1100)


def test_without_a_total_the_messages_are_summed():
    assert found(reply(usage(60_000)), reply(usage(139_000, 1000))).score == 0.5


def test_the_total_goes_before_the_messages():
    assert found(reply(usage(500_000)), total=usage(1000)).score == budget_score(1000)


def test_copied_context_and_repeated_ids_count_once():
    parts = [reply(usage(1000), "a"), reply(usage(1000), "a"), reply(usage(1000), "b", copied=True), reply(usage(1000))]
    assert found(*parts, reply(usage(1000))).score == budget_score(3000)


def test_children_are_added():
    child = run(reply(usage(50_000)), children=(run(total=usage(50_000)),))
    assert found(total=usage(100_000), children=(child,)).score == 0.5


def test_children_without_usage_leave_a_gap():
    told = found(total=usage(1000), children=(run(total=usage(1000)), run(children=(run(total=usage(1)), run()))))
    assert told.gaps == (
        "No token usage is recorded for sub-agent 1.",
        "No token usage is recorded for sub-agent 1.1.",
    )
    assert found(children=(run(total=usage(1000)),)).gaps == ("No token usage is recorded for the trace itself.",)


def growing(step, calls=5, start=1000):
    return [reply(usage(start + number * step, 10)) for number in range(calls)]


def test_prompt_growth():
    assert found(*growing(8000)).findings == ()
    wild = found(*growing(16_000, calls=3))
    [one] = wild.findings
    assert (one.rule, one.message_index) == ("prompt_growth", 2)
    assert wild.score == 0.25
    assert "16,000 tokens" in one.text


def test_growth_alone_stays_under_its_weight():
    huge = found(*growing(10_000_000, calls=2), budget_tokens=10**12)
    assert 0.49 < huge.score < 0.5


def test_a_prompt_that_shrinks_gives_nothing_back():
    prompts = [1000, 31_000, 1000, 31_000]
    wild = found(*(reply(usage(prompt)) for prompt in prompts))
    assert [one.rule for one in wild.findings] == ["prompt_growth"]
    assert "20,000 tokens" in wild.findings[0].text


def test_one_call_cannot_grow():
    assert found(reply(usage(150_000))).findings == ()


def test_growth_of_a_child_names_the_child():
    wild = found(total=usage(10), children=(run(*growing(1)), run(*growing(20_000, calls=3))))
    assert [(one.rule, one.trace_path) for one in wild.findings] == [("prompt_growth", (1,))]


def test_completion_ratio():
    assert found(total=usage(1000, 2000)).findings == ()
    wordy = found(total=usage(1000, 4000), completion_ratio=2.0)
    assert [(one.rule, one.severity) for one in wordy.findings] == [("completion_ratio", "warning")]
    assert wordy.score == 0.2
    assert found(total=usage(999, 1999)).findings == ()
    assert found(total=usage(0, 10**5)).score < 0.4


def test_the_worst_rule_comes_first():
    both = found(total=usage(100_000, 900_000))
    assert [one.rule for one in both.findings] == ["over_budget", "completion_ratio"]
    assert both.score == budget_score(1_000_000)


def test_metadata_and_names_of_traces_are_not_read():
    index = run(total=usage(1000))
    other = TraceIndex(attrs.evolve(index.trace, trace_id="other", metadata={"labels": {"success": False}}))
    assert detect(index, SETTINGS) == detect(other, SETTINGS)


@pytest.mark.parametrize(
    "changes",
    [
        {"budget_tokens": 0},
        {"cached_weight": 1.1},
        {"growth_tokens": 0},
        {"completion_ratio": 0.0},
        {"growth_weight": -1.0},
    ],
)
def test_settings_refuse_what_makes_no_sense(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        CostSettings(**changes)


def test_the_hook_offers_the_signal():
    [signal] = sentinel_signals()
    assert (signal.name, signal.detect, signal.settings) == ("cost", detect, CostSettings)
