from typing import NamedTuple

import pytest
from tables import each_row

from sentinel_core.errors import PluginError
from sentinel_core.host.selection import SELECTABLE, Selection, did_you_mean, load_target_kind


class One(NamedTuple):
    kind: str
    name: str
    distribution: str | None = None


INSTALLED = {
    One("guardrails", "rerun_limit"),
    One("providers", "echo"),
    One("providers", "offline"),
    One("signals", "cost"),
    One("signals", "echo"),
    One("signals", "loop"),
    One("tools", "search"),
    One("trace_readers", "native"),
}


def wanted(text: str | None) -> set[str]:
    return {f"{one.kind}:{one.name}" for one in Selection.parse(text).resolve(INSTALLED)}


EVERYTHING = {f"{one.kind}:{one.name}" for one in INSTALLED}
SIGNALS = {one for one in EVERYTHING if one.startswith("signals:")}


@each_row(
    ("text", "expected"),
    [
        (None, EVERYTHING),
        ("loop", EVERYTHING - SIGNALS | {"signals:loop"}),
        (" loop , cost ,", EVERYTHING - {"signals:echo"}),
        ("loop,loop", EVERYTHING - SIGNALS | {"signals:loop"}),
        ("loop,offline", EVERYTHING - SIGNALS - {"providers:echo"} | {"signals:loop"}),
        ("signals:echo", EVERYTHING - SIGNALS | {"signals:echo"}),
        ("providers:echo", EVERYTHING - {"providers:offline"}),
        ("no:cost", EVERYTHING - {"signals:cost"}),
        ("no:signals:echo", EVERYTHING - {"signals:echo"}),
        ("loop,no:loop", EVERYTHING - SIGNALS),
        ("loop,cost,no:cost", EVERYTHING - SIGNALS | {"signals:loop"}),
        ("+loop", EVERYTHING),
        ("loop,+cost", EVERYTHING - SIGNALS | {"signals:loop", "signals:cost"}),
        ("loop,+signals:echo,no:cost", EVERYTHING - SIGNALS | {"signals:loop", "signals:echo"}),
        ("+./mine.py,loop", EVERYTHING - SIGNALS | {"signals:loop"}),
        ("./mine.py", EVERYTHING),
        ("./mine.py,loop", EVERYTHING - SIGNALS | {"signals:loop"}),
        ("", EVERYTHING - SIGNALS - {"guardrails:rerun_limit"}),
        (" , ", EVERYTHING - SIGNALS - {"guardrails:rerun_limit"}),
    ],
)
def test_grammar(text, expected):
    assert wanted(text) == expected


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("lop", 'no plugin named "lop" is installed; did you mean "loop"? ("sentinel plugins" lists the plugins)'),
        ("zzz", 'no plugin named "zzz" is installed ("sentinel plugins" lists the plugins)'),
        ("no:lop", 'no plugin named "lop" is installed; did you mean "loop"?'),
        ("tools:loop", 'no plugin named "tools:loop" is installed; did you mean "loop"?'),
        ("echo", '"echo" in --plugins matches plugins of two kinds; write "providers:echo" or "signals:echo"'),
        ("no:echo", '"echo" in --plugins matches plugins of two kinds'),
        (
            "signal:loop",
            f'"signal:loop" in --plugins: there is no kind "signal"; the kinds are {", ".join(SELECTABLE)}',
        ),
    ],
)
def test_errors_say_what_to_write(text, error):
    with pytest.raises(PluginError) as caught:
        wanted(text)
    assert str(caught.value).startswith(error)


@each_row(
    ("item", "kind"),
    [
        ("loop", None),
        ("signals:loop", None),
        ("no:loop", None),
        ("./mine.py", "file"),
        ("mine.py", "file"),
        ("folder/mine", "file"),
        ("my_package.module", "module"),
        ("signals:a.b", None),
    ],
)
def test_what_an_item_names(item, kind):
    assert load_target_kind(item) == kind


def test_targets_are_in_the_order_given():
    assert Selection.parse("b.c,loop,./a.py,no:cost").targets == ("b.c", "./a.py")
    assert Selection.parse("+./a.py,+loop").targets == ("./a.py",)
    assert Selection.parse(None).targets == ()


NAMESAKES = {
    One("signals", "loop", "our-loop"),
    One("signals", "loop", "Their.Loop"),
    One("signals", "cost", "our-cost"),
}


@each_row(
    ("text", "expected"),
    [
        (None, {"our-loop", "Their.Loop", "our-cost"}),
        ("loop", {"our-loop", "Their.Loop"}),
        ("our-loop:loop", {"our-loop"}),
        ("+our-loop:loop", {"our-loop", "our-cost"}),
        ("+their-loop:loop", {"Their.Loop", "our-cost"}),
        ("signals:their_loop:loop", {"Their.Loop"}),
        ("no:our-loop:loop", {"Their.Loop", "our-cost"}),
        ("no:loop", {"our-cost"}),
    ],
)
def test_a_distribution_settles_which_of_two_namesakes_is_meant(text, expected):
    assert {one.distribution for one in Selection.parse(text).resolve(NAMESAKES)} == expected


def test_what_names_leave_out():
    assert Selection.parse("loop").replaced(INSTALLED) == {"signals": ["cost", "echo"]}
    assert Selection.parse("loop,offline").replaced(INSTALLED) == {"providers": ["echo"], "signals": ["cost", "echo"]}
    for text in (None, "+loop", "no:cost", "./mine.py", "", "our-loop:loop,+cost"):
        given = NAMESAKES if text and "our" in text else INSTALLED
        assert Selection.parse(text).replaced(given) == {}


def test_asked_for_is_what_was_named():
    assert Selection.parse("loop,no:cost,./a.py").asked_for(INSTALLED) == {One("signals", "loop")}
    assert Selection.parse("+loop").asked_for(INSTALLED) == {One("signals", "loop")}


def test_did_you_mean():
    assert did_you_mean("bugdet", {"budget", "limit"}) == '; did you mean "budget"?'
    assert did_you_mean("bugdet", set()) == ""
    assert did_you_mean("bugdet", {"budget_tokens", "ceiling"}) == '; did you mean "budget_tokens"?'
    assert did_you_mean("nope", {"openai", "loop"}) == ""
    assert did_you_mean("claud", {"claude-code", "codex"}) == '; did you mean "claude-code"?'
    assert did_you_mean("cl", {"claude-code", "codex"}) == ""
    rules = {"hallucination.contradicted_checks", "tool_misuse.failed_call", "loop.cycle"}
    assert did_you_mean("contradicted_tests", rules) == '; did you mean "hallucination.contradicted_checks"?'
    assert did_you_mean("failed_call", rules) == '; did you mean "tool_misuse.failed_call"?'
    assert did_you_mean("hallucination.contradicted", rules) == '; did you mean "hallucination.contradicted_checks"?'
