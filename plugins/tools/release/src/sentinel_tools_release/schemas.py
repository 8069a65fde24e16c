"""JSON schemas of the tools' arguments."""

from collections.abc import Mapping
from typing import Any

__all__ = ["CHANGES", "HISTORY", "REPORT", "SUMMARY", "TESTS", "TRACES"]

_RELEASE_ID = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "description": "The release, as you were given it, for example v2.1.0.",
}


def _schema(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"release_id": _RELEASE_ID, **properties},
        "required": ["release_id", *required],
        "additionalProperties": False,
    }


def _limit(most: int, default: int) -> dict[str, Any]:
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        "description": f"How many to list at most; {default} if left out.",
    }


SUMMARY = _schema({})
TESTS = _schema(
    {
        "status": {
            "enum": ["failed", "skipped", "passed", "all"],
            "description": "Which tests; failed ones if left out.",
        },
        "name": {"type": "string", "maxLength": 500, "description": "Only tests whose name contains this text."},
        "limit": _limit(100, 20),
    }
)
CHANGES = _schema(
    {
        "path": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "pattern": "^[^\\u0000]+$",
            "description": "Only commits that touch this file or folder; its path starts at the top of the repository.",
        },
        "limit": _limit(100, 20),
        "skip": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1_000_000,
            "description": "How many of the newest to skip.",
        },
    }
)
TRACES = _schema({"limit": _limit(100, 20)})
HISTORY = _schema(
    {
        "baseline": {
            **_RELEASE_ID,
            "description": "The release to compare with; all earlier ones if left out.",
        },
        "limit": _limit(50, 10),
    }
)
REPORT = _schema(
    {
        "severity": {"enum": ["high", "medium", "low"], "description": "How risky it is to ship the release."},
        "findings": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 4000},
            "minItems": 1,
            "maxItems": 200,
            "description": "Reasons for the severity: one sentence each, with the number or the change it is about.",
        },
    },
    "severity",
    "findings",
)
