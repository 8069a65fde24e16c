"""What ``sentinel explain expect.called`` says: the rules of ``--expect``, which belong to no plugin."""

from collections.abc import Iterator, Mapping

from sentinel_core.runtime.printable import printable

__all__ = ["explained", "names"]

_RULES: Mapping[str, tuple[str, str, str]] = {
    "expect.answer": (
        "The answer does not match",
        "answer matches REGEX",
        "Neither what was submitted nor the last text matches the regular expression (re.search).",
    ),
    "expect.before": (
        "A call came too early, or the first one never",
        "called:A before B",
        "A was not called, or a call of B stands before the first call of A.",
    ),
    "expect.called": (
        "A call that was expected is missing",
        "called:TOOL",
        "No call of a tool of this name was made, or each of them failed. Calls of sub-agents count, and * and ? are wildcards.",
    ),
    "expect.max_calls": (
        "More calls than allowed",
        "max-calls:N",
        "The run and its sub-agents made more than N calls.",
    ),
    "expect.not_called": (
        "A call that was forbidden was made",
        "not called:TOOL",
        "A tool of this name was called, even if the call failed.",
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
        "    You said with --expect, --expect-file, expect= or a marker what the run must do. It is a FAIL.",
    )
    yield from ("", "  Example", f"    --expect '{form}'")
    yield from (
        "",
        "  What to do",
        "    Mend the agent if the outcome is wrong, else the expectation: a tool may have another name.",
    )
    yield from ("", "  Switch off", "    Leave the expectation out.")
