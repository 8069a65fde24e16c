"""Reads one Codex session line by line: messages, tokens, sub-agents, and the outcome."""

from collections.abc import Callable, Mapping
from typing import Any

from sentinel_core import TokenUsage
from sentinel_core.trace import Role
from sentinel_core.traces.readers import gaps_at, iso_time
from sentinel_core.traces.readers.chat import arguments_of
from sentinel_readers_openai.codex_results import success_of_event, with_success
from sentinel_readers_openai.codex_usage import Meter
from sentinel_readers_openai.drafts import Draft
from sentinel_readers_openai.items import Turns, is_item
from sentinel_readers_openai.values import field, mapping, text

__all__ = ["Rollout"]

# Known lines without content of the conversation.
_SILENT = frozenset(
    {
        "inter_agent_communication_metadata",
        "realtime_item",
        "retained_context",
        "security_risk_score",
        "state",
        "world_state",
    }
)
# Events that repeat items; some sessions have events only.
_SPOKEN: Mapping[str, Role] = {"agent_message": "assistant", "user_message": "user"}
_OUTCOMES: Mapping[str, str] = {
    "error": "error",
    "task_complete": "completed",
    "task_started": "running",
    "turn_aborted": "interrupted",
    "turn_complete": "completed",
    "turn_started": "running",
}
_KNOWN = ("cwd", "cli_version", "originator", "model_provider")


