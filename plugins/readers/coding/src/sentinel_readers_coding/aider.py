"""Reads Aider's chat histories: ``#### `` begins the user's lines, ``> `` Aider's own, and the rest is the model's.

Aider has no tool calls. It writes down which edits it applied, which commits it made and which commands it ran: those become
calls. It does not write what commands printed, nor tests that pass, so every trace with a call has a reading gap.
"""

import re
from collections.abc import Iterator

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, TokenUsage
from sentinel_core.trace import Role
from sentinel_core.traces.readers import Piece, TraceBuilder, counted
from sentinel_readers_coding.aider_log import Deed, deeds, of_user, unseen
from sentinel_readers_coding.text_lines import Numbered, text_lines

__all__ = ["read"]

_SOURCE = "aider"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
_USER, _AIDER = "####", ">"
_ENDING = "  "  # of each line of the user's and of Aider's
_MODEL = re.compile(r"(?:Main model|Model): (\S+) with .* edit format.*")
_VERSION = re.compile(r"Aider v(\S+)")
_TOKENS = re.compile(
    r"Tokens: ([\d.,]+)(k|M)? sent,(?: .*,)? ([\d.,]+)(k|M)? received\.(?: Cost: \$([\d.]+) message.*)?"
)
# What makes the model speak again before the user does.
_GOES_ON = re.compile(
    r"Attempt to fix |Add .* to the chat\?|The LLM did not conform|Exception while updating|Retrying in |Only \d+ reflections|.*\? \(Y\)es/\(N\)o"
)
_UNITS = {None: 1, "k": 1_000, "M": 1_000_000}
_UNKNOWN = "an Aider history contains neither what commands printed nor tests that passed"


@attrs.define
class _Block:
    """Lines in a row of one speaker: the user, the model, or Aider itself (``tool``); with and without their marks."""

    role: Role
    line: int
    lines: list[str] = attrs.field(factory=list)
    written: list[str] = attrs.field(factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


@attrs.define
class _Chat:
    """One chat: when it began, and its lines."""

    started: str
    line: int
    lines: list[Numbered] = attrs.field(factory=list)


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per chat; a ``ReadError`` if there is none, or none in which anybody speaks.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    lines = text_lines(source)
    if isinstance(lines, ReadError):
        yield lines
        return
    # Without these endings anywhere, an editor removed them.
    ending = _ENDING if any(line.startswith(_USER) and line.endswith(_ENDING) for _, line in lines) else ""
    found = False
    for chat in _chats(lines):
        trace = _trace(f"{source.name}:{chat.line}", chat, ending)
        if trace.messages:
            found = True
            yield trace
    if not found:
        yield ReadError(message="is not an Aider chat history: nobody says anything in it")


def _chats(lines: list[Numbered]) -> Iterator[_Chat]:
    chat: _Chat | None = None
    for number, line in lines:
        start = _START.fullmatch(line)
        if start is not None:
            if chat is not None:
                yield chat
            chat = _Chat(f"{start[1]}T{start[2]}", number)
        elif chat is not None:
            chat.lines.append((number, line))
    if chat is not None:
        yield chat


def _blocks(lines: list[Numbered], ending: str) -> list[_Block]:
    """The lines in blocks; what the model only quotes stays in its text."""
    blocks: list[_Block] = []
    for number, line in lines:
        role, text = _spoken(line, ending)
        is_blank = role == "assistant" and not text.strip()  # it ends nothing but what the user said
        is_new = role == "user" and bool(blocks) and blocks[-1].written[-1] == ""
        if not blocks or is_new or (blocks[-1].role != role and not is_blank):
            blocks.append(_Block(role, number))
        blocks[-1].lines.append(text)
        blocks[-1].written.append(line)
    joined: list[_Block] = []
    for block in blocks:
        if len(joined) > 1 and block.role == "assistant" and _is_quote(joined[-1], joined[-2]):
            quote = joined.pop()
            joined[-1].lines += [*quote.written, *block.lines]
        else:
            joined.append(block)
    return joined


def _is_quote(block: _Block, before: _Block) -> bool:
    """Whether lines amid the model's text look like Aider's: it speaks again without the user only for a reason."""
    return block.role == "tool" and before.role == "assistant" and not any(map(_GOES_ON.match, block.lines))


def _spoken(line: str, ending: str) -> tuple[Role, str]:
    for mark, role in ((f"{_USER} ", "user"), (f"{_AIDER} ", "tool")):
        if line.startswith(mark) and line.endswith(ending):
            return ("user" if role == "user" else "tool"), line.removeprefix(mark).removesuffix(_ENDING)
    return "assistant", line


def _trace(name: str, chat: _Chat, ending: str) -> ExecutionTrace:
    """The trace of a chat. What Aider does after the model or the user spoke belongs to that message."""
    builder = TraceBuilder(name, _SOURCE)
    known: dict[str, str] = {"started": chat.started}
    model: str | None = None
    said: _Block | None = None
    watched = set[str]()
    for block in _blocks(chat.lines, ending):
        if block.role != "tool":
            _add(builder, said, [], [], model)
            said = block if block.text else None
            continue
        for line in block.lines:
            model = found[1] if (found := _MODEL.fullmatch(line)) is not None else model
            known.update({"version": found[1]} if (found := _VERSION.fullmatch(line)) is not None else {})
        # A command that the model proposes is shown before it is run: a line that it wrote itself tells of no deed.
        own = frozenset(map(str.strip, said.lines)) if said is not None else frozenset()
        told = [line for line in block.lines if line.strip() not in own]
        done = deeds(told, by_user=said is not None and said.role == "user")
        _add(builder, said, [*done, *unseen(done, watched)], told, model)
        watched |= {deed.name for deed in done}
        said = None
    _add(builder, said, [], [], model)
    calls = sum(len(message.tool_calls) for message in builder.messages)
    gaps = [f"{_UNKNOWN} ({counted(calls, 'call', 'calls')})"] if calls else []
    return builder.build(metadata={**known, **({"reading_gaps": gaps} if gaps else {})})


def _add(builder: TraceBuilder, said: _Block | None, done: list[Deed], notices: list[str], model: str | None) -> None:
    """Add a message with what was done after it."""
    if said is None and not done:
        return
    role: Role = "assistant" if said is None else said.role
    if said is not None and said.role == "user":
        done = [*of_user(said.text, notices), *done]
    usage, cost = next((found for line in notices if (found := _usage(line)) is not None), (None, None))
    is_model = role == "assistant"
    builder.add(
        Piece(role=role, text=said.text if said is not None else None, calls=tuple(deed.call() for deed in done)),
        details=MessageDetails(
            model=model if is_model else None,
            usage=usage if is_model else None,
            cost_usd=cost if is_model else None,
            origin=None if said is None else f"line {said.line}",
        ),
    )
    answered = zip(builder.messages[-1].tool_calls, done, strict=True)
    results = tuple(deed.result(call.id) for call, deed in answered if deed.content is not None)
    if results:
        builder.add(Piece(role="tool", results=results))


def _usage(notice: str) -> tuple[TokenUsage, float | None] | None:
    """Aider rounds its counts: ``2.3k`` tokens are 2,300."""
    found = _TOKENS.fullmatch(notice)
    if found is None:
        return None
    try:
        sent, received = (
            round(float(count.replace(",", "")) * _UNITS[unit])
            for count, unit in ((found[1], found[2]), (found[3], found[4]))
        )
        cost = None if found[5] is None else float(found[5])
    except (ValueError, OverflowError):
        return None
    return TokenUsage(prompt_tokens=sent, completion_tokens=received), cost
