"""From the event to the answer."""

import time
from pathlib import Path

from sentinel_command_hook.event import Answer, Event, event_of
from sentinel_command_hook.memory import Memory, memory_of
from sentinel_command_hook.panel import reader_of, signal
from sentinel_command_hook.session import read_session
from sentinel_command_hook.tools import ToolHook
from sentinel_command_hook.verdict import Verdict, judge_last_words, key_of
from sentinel_core import Finding

__all__ = ["answer_to"]

_MOST_IN_A_ROW = 3
_MOST_NOTES = 3
_COINED = frozenset(("figure", "identifier"))  # who writes code coins names and numbers; a doubt about one is no news
_PATIENCE, _STEP = 1.0, 0.05  # seconds


def answer_to(data: bytes, tool: ToolHook, *, quiet: bool = False) -> Answer:
    """The answer to an event. Raises ``InputError``, ``PluginError``, ``ConfigError`` or ``OSError`` where none can be given."""
    event = event_of(data, tool)
    memory = memory_of(event.transcript)
    verdict = _judged(event, tool, memory)
    return _answered(event, verdict, memory, quiet=quiet)


def _judged(event: Event, tool: ToolHook, memory: Memory) -> Verdict:
    """The verdict. Where it would send the agent back, it waits for lines that the tool has not written yet."""
    detect, reader = signal(), reader_of(tool.reader)
    until = time.monotonic() + _PATIENCE
    while True:
        size = _size(event.transcript)
        session = read_session(event.transcript, tool, reader, memory)
        verdict = judge_last_words(session.index(), event.said, detect)
        session.keep(verdict.index, memory)
        if not (verdict.is_behind and any(map(_is_error, verdict.findings))):
            return verdict
        while _size(event.transcript) == size and time.monotonic() < until:
            time.sleep(_STEP)
        if time.monotonic() >= until:
            return verdict


def _answered(event: Event, verdict: Verdict, memory: Memory, *, quiet: bool) -> Answer:
    """One finding sends the agent back, once; what else was found is told to the user, once."""
    told = memory.told()
    row = told.row if event.again else 0
    if not verdict.findings:
        memory.tell(told, (), row)
        return Answer()
    from sentinel_command_hook.wording import note, reason  # most sessions have nothing to word

    new = {key_of(one, verdict.index): one for one in verdict.findings}
    fresh = {key: one for key, one in new.items() if key not in told.keys}
    errors = [key for key, one in fresh.items() if _is_error(one)]
    sends_back = bool(errors) and row < _MOST_IN_A_ROW
    notes = {key: one for key, one in fresh.items() if key not in errors and one.rule not in _COINED}
    memory.tell(told, [*errors[:1], *notes] if sends_back else notes, row + 1 if sends_back else row)
    lines = [note(one, "") for one in notes.values()]
    if not sends_back:
        lines += [note(one, "still not true: ") for key, one in new.items() if _is_error(one)]
    return Answer(
        reason=reason(fresh[errors[0]], verdict.index) if sends_back else None,
        notes=() if quiet else tuple(lines[:_MOST_NOTES]),
    )


def _is_error(finding: Finding) -> bool:
    return finding.severity == "error"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