class Rollout:
    """Takes the lines of one file in order; ``messages`` then returns the drafts."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.outcome: str | None = None
        self.known: dict[str, str] = {}
        self.spawned: dict[str, str | None] = {}
        self._started: str | None = None
        self._turns = Turns()
        self._meter = Meter()
        self._success: dict[str, bool] = {}
        self._unknown: dict[str, list[str]] = {}
        self._lines = 0
        self._handlers: Mapping[str, Callable[[Mapping[str, Any], str, str | None], None]] = {
            "compacted": self._compacted,
            "event_msg": self._event,
            "inter_agent_communication": self._letter,
            "response_item": self._item,
            "session_meta": self._header,
            "token_usage_record": self._record,
            "turn_context": self._context,
        }

    @property
    def is_empty(self) -> bool:
        """True if no line belongs to a rollout."""
        return not self._lines

    @property
    def loose_usage(self) -> list[TokenUsage]:
        """Tokens of model calls without a message, such as a compaction."""
        return self._meter.loose

    def add(self, value: object, origin: str) -> None:
        """Add the value of one line."""
        line = mapping(value)
        payload, kind = mapping(line.get("payload")), line.get("type")
        if "payload" not in line:
            payload, kind = line, _bare_kind(line)
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            self._lines += 1
            handler(payload, origin, iso_time(line.get("timestamp")))
        elif not isinstance(kind, str) or kind not in _SILENT:
            self._unknown.setdefault(str(kind)[:60], []).append(origin)

    def messages(self) -> list[Draft]:
        """All messages, each once, without events that repeat items; results have their success."""
        drafts = self._turns.drafts
        written = {draft.role for draft in drafts if not draft.is_echo and draft.texts}
        kept = [draft for draft in drafts if not draft.is_echo or draft.role not in written]
        for draft in kept:
            draft.results = [with_success(result, self._success.get(result.call_id or "")) for result in draft.results]
        self._meter.settle(set(map(id, kept)))
        return kept

    def gaps(self) -> list[str]:
        """What could not be used."""
        unknown = [*self._unknown.items(), *self._turns.unknown.items()]
        return [
            gap
            for kind, origins in unknown
            for gap in gaps_at(f'line of the unknown type "{kind}"', f'lines of the unknown type "{kind}"', origins)
        ]

    def _header(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:
        """Add a header. The first is the session's own; later ones come with a parent's copied history."""
        if self.session_id is not None:
            return
        self.session_id = field(payload, "id", "session_id")
        self.known = {name: payload[name] for name in _KNOWN if text(payload.get(name)) is not None}
        spawn = mapping(mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn"))
        if text(payload.get("forked_from_id")) or text(payload.get("parent_thread_id")) or spawn:
            self._started = iso_time(payload.get("timestamp")) or timestamp
        base = payload.get("base_instructions")
        instructions = text(mapping(base).get("text")) or text(base) or text(payload.get("instructions"))
        if instructions is not None:
            self._turns.say(Draft(role="system", origin=origin, timestamp=timestamp, texts=[instructions]))

    def _context(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:  # noqa: ARG002 - one shape for all handlers
        self._turns.model = text(payload.get("model")) or self._turns.model

    def _item(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:
        copied = self._is_copied(timestamp)
        self._turns.add(payload, origin, timestamp=timestamp, is_copied=copied)
        output = payload.get("output")
        if not copied and isinstance(output, str) and '"agent_id"' in output:
            self._spawn(arguments_of(output)[0].get("agent_id"), payload.get("call_id"))

    def _event(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:
        kind = str(payload.get("type"))
        copied = self._is_copied(timestamp)
        if kind in _SPOKEN:
            said = text(payload.get("message"))
            if said is not None:
                self._echo(_SPOKEN[kind], said, origin, timestamp, is_copied=copied)
        elif kind == "token_count":
            self._meter.total(payload.get("info"), self._turns.last_turn, is_copied=copied)
        elif kind in _OUTCOMES and not copied:
            self._end(kind)
        elif (call_id := text(payload.get("call_id"))) is not None and not copied:
            self._spawn(payload.get("new_thread_id"), call_id)
            if kind.endswith("_end") and (success := success_of_event(payload)) is not None:
                self._success[call_id] = success

    def _echo(self, role: Role, said: str, origin: str, timestamp: str | None, *, is_copied: bool) -> None:
        draft = Draft(role=role, origin=origin, timestamp=timestamp, texts=[said], is_copied=is_copied, is_echo=True)
        if role == "assistant":
            draft.model = self._turns.model
        self._turns.drafts.append(draft)
        if role == "assistant" and self._turns.last_turn is None:
            self._turns.last_turn = draft

    def _end(self, kind: str) -> None:
        """A turn begins or ends; an error stays the outcome until the next turn begins."""
        self._turns.end_turn()
        if kind == "turn_aborted":
            self._turns.abandon()
        if self.outcome != "error" or _OUTCOMES[kind] != "completed":
            self.outcome = _OUTCOMES[kind]

    def _record(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:  # noqa: ARG002 - one shape for all handlers
        self._meter.record(payload, self._turns.last_turn, is_copied=self._is_copied(timestamp))

    def _compacted(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:
        """The history was replaced by these items, or by a summary only."""
        self._turns.end_turn()
        history = payload.get("replacement_history")
        for position, item in enumerate(history if isinstance(history, list) else ()):
            place = f"{origin} $.payload.replacement_history[{position}]"
            self._turns.add(item, place, timestamp=timestamp, is_copied=True)
        summary = text(payload.get("message"))
        if summary is not None and not history:
            self._turns.say(Draft(role="user", origin=origin, timestamp=timestamp, texts=[summary], is_copied=True))
        self._turns.end_turn()

    def _letter(self, payload: Mapping[str, Any], origin: str, timestamp: str | None) -> None:
        """Another agent's message to this one."""
        said = text(payload.get("content")) or text(payload.get("message"))
        if said is not None:
            copied = self._is_copied(timestamp)
            self._turns.say(Draft(role="user", origin=origin, timestamp=timestamp, texts=[said], is_copied=copied))

    def _spawn(self, thread: object, call_id: object) -> None:
        if (known := text(thread)) is not None:
            self.spawned.setdefault(known, text(call_id))

    def _is_copied(self, timestamp: str | None) -> bool:
        """A forked session begins with its parent's lines, which are older than the session."""
        return self._started is not None and timestamp is not None and timestamp < self._started


def _bare_kind(line: Mapping[str, Any]) -> str | None:
    """The kind of a line without an envelope, as older files have."""
    if "record_type" in line:
        return "state"
    if is_item(line):
        return "response_item"
    return "session_meta" if field(line, "id") and "timestamp" in line else field(line, "type")
