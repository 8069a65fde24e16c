"""The library calls: submit and complete a loop, ask for its guardrails' status, override them.

    from sentinel_core import submit_loop, process_loop_completion

    submit_loop("loop_001", alignment_score=0.72, drift_score=0.28)
    result = process_loop_completion("loop_001", "done", "SAGE")

They work in the caller's process, on the store and with the guardrails of ``orchestrator``; without one, on the default
store below the working directory, with every installed guardrail and its configured settings.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sentinel_core.errors import LoopRequestError, StoreError
from sentinel_core.guardrails.answers import failed_answer
from sentinel_core.guardrails.bound import bind_guardrails, quality_of
from sentinel_core.guardrails.facts import LIFTS, Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.schemas import check, plain_tags
from sentinel_core.guardrails.store import Store, open_store
from sentinel_core.host.plugins import LoadFailure, Plugin, load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, read_layers

__all__ = [
    "default_orchestrator",
    "get_guardrails_status",
    "make_orchestrator",
    "override_guardrails",
    "process_loop_completion",
    "submit_loop",
]

_default: dict[Path, Orchestrator] = {}


def process_loop_completion(  # noqa: PLR0913 - the shape of the published call
    loop_id: str,
    reflection_status: str,
    orchestrator_persona: str | None = None,
    override_fatigue: bool = False,
    override_max_reruns: bool = False,
    override_by: str | None = None,
    *,
    override_bias_echo: bool = False,
    override_reason: str | None = None,
    answer_invalid_status: bool = False,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """Decide whether a submitted loop is repeated, and return the decision. Idempotent.

    If the store cannot be used, the answer has ``status`` "error" and the decision to finalize; nothing is raised.
    With ``answer_invalid_status``, a ``reflection_status`` other than "done" is also answered so instead of raised, as in the
    source document.
    Raises ``LoopRequestError`` for a malformed request (an override needs ``override_by``), ``UnknownLoopError``, and
    ``LoopConflictError`` if nothing was submitted for the loop.
    """
    if answer_invalid_status and reflection_status != "done":
        return {"status": "error", "message": "Invalid reflection status. Must be 'done'.", "loop_id": loop_id}
    overrides = dict(zip(LIFTS, (override_fatigue, override_max_reruns, override_bias_echo), strict=True))
    document = {
        "loop_id": loop_id,
        "reflection_status": reflection_status,
        "orchestrator_persona": orchestrator_persona,
        **overrides,
        "override_by": override_by,
        "override_reason": override_reason,
    }
    check(document, "completion")
    if any(overrides.values()):
        _require_actor(override_by)
    try:
        return default_orchestrator(orchestrator).complete(
            loop_id,
            overrides=overrides,
            actor=override_by or "",
            reason=override_reason or "",
            persona=orchestrator_persona,
        )
    except StoreError as error:
        return failed_answer(loop_id, str(error), datetime.now(UTC))


def get_guardrails_status(loop_id: str, *, orchestrator: Orchestrator | None = None) -> dict[str, Any]:
    """Every guardrail's status after a loop. Raises ``UnknownLoopError``, ``StoreError``."""
    return default_orchestrator(orchestrator).status(loop_id)


def override_guardrails(
    loop_id: str,
    override_fatigue: bool = False,
    override_max_reruns: bool = False,
    override_by: str | None = None,
    override_reason: str | None = None,
    *,
    override_bias_echo: bool = False,
    override_seconds: int | None = None,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """Record that a person overrides guardrails for the loop's family, once or for ``override_seconds``.

    Raises ``LoopRequestError`` if nothing is overridden or the person or reason is missing; ``UnknownLoopError``,
    ``StoreError``.
    """
    overrides = dict(zip(LIFTS, (override_fatigue, override_max_reruns, override_bias_echo), strict=True))
    document = {
        **overrides,
        "override_by": override_by,
        "override_reason": override_reason,
        "override_seconds": override_seconds,
    }
    check(document, "override")
    actor = _require_actor(override_by)
    return default_orchestrator(orchestrator).override(
        loop_id, overrides, actor=actor, reason=str(override_reason), seconds=override_seconds
    )


def submit_loop(
    loop_id: str,
    *,
    alignment_score: float,
    drift_score: float,
    summary_valid: bool = True,
    bias_tags: Iterable[str | Mapping[str, Any]] = (),
    reflection_persona: str | None = None,
    orchestrator: Orchestrator | None = None,
) -> bool:
    """Store the scores of an attempt; True if it is the first of a new family.

    Raises ``LoopRequestError`` for values out of range, ``LoopConflictError`` if different scores were submitted before.
    """
    reflection = Reflection(
        alignment_score=alignment_score,
        drift_score=drift_score,
        summary_valid=summary_valid,
        bias_tags=plain_tags(bias_tags),
        persona=reflection_persona,
    )
    return default_orchestrator(orchestrator).submit(loop_id, reflection)


def make_orchestrator(
    store: Store,
    plugins: Iterable[Plugin],
    failures: Sequence[LoadFailure],
    layers: Layers,
    *,
    now: Callable[[], datetime] | None = None,
) -> Orchestrator:
    """An orchestrator with the guardrails among ``plugins`` and the settings in ``layers``.

    Raises ``ConfigError`` for a setting that cannot be used.
    """
    guardrails = bind_guardrails(plugins, failures, layers)
    made = Orchestrator(store=store, guardrails=guardrails, quality=quality_of(layers))
    if now is not None:
        made.now = now
    return made


def _require_actor(actor: str | None) -> str:
    if not actor:
        raise LoopRequestError("an override needs the name of the person who decides, in $.override_by")
    return actor


def default_orchestrator(orchestrator: Orchestrator | None = None) -> Orchestrator:
    """The given orchestrator, or the one for this folder, created once per process."""
    if orchestrator is not None:
        return orchestrator
    folder = Path.cwd()
    if folder not in _default:
        layers = read_layers({})
        chosen, _ = select(Selection.parse(layers.host().plugins), ("guardrails",))
        plugins, failures = load(chosen)
        _default[folder] = make_orchestrator(open_store(layers.host().store), plugins, failures, layers)
    return _default[folder]
