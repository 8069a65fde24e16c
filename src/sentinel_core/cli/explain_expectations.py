"""What ``sentinel explain expect.called`` says: the rules of ``--expect``, which belong to no plugin."""

from collections.abc import Iterator, Mapping

from sentinel_core.runtime.printable import printable

__all__ = ["explained", "names"]

_RULES: Mapping[str, tuple[str, str, str]] = {
    "expect.answer": (
        "The answer does not match",
        "answer matches REGEX",
        "Neither the submitted answer nor the agent's last text matches the regular expression (re.search).",
    ),
    "expect.before": (
        "A call was made too early, or the call that must come first was never made",
        "called:A before B",
        "A was not called, or B was called before the first call to A.",
    ),
    "expect.called": (
        "An expected call is missing",
        "called:TOOL",
        "No tool with this name was called, or every call to it failed. Calls by sub-agents count, and * and ? are wildcards.",
    ),
    "expect.grounded": (
        "The results of the tools contradict the report or the answer",
        "grounded",
        "A number, name, severity or deed in the last report (a call with findings) or in the answer is in no result, or a result says otherwise.",
    ),
    "expect.max_calls": (
        "More calls than allowed",
        "max-calls:N",
        "The run and its sub-agents made more than N calls.",
    ),
    "expect.not_called": (
        "A forbidden call was made",
        "not called:TOOL",
        "A tool with this name was called, even if the call failed.",
    ),
}


def names() -> list[str]:
    """The ids of the rules."""
    return list(_RULES)


def explained(rule: str) -> Iterator[str]:
    """Lines on one of ``names()``."""
    title, form, what = _RULES[rule]
    yield f"{printable(rule)} (error)"
    yield f"  {title}"
    yield from ("", "  What", f"    {what}")
    yield from (
        "",
        "  Why",
        "    You said with --expect, --expect-file, expect= or a marker what the run must do, and it did not. The verdict is FAIL.",
    )
    yield from ("", "  Example", f"    --expect '{form}'")
    yield from (
        "",
        "  What to do",
        "    If the outcome is wrong, fix the agent; otherwise fix the expectation: the tool may have another name.",
    )
    yield from ("", "  Switch off", "    Remove the expectation.")
