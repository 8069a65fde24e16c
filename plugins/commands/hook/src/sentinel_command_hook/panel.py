"""The plugins that the hook needs: the signal that judges what is said, and the reader of the tool's transcripts."""

from sentinel_core import TraceReader
from sentinel_core.errors import PluginError
from sentinel_core.evaluate.evaluator import BoundSignal
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.settings import read_layers

__all__ = ["SIGNAL", "reader_of", "signal"]

SIGNAL = "hallucination"
_INSTALL = 'pip install "reliability-sentinel[standard]"'


def signal() -> BoundSignal:
    """The signal, with the settings and the levels of rules that hold in the working directory.

    Plugins that those settings name are not loaded: a checkout must not run code here. Raises ``SentinelError``.
    """
    everything = installed(("signals",))
    wanted = [one for one in everything if one.name == SIGNAL]
    plugins, failures = load(wanted)
    _refuse(failures[0].error if failures else None if wanted else "is not installed", f"the signal {SIGNAL}")
    others = [one for one in everything if one.name != SIGNAL]
    panel = make_panel(plugins, (), others, read_layers({}))
    _refuse(panel.failures[0].error if panel.failures else None, f"the signal {SIGNAL}")
    return panel.signals[0]


def reader_of(name: str) -> TraceReader:
    """The reader of that name. Raises ``SentinelError``."""
    wanted = [one for one in installed(("trace_readers",)) if one.name == name]
    plugins, failures = load(wanted)
    _refuse(failures[0].error if failures else None if wanted else "is not installed", f"the reader {name}")
    offer: TraceReader = plugins[0].offer
    return offer


def _refuse(problem: str | None, what: str) -> None:
    if problem is not None:
        raise PluginError(f"{what} {problem}: {_INSTALL}")
