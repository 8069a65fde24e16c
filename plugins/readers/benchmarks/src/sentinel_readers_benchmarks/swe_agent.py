"""SWE-agent's ``.traj`` files to traces.

Reads ``history`` without its demonstrations if there is one, else ``trajectory``. Models without native tool calls write
their action as text: it becomes a call, and the environment's answer its result.
"""

from collections.abc import Iterator
from typing import Any

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import CallDetails, ExecutionTrace, MessageDetails, ToolCall
from sentinel_core.traces.readers import Piece, TraceBuilder, gaps_at, pieces_of
from sentinel_core.traces.readers.chat import Result, call_of, stray_calls, text_of
from sentinel_readers_benchmarks._documents import Document, read_each
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, file_stem, number, stated_usage

__all__ = ["action_call", "outcome_of", "read"]

# Commands of SWE-agent's tool bundles: an action that begins with one is a call of that tool, not of the shell.
_COMMANDS = frozenset(
    {
        "create", "decompile", "disassemble", "debug_start", "edit", "exit_cost", "exit_format", "exit_forfeit", "find_file",
        "goto", "insert", "open", "scroll_down", "scroll_up", "search_dir", "search_file", "str_replace_editor", "submit",
        "undo_edit", "view_image",
    }
)  # fmt: skip
_TERMINAL = frozenset({"submit", "exit_cost", "exit_format", "exit_forfeit"})
_OUTCOMES = {
    "cost": "cost_limit",
    "context": "context_limit",
    "format": "error",
    "error": "error",
    "api": "error",
    "timeout": "timeout",
    "time": "timeout",
    "skipped": "interrupted",
    "forfeit": "gave_up",
    "limit": "max_turns",
    "interrupt": "interrupted",
    "earlyexit": "interrupted",
    "early_exit": "interrupted",
}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The trajectory of a source; agents other than the main one are children."""
    return read_each(source, _from_document)


def _from_document(document: Document, source: Source) -> ExecutionTrace | ReadError:
    raw = document.value
    name = as_text(raw.get("instance_id")) or document.name(file_stem(source.name))
    info = as_dict(raw.get("info"))
    if isinstance(raw.get("history"), list):
        entries = _entries(raw["history"], "$.history")
        steps = [as_dict(step) for step in as_list(raw.get("trajectory"))]
        last = entries.go_on(steps)
    elif isinstance(raw.get("trajectory"), list):
        entries, last = _entries(_as_history(raw["trajectory"]), "$.trajectory"), {}
    else:
        return document.error("expected a list at $.history or $.trajectory")
    entries.lost = stray_calls(raw, "history", "info", "replay_config", "trajectory")
    return _trace(name, entries, last, info, raw)


def _trace(
    name: str, entries: "_Entries", last: dict[str, Any], info: dict[str, Any], raw: dict[str, Any]
) -> ExecutionTrace:
    speakers: dict[str, _Speaker] = {}
    for origin, entry in entries.kept:
        agent = as_text(entry.get("agent")) or ""
        if agent not in speakers:
            speakers[agent] = _Speaker(f"{name}/{agent}" if speakers else name)
        speakers[agent].add(entry, origin)
    main, *others = speakers.values() or [_Speaker(name)]
    main.finish(last)
    for what in entries.lost:
        main.builder.lose(what)
    metadata = {
        "exit_status": as_text(info.get("exit_status")),
        "cost_usd": number(as_dict(info.get("model_stats")).get("instance_cost")) or None,
        "environment": as_text(raw.get("environment")),
        "reading_gaps": gaps_at(
            "entry of the history could not be read", "entries of the history could not be read", entries.bad
        ),
    }
    return main.builder.build(
        token_usage=stated_usage(info.get("model_stats"), prompt="tokens_sent", completion="tokens_received"),
        outcome=outcome_of(info.get("exit_status")),
        children=[other.builder.build() for other in others],
        metadata={key: value for key, value in metadata.items() if value},
    )


def outcome_of(exit_status: object) -> str | None:
    """``completed`` for a submission that the agent made by itself, else the reason why it stopped."""
    if not isinstance(exit_status, str) or not exit_status:
        return None
    status = exit_status.lower()
    if status == "submitted":
        return "completed"
    return next((outcome for word, outcome in _OUTCOMES.items() if word in status), status)


class _Entries:
    """A history without its demonstrations, and the positions of invalid entries."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, dict[str, Any]]] = []
        self.bad: list[int] = []
        self.lost: tuple[str, ...] = ()

    def go_on(self, steps: list[dict[str, Any]]) -> dict[str, Any]:
        """Append the steps of the trajectory that a history which ends early has not; gives the step that it ends with.

        They are those after the last one that does what the agent last did in the history.
        """
        last = next((entry for _, entry in reversed(self.kept) if entry["role"] == "assistant"), None)
        there = None if last is None else _last_place([_action_of(step) for step in steps], _action_of(last))
        if last is None or there is None or there + 1 == len(steps):
            return steps[-1] if steps else {}
        if self.kept[-1][1] is last and isinstance(steps[there].get("observation"), str):
            self.kept.append((f"$.trajectory[{there}]", _observed(steps[there], last)))
        for place in range(there + 1, len(steps)):
            step = {**steps[place], "agent": last.get("agent")}
            self.kept.append((f"$.trajectory[{place}]", {**step, "role": "assistant", "content": step.get("response")}))
            if isinstance(step.get("observation"), str):
                self.kept.append((f"$.trajectory[{place}]", _observed(step, step)))
        return {}


