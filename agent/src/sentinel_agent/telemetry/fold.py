"""The effect of each kind of event on the spans: one small function each, and a table of them."""

from collections.abc import Callable, Mapping
from typing import Any

from sentinel_agent import events as ev
from sentinel_agent.conversation import message_of, to_trace
from sentinel_agent.telemetry.model_spans import MODEL_HANDLERS, usage_attributes
from sentinel_agent.telemetry.open_spans import (
    Fold,
    OpenAttributes,
    OpenSpan,
    as_json,
    clean_text,
    definitions,
    message_parts,
)
from sentinel_core.telemetry import names
from sentinel_core.telemetry.data import CLIENT, SpanEvent
from sentinel_core.telemetry.names import trace_id_of
from sentinel_core.trace import ToolResult

__all__ = ["HANDLERS", "OUTCOME_HANDLERS", "finish"]


def _guardrail_checked(fold: Fold, event: ev.GuardrailChecked) -> None:
    fold.instant(
        event.sequence,
        f"sentinel.guardrail {clean_text(event.guardrail)}",
        fold.parent,
        {
            "openinference.span.kind": "GUARDRAIL",
            "sentinel.guardrail.name": clean_text(event.guardrail),
            "sentinel.decision": event.action,
            "sentinel.reason": event.reason or None,
            "sentinel.detail": clean_text(event.detail) or None,
            "sentinel.guardrail.live": event.live,
        },
    )


def _attempt_judged(fold: Fold, event: ev.AttemptJudged) -> None:
    fold.instant(
        event.sequence,
        "sentinel.judgement",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.verdict": event.verdict,
            "sentinel.score": event.overall_score,
            "sentinel.rules": event.rules or None,
        },
    )


def _reflector_asked(fold: Fold, event: ev.ReflectorAsked) -> None:
    """A chat span like the agent's own, so that metrics count tokens, cost and time; it adds no message to the run."""
    model = event.model or fold.run.model
    chat = fold.start(event.sequence, f"chat {model}" if model else "chat", fold.parent, kind=CLIENT)
    chat.start -= int(event.duration_ms * 1e6)
    chat.end = fold.now
    chat.attributes |= {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": fold.run.provider or "unknown",
        "gen_ai.request.model": fold.run.model,
        "gen_ai.response.model": event.model,
        "operation.cost": event.cost_usd,
        "sentinel.loop.id": event.loop_id,
        "sentinel.reflection.persona": event.persona,
        **usage_attributes(event.usage),
    }


def _attempt_reflected(fold: Fold, event: ev.AttemptReflected) -> None:
    fold.instant(
        event.sequence,
        "sentinel.reflection",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.reflection.alignment": event.alignment_score,
            "sentinel.reflection.drift": event.drift_score,
            "sentinel.reflection.summary_valid": event.summary_valid,
            "sentinel.reflection.bias_tags": event.bias_tags or None,
            "sentinel.reflection.persona": event.persona or None,
        },
    )


def _loop_decided(fold: Fold, event: ev.LoopDecided) -> None:
    fold.instant(
        event.sequence,
        "sentinel.loop",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.decision": event.decision,
            "sentinel.reason": event.reason,
            "sentinel.detail": clean_text(event.detail) or None,
            "sentinel.loop.new_id": event.new_loop_id,
        },
    )


def _delivery_started(fold: Fold, event: ev.DeliveryStarted) -> None:
    span = fold.start(event.sequence, "sentinel.delivery", fold.parent)
    span.attributes |= {
        "sentinel.tool.idempotency_key": event.idempotency_key,
        "sentinel.delivery.below_evidence": event.below_evidence,
        "gen_ai.tool.call.arguments": as_json(event.arguments),
    }
    fold.hold("delivery", span)


def _delivery_finished(fold: Fold, event: ev.DeliveryFinished) -> None:
    span = fold.close("delivery") or fold.instant(event.sequence, "sentinel.delivery", fold.parent, {})
    span.attributes |= {
        "sentinel.delivery.status": event.status,
        "sentinel.delivery.report_id": event.report_id,
        "gen_ai.tool.call.result": clean_text(event.content),
    }
    if event.status != "delivered":
        span.fail(event.status, event.content)


OUTCOME_HANDLERS: Mapping[type, Callable[[Fold, Any], None]] = {
    ev.GuardrailChecked: _guardrail_checked,
    ev.AttemptJudged: _attempt_judged,
    ev.AttemptReflected: _attempt_reflected,
    ev.ReflectorAsked: _reflector_asked,
    ev.LoopDecided: _loop_decided,
    ev.DeliveryStarted: _delivery_started,
    ev.DeliveryFinished: _delivery_finished,
}


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
    message = _remember(fold, event)
    fold.instant(
        event.sequence,
        "sentinel.message user",
        fold.parent,
        {
            names.ROLE: "user",
            "gen_ai.input.messages": f"[{message}]",
            names.SEQUENCE: event.sequence,
            names.AT: event.at,
        },
    )


def _tool_started(fold: Fold, event: ev.ToolStarted) -> None:
    call = event.call
    tool = fold.start(event.sequence, f"execute_tool {clean_text(call.name)}", fold.parent)
    schema = next((tool for tool in fold.run.tools if tool.name == call.name), None)
    tool.attributes |= {
        **_tool_attributes(call.id, call.name),
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


def _not_run(fold: Fold, event: ev.ToolFinished) -> OpenSpan:
    """The span of a call in a truncated reply, which is answered without being run."""
    call_id = event.result.tool_call_id
    called = (
        call.name
        for earlier in fold.record
        if isinstance(earlier, ev.ReplyReceived)
        for call in earlier.reply.tool_calls
        if call.id == call_id
    )
    name = next(called, "unknown")
    attributes = {**_tool_attributes(call_id, name), names.TOOL_RAN: False}
    return fold.instant(event.sequence, f"execute_tool {clean_text(name)}", fold.parent, attributes)


def _tool_attributes(call_id: str, name: str) -> OpenAttributes:
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
    """Add the event's message to the model's input; returns it as JSON."""
    message = message_of(event)
    assert message is not None
    fold.inputs.append(as_json(message_parts(message)))
    return fold.inputs[-1]


def _decided(fold: Fold, event: ev.Decided) -> None:
    parent = fold.parent
    if parent is not None:
        decision = {"sentinel.decision": event.decision, "sentinel.reason": event.reason}
        detail = {"sentinel.detail": clean_text(event.detail)} if event.detail else {}
        parent.events.append(SpanEvent(name="sentinel.decision", time=fold.now, attributes={**decision, **detail}))


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
    """End open spans, and set the attributes of the whole conversation on the outermost span."""
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
        **usage_attributes(trace.token_usage),
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
    **OUTCOME_HANDLERS,
}
