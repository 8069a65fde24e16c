"""What trace readers share: records from bytes, and the message, call, result and usage formats of every provider.

A reader parses its format and passes the pieces to a ``TraceBuilder``; the formats inside a message are known here.
Modules are imported on first use, so that a reader loads only what it needs.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.runtime.printable import counted
    from sentinel_core.traces.parsing import not_json, parse_json
    from sentinel_core.traces.readers.builder import TraceBuilder
    from sentinel_core.traces.readers.chat import Piece, history_in, pieces_of
    from sentinel_core.traces.readers.gaps import gaps_at, refusals
    from sentinel_core.traces.readers.records import BadRecord, Record, json_document, json_lines, json_records
    from sentinel_core.traces.readers.times import iso_time
    from sentinel_core.traces.readers.tools import tool_schemas
    from sentinel_core.traces.readers.usage import add_usage, usage_of

_HOME = {
    "traces.parsing": ("not_json", "parse_json"),
    "runtime.printable": ("counted",),
    "traces.readers.builder": ("TraceBuilder",),
    "traces.readers.chat": ("Piece", "history_in", "pieces_of"),
    "traces.readers.gaps": ("gaps_at", "refusals"),
    "traces.readers.records": ("BadRecord", "Record", "json_document", "json_lines", "json_records"),
    "traces.readers.times": ("iso_time",),
    "traces.readers.tools": ("tool_schemas",),
    "traces.readers.usage": ("add_usage", "usage_of"),
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
    "history_in",
    "iso_time",
    "json_document",
    "json_lines",
    "json_records",
    "not_json",
    "parse_json",
    "pieces_of",
    "refusals",
    "tool_schemas",
    "usage_of",
]


__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
