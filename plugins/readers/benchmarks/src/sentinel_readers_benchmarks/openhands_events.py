"""Converts OpenHands events, first generation (``action``, ``observation``) and second (``kind``), to neutral pieces."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core.trace import CallDetails, Role, TokenUsage, ToolCall
from sentinel_core.traces.readers import Piece, pieces_of, usage_of
from sentinel_core.traces.readers.chat import Result, arguments_of, text_of
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, exit_success

__all__ = ["Event", "event_of", "is_known"]

# Internal notes of the runtime.
_HOUSEKEEPING = frozenset(
    {
        "agent_state_changed", "change_agent_state", "condensation", "condensation_request", "null", "recall", "start_hook",
        "Condensation", "CondensationRequest", "CondensationSummaryEvent", "ConversationStateUpdateEvent", "PauseEvent",
        "LLMCompletionLogEvent", "TokenEvent",
    }
)  # fmt: skip
# Keys of an old action that are not the tool's arguments.
_NO_ARGUMENTS = frozenset(
    {
        "action", "action_risk", "blocking", "cause", "confirmation_state", "final_thought", "hidden", "id", "images_urls",
        "image_urls", "is_confirmed", "keep_prompt", "kernel_init_code", "llm_metrics", "message", "observation", "source",
        "security_risk", "task_completed", "thought", "timeout", "timestamp", "tool_call_metadata", "args",
    }
)  # fmt: skip
_KINDS = frozenset((
    "ActionEvent", "AgentErrorEvent", "MessageEvent", "ObservationEvent", "SystemPromptEvent", "UserRejectObservation",
))  # fmt: skip
_SPOKEN = ("thought", "final_thought")
_ROLES: Mapping[object, Role] = {"user": "user", "agent": "assistant", "environment": "system"}


@attrs.frozen(kw_only=True)
class Event:
    """One event.

    ``id`` and ``cause`` tie an observation to its action; ``waits`` is True if the next message without a source is a user's;
    ``tools`` is a list of definitions, if the event has one.
    """

    piece: Piece
    id: int | str | None = None
    cause: int | str | None = None
    response_id: str | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    tools: object = None
    waits: bool = False
    finishes: bool = False
    is_delegate: bool = False
    ends_delegate: bool = False


def is_known(raw: dict[str, Any]) -> bool:
    """False for an event of neither generation, and for one of the second whose kind is unknown."""
    kind = raw.get("kind")
    if isinstance(kind, str):
        return kind in _HOUSEKEEPING or kind in _KINDS
    return bool(as_text(raw.get("observation")) or as_text(raw.get("action")))


def event_of(raw: dict[str, Any], *, from_user: bool) -> Event | None:
    """The event, or None for housekeeping. ``from_user`` decides who wrote a message without a source."""
    if isinstance(raw.get("kind"), str):
        return _second_generation(raw, raw["kind"])
    # An observation may repeat the action's name; only its own key says what it is.
    if as_text(raw.get("observation")):
        return _observation(raw, raw["observation"])
    action = as_text(raw.get("action"))
    if action is None or action in _HOUSEKEEPING:
        return None
    args = as_dict(raw["args"]) if "args" in raw else raw
    if action == "message":
        return _message(raw, args, from_user=from_user)
    if action == "system":
        piece = Piece(role="system", text=as_text(args.get("content")))
        return Event(piece=piece, tools=args.get("tools"))
    return _action(raw, args, action)


def _key(value: object) -> int | str | None:
    """An event's id: a number, or text."""
    return value if isinstance(value, (int, str)) else None


def _message(raw: dict[str, Any], args: dict[str, Any], *, from_user: bool) -> Event:
    role = _ROLES.get(as_text(raw.get("source")), "user" if from_user else "assistant")
    piece = Piece(role=role, text=as_text(args.get("content")))
    waits = role == "assistant" and args.get("wait_for_response") is True
    return _with_response(Event(piece=piece, id=_key(raw.get("id")), waits=waits), raw)


def _action(raw: dict[str, Any], args: dict[str, Any], action: str) -> Event:
    native = as_dict(raw.get("tool_call_metadata"))
    call_id = as_text(native.get("tool_call_id")) or ""
    arguments, not_json = _model_arguments(native, call_id)
    if arguments is None:
        kept = {"thought"} if action == "think" else set()
        arguments = {key: value for key, value in args.items() if key not in _NO_ARGUMENTS - kept}
    finishes = action in ("finish", "reject")
    details = CallDetails(raw_arguments=not_json, result_expected=not finishes)
    call = ToolCall(
        id=call_id,
        name=as_text(native.get("function_name")) or action,
        arguments=arguments,
        details=details if details != CallDetails() else None,
    )
    # A command that a person runs by hand is not a call of the agent.
    by_user = raw.get("source") == "user"
    said = None if action == "think" else next((args[key] for key in _SPOKEN if as_text(args.get(key))), None)
    piece = (
        Piece(role="user", text=f"{action}: {_first_text(arguments)}")
        if by_user
        else Piece(role="assistant", text=said, calls=(call,))
    )
    event = Event(
        piece=piece, id=_key(raw.get("id")), finishes=finishes and not by_user, is_delegate=action == "delegate"
    )
    return _with_response(event, raw)


def _first_text(arguments: dict[str, Any]) -> str:
    return next((value for value in arguments.values() if isinstance(value, str)), "")


