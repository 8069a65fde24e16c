"""OpenTelemetry: spans of any agent as traces to judge, verdicts as events, and OTLP as files and requests.

Names are imported on first use; OpenTelemetry itself only if a program already uses it, or something is sent.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.telemetry.groups import Group, Groups
    from sentinel_core.telemetry.names import trace_id_of
    from sentinel_core.telemetry.one_conversation import renamed
    from sentinel_core.telemetry.processor import SentinelSpanProcessor
    from sentinel_core.telemetry.verdicts import Emission

__all__ = [
    "Emission",
    "Group",
    "Groups",
    "SentinelSpanProcessor",
    "renamed",
    "trace_id_of",
]

_HOME = {
    "telemetry.names": ("trace_id_of",),
    "telemetry.groups": ("Group", "Groups"),
    "telemetry.one_conversation": ("renamed",),
    "telemetry.processor": ("SentinelSpanProcessor",),
    "telemetry.verdicts": ("Emission",),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