def _action_of(entry: dict[str, Any]) -> str:
    return (as_text(entry.get("action")) or "").strip()


def _last_place(actions: list[str], wanted: str) -> int | None:
    return next((place for place in reversed(range(len(actions))) if wanted and actions[place] == wanted), None)


def _observed(step: dict[str, Any], turn: dict[str, Any]) -> dict[str, Any]:
    """The result of a turn, as the entry that the history lacks."""
    asked = [as_text(as_dict(call).get("id")) for call in as_list(turn.get("tool_calls"))]
    entry = {"role": "user", "content": step["observation"], "agent": turn.get("agent")}
    return {**entry, "tool_call_ids": asked} if asked else entry


def _entries(history: list[Any], path: str) -> _Entries:
    entries = _Entries()
    for position, entry in enumerate(history):
        if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
            entries.bad.append(position)
        elif entry.get("is_demo") is not True and entry.get("message_type") != "demonstration":
            entries.kept.append((f"{path}[{entry.get('step', position)}]", entry))
    return entries


def _as_history(trajectory: list[Any]) -> list[Any]:
    """Steps of a trajectory as history entries."""
    history: list[Any] = []
    for position, step in enumerate(trajectory):
        if not isinstance(step, dict):
            history.append(step)
            continue
        history.append({**step, "role": "assistant", "content": step.get("response"), "step": position})
        if isinstance(step.get("observation"), str):
            history.append({"role": "user", "content": step["observation"], "step": position})
    return history


class _Speaker:
    """One agent's part of the history."""

    def __init__(self, trace_id: str) -> None:
        self.builder = TraceBuilder(trace_id, "swe-agent")
        self._acted: ToolCall | None = None
        self._unanswered: tuple[str, tuple[ToolCall, ...]] = "", ()  # native calls, with the action that they represent

    def add(self, entry: dict[str, Any], origin: str) -> None:
        """Append one entry."""
        details = MessageDetails(origin=origin, duration_ms=_milliseconds(entry.get("execution_time")))
        for piece in self._pieces(entry):
            self.builder.add(piece, details=details)

    def finish(self, last: dict[str, Any]) -> None:
        """Add the observation of the last action, which only the trajectory has."""
        observation = as_text(last.get("observation"))
        action, calls = self._unanswered
        if observation is None:
            return
        details = MessageDetails(origin="$.trajectory[-1].observation")
        if self._acted is not None:
            self.builder.add(_answer(observation), details=details)
        elif calls and action and action == _action_of(last):
            results = tuple(Result(content=observation, call_id=call.id) for call in calls)
            self.builder.add(Piece(role="tool", results=results), details=details)

    def _pieces(self, entry: dict[str, Any]) -> list[Piece]:
        role = entry["role"]
        if role == "assistant":
            return [self._turn(entry)]
        acted, self._acted = self._acted, None
        self._unanswered = "", ()
        call_ids = entry.get("tool_call_ids")
        if role == "tool" or (isinstance(call_ids, list) and call_ids):
            return [_results(entry, call_ids)]
        if acted is not None and role == "user":
            return [_answer(text_of(entry.get("content")))]
        return pieces_of(entry)

    def _turn(self, entry: dict[str, Any]) -> Piece:
        """The agent's text and call. The text of an action is not repeated."""
        native = tuple(call_of(call) for call in as_list(entry.get("tool_calls")) if isinstance(call, dict))
        action = as_text(entry.get("action"))
        calls = native or ((action_call(action),) if action and action.strip() else ())
        said = entry.get("thought") if calls and isinstance(entry.get("thought"), str) else entry.get("content")
        self._acted = calls[-1] if calls and not native else None
        self._unanswered = _action_of(entry), native
        thinking = [as_dict(block).get("thinking") for block in as_list(entry.get("thinking_blocks"))]
        return Piece(
            role="assistant",
            text=text_of(said).strip() or None,
            reasoning="\n".join(block for block in thinking if isinstance(block, str)) or None,
            calls=calls,
            lost=() if native else stray_calls(entry),
        )


def action_call(action: str) -> ToolCall:
    """The call in an action's text: one of SWE-agent's own commands, else the shell. It has no id."""
    text = action.strip()
    command, _, rest = text.partition(" ")
    command = command.partition("\n")[0]
    if command not in _COMMANDS:
        return ToolCall(id="", name="bash", arguments={"command": text})
    rest = text[len(command) :].strip()
    details = CallDetails(result_expected=False) if command in _TERMINAL else None
    return ToolCall(id="", name=command, arguments={"input": rest} if rest else {}, details=details)


def _answer(text: str) -> Piece:
    return Piece(role="tool", results=(Result(content=text),))


def _results(entry: dict[str, Any], call_ids: object) -> Piece:
    """A tool's entry. If one entry has the ids of all calls of the turn, each gets its text."""
    text = text_of(entry.get("content"))
    ids = [call_id for call_id in as_list(call_ids) if isinstance(call_id, str)]
    single = as_text(entry.get("tool_call_id"))
    return Piece(role="tool", results=tuple(Result(content=text, call_id=call_id) for call_id in ids or (single,)))


def _milliseconds(seconds: object) -> float | None:
    known = number(seconds)
    return None if known is None else round(known * 1000, 3)
