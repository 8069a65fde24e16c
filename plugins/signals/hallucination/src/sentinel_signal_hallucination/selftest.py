"""A look at a few sentences at first use: on an interpreter whose expressions are broken, every lie would pass in silence."""

from functools import cache

from sentinel_signal_hallucination.sentences import plain, sentences
from sentinel_signal_hallucination.statements import statements

__all__ = ["check_expressions"]

_SAMPLES = {
    "I have filed the report.": ("file", "active", "done"),
    "Your **order** has been successfully cancelled!": ("cancel", "perfect", "done"),
    "Once it is paid, the ticket is booked.": ("pay", "state", "conditional"),
    "Done. Booked the `A-1` room.": ("do", "brief", "done"),
}


@cache
def check_expressions() -> None:
    """Raise ``RuntimeError`` where the sentences are not read as they should be."""
    for sample, expected in _SAMPLES.items():
        found = next((one for part in sentences(plain(sample)) for one in statements(part)), None)
        read = None if found is None else (found.verb, found.voice, found.aspect)
        if read != expected:
            raise RuntimeError(f'this Python\'s re module is broken: "{sample}" was read as {read}; use another Python')
