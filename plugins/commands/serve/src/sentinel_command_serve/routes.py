"""The routes of the service: scope, schema of the body, and handler of each."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import attrs

from sentinel_command_serve.tokens import Token
from sentinel_core import ExecutionTrace, ReliabilityReport, decode_trace
from sentinel_core.errors import LoopRequestError, TraceDecodeError, UnknownLoopError
from sentinel_core.guardrails import LIFTS, Orchestrator, Reflection, Reflector, reflect_by_rules, report_digest
from sentinel_core.guardrails.schemas import check, check_loop_id, plain_tags
from sentinel_core.trace import to_json

__all__ = ["ROUTES", "Asked", "Judge", "Route", "Work"]

Judge = Callable[[ExecutionTrace], ReliabilityReport]
_OVERRIDE = "override"
_DEFAULT_ROWS = 100


@attrs.frozen(kw_only=True)
class Work:
    """What the handlers use. ``judge`` evaluates a submitted trace, ``reflect`` scores the attempt."""

    orchestrator: Orchestrator
    judge: Judge
    reflect: Reflector = reflect_by_rules


@attrs.frozen(kw_only=True)
class Asked:
    """A request that passed the gate. ``require`` raises if the caller's token does not have a scope."""

    token: Token | None
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any
    require: Callable[[str], None]

    @property
    def actor(self) -> str:
        """The name of the caller's token."""
        return "" if self.token is None else self.token.name


Answer = tuple[HTTPStatus, dict[str, Any]]


@attrs.frozen(kw_only=True)
class Route:
    """One method on one path. ``scope`` None is public; ``body`` and ``answer`` name schemas."""

    method: str
    path: str
    name: str
    summary: str
    scope: str | None
    answer: str
    handle: Callable[[Work, Asked], Answer]
    body: str | None = None
    query: tuple[str, ...] = ()
    statuses: tuple[HTTPStatus, ...] = (HTTPStatus.OK,)


def _complete(work: Work, asked: Asked) -> Answer:
    check(asked.body, "completion")
    overrides = {name: asked.body.get(name, False) for name in LIFTS}
    if any(overrides.values()):
        asked.require(_OVERRIDE)
    return HTTPStatus.OK, work.orchestrator.complete(
        asked.body["loop_id"],
        overrides=overrides,
        actor=asked.actor,
        reason=asked.body.get("override_reason") or "",
        persona=asked.body.get("orchestrator_persona"),
    )


def _status(work: Work, asked: Asked) -> Answer:
    return HTTPStatus.OK, work.orchestrator.status(asked.path["loop_id"])


def _override(work: Work, asked: Asked) -> Answer:
    loop_id = check_loop_id(asked.path["loop_id"])
    check(asked.body, "override")
    overrides = {name: asked.body.get(name, False) for name in LIFTS}
    return HTTPStatus.OK, work.orchestrator.override(
        loop_id,
        overrides,
        actor=asked.actor,
        reason=asked.body["override_reason"],
        seconds=asked.body.get("override_seconds"),
    )


def _submit(work: Work, asked: Asked) -> Answer:
    loop_id = check_loop_id(asked.path["loop_id"])
    reflection, report = _reflection(work, asked.body)
    created = work.orchestrator.submit(loop_id, reflection, report=report, actor=asked.actor)
    answer = {"status": "success", "loop_id": loop_id, "created": created}
    return HTTPStatus.CREATED if created else HTTPStatus.OK, answer


def _reflection(work: Work, body: Any) -> tuple[Reflection, dict[str, Any] | None]:
    """From the scores in a body, or from its trace. Raises ``LoopRequestError`` or ``TraceDecodeError``."""
    if isinstance(body, dict) and "trace" in body:
        if set(body) != {"trace"}:
            raise LoopRequestError("the body ($) must contain either a trace or scores, not both")
        trace = _trace(body["trace"])
        report = work.judge(trace)
        return work.reflect(trace, report), report_digest(report)
    check(body, "reflection")
    reflection = Reflection(
        alignment_score=float(body["alignment_score"]),
        drift_score=float(body["drift_score"]),
        summary_valid=body.get("summary_valid", True),
        bias_tags=plain_tags(body.get("bias_tags", ())),
        persona=body.get("reflection_persona"),
    )
    return reflection, None


def _trace(value: Any) -> ExecutionTrace:
    """Raises ``TraceDecodeError``. In JSON, 1.0 and 1 are the same number; the decoder takes only 1 for an integer."""
    try:
        return decode_trace(to_json(value))
    except TraceDecodeError as error:
        try:
            return decode_trace(to_json(_with_whole_numbers(value)))
        except TraceDecodeError:
            raise error from None


def _with_whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_whole_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _family(work: Work, asked: Asked) -> Answer:
    return HTTPStatus.OK, work.orchestrator.family(asked.path["loop_id"])


def _audit(work: Work, asked: Asked) -> Answer:
    store, root = work.orchestrator.store, None
    if "loop_id" in asked.query:
        family = store.family_of(asked.query["loop_id"])
        if family is None:
            raise UnknownLoopError(f'unknown loop "{asked.query["loop_id"]}"')
        root = family.root
    rows = store.audit(root, after=asked.query.get("after", 0), limit=asked.query.get("limit", _DEFAULT_ROWS))
    return HTTPStatus.OK, {"status": "success", "rows": [attrs.asdict(row) for row in rows]}


def _health(work: Work, asked: Asked) -> Answer:  # noqa: ARG001 - every route's signature
    return HTTPStatus.OK, {"status": "ok"}


ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/orchestrator/loop-complete",
        name="process_loop_completion",
        summary="Decide whether a loop is retried; sending the same completion again returns the same answer.",
        scope="complete",
        body="complete",
        answer="Completion",
        handle=_complete,
    ),
    Route(
        method="GET",
        path="/orchestrator/guardrails-status/{loop_id}",
        name="get_guardrails_status",
        summary="Return every guardrail's status after a loop.",
        scope="read",
        answer="Status",
        handle=_status,
    ),
    Route(
        method="POST",
        path="/orchestrator/override-guardrails/{loop_id}",
        name="override_guardrails",
        summary="Record that guardrails are overridden for a loop's family.",
        scope=_OVERRIDE,
        body="override",
        answer="Overridden",
        handle=_override,
    ),
    Route(
        method="PUT",
        path="/orchestrator/loops/{loop_id}",
        name="hand_in_loop",
        summary="Submit an attempt: its trace, or its scores.",
        scope="complete",
        body="hand_in",
        answer="HandedIn",
        statuses=(HTTPStatus.OK, HTTPStatus.CREATED),
        handle=_submit,
    ),
    Route(
        method="GET",
        path="/orchestrator/loops/{loop_id}",
        name="get_family",
        summary="Return the whole family of a loop: attempts, decisions, overrides.",
        scope="read",
        answer="Family",
        handle=_family,
    ),
    Route(
        method="GET",
        path="/orchestrator/audit",
        name="get_audit",
        summary="Return the audit log, oldest row first.",
        scope="read",
        query=("loop_id", "after", "limit"),
        answer="Audit",
        handle=_audit,
    ),
    Route(
        method="GET",
        path="/healthz",
        name="health",
        summary="Check that the service answers.",
        scope=None,
        answer="Health",
        handle=_health,
    ),
)
