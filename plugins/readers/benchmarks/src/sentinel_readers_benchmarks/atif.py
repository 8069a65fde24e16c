"""Reads ATIF trajectories, versions 1.0 to 1.8. ``atif_write`` writes them.

Values without a field in ATIF are in its ``extra`` objects: ``extra.is_error`` for a result, and the rest under the key
``sentinel``.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import CallDetails, ExecutionTrace, MessageDetails, Role, TokenUsage, ToolCall
from sentinel_core.traces.readers import (
    Piece,
    TraceBuilder,
    counted,
    gaps_at,
    iso_time,
    json_document,
    tool_schemas,
    usage_of,
)
from sentinel_core.traces.readers.chat import Result, arguments_of, stray_calls, text_of
from sentinel_readers_benchmarks._documents import Document, read_each
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, file_stem, number, stated_usage

__all__ = ["OWN", "read"]

OWN = "sentinel"
_MORE_TOKENS = ("reasoning_tokens", "cache_write_tokens", "total_tokens")
_ROLES: dict[object, Role] = {"system": "system", "user": "user", "agent": "assistant"}
# Nesting of sub-agents: deeper than any real agent, but shallow enough for every recursion up to the report.
_DEEPEST = 24


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The trajectories of a source; an embedded or neighbouring sub-agent trajectory is a child of the one that refers to it."""
    return read_each(source, _from_document)


def _from_document(document: Document, source: Source) -> ExecutionTrace | ReadError:
    problem = _unusable(document.value)
    if problem is not None:
        return document.error(problem)
    reader = _Trajectory(document.value, source, fallback_id=document.name(file_stem(source.name)))
    return reader.trace(seen=frozenset({source.name}))


def _unusable(raw: dict[str, Any]) -> str | None:
    version = raw.get("schema_version")
    if not isinstance(version, str) or not version.startswith("ATIF-v1."):
        return "is not ATIF version 1 at $.schema_version"
    return None if isinstance(raw.get("steps"), list) else "expected a list of steps at $.steps"


@attrs.define
class _Ref:
    """A sub-agent's trajectory that a result refers to."""

    trajectory_id: str | None
    path: str | None
    call_id: str | None


