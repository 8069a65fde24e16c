"""From the event to the answer."""

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sentinel_command_hook.event import Answer, Event, event_of
from sentinel_command_hook.memory import Memory, memory_of
from sentinel_command_hook.panel import reader_of, signal
from sentinel_command_hook.remarks import remarks, unbacked_remark
from sentinel_command_hook.session import read_session
from sentinel_command_hook.tools import TOOLS, ToolHook
from sentinel_command_hook.transcript import opened
from sentinel_command_hook.verdict import Verdict, judge_last_words, key_of
from sentinel_core import ExecutionTrace, Finding, TraceReader
from sentinel_core.errors import InputError, PluginError
from sentinel_core.evaluate.evaluator import BoundSignal
from sentinel_core.evaluate.facts.witness import Witness

__all__ = ["COINED", "answer_to"]

_MOST_IN_A_ROW = 3
_MOST_NOTES = 3
COINED = frozenset(("figure", "identifier"))
"""Rules whose warnings are for nobody: who writes code coins names and numbers."""
_PATIENCE, _STEP = 1.0, 0.05  # seconds
_HEAD = 1 << 16  # bytes by which a format is known


def answer_to(
    data: bytes, tool: ToolHook, *, quiet: bool = False, looks: bool = True, witness: Path | None = None
) -> Answer:
    """The answer to an event; without ``looks`` nothing is seen of the working tree, with a ``witness`` what that file tells.

    Raises ``InputError``, ``PluginError``, ``ConfigError`` or ``OSError`` where none can be given.
    """
    event = event_of(data, tool)
    memory = memory_of(event.transcript)
    look = _looker(event, memory, witness) if looks or witness else None
    verdict, known = _judged(event, tool, memory, witness=look, quiet=quiet)
    return _answered(event, verdict, known, memory, quiet=quiet)


_Looker = Callable[[ExecutionTrace, str], Witness]


def _looker(event: Event, memory: Memory, told: Path | None) -> _Looker | None:
    """What looks at the working tree, and keeps what it saw; or reads what was seen."""
    from sentinel_command_hook import witness

    if told is not None:
        seen = witness.read_witness(told)
        return lambda _trace, _said: seen
    if event.folder is None:
        return None
    folder = event.folder

    def look(trace: ExecutionTrace, said: str) -> Witness:
        found = witness.witness_of(folder, said, witness.begin_of(trace))
        with contextlib.suppress(OSError):
            memory.save_witness(witness.encoded(found))
        return found

    return look


def _judged(
    event: Event, tool: ToolHook, memory: Memory, *, witness: _Looker | None, quiet: bool
) -> tuple[Verdict, Mapping[str, str]]:
    """The verdict, and remarks for the user. Where it would send the agent back, it waits for lines that the tool has not written yet."""
    judge = signal()
    tool, reader = _written_by(event.transcript, tool)
    until = time.monotonic() + _PATIENCE
    while True:
        size = _size(event.transcript)
        session = read_session(event.transcript, tool, reader, memory)
        verdict = judge_last_words(session.index(), event.said, judge.detect, witness)
        session.keep(verdict.index, memory)
        known = {} if quiet else {**remarks(verdict, is_cut=session.is_cut), **_unbacked(verdict, judge, tool)}
        if not (verdict.is_behind and any(map(_is_error, verdict.findings))):
            return verdict, known
        while _size(event.transcript) == size and time.monotonic() < until:
            time.sleep(_STEP)
        if time.monotonic() >= until:
            return verdict, known


def _written_by(transcript: Path, tool: ToolHook) -> tuple[ToolHook, TraceReader]:
    """The tool that wrote the transcript, and its reader: some tools run the hooks of another's settings and plugins, too."""
    own = reader_of(tool.reader)
    try:
        with opened(transcript) as file:
            head = file.read(_HEAD) if tool.runs_in else b""
    except FileNotFoundError:
        raise InputError(_absent(transcript, tool)) from None
    if head and not own.sniff(head, transcript.name):
        for other in (TOOLS[name] for name in tool.runs_in):
            with contextlib.suppress(PluginError):  # it is not installed
                if (reader := reader_of(other.reader)).sniff(head, transcript.name):
                    return other, reader
    return tool, own


def _absent(transcript: Path, tool: ToolHook) -> str:
    """That there is no transcript, where it was looked for, and what to do."""
    if tool.records:
        again = f'"sentinel hook install {tool.name}"'
        return f'no event of this conversation was kept, so "{transcript}" does not exist: {again} and start a new one'
    where = transcript.absolute()
    return f'the transcript "{where}" does not exist: the event names it; check that {tool.name} keeps its sessions, and where'


def _unbacked(verdict: Verdict, judge: BoundSignal, tool: ToolHook) -> Mapping[str, str]:
    """What of the last message nothing on record backs; it is not looked for where something contradicts it."""
    index = verdict.index
    is_whole = not index.is_partial and not any(call.is_copied for call in index.calls)
    if judge.ledger is None or not (index.calls and is_whole) or any(map(_is_error, verdict.findings)):
        return {}
    return unbacked_remark(judge.ledger(index, verdict.findings), tool.name)


def _answered(event: Event, verdict: Verdict, known: Mapping[str, str], memory: Memory, *, quiet: bool) -> Answer:
    """One finding sends the agent back, once; what else was found is told to the user, once."""
    told = memory.told()
    row = told.row if event.again else 0
    news = {key: line for key, line in known.items() if key not in told.keys}
    if not verdict.findings:
        memory.tell(told, news, row)
        return Answer(notes=() if quiet else tuple(news.values()))
    from sentinel_command_hook.wording import note, reason  # most sessions have nothing to word

    new = {key_of(one, verdict.index): one for one in verdict.findings}
    fresh = {key: one for key, one in new.items() if key not in told.keys}
    errors = [key for key, one in fresh.items() if _is_error(one)]
    sends_back = bool(errors) and row < _MOST_IN_A_ROW
    notes = {key: one for key, one in fresh.items() if key not in errors and one.rule not in COINED}
    memory.tell(told, [*errors[: int(sends_back)], *notes, *news], row + 1 if sends_back else row)
    lines = [*news.values(), *(note(one, "") for one in notes.values())]
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
