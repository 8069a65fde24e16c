"""The events of a run: the one record from which conversation and trace are folded.

The loop emits each event before it acts on it, so that a record that breaks off anywhere is still true.
``sequence`` counts from 0 within a record and ``at`` is ISO 8601 in UTC; the record fills in both.
"""

from typing import Any, Literal

import attrs

from sentinel_core.model import Reply
from sentinel_core.trace import TokenUsage, ToolCall, ToolResult, ToolSchema

__all__ = [
    "AttemptFinished",
    "AttemptJudged",
    "AttemptReflected",
    "AttemptStarted",
    "BackedOff",
    "ContextFitted",
    "ContextSummarized",
    "Decided",
    "DeliveryFinished",
    "DeliveryStarted",
    "Event",
    "GuardrailChecked",
    "LoopDecided",
    "MessageReceived",
    "Outcome",
    "ReflectorAsked",
    "ReplyReceived",
    "RunEnded",
    "RunResumed",
    "RunStarted",
    "Stamped",
    "ToolFinished",
    "ToolStarted",
]

Outcome = Literal[
    "completed",
    "max_turns",
    "max_tool_calls",
    "max_total_tokens",
    "max_cost",
    "deadline",
    "stopped",
    "truncated",
    "refused",
    "filtered",
    "model_error",
]


@attrs.frozen(kw_only=True)
class Stamped:
    """Fields of every event: its place in the record and its time."""

    sequence: int = 0
    at: str = ""


@attrs.frozen(kw_only=True)
class RunStarted(Stamped):
    """One message of the user starts one run. ``metadata`` is copied into the trace.

    ``settings`` are the agent's, by name, as JSON values. ``rerun_of`` is the run id of the attempt that this one repeats.
    """

    run_id: str
    conversation_id: str
    system_prompt: str
    provider: str
    tools: tuple[ToolSchema, ...]
    metadata: dict[str, Any] = attrs.field(factory=dict)
    model: str | None = None
    settings: dict[str, Any] = attrs.field(factory=dict)
    rerun_of: str | None = None


@attrs.frozen(kw_only=True)
class MessageReceived(Stamped):
    """A message of the user."""

    content: str


@attrs.frozen(kw_only=True)
class ContextFitted(Stamped):
    """The messages of the next request: how many, how many are left out, and their estimated tokens.

    ``budget`` is what the messages may take, ``window`` the model's whole context, both in tokens, None where unknown.
    """

    turn: int
    messages: int
    left_out: int
    estimated_tokens: int
    strategy: str = ""
    budget: int | None = None
    window: int | None = None


@attrs.frozen(kw_only=True)
class ContextSummarized(Stamped):
    """The model summarized older messages: this text replaces ``covers`` of them, counted from the first."""

    turn: int
    covers: int
    summary: str
    usage: TokenUsage | None = None
    cost_usd: float | None = None
    duration_ms: float = 0.0


@attrs.frozen(kw_only=True)
class AttemptStarted(Stamped):
    """A request to the model. ``turn`` and ``attempt`` count from 1; a turn has a second attempt if the first failed."""

    turn: int
    attempt: int


@attrs.frozen(kw_only=True)
class AttemptFinished(Stamped):
    """The model answered, or failed: ``error_type`` is then the class name from ``sentinel_core.errors``.

    ``status`` is the HTTP status, ``retry_after`` the seconds that the server asked to wait, if it did.
    """

    turn: int
    attempt: int
    duration_ms: float
    error_type: str | None = None
    error: str | None = None
    status: int | None = None
    retry_after: float | None = None


@attrs.frozen(kw_only=True)
class BackedOff(Stamped):
    """The loop is about to wait ``seconds`` before it asks again; ``reason`` is the failed attempt's error class."""

    turn: int
    attempt: int
    seconds: float
    reason: str