class _Trajectory:
    """Converts one trajectory to a trace."""

    def __init__(self, raw: dict[str, Any], source: Source, *, fallback_id: str, depth: int = 0) -> None:
        self.raw = raw
        self.source = source
        self.depth = depth
        agent = as_dict(raw.get("agent"))
        self.model = as_text(agent.get("model_name"))
        own_id = as_text(raw.get("trajectory_id"))
        trace_id = own_id or as_text(raw.get("session_id")) or fallback_id
        self.builder = TraceBuilder(trace_id, "atif")
        self.own = as_dict(as_dict(raw.get("extra")).get(OWN))
        self.refs: list[_Ref] = []
        self.unnamed = 0  # results that name no call, in steps with calls that have none
        self.gaps, self.notes = (
            [item for item in as_list(self.own.get(key)) if isinstance(item, str)]
            for key in ("reading_gaps", "reading_notes")
        )

    def trace(self, *, seen: frozenset[str], parent_call_id: str | None = None) -> ExecutionTrace:
        """The whole trace, with its children."""
        bad = [
            position
            for position, step in enumerate(as_list(self.raw.get("steps")), 1)
            if not self._add_step(step, position - 1)
        ]
        self.gaps += gaps_at("step could not be read", "steps could not be read", bad)
        if self.unnamed:
            self.notes.append(f"{counted(self.unnamed, 'result')} of unnamed calls became user messages")
        children = tuple(self._children(seen))
        return self.builder.build(
            token_usage=self._stated_usage(),
            available_tools=tool_schemas(as_dict(self.raw.get("agent")).get("tool_definitions")),
            outcome=as_text(self.own.get("outcome")),
            parent_call_id=parent_call_id or as_text(self.own.get("parent_call_id")),
            children=children,
            metadata=self._metadata(),
        )

    def _add_step(self, step: object, position: int) -> bool:
        """Append a step's messages; False if it is not a step."""
        if not isinstance(step, dict) or as_text(step.get("source")) not in _ROLES:
            return False
        origin = f"$.steps[{position}]"
        self.builder.add(
            _piece(step, _ROLES[step["source"]]),
            timestamp=iso_time(step.get("timestamp")),
            details=self._details(step, origin),
            usage_key=origin,
        )
        copied = step.get("is_copied_context") is True
        self._add_results(step, MessageDetails(origin=origin, is_copied_context=copied))
        return True

    def _details(self, step: dict[str, Any], origin: str) -> MessageDetails:
        metrics = as_dict(step.get("metrics"))
        own = as_dict(as_dict(step.get("extra")).get(OWN))
        agent = step["source"] == "agent"
        return MessageDetails(
            id=as_text(own.get("id")),
            model=(as_text(step.get("model_name")) or self.model) if agent else None,
            usage=_usage(metrics),
            cost_usd=number(metrics.get("cost_usd")),
            duration_ms=number(own.get("duration_ms")),
            is_copied_context=step.get("is_copied_context") is True,
            origin=origin,
        )

    def _add_results(self, step: dict[str, Any], details: MessageDetails) -> None:
        """Add results of calls as one tool message, then the environment's own texts, each as a user message.

        The only result of a step's only call belongs to that call, named or not; a note counts other unnamed results.
        """
        observation = as_dict(step.get("observation"))
        calls = [as_dict(call) for call in as_list(step.get("tool_calls"))]
        entries = [raw for raw in as_list(observation.get("results")) if isinstance(raw, dict)]
        only = as_text(calls[0].get("tool_call_id")) if len(calls) == len(entries) == 1 else None
        results: list[Result] = []
        feedback: list[Piece] = []
        for raw in entries:
            call_id = as_text(raw.get("source_call_id")) or only
            self._note_refs(raw, call_id)
            extra = dict(as_dict(raw.get("extra")))
            if call_id is not None:
                results.append(_result(raw, call_id, extra))
            elif raw.get("content") is not None:
                metadata = {"feedback": True} | ({"extra": extra} if extra else {})
                feedback.append(Piece(role="user", text=text_of(raw["content"]) or None, metadata=metadata))
        if feedback and len(results) < len(calls):
            self.unnamed += len(feedback)
        pieces = [Piece(role="tool", results=tuple(results)), *feedback] if results else feedback
        for piece in pieces:
            self.builder.add(piece, details=details)

    def _note_refs(self, raw: dict[str, Any], call_id: str | None) -> None:
        for ref in as_list(raw.get("subagent_trajectory_ref")):
            named = as_dict(ref)
            trajectory_id, path = as_text(named.get("trajectory_id")), as_text(named.get("trajectory_path"))
            if trajectory_id or path:
                self.refs.append(_Ref(trajectory_id, path, call_id))

    def _children(self, seen: frozenset[str]) -> Iterator[ExecutionTrace]:
        """Embedded trajectories in their order, then those of neighbouring files."""
        callers = {ref.trajectory_id: ref.call_id for ref in reversed(self.refs) if ref.trajectory_id}
        embedded = [entry for entry in as_list(self.raw.get("subagent_trajectories")) if not _unusable(as_dict(entry))]
        if self.depth >= _DEEPEST and (embedded or self.refs):
            self.gaps.append(f"sub-agents below depth {_DEEPEST} were not read")
            return
        known = set()
        for position, raw in enumerate(embedded):
            child = self._child(raw, self.source, f"{self.builder.trace_id}/{position + 1}")
            known.add(child.builder.trace_id)
            yield child.trace(seen=seen, parent_call_id=callers.get(child.builder.trace_id))
        missing = 0
        for ref in self.refs:
            if ref.trajectory_id in known:
                continue
            beside = self._beside(ref, seen)
            missing += beside is None
            if beside is not None:
                known.add(beside.builder.trace_id)
                yield beside.trace(seen=seen | {beside.source.name}, parent_call_id=ref.call_id)
        if missing:
            self.gaps.append(f"{missing} sub-agent trajectories are missing: steps refer to them, but no file has them")

    def _child(self, raw: dict[str, Any], source: Source, fallback_id: str) -> "_Trajectory":
        return _Trajectory(raw, source, fallback_id=fallback_id, depth=self.depth + 1)

    def _beside(self, ref: _Ref, seen: frozenset[str]) -> "_Trajectory | None":
        """The trajectory of a neighbouring file; files that refer to each other are read once."""
        beside = self.source.sibling(ref.path) if ref.path else None
        if beside is None or beside.name in seen:
            return None
        raw = json_document(beside)
        return None if _unusable(as_dict(raw)) else self._child(raw, beside, file_stem(beside.name))

    def _stated_usage(self) -> TokenUsage | None:
        """The final totals, if no step has token counts or the file says that their sum is not the total.

        Otherwise the steps count, because after a compaction the totals include tokens from other files of the run.
        """
        final = as_dict(self.raw.get("final_metrics"))
        extra = as_dict(final.get("extra"))
        steps = as_list(self.raw.get("steps"))
        if extra.get("counted_in_steps") is not False and any(
            _usage(as_dict(as_dict(s).get("metrics"))) for s in steps
        ):
            return None
        total = stated_usage(
            final, prompt="total_prompt_tokens", completion="total_completion_tokens", cached="total_cached_tokens"
        )
        return None if total is None and not extra else _with_extra(total or TokenUsage(), extra)

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        agent = {key: value for key, value in as_dict(self.raw.get("agent")).items() if key != "tool_definitions"}
        extra = {key: value for key, value in as_dict(self.raw.get("extra")).items() if key != OWN}
        session = as_text(self.raw.get("session_id"))
        found = {
            "agent": agent,
            "session_id": session if session != self.builder.trace_id else None,
            "notes": as_text(self.raw.get("notes")),
            "continued_trajectory_ref": as_text(self.raw.get("continued_trajectory_ref")),
            "extra": extra,
            "reading_gaps": self.gaps,
            "reading_notes": self.notes,
        }
        metadata.update({key: value for key, value in found.items() if value})
        return metadata


