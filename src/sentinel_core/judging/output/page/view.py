"""What the page shows of a trace: its messages as harmless text without secrets, and where each finding has its evidence."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.evaluate.outcome import judge_result
from sentinel_core.judging.output.evidence import evidence_of, index_at
from sentinel_core.judging.output.page.files import files_changed, is_refused
from sentinel_core.judging.output.page.request import asked_of
from sentinel_core.report import Finding, ReliabilityReport
from sentinel_core.runtime.printable import visible
from sentinel_core.runtime.redact import redact, redact_cut, redact_value
from sentinel_core.trace import ExecutionTrace, Message

__all__ = ["LONGEST", "view"]

LONGEST = 12_000  # characters of one text; of a long trace less, so that the page stays small
_SHORTEST = 800
_ALL_TEXT = 4_000_000
_TOO_LONG = 1 << 20  # characters: of such a text the beginning alone is looked at
_LONG_PATH = 20
_EMBEDDED = re.compile(r"data:([\w.+/-]{1,80});base64,([A-Za-z0-9+/=]{200,})")

_Object = dict[str, Any]


class _Limit(NamedTuple):
    """Cuts texts to so many characters."""

    longest: int

    def text(self, text: str) -> _Object:
        """The text as the page shows it, under ``text``, and how many characters are ``left`` out."""
        whole = len(text)
        clean = redact_cut(text[:_TOO_LONG]) if whole > _TOO_LONG else redact(text)
        clean = visible(_EMBEDDED.sub(_named, clean))
        if len(clean) <= self.longest:
            return {"text": clean}
        tail = 0 if whole > _TOO_LONG else self.longest // 3
        head = self.longest - tail
        end = clean[len(clean) - tail :]
        return {"text": clean[:head], "tail": end, "left": max(whole - head - tail, 1)}

    def argument(self, value: object) -> _Object:
        """An argument as the model wrote it; what is no text as JSON."""
        if isinstance(value, str):
            return self.text(value)
        return self.text(json.dumps(value, ensure_ascii=False, indent=1, default=str))


def _named(match: re.Match[str]) -> str:
    return f"[{match[1]}, {len(match[2]) * 3 // 4:,} bytes, left out]"


def view(trace: ExecutionTrace, report: ReliabilityReport) -> _Object:
    """The trace as the page takes it. ``evidence`` has an entry for each of the report's findings."""
    index = TraceIndex(trace)
    evidence = [_evidence(finding, index) for finding in report.findings]
    found = _agent(index, ()) | {"evidence": evidence, "report": _shown(msgspec.to_builtins(report, enc_hook=str))}
    title, asks = asked_of(trace.messages)
    more = {"request": title, "asks": asks, "files": files_changed(index)}
    return found | {name: value for name, value in more.items() if value}


def _shown(value: Any) -> Any:
    """A JSON value with all its texts as a page shows them; a report has no secrets any more."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: _shown(inner) for key, inner in value.items() if key != "settings"}
    return list(map(_shown, value)) if isinstance(value, list | tuple) else value


def _agent(index: TraceIndex, path: tuple[int, ...]) -> _Object:
    limit = _Limit(min(LONGEST, max(_SHORTEST, _ALL_TEXT // max(1, len(index.messages)))))
    details = index.trace.details
    names = {call.result_message_index: [] for call in index.calls}  # type: dict[int | None, list[Call]]
    for call in index.calls:
        names[call.result_message_index].append(call)
    messages = [
        _message(message, names.get(position, ()), limit) for position, message in enumerate(index.trace.messages)
    ]
    found: _Object = {"messages": messages}
    if index.trace.token_usage is not None:
        found["tokens"] = index.trace.token_usage.total
    if details is not None and details.outcome:
        found["outcome"] = visible(redact(details.outcome))
    if index.children and len(path) < _LONG_PATH:
        found["children"] = [_child(child, (*path, place)) for place, child in enumerate(index.children)]
    return found


def _child(child: TraceIndex, path: tuple[int, ...]) -> _Object:
    details = child.trace.details
    parent = None if details is None else details.parent_call_id
    about = {"id": visible(redact(child.trace.trace_id)), "call": parent and visible(redact(parent))}
    return _agent(child, path) | about


def _message(message: Message, answered: "tuple[Call, ...] | list[Call]", limit: _Limit) -> _Object:
    details = message.details
    name = (message.metadata or {}).get("name")
    found: _Object = {
        "role": message.role,
        "name": visible(redact(name)) if isinstance(name, str) else None,
        "content": limit.text(message.content) if message.content else None,
        "calls": [
            {
                "id": visible(redact(call.id)),
                "name": visible(redact(call.name)),
                "arguments": list(_arguments(call.arguments, limit)),
            }
            for call in message.tool_calls
        ],
        "results": list(_results(message, answered, limit)),
        "time": message.timestamp and visible(redact(message.timestamp)),
    }
    if details is not None:
        found |= {
            "reasoning": limit.text(details.reasoning) if details.reasoning else None,
            "model": details.model and visible(redact(details.model)),
            "tokens": None if details.usage is None else details.usage.total,
            "cost": details.cost_usd,
            "ms": details.duration_ms,
            "copied": details.is_copied_context,
            "origin": details.origin and visible(redact(details.origin)),
        }
    return {key: value for key, value in found.items() if value not in (None, [], False)}


def _arguments(arguments: Mapping[str, Any], limit: _Limit) -> Iterator[_Object]:
    for name, value in redact_value(arguments).items():
        yield {"name": visible(name), **limit.argument(value)}


def _results(message: Message, answered: "tuple[Call, ...] | list[Call]", limit: _Limit) -> Iterator[_Object]:
    """Each result with the name of its call, which the source does not repeat, and whether the call failed or never ran."""
    waiting = list(answered)
    for result in message.tool_results:
        owner = next((call for call in waiting if call.call.id == result.tool_call_id), None)
        found: _Object = {
            "id": visible(redact(result.tool_call_id)),
            "ok": False if judge_result(result).state == "failed" else result.success,
            **limit.text(result.content),
        }
        if is_refused(result):
            found |= {"ok": None, "refused": True}
        if owner is not None:
            waiting.remove(owner)
            found |= {"name": visible(redact(owner.call.name)), "asked": owner.message_index}
        yield found


def _worked(call: Call) -> bool | None:
    """None where the result does not say: that nothing in it speaks of a failure is no sign of success."""
    outcome = call.outcome
    return False if outcome.state == "failed" else outcome.reason in ("flag", "exit_code") or None


def _evidence(finding: Finding, index: TraceIndex) -> _Object:
    own = index_at(index, finding)
    if own is None:
        return {}
    evidence = evidence_of(finding, own)
    if evidence.call is not None:
        return {"call": _call(evidence.call), "shown": evidence.shown and visible(redact(evidence.shown))}
    if evidence.before is not None:
        return {"before": [_call(call) for call in evidence.before], "number": evidence.number}
    return {}


def _call(call: Call) -> _Object:
    """Enough to name a call, and to find it on the page."""
    found: _Object = {"name": visible(redact(call.call.name)), "asked": call.message_index}
    brief = _Limit(_SHORTEST)
    found["arguments"] = list(_arguments(call.call.arguments, brief))
    if call.result is not None:
        found |= {"at": call.result_message_index, "ok": _worked(call), "result": brief.text(call.result.content)}
    return found