def _model_arguments(native: dict[str, Any], call_id: str) -> tuple[dict[str, Any] | None, str | None]:
    """The arguments as the model wrote them, if its response is recorded."""
    for choice in as_list(as_dict(native.get("model_response")).get("choices")):
        for call in as_list(as_dict(as_dict(choice).get("message")).get("tool_calls")):
            if as_dict(call).get("id") == call_id:
                return arguments_of(as_dict(as_dict(call).get("function")).get("arguments"))
    return None, None


def _with_response(event: Event, raw: dict[str, Any]) -> Event:
    """The event with the response's id, model and tokens. Parallel calls repeat one response."""
    response = as_dict(as_dict(raw.get("tool_call_metadata")).get("model_response"))
    if not response:
        return event
    return attrs.evolve(
        event,
        response_id=as_text(response.get("id")),
        model=as_text(response.get("model")),
        usage=usage_of(response.get("usage")),
    )


def _observation(raw: dict[str, Any], kind: str) -> Event | None:
    if kind in _HOUSEKEEPING:
        return None
    text = text_of(raw.get("content"))
    call_id = as_text(as_dict(raw.get("tool_call_metadata")).get("tool_call_id"))
    cause = _key(raw.get("cause"))
    ends = kind in ("delegate", "delegate_result")
    if kind == "error" and call_id is None and cause is None and "extras" in raw:
        return Event(piece=Piece(role="system", text=text or None))
    result = Result(
        content=text, call_id=call_id, success=False if kind == "error" else _success(raw), metadata=_code(raw)
    )
    return Event(piece=Piece(role="tool", results=(result,)), cause=cause, ends_delegate=ends)


def _exit_code(raw: dict[str, Any]) -> object:
    extras = as_dict(raw.get("extras"))
    return raw.get("exit_code", extras.get("exit_code", as_dict(extras.get("metadata")).get("exit_code")))


def _success(raw: dict[str, Any]) -> bool | None:
    """By the exit code. An event's ``success`` flag only says that the runtime had no error."""
    if raw.get("observation") == "user_rejected":
        return False
    return exit_success(_exit_code(raw))


def _code(raw: dict[str, Any]) -> dict[str, Any] | None:
    code = _exit_code(raw)
    return {"exit_code": code} if type(code) is int else None


def _second_generation(raw: dict[str, Any], kind: str) -> Event | None:
    if kind in _HOUSEKEEPING:
        return None
    if kind == "ActionEvent":
        return _action_event(raw)
    if kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        return _observation_event(raw, failed=kind != "ObservationEvent")
    if kind == "SystemPromptEvent":
        return Event(piece=Piece(role="system", text=text_of(raw.get("system_prompt")) or None), tools=_tools(raw))
    if kind == "MessageEvent":
        role = _ROLES.get(as_text(raw.get("source")), "user")
        pieces = pieces_of(as_dict(raw.get("llm_message")), default_role=role)
        return (
            Event(piece=pieces[0], id=_key(raw.get("id")), response_id=as_text(raw.get("llm_response_id")))
            if pieces
            else None
        )
    message = text_of(raw.get("detail") or raw.get("error") or raw.get("message"))
    return Event(piece=Piece(role="system", text=message)) if message else None


def _tools(raw: dict[str, Any]) -> list[Any]:
    """Definitions of tools; OpenHands' own format has the name under ``title``."""
    tools = [as_dict(tool) for tool in as_list(raw.get("tools"))]
    return [tool if "name" in tool or "function" in tool else {**tool, "name": tool.get("title")} for tool in tools]


def _action_event(raw: dict[str, Any]) -> Event:
    raw_call = as_dict(raw.get("tool_call"))
    given = raw_call.get("arguments", as_dict(raw_call.get("function")).get("arguments"))
    arguments, not_json = arguments_of(given)
    if given is None:
        arguments = {key: value for key, value in as_dict(raw.get("action")).items() if key != "kind"}
    name = as_text(raw.get("tool_name")) or as_text(raw_call.get("name")) or ""
    finishes = name == "finish"
    details = CallDetails(raw_arguments=not_json, result_expected=not finishes)
    call = ToolCall(
        id=as_text(raw.get("tool_call_id")) or as_text(raw_call.get("id")) or "",
        name=name,
        arguments=arguments,
        details=details if details != CallDetails() else None,
    )
    said = text_of(raw.get("thought")) or (as_text(arguments.get("message")) if finishes else None)
    piece = Piece(role="assistant", text=said or None, reasoning=as_text(raw.get("reasoning_content")), calls=(call,))
    return Event(
        piece=piece, id=_key(raw.get("id")), response_id=as_text(raw.get("llm_response_id")), finishes=finishes
    )


def _observation_event(raw: dict[str, Any], *, failed: bool) -> Event:
    observation = as_dict(raw.get("observation"))
    code = observation.get("exit_code", as_dict(observation.get("metadata")).get("exit_code"))
    error = failed or observation.get("is_error") is True or bool(observation.get("error"))
    content = (
        observation.get("content")
        or observation.get("output")
        or observation.get("text")
        or raw.get("error")
        or raw.get("rejection_reason")
    )
    result = Result(
        content=text_of(content),
        call_id=as_text(raw.get("tool_call_id")),
        name=as_text(raw.get("tool_name")),
        success=False if error else exit_success(code),
        metadata={"exit_code": code} if type(code) is int else None,
    )
    return Event(piece=Piece(role="tool", results=(result,)), cause=_key(raw.get("action_id")))