@attrs.frozen(kw_only=True)
class ReplyReceived(Stamped):
    """A whole reply. ``duration_ms`` is the time that its attempt took."""

    turn: int
    reply: Reply
    duration_ms: float


@attrs.frozen(kw_only=True)
class Decided(Stamped):
    """The loop's next step, and why: ``continue`` with the requested tools, or ``finalize``."""

    decision: Literal["continue", "finalize"]
    reason: str
    detail: str = ""


@attrs.frozen(kw_only=True)
class ToolStarted(Stamped):
    """A tool is about to run. ``idempotency_key`` is what a write tool sends along, the same again after a resume."""

    call: ToolCall
    idempotency_key: str | None = None


@attrs.frozen(kw_only=True)
class ToolFinished(Stamped):
    """A tool's result or failure; the model gets either."""

    result: ToolResult


@attrs.frozen(kw_only=True)
class RunEnded(Stamped):
    """The run is over. ``detail`` gives the reason of an outcome other than ``completed``."""

    outcome: Outcome
    detail: str = ""


@attrs.frozen(kw_only=True)
class RunResumed(Stamped):
    """Another process continues the record. ``accepted`` are the changed settings that a person accepted.

    A turn without a reply before this event is repeated, and an end before it that can be resumed no longer counts.
    """

    accepted: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class GuardrailChecked(Stamped):
    """A guardrail ruled. ``live`` is True in the middle of an attempt, False between attempts."""

    guardrail: str
    action: Literal["allow", "stop_attempt", "finalize"]
    reason: str = ""
    detail: str = ""
    live: bool = False


@attrs.frozen(kw_only=True)
class AttemptJudged(Stamped):
    """The finished attempt was evaluated. ``verdict`` is None where nothing could be measured."""

    loop_id: str
    verdict: Literal["PASS", "WARN", "FAIL"] | None
    overall_score: float | None
    rules: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ReflectorAsked(Stamped):
    """A reflecting model answered as ``persona``, usable or not. Tokens and cost count towards the run's limits."""

    loop_id: str
    persona: str
    model: str | None = None
    usage: TokenUsage | None = None
    cost_usd: float | None = None
    duration_ms: float = 0.0


@attrs.frozen(kw_only=True)
class AttemptReflected(Stamped):
    """A reflector looked at the judged attempt. Scores are in [0, 1]; ``note`` says if the rules replaced the model."""

    loop_id: str
    alignment_score: float
    drift_score: float
    summary_valid: bool
    bias_tags: tuple[str, ...] = ()
    persona: str = ""
    note: str = ""


@attrs.frozen(kw_only=True)
class LoopDecided(Stamped):
    """The decision on the family of attempts: another one, ``new_loop_id``, or the end.

    ``note`` is the feedback for the next attempt, word for word, so that a resumed run gives it the same.
    """

    loop_id: str
    decision: Literal["rerun", "finalize"]
    reason: str
    detail: str = ""
    new_loop_id: str | None = None
    note: str = ""


@attrs.frozen(kw_only=True)
class DeliveryStarted(Stamped):
    """Delivery of the staged report begins. The key lets the receiver count it once; None if the tool takes none."""

    idempotency_key: str | None
    arguments: dict[str, Any]
    below_evidence: bool = False


@attrs.frozen(kw_only=True)
class DeliveryFinished(Stamped):
    """The report was ``delivered``, certainly not delivered (``failed``), or possibly (``unknown``)."""

    status: Literal["delivered", "failed", "unknown"]
    content: str
    report_id: str | None = None


Event = (
    RunStarted
    | MessageReceived
    | ContextFitted
    | ContextSummarized
    | AttemptStarted
    | AttemptFinished
    | BackedOff
    | ReplyReceived
    | Decided
    | ToolStarted
    | ToolFinished
    | GuardrailChecked
    | RunEnded
    | RunResumed
    | AttemptJudged
    | ReflectorAsked
    | AttemptReflected
    | LoopDecided
    | DeliveryStarted
    | DeliveryFinished
)
