"""Three formats around Claude: sessions of Claude Code, its ``stream-json`` output, and messages of Anthropic's API."""

from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl
from sentinel_readers_claude import sniffs

__all__ = ["read_anthropic", "read_claude_code", "read_claude_stream", "sentinel_trace_readers"]


def read_claude_code(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One session file, or one sub-agent's file, to one trace; sub-agents come as its children."""
    from sentinel_readers_claude.code import read

    return read(source)


def read_claude_stream(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session of the stream; sub-agents come as children."""
    from sentinel_readers_claude.stream import read

    return read(source)


def read_anthropic(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per conversation: a request that repeats the earlier messages continues it."""
    from sentinel_readers_claude.messages import read

    return read(source)


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The three readers of this package."""
    return [
        TraceReader(
            name="anthropic",
            summary="Anthropic Messages API: message lists, requests, request and response pairs",
            sniff=sniffs.anthropic,
            read=read_anthropic,
        ),
        TraceReader(
            name="claude-code",
            summary="Claude Code sessions (JSON Lines), with their sub-agents",
            sniff=sniffs.claude_code,
            read=read_claude_code,
            kept_at=("${CLAUDE_CONFIG_DIR:-~/.claude}/projects/*/????????-????-????-????-????????????.jsonl",),
        ),
        TraceReader(
            name="claude-stream",
            summary="Claude Code's --output-format stream-json",
            sniff=sniffs.claude_stream,
            read=read_claude_stream,
        ),
    ]
