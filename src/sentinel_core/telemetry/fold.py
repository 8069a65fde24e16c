"""What each kind of event means for the spans: one small function each, and the table that names them."""

from collections.abc import Callable, Mapping
from typing import Any

from sentinel_core.agent import events as ev
from sentinel_core.agent import otel_names as names
from sentinel_core.agent.conversation import message_of
from sentinel_core.agent.otel_ids import trace_id_of
from sentinel_core.agent.to_trace import to_trace
from sentinel_core.telemetry.content import as_json, clean_text, definitions, message_parts
from sentinel_core.telemetry.data import SpanEvent
from sentinel_core.telemetry.model_spans import MODEL_HANDLERS, usage_told
from sentinel_core.telemetry.open_span import Draft, Fold, Told
from sentinel_core.telemetry.outcome_spans import AFTER_HANDLERS
from sentinel_core.trace import ToolResult

__all__ = ["HANDLERS", "finish"]

WORKFLOW = "release_risk"
AGENT = "detective"


def _run_started(fold: Fold, event: ev.RunStarted) -> None:
    if "workflow" not in fold.open:
        root = fold.hold("workflow", fold.start("workflow", f"invoke_workflow {WORKFLOW}", None))
        root.attributes |= {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": WORKFLOW}
    fold.run = event
    agent = fold.hold("agent", fold.start(event.sequence, f"invoke_agent {AGENT}", fold.open["workflow"]))
    agent.attributes |= {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.provider.name": event.provider or None,
        "gen_ai.request.model": event.model,
        "gen_ai.request.temperature": event.settings.get("temperature"),
        "gen_ai.request.max_tokens": event.settings.get("max_tokens"),
        "gen_ai.system_instructions": as_json([{"type": "text", "content": event.system_prompt}]),
        "gen_ai.tool.definitions": definitions(event.tools),
        "sentinel.agent.run_id": event.run_id,
        "sentinel.agent.rerun_of": event.rerun_of,
        "sentinel.agent.rerun_of_trace": trace_id_of(event.rerun_of) if event.rerun_of else None,
        "sentinel.agent.settings": as_json(event.settings) if event.settings else None,
        names.SEQUENCE: event.sequence,
        names.AT: event.at,
    }


def _message_received(fold: Fold, event: ev.MessageReceived) -> None:
    told = _remember(fold, event)
    fold.instant(
        event.sequence,
        "sentinel.message user",
        fold.parent,
        {names.ROLE: "user", "gen_ai.input.messages": f"[{told}]", names.SEQUENCE: event.sequence, names.AT: event.at},
    )


def _tool_started(fold: Fold, event: ev.ToolStarted) -> None:
    call = event.call
    tool = fold.start(event.sequence, f"execute_tool {clean_text(call.name)}", fold.parent)
    schema = next((one for one in fold.run.tools if one.name == call.name), None)
    tool.attributes |= {
        **_tool_told(call.id, call.name),
        "gen_ai.tool.description": schema.description if schema else None,
        "gen_ai.tool.call.arguments": as_json(call.arguments),
        "sentinel.tool.idempotency_key": event.idempotency_key,
    }
    fold.hold(f"tool {call.id}", tool)


def _tool_finished(fold: Fold, event: ev.ToolFinished) -> None:
    result = event.result
    tool = fold.close(f"tool {result.tool_call_id}") or _not_run(fold, event)
    metadata = result.metadata
    tool.attributes |= {
        names.ROLE: "tool",
        "gen_ai.tool.call.result": clean_text(result.content),
        names.SUCCESS: result.success,
        names.TOOL_METADATA: None if metadata is None else as_json(metadata),
        names.SEQUENCE: event.sequence,
        names.AT: event.at,
    }
    if result.success is False:
        tool.fail(_kind_of(result), result.content)
    _count_tool(fold, failed=result.success is False)
    _remember(fold, event)


def _not_run(fold: Fold, event: ev.ToolFinished) -> Draft:
    """A call in a reply that was cut off is answered without being run."""
    call_id = event.result.tool_call_id
    called = (
        call.name
        for earlier in fold.record
        if isinstance(earlier, ev.ReplyReceived)
        for call in earlier.reply.tool_calls
        if call.id == call_id
    )
    name = next(called, "unknown")
    told = {**_tool_told(call_id, name), names.TOOL_RAN: False}
    return fold.instant(event.sequence, f"execute_tool {clean_text(name)}", fold.parent, told)


def _tool_told(call_id: str, name: str) -> Told:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": clean_text(name),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": clean_text(call_id),
        "gen_ai.agent.name": AGENT,
    }


def _kind_of(result: ToolResult) -> str:
    kind = (result.metadata or {}).get("error")
    return kind if isinstance(kind, str) else "tool_error"


def _count_tool(fold: Fold, *, failed: bool) -> None:
    agent = fold.open.get("agent")
    if agent is not None:
        for name, more in (("sentinel.tool.calls", 1), ("sentinel.tool.errors", int(failed))):
            agent.attributes[name] = int(agent.attributes.get(name) or 0) + more  # type: ignore[arg-type]


def _remember(fold: Fold, event: ev.MessageReceived | ev.ToolFinished) -> str:
    """The event's message as JSON, now part of what the model is shown."""
    message = message_of(event)
    assert message is not None
    fold.inputs.append(as_json(message_parts(message)))
    return fold.inputs[-1]


def _decided(fold: Fold, event: ev.Decided) -> None:
    parent = fold.parent
    if parent is not None:
        told = {"sentinel.decision": event.decision, "sentinel.reason": event.reason}
        detail = {"sentinel.detail": clean_text(event.detail)} if event.detail else {}
        parent.events.append(SpanEvent(name="sentinel.decision", time=fold.now, attributes={**told, **detail}))


def _run_resumed(fold: Fold, event: ev.RunResumed) -> None:
    for role in [role for role in fold.open if role not in ("workflow", "agent")]:
        fold.interrupt(role)
    parent = fold.parent
    if parent is not None:
        parent.events.append(
            SpanEvent(name="sentinel.resumed", time=fold.now, attributes={"sentinel.accepted": event.accepted})
        )


def _run_ended(fold: Fold, event: ev.RunEnded) -> None:
    for role in [role for role in fold.open if role not in ("workflow", "agent")]:
        fold.interrupt(role)
    agent = fold.close("agent")
    if agent is None:
        return
    agent.attributes[names.OUTCOME] = event.outcome
    if event.outcome == "model_error":
        agent.fail(str(agent.attributes.get("error.type") or "provider"), event.detail)


def finish(fold: Fold) -> None:
    """End what is open, and tell on the outermost span what holds for the whole conversation."""
    for role in [role for role in fold.open if role != "workflow"]:
        fold.interrupt(role)
    root = fold.open["workflow"]
    root.end = fold.now
    trace = to_trace(fold.record)
    assert trace.details is not None
    root.attributes |= {
        names.RUN_ID: trace.trace_id,
        names.OUTCOME: trace.details.outcome,
        names.METADATA: as_json(trace.metadata),
        "sentinel.conversation.message_count": len(trace.messages),
        **usage_told(trace.token_usage),
    }


HANDLERS: Mapping[type, Callable[[Fold, Any], None]] = {
    ev.RunStarted: _run_started,
    ev.MessageReceived: _message_received,
    ev.ToolStarted: _tool_started,
    ev.ToolFinished: _tool_finished,
    ev.Decided: _decided,
    ev.RunEnded: _run_ended,
    ev.RunResumed: _run_resumed,
    **MODEL_HANDLERS,
    **AFTER_HANDLERS,
}
