"""Reads SpecStory's histories: one session of Claude Code, Codex, Cursor and others as Markdown.

A message begins with a line ``_**Agent (model time)**_``; a tool use is a ``<tool-use>`` element with its output in the last
code block. Whether a call worked is seldom on record, and the arguments of edits never are.
"""

import re
from collections.abc import Iterator

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source
from sentinel_core.traces.readers import Piece, TraceBuilder, gaps_at
from sentinel_readers_coding.specstory_tools import ToolUse, tool_use
from sentinel_readers_coding.text_lines import Numbered, text_lines

__all__ = ["read"]

_SOURCE = "specstory"
_HEADER = re.compile(r"_\*\*(User|Agent|Assistant)( - sidechain)?(?: \((.{0,200})\))?\*\*_\s*")
_TIME = re.compile(r"(?:(.*) )?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:?\d\d)?")
_SESSION = re.compile(r"<!-- (.{1,60}?) Session (\S{1,200}) \(.*\) -->\s*")
_MESSAGE_ID = re.compile(r"<!-- message-id: (\S{1,200}) -->\s*")
_TOOL = re.compile(r'<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)">')
_FENCE = re.compile(r"(`{3,})([^`]*)")
_THINK, _THINK_END = "<think>", "</think>"
_THOUGHT = re.compile(r"</?(?:think|details)>|<summary>[^<]*</summary>")
_TOOL_END = "</tool-use>"
_SHORTEST_FENCE = 3
_INTERRUPTED = "[Request interrupted by user"
_HEAD_LINES = 20


@attrs.define(kw_only=True)
class _Said:
    """One message: what stands below a header."""

    role: str
    is_sidechain: bool
    model: str | None
    timestamp: str | None
    line: int
    id: str | None = None
    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    uses: list[ToolUse] = attrs.field(factory=list)

    @property
    def text(self) -> str:
        """The text without the rule that separates two speakers."""
        lines = "\n".join(self.texts).strip().split("\n")
        return "\n".join(lines[:-1] if lines[-1].strip() == "---" else lines).strip()


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The session of a file, with what sub-agents said as children; a ``ReadError`` if there is no message."""
    lines = text_lines(source)
    if isinstance(lines, ReadError):
        yield lines
        return
    unfinished: list[int] = []
    said = list(_messages(lines, unfinished))
    if not said:
        yield ReadError(message="is not a SpecStory history: no message")
        return
    gaps = gaps_at("element without an end", "elements without an end", (f"line {line}" for line in unfinished))
    session = next((match for _, line in lines[:_HEAD_LINES] if (match := _SESSION.fullmatch(line)) is not None), None)
    name, agent = (session[2], session[1]) if session is not None else (source.name, None)
    yield _trace(name, agent, said, gaps)


def _messages(lines: list[Numbered], unfinished: list[int]) -> Iterator[_Said]:
    """Every message. A header within a tool's output or a thought is none."""
    message: _Said | None = None
    at = 0
    while at < len(lines):
        number, line = lines[at]
        header = _HEADER.fullmatch(line)
        if header is not None:
            if message is not None:
                yield message
            message = _begun(header, number)
        elif message is None:
            pass
        elif line.startswith((_THINK, "<tool-use ")):
            end = _end_of(lines, at, _THINK_END if line.startswith(_THINK) else _TOOL_END)
            inner = [text for _, text in lines[at : end + 1]]
            if end == len(lines):
                unfinished.append(number)
            at = end
            _take(message, inner)
        elif (found := _MESSAGE_ID.fullmatch(line)) is not None and not any(message.texts):
            message.id = found[1]
        else:
            message.texts.append(line)
        at += 1
    if message is not None:
        yield message


def _begun(header: re.Match[str], number: int) -> _Said:
    about = header[3] or ""
    time = _TIME.fullmatch(about)
    return _Said(
        role="user" if header[1] == "User" else "assistant",
        is_sidechain=header[2] is not None,
        model=(time[1] if time is not None else about) or None,
        timestamp=f"{time[2]}T{time[3]}{time[4] or ''}" if time is not None else None,
        line=number,
    )


def _end_of(lines: list[Numbered], start: int, tag: str) -> int:
    """The line on which an element ends; the number of lines if its end is missing.

    An output may quote the tag, so a tag within a code block counts only where that block ends just before it: older
    versions do not make a block's fence longer than those that it quotes.
    """
    fence, last = 0, ""
    for at in range(start, len(lines)):
        line = lines[at][1]
        if tag in line and (not fence or (fence == _SHORTEST_FENCE and last.strip() == "`" * fence) or at == start):
            return at
        mark = _FENCE.fullmatch(line.rstrip())
        if mark is not None and at > start:
            length = len(mark[1])
            fence = length if not fence else 0 if length >= fence and not mark[2].strip() else fence
        last = line
    return len(lines)


def _take(message: _Said, inner: list[str]) -> None:
    """Add a thought or a tool use. Some versions write each tool use twice, the second time empty."""
    opening = _TOOL.match(inner[0])
    if opening is None:
        message.reasoning.append(_THOUGHT.sub("", "\n".join(inner)).strip())
        return
    use = tool_use(opening[1], opening[2], [inner[0][opening.end() :], *inner[1:]])
    if not (use.is_empty and message.uses and message.uses[-1].name == use.name):
        message.uses.append(use)


def _trace(name: str, agent: str | None, said: list[_Said], gaps: list[str]) -> ExecutionTrace:
    builder = TraceBuilder(name, _SOURCE)
    inner: TraceBuilder | None = None
    children: list[TraceBuilder] = []
    for message in said:
        if not message.is_sidechain:
            inner = None
            _add(builder, message)
            continue
        if inner is None:
            inner = TraceBuilder(f"{name}/{len(children) + 1}", _SOURCE)
            children.append(inner)
        _add(inner, message)
    last = said[-1]
    is_stopped = last.role == "user" and last.text.startswith(_INTERRUPTED)
    return builder.build(
        outcome="interrupted" if is_stopped else None,
        children=[child.build() for child in children],
        metadata={**({"agent": agent} if agent else {}), **({"reading_gaps": gaps} if gaps else {})},
    )


def _add(builder: TraceBuilder, message: _Said) -> None:
    calls = tuple(use.call() for use in message.uses)
    details = MessageDetails(id=message.id, model=message.model, origin=f"line {message.line}")
    piece = Piece(
        role="user" if message.role == "user" else "assistant",
        text=message.text or None,
        reasoning="\n".join(filter(None, message.reasoning)) or None,
        calls=calls,
    )
    if piece.text or piece.reasoning or calls:
        builder.add(piece, timestamp=message.timestamp, details=details)
    results = [result for use in message.uses if (result := use.result()) is not None]
    if results:
        made = builder.messages[-1].tool_calls
        answered = [call.id for call, use in zip(made, message.uses, strict=True) if use.output is not None]
        pairs = zip(results, answered, strict=True)
        paired = tuple(attrs.evolve(result, call_id=call_id) for result, call_id in pairs)
        builder.add(Piece(role="tool", results=paired), details=MessageDetails(origin=details.origin))