def _piece(step: dict[str, Any], role: Role) -> Piece:
    extra = {key: value for key, value in as_dict(step.get("extra")).items() if key != OWN}
    kept = {"llm_call_count": step.get("llm_call_count"), "reasoning_effort": step.get("reasoning_effort")}
    metadata = {key: value for key, value in kept.items() if isinstance(value, (int, float, str))}
    calls = tuple(_call(raw) for raw in as_list(step.get("tool_calls")) if isinstance(raw, dict))
    return Piece(
        role=role,
        text=text_of(step.get("message")) or None,
        reasoning=as_text(step.get("reasoning_content")),
        calls=calls,
        lost=() if calls or role != "assistant" else stray_calls(step, "extra", "observation"),
        metadata=(metadata | ({"extra": extra} if extra else {})) or None,
    )


def _call(raw: dict[str, Any]) -> ToolCall:
    extra = as_dict(raw.get("extra"))
    arguments, not_json = arguments_of(raw.get("arguments"))
    given = CallDetails(
        raw_arguments=not_json or as_text(extra.get("raw_arguments")),
        result_expected=extra.get("result_expected") is not False,
    )
    return ToolCall(
        id=as_text(raw.get("tool_call_id")) or "",
        name=as_text(raw.get("function_name")) or "",
        arguments=arguments,
        timestamp=as_text(extra.get("timestamp")),
        details=given if given != CallDetails() else None,
    )


def _result(raw: dict[str, Any], call_id: str, extra: dict[str, Any]) -> Result:
    success = None
    if isinstance(extra.get("is_error"), bool):
        success = not extra.pop("is_error")
    return Result(content=text_of(raw.get("content")), call_id=call_id, success=success, metadata=extra or None)


def _usage(metrics: dict[str, Any]) -> TokenUsage | None:
    """ATIF's prompt tokens contain the cached ones."""
    if not metrics:
        return None
    prompt, completion = metrics.get("prompt_tokens"), metrics.get("completion_tokens")
    extra = as_dict(metrics.get("extra"))
    if not extra and metrics.get("cached_tokens") is None and type(prompt) is type(completion) is int:
        # A fast path for the keys of nearly every step.
        return TokenUsage(prompt_tokens=prompt, completion_tokens=completion) if min(prompt, completion) >= 0 else None
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": metrics.get("cached_tokens")}
    return usage_of(counts | {key: extra.get(key) for key in _MORE_TOKENS})


def _with_extra(usage: TokenUsage, extra: dict[str, Any]) -> TokenUsage | None:
    """A final total with the parts that ATIF has no field for."""
    cached = usage.details.cached_tokens if usage.details is not None else None
    return usage_of(
        {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cached_tokens": cached,
            **{key: extra.get(key) for key in _MORE_TOKENS},
        }
    )
