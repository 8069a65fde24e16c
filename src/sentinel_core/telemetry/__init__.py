"""OpenTelemetry: what Sentinel's agent does as spans, metrics and logs, and other people's spans as traces to judge.

Names are imported on first use; OpenTelemetry itself only if a program already uses it, HTTP clients are instrumented, or
something is sent.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.telemetry.groups import Group, Groups
    from sentinel_core.telemetry.ids import trace_id_of
    from sentinel_core.telemetry.observer import Telemetry
    from sentinel_core.telemetry.one_conversation import renamed
    from sentinel_core.telemetry.processor import SentinelSpanProcessor
    from sentinel_core.telemetry.run_files import rebuild
    from sentinel_core.telemetry.spans import spans_of
    from sentinel_core.telemetry.verdicts import Emission

__all__ = [
    "Emission",
    "Group",
    "Groups",
    "SentinelSpanProcessor",
    "Telemetry",
    "rebuild",
    "renamed",
    "spans_of",
    "trace_id_of",
]

_HOME = {
    "agent.otel_ids": ("trace_id_of",),
    "telemetry.groups": ("Group", "Groups"),
    "telemetry.observer": ("Telemetry",),
    "telemetry.one_conversation": ("renamed",),
    "telemetry.processor": ("SentinelSpanProcessor",),
    "telemetry.run_files": ("rebuild",),
    "telemetry.spans": ("spans_of",),
    "telemetry.verdicts": ("Emission",),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
