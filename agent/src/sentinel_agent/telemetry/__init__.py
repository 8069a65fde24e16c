"""A run as OpenTelemetry spans, metrics and logs: a fold of its events. Names are imported on first use."""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_agent.telemetry.observer import Telemetry
    from sentinel_agent.telemetry.run_files import rebuild
    from sentinel_agent.telemetry.spans import spans_of

__all__ = ["Telemetry", "rebuild", "spans_of"]

_HOME = {"observer": ("Telemetry",), "run_files": ("rebuild",), "spans": ("spans_of",)}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
