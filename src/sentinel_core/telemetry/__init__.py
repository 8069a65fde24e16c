"""OpenTelemetry: what Sentinel's agent does as spans, metrics and logs, and other people's spans as traces to judge.

Everything is looked up on first use; OpenTelemetry itself is imported only where a program uses it already, where HTTP
clients are instrumented, or where something is sent.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentinel_core.telemetry.files import rebuild
    from sentinel_core.telemetry.ids import trace_id_of
    from sentinel_core.telemetry.observer import Telemetry
    from sentinel_core.telemetry.processor import SentinelSpanProcessor
    from sentinel_core.telemetry.spans import spans_of

__all__ = ["SentinelSpanProcessor", "Telemetry", "rebuild", "spans_of", "trace_id_of"]

_MODULE_OF = {
    "SentinelSpanProcessor": "processor",
    "Telemetry": "observer",
    "rebuild": "files",
    "spans_of": "spans",
    "trace_id_of": "ids",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
