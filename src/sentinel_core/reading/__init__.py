"""What trace readers share: records out of bytes, and every provider's way to write a message, a call, a result, a usage.

A reader takes its format apart and hands the pieces to a ``TraceBuilder``; what a message looks like inside is known here.
Names are looked up on first use: a format of its own needs none of the others' shapes.
"""

from typing import TYPE_CHECKING

from sentinel_core import _looked_up

if TYPE_CHECKING:
    from sentinel_core._words import counted
    from sentinel_core.parsing import parse_json
    from sentinel_core.reading.builder import TraceBuilder
    from sentinel_core.reading.chat import Piece, pieces_of, tool_schemas
    from sentinel_core.reading.gaps import gaps_at, refusals
    from sentinel_core.reading.records import BadRecord, Record, json_document, json_lines, json_records
    from sentinel_core.reading.times import iso_time
    from sentinel_core.reading.usage import add_usage, usage_of

_HOME = {
    "_words": ("counted",),
    "parsing": ("parse_json",),
    "reading.builder": ("TraceBuilder",),
    "reading.chat": ("Piece", "pieces_of", "tool_schemas"),
    "reading.gaps": ("gaps_at", "refusals"),
    "reading.records": ("BadRecord", "Record", "json_document", "json_lines", "json_records"),
    "reading.times": ("iso_time",),
    "reading.usage": ("add_usage", "usage_of"),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__all__ = [
    "BadRecord",
    "Piece",
    "Record",
    "TraceBuilder",
    "add_usage",
    "counted",
    "gaps_at",
    "iso_time",
    "json_document",
    "json_lines",
    "json_records",
    "parse_json",
    "pieces_of",
    "refusals",
    "tool_schemas",
    "usage_of",
]


__getattr__, __dir__ = _looked_up(globals(), _MODULE_OF)
