"""A finding in two lines that an agent can act on: what it said, and what the record says, with what to do."""

from collections.abc import Mapping

from sentinel_command_hook.verdict import failed_check
from sentinel_core import Finding, TraceIndex
from sentinel_core.runtime.printable import clipped, printable
from sentinel_core.runtime.redact import redact

__all__ = ["note", "reason"]

_SAID, _COMMAND, _ENDING, _FACT = 200, 100, 160, 300  # characters
_RUNS: Mapping[str, tuple[str, str]] = {
    "tests": ("The last run of tests", "Run them again, or say that they fail."),
    "build": ("The last build", "Build again, or say that it fails."),
    "types": ("The last type check", "Run it again, or say that it fails."),
    "lint": ("The last run of the linter", "Run it again, or say that it fails."),
}
_AGAIN = "Do it again, or say that it failed."
_EVIDENCE: Mapping[str, str] = {
    "claim_without_call": "No call in this session could have done it. Do it, or say that it is not done.",
    "contradicted_claim": f"Every call that could have done it failed. {_AGAIN}",
    "identifier": "It appears in no result and nowhere else in this session. Look it up, or leave it out.",
    "result_without_call": "No call in this session returned that. Make the call, or take the claim back.",
}
_FAILED = frozenset(("command", "done", "state", "other_state"))  # ways to that rule whose text says which call failed
_TELL = "Tell of it, or undo it."
_DO = "Make it true, or take the claim back."


def reason(finding: Finding, index: TraceIndex) -> str:
    """For the agent."""
    return f"{_said(finding)}\n{_evidence(finding, index)}"


def note(finding: Finding, prefix: str) -> str:
    """One line for the user."""
    return f"Sentinel: {prefix}{_safe(finding.text, _SAID)} ({finding.rule})"


def _said(finding: Finding) -> str:
    return (
        f"You said {_quoted(finding.quote, _SAID)}."
        if finding.quote
        else "The record does not support your last message."
    )


def _evidence(finding: Finding, index: TraceIndex) -> str:
    call = failed_check(index, finding)
    check = None if call is None else call.check
    if finding.rule == "contradicted_checks" and check is not None:
        how = f"ended with {_quoted(check.ending, _ENDING)}" if check.ending else "failed"
        command = _safe(check.command, _COMMAND).replace("`", "'")
        what, do = _RUNS[check.kind]
        return f"{what}, `{command}`, {how}. {do}"
    if finding.rule == "contradicted_claim" and finding.branch in _FAILED and ", but " in finding.text:
        fact = finding.text.partition(", but ")[2]
        return f"{_safe(fact[0].upper() + fact[1:], _FACT)} {_AGAIN}"
    if finding.branch == "denied" and ", but " in finding.text:
        fact = finding.text.partition(", but ")[2]
        return f"{_safe(fact[0].upper() + fact[1:], _FACT)} {_TELL}"
    return _EVIDENCE.get(finding.rule) or f"{_safe(finding.text, _SAID)} {_DO}"


def _quoted(text: str | None, width: int) -> str:
    return f'"{_safe(text or "", width).strip(".")}"'


def _safe(text: str, width: int) -> str:
    return printable(clipped(redact(text), width))
