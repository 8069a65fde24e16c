"""The service's OpenAPI document, made from the routes and the schemas that validate requests."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from sentinel_command_serve.routes import Route
from sentinel_core.guardrails.schemas import COMPLETION, LOOP_ID, OVERRIDE, REFS, SUBMISSION, trace_schemas

__all__ = ["AUDIT_QUERY", "document"]

_ALWAYS = (
    HTTPStatus.FORBIDDEN,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
)
_GUARDED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.SERVICE_UNAVAILABLE)
_WITH_BODY = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
_MOST_ROWS = 1_000
_LARGEST_ROW = (1 << 53) - 1

AUDIT_QUERY: Mapping[str, Mapping[str, Any]] = {
    "loop_id": LOOP_ID,
    "after": {"type": "integer", "minimum": 0, "maximum": _LARGEST_ROW, "default": 0},
    "limit": {"type": "integer", "minimum": 1, "maximum": _MOST_ROWS, "default": 100},
}
"""The query parameters of ``GET /orchestrator/audit``: the rows of one family, after a row, at most so many."""


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _nullable(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


_STRING, _BOOLEAN, _INTEGER, _NUMBER = ({"type": kind} for kind in ("string", "boolean", "integer", "number"))
_SUCCESS = {"const": "success"}
_STRINGS = {"type": "array", "items": _STRING}
_ANSWERS: Mapping[str, Any] = {
    "Problem": _object(type=_STRING, title=_STRING, status=_INTEGER, detail=_STRING),
    "Completion": _object(
        status=_SUCCESS,
        loop_id=_STRING,
        reflection_result=_object(
            alignment_score=_NUMBER,
            drift_score=_NUMBER,
            summary_valid=_BOOLEAN,
            reflection_persona=_nullable("string"),
            bias_echo=_BOOLEAN,
            repeated_tags=_STRINGS,
            repetition_counts={"type": "object", "additionalProperties": _INTEGER},
            reflection_fatigue=_NUMBER,
        ),
        decision_result=_object(
            decision={"enum": ["rerun", "finalize"]},
            original_loop_id=_STRING,
            new_loop_id=_nullable("string"),
            rerun_reason=_STRING,
            rerun_number=_nullable("integer"),
            rerun_count=_INTEGER,
            max_reruns=_nullable("integer"),
        ),
        orchestrator_persona=_nullable("string"),
        timestamp=_STRING,
    ),
    "Status": _object(
        status=_SUCCESS,
        guardrails_status=_object(
            loop_id=_STRING,
            rerun_count=_INTEGER,
            max_reruns=_nullable("integer"),
            rerun_limit_reached=_BOOLEAN,
            bias_echo=_BOOLEAN,
            reflection_fatigue=_NUMBER,
            fatigue_threshold_exceeded=_BOOLEAN,
            force_finalize=_BOOLEAN,
            rerun_reason=_nullable("string"),
            rerun_trigger=_STRINGS,
            alignment_score=_nullable("number"),
            drift_score=_nullable("number"),
            summary_valid=_nullable("boolean"),
            reflection_persona=_nullable("string"),
        ),
    ),
    "Overridden": _object(
        status=_SUCCESS,
        loop_id=_STRING,
        override_fatigue=_BOOLEAN,
        override_max_reruns=_BOOLEAN,
        override_bias_echo=_BOOLEAN,
        overridden_by=_STRING,
        override_reason=_STRING,
        override_expires_at=_nullable("string"),
    ),
    "HandedIn": _object(status=_SUCCESS, loop_id=_STRING, created=_BOOLEAN),
    "Family": _object(
        status=_SUCCESS,
        family=_object(
            root=_STRING,
            loops={"type": "array", "items": {"type": "object"}},
            overrides={"type": "array", "items": {"type": "object"}},
            bias_tags={"type": "object"},
            bias_tags_elsewhere={"type": "object"},
            audit=_object(rows=_INTEGER, head=_STRING),
        ),
    ),
    "Audit": _object(
        status=_SUCCESS,
        rows={
            "type": "array",
            "items": _object(row_id=_INTEGER, root=_STRING, number=_INTEGER, body=_STRING, digest=_STRING),
        },
    ),
    "Health": _object(status={"const": "ok"}),
    "Document": {"type": "object"},
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """The document for these routes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    schemas = {**_ANSWERS, **trace_schemas(), "complete": COMPLETION, "override": OVERRIDE, "hand_in": SUBMISSION}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sentinel reflection guardrails",
            "version": version,
            "description": "Decides when a loop stops: submit an attempt, complete its loop, and get rerun or finalize.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(route: Route) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": _responses(route),
    }
    if route.body is not None:
        schema = {"$ref": f"{REFS}{route.body}"}
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if route.scope is None:
        made["security"] = []
    return made


def _parameters(route: Route) -> list[dict[str, Any]]:
    made = []
    if "{loop_id}" in route.path:
        made.append({"name": "loop_id", "in": "path", "required": True, "schema": LOOP_ID})
    made.extend({"name": name, "in": "query", "required": False, "schema": AUDIT_QUERY[name]} for name in route.query)
    return made


def _responses(route: Route) -> dict[str, Any]:
    problems = [*_ALWAYS]
    if route.scope is not None:
        problems += [*_GUARDED, HTTPStatus.NOT_FOUND]
    if route.body is not None:
        problems += _WITH_BODY
    problem = {"application/problem+json": {"schema": {"$ref": f"{REFS}Problem"}}}
    answer = {"application/json": {"schema": {"$ref": f"{REFS}{route.answer}"}}}
    made: dict[str, Any] = {
        str(int(status)): {"description": status.phrase, "content": answer} for status in route.statuses
    }
    return made | {
        str(int(status)): {"description": status.phrase, "content": problem} for status in sorted(set(problems))
    }
