import pytest

from sentinel_core.errors import PluginError
from sentinel_core.host.selection import SELECTABLE, Selection, did_you_mean, load_target_kind

INSTALLED = {
    ("guardrails", "rerun_limit"),
    ("providers", "echo"),
    ("providers", "offline"),
    ("signals", "cost"),
    ("signals", "echo"),
    ("signals", "loop"),
    ("tools", "search"),
    ("trace_readers", "native"),
}


def wanted(text: str | None) -> set[str]:
    return {f"{kind}:{name}" for kind, name in Selection.parse(text).resolve(INSTALLED)}


EVERYTHING = {f"{kind}:{name}" for kind, name in INSTALLED}
SIGNALS = {one for one in EVERYTHING if one.startswith("signals:")}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    assert Selection.parse(None).targets == ()


def test_asked_for_is_what_was_named():
    assert Selection.parse("loop,no:cost,./a.py").asked_for(INSTALLED) == {("signals", "loop")}


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
