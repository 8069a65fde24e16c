"""Tests, builds, type checks and linters that are said to pass: after a run that failed, without a run, before the last edit."""

from collections.abc import Iterator
from typing import NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.checks import Check
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.report import Finding, Severity
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.check_claims import PASS_SIGNS, CheckClaim, check_claims
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.sentences import span_around
from sentinel_signal_hallucination.tables import regex

__all__ = ["passing"]

_NAMES = {"tests": "tests pass", "build": "build succeeds", "types": "type check passes", "lint": "linter is content"}
# What changes no code and runs nothing of it.
_QUIET = regex(r"(?:cd|ls|pwd|git (?:add|status|diff|log|show)|pip3? install (?!-e|\.)|mkdir|touch|true)\b")
_TELLS = regex(r"(?i)diagnostic|errors?\b|lint|problem|check|status|workflow|build|test|(?:^|[^a-z])ci(?:[^a-z]|$)")
_EDITORS = ("edit", "write", "patch", "replace", "insert", "create_file")
_HEARD = ("passed", "passing", "success", "green")


class _Run(NamedTuple):
    call: Call
    check: Check


def passing(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterator[Evidence]:
    """The first claim of each kind that the record speaks against."""
    told: set[str] = set()
    for text in texts:
        for claim in check_claims(text):
            if claim.kind not in told and (found := _judge(claim, text, index, settings)) is not None:
                told.add(claim.kind)
                yield found


def _judge(claim: CheckClaim, text: Text, index: TraceIndex, settings: Settings) -> Evidence | None:
    calls = index.calls[: text.calls_before]
    runs = [_Run(call, check) for call in calls for check in call.checks if check.kind == claim.kind]
    says = f"The agent says that the {_NAMES[claim.kind]}"
    if not runs:
        never = _could_not_run(text, index, calls)
        return (
            _evidence("checks_not_run", "warning", claim, text, f"{says}, and no call ran them.", settings.unrun_weight)
            if never
            else None
        )
    last = runs[-1]
    if last.check.passed is False:
        if claim.kind == "lint" and not last.check.ending:
            return None  # exit codes of linters tell of mere notes, too
        if (
            _is_compared(runs, calls)
            or _user_saw(index, last.call.message_index, text.message_index)
            or _unseen_since(last.call, calls)
        ):
            return None
        how = f'ended with "{last.check.ending}"' if last.check.ending else "failed"
        return _evidence(
            "contradicted_checks",
            "error",
            claim,
            text,
            f"{says}, but the last run before it {how}.",
            settings.checks_weight,
        )
    edit = next((call for call in reversed(calls) if call.position > last.call.position and _is_edit(call)), None)
    if last.check.passed and edit is not None and not _unseen_since(last.call, calls):
        told = f'{says}; they did before the last edit (call of "{edit.call.name}"), and no call ran them since.'
        return _evidence("stale_checks", "note", claim, text, told, 0.0)
    return None


def _could_not_run(text: Text, index: TraceIndex, calls: list[Call]) -> bool:
    """True where nothing that was called can have run the check, the agent has tools, and somebody gave it work."""
    if not index.asked or not index.tools:
        return False
    for call in calls:
        facts = index.tools[call.call.name]
        content = call.result.content.lower() if call.result is not None else ""
        if (
            facts.runs_anything
            or _TELLS.search(facts.name)
            or {"run", "execute", "verify"} & facts.verbs
            or any(map(content.__contains__, _HEARD))
        ):
            return False
    return not _user_saw(index, -1, text.message_index)


def _is_compared(runs: list[_Run], calls: list[Call]) -> bool:
    """True where another command ran the same check on the same code, and it passed: the agent may compare the two."""
    last = runs[-1]
    others = (run for run in runs[:-1] if run.check.passed and run.call.key != last.call.key)
    return any(not any(map(_is_edit, calls[run.call.position + 1 : last.call.position])) for run in others)


def _is_edit(call: Call) -> bool:
    return any(map(call.call.name.lower().__contains__, _EDITORS))


def _unseen_since(last: Call, calls: list[Call]) -> bool:
    """True where a later call may have run the check unseen: a script, or a look at checks elsewhere."""
    return any(_may_check(call) for call in calls[last.position + 1 :])


def _may_check(call: Call) -> bool:
    content = call.result.content.lower() if call.result is not None else ""
    if _is_edit(call):
        return any(map(content.__contains__, (*_HEARD, "no issues")))  # a hook may have run it
    if _TELLS.search(call.call.name) or call.checks:
        return True
    command = command_of(call.call.arguments)
    if command is None:
        return False
    parts = parts_of(command)
    if not parts or "<<" in command:
        return True
    return any(
        part.text and part.text.partition(" ")[0] not in VIEWERS and not _QUIET.match(part.text) for part in parts
    )


def _user_saw(index: TraceIndex, since: int, until: int) -> bool:
    """True where the user speaks of what passes: he may have run it himself."""
    return any(
        since < at < until and any(map((index.messages[at].content or "").lower().__contains__, PASS_SIGNS))
        for at in index.asked
    )


def _evidence(rule: str, severity: Severity, claim: CheckClaim, text: Text, told: str, weight: float) -> Evidence:
    quote = span_around(text.content, claim.sentence.start, claim.sentence.end)
    finding = Finding(rule=rule, severity=severity, text=told, message_index=text.message_index, quote=quote)
    return Evidence(finding, weight, certain=severity == "error")
