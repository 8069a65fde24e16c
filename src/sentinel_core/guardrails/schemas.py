"""The JSON schemas of requests, shared by the HTTP service, its OpenAPI document and the Python functions."""

import functools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from sentinel_core.errors import LoopRequestError
from sentinel_core.trace import ExecutionTrace

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = [
    "COMPLETION",
    "LOOP_ID",
    "OVERRIDE",
    "REFLECTION",
    "REFS",
    "SUBMISSION",
    "check",
    "check_loop_id",
    "plain_tags",
    "trace_schemas",
]

REFS = "#/components/schemas/"
_NEWEST_TRACE = 2
_MOST_TAGS = 64
_LONGEST_OVERRIDE = 86_400
_TEXT = r"^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$"

LOOP_ID: Mapping[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", "maxLength": 128}
_PERSONA = {"type": ["string", "null"], "pattern": "^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$", "maxLength": 64}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_TAG = {"type": "string", "pattern": "^[a-z0-9][a-z0-9_.:-]{0,63}$", "maxLength": 64}
_FLAG = {"type": "boolean", "default": False}
_REASON = {"type": "string", "pattern": _TEXT, "minLength": 1, "maxLength": 500}
_FLAGS = ("override_fatigue", "override_max_reruns", "override_bias_echo")
_OVERRIDES: dict[str, Any] = {
    **dict.fromkeys(_FLAGS, _FLAG),
    "override_by": {"type": ["string", "null"], "pattern": _TEXT, "maxLength": 128},
    "override_reason": {**_REASON, "type": ["string", "null"]},
}
_SOME_OVERRIDE = [{"required": [flag], "properties": {flag: {"const": True}}} for flag in _FLAGS]

COMPLETION: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["loop_id", "reflection_status"],
    "properties": {
        "loop_id": LOOP_ID,
        "reflection_status": {"const": "done"},
        "orchestrator_persona": _PERSONA,
        **_OVERRIDES,
    },
}

OVERRIDE: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["override_reason"],
    "properties": {
        **_OVERRIDES,
        "override_reason": _REASON,
        "override_seconds": {"type": ["integer", "null"], "minimum": 1, "maximum": _LONGEST_OVERRIDE},
    },
    "anyOf": _SOME_OVERRIDE,
}

REFLECTION: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["alignment_score", "drift_score"],
    "properties": {
        "alignment_score": _SHARE,
        "drift_score": _SHARE,
        "summary_valid": {"type": "boolean", "default": True},
        "bias_tags": {
            "type": "array",
            "maxItems": _MOST_TAGS,
            "items": {"anyOf": [_TAG, {"type": "object", "required": ["tag"], "properties": {"tag": _TAG}}]},
        },
        "reflection_persona": _PERSONA,
    },
}

SUBMISSION: Mapping[str, Any] = {
    "anyOf": [
        REFLECTION,
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["trace"],
            "properties": {"trace": {"$ref": f"{REFS}ExecutionTrace"}},
        },
    ]
}


@functools.cache
def trace_schemas() -> Mapping[str, Any]:
    """The trace format's schemas by model name, generated from the decoder's types; unknown keys are allowed."""
    _, found = msgspec.json.schema_components([ExecutionTrace], ref_template=REFS + "{name}")
    for schema in found.values():
        for name, field in schema.get("properties", {}).items():
            if name.endswith("_tokens"):
                for form in field.get("anyOf", [field]):
                    if form.get("type") == "integer":
                        form["minimum"] = 0
    found["ExecutionTrace"]["properties"]["trace_id"]["minLength"] = 1
    found["ExecutionTrace"]["properties"]["schema"].update(minimum=1, maximum=_NEWEST_TRACE)
    return found


def check(document: object, schema: str) -> None:
    """Validate a value against the schema ``completion``, ``override`` or ``reflection``.

    Raises ``LoopRequestError`` that names all missing fields, else the first error, with its path.
    """
    _refuse_non_finite(document)
    wrong = list(_validator(schema).iter_errors(document))
    missing = [error for error in wrong if _kind(error) == "Required"]
    if wrong:
        raise LoopRequestError("; ".join(_placed(schema, error) for error in missing or wrong[:1]))


def plain_tags(tags: Iterable[Any]) -> tuple[Any, ...]:
    """Tags as texts; an object's ``tag`` is taken out. Other values are returned unchanged for ``check`` to refuse."""
    return tuple(tag["tag"] if isinstance(tag, Mapping) and "tag" in tag else tag for tag in tags)


def check_loop_id(loop_id: object) -> str:
    """The id. Raises ``LoopRequestError`` if it is invalid."""
    if isinstance(loop_id, str) and _validator("loop_id").is_valid(loop_id):
        return loop_id
    raise LoopRequestError(
        f'loop_id "{str(loop_id)[:140]}" cannot be used: use 1 to 128 of the characters A-Z, a-z, 0-9, ".", "_" and "-", starting with a letter or digit'
    )


def _placed(schema: str, error: Any) -> str:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
    return f"{_describe(schema, error)} at ${where}"


def _kind(error: Any) -> str:
    return type(error.kind).__name__.rpartition("_")[2]


def _describe(schema: str, error: Any) -> str:
    kind = _kind(error)
    if kind == "Pattern" and error.kind.pattern == _TEXT:
        return f"{error.instance_path[-1]} must contain a visible character and no control characters"
    if kind == "AnyOf" and schema == "override":
        return "nothing to override: one of override_fatigue, override_max_reruns, override_bias_echo must be true"
    return " ".join(str(error.message).split())[:300]


def _refuse_non_finite(document: object) -> None:
    if isinstance(document, dict):
        for name, value in document.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise LoopRequestError(f"{value} is not a finite number at $.{name}")


@functools.cache
def _validator(schema: str) -> "Validator":
    import jsonschema_rs

    schemas = {"completion": COMPLETION, "override": OVERRIDE, "reflection": REFLECTION, "loop_id": LOOP_ID}
    return jsonschema_rs.validator_for(dict(schemas[schema]), offline=True)
