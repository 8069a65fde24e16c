"""The JSON Schema of traces and reports, generated from the models."""

from typing import Any, Literal

import msgspec

from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace

__all__ = ["schema_of"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VERSIONS = {"trace": 2, "report": 1}
_MODELS = {"trace": ExecutionTrace, "report": ReliabilityReport}


def schema_of(what: Literal["trace", "report"]) -> dict[str, Any]:
    """The schema of one trace or one report, with an ``$id`` that names its version."""
    (made,), parts = msgspec.json.schema_components([_MODELS[what]], ref_template="#/$defs/{name}")
    for part in parts.values():
        if "description" in part:
            part["description"] = " ".join(part["description"].split())
    if what == "trace":
        parts["ExecutionTrace"]["properties"]["schema"] |= {"minimum": 1, "maximum": _VERSIONS["trace"]}
        parts["ExecutionTrace"]["properties"]["trace_id"] |= {"minLength": 1}
    title = f"Sentinel {what}"
    return {
        "$schema": _DIALECT,
        "$id": f"urn:sentinel:{what}:v{_VERSIONS[what]}",
        "title": title,
        **made,
        "$defs": parts,
    }
