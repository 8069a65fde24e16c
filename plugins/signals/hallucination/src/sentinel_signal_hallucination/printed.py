"""What a program printed, out of what a tool gave: without colours, and without the JSON that some tools wrap it in."""

import json
import re
from collections import deque

from sentinel_signal_hallucination.tables import regex

__all__ = ["last_ending", "printed"]

_LONGEST = 20_000
_MOST_SHOWN = 120
_LONGEST_WRAPPED = 200_000
_COLOUR = regex(r"\x1b\[[\d;]*m")
_PLACES = ("output", "stdout", "stderr")


def printed(result: str) -> str:
    """The end of what was printed, at most 20,000 characters."""
    if result.startswith('{"') and len(result) <= _LONGEST_WRAPPED:
        result = _unwrapped(result)
    return _COLOUR.sub("", result[-_LONGEST:])


def _unwrapped(result: str) -> str:
    try:
        fields = json.loads(result)
    except (ValueError, RecursionError):
        return result
    streams = [text for place in _PLACES if isinstance(text := fields.get(place), str)]
    return "\n".join(streams) if streams else result


def last_ending(failed: re.Pattern[str], passed: re.Pattern[str], text: str) -> str | None:
    """The line with which the last run in a text ends, where it failed; empty where it passed, None where there is none."""
    failures, passes = (deque(look.finditer(text), maxlen=1) for look in (failed, passed))
    if not failures or (passes and passes[0].end() > failures[0].end()):
        return "" if passes else None
    return text[failures[0].start() :].partition("\n")[0].strip("= ")[:_MOST_SHOWN]
