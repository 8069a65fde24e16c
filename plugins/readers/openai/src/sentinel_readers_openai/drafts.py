"""Drafts of messages: a turn's text, calls and usage may be on several lines of a source."""

from collections.abc import Iterable

import attrs

from sentinel_core import MessageDetails, TokenUsage, ToolCall
from sentinel_core.trace import Role
from sentinel_core.traces.readers import Piece, TraceBuilder
from sentinel_core.traces.readers.chat import Result

__all__ = ["Draft", "fill"]


@attrs.define(kw_only=True, eq=False)
class Draft:
    """A draft of one message. ``is_copied`` marks context repeated after compaction, ``is_echo`` text shown on the screen."""

    role: Role
    origin: str
    timestamp: str | None = None
    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)
    results: list[Result] = attrs.field(factory=list)
    id: str | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    duration_ms: float | None = None
    is_copied: bool = False
    is_echo: bool = False

    def piece(self) -> Piece:
        """The draft as one message."""
        return Piece(
            role=self.role,
            text="\n".join(filter(None, self.texts)) or None,
            reasoning="\n".join(filter(None, self.reasoning)) or None,
            calls=tuple(self.calls),
            results=tuple(self.results),
        )


def fill(builder: TraceBuilder, drafts: Iterable[Draft]) -> None:
    """Hand all drafts to the builder, in order."""
    for draft in drafts:
        builder.add(
            draft.piece(),
            timestamp=draft.timestamp,
            details=MessageDetails(
                id=draft.id,
                model=draft.model,
                usage=draft.usage,
                duration_ms=draft.duration_ms,
                is_copied_context=draft.is_copied,
                origin=draft.origin,
            ),
        )
