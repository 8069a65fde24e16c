"""The distributions with signals and readers that are released together with the host; all others are third-party code."""

from sentinel_core.errors import PluginError
from sentinel_core.host.plugins import Installed, installed
from sentinel_core.host.selection import Selection

__all__ = ["FIRST_PARTY", "is_first_party", "protect_from_third_party"]

_KINDS = ("signals", "trace_readers")

FIRST_PARTY = frozenset(
    f"reliability-sentinel-{name}"
    for name in (
        "readers-benchmarks",
        "readers-claude",
        "readers-coding",
        "readers-frameworks",
        "readers-native",
        "readers-openai",
        "readers-telemetry",
        "signal-cost",
        "signal-effort",
        "signal-ending",
        "signal-hallucination",
        "signal-loop",
        "signal-tool-misuse",
    )
)


def is_first_party(source: Installed) -> bool:
    """Whether the plugin is one of the project's own, which the judging process trusts."""
    return source.distribution in FIRST_PARTY


def protect_from_third_party(selection: Selection) -> None:
    """Protect the memory of this process before it starts one that may run a third-party signal or reader."""
    try:
        is_needed = selection.targets or not all(map(is_first_party, installed(_KINDS)))
    except PluginError:  # the process that judges reports it
        return
    if is_needed:
        from sentinel_core.runtime.confine import protect_memory

        protect_memory()
