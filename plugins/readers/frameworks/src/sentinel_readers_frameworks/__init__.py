"""Trace readers for agent frameworks and their platforms, one module per format."""

from collections.abc import Callable, Iterable, Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl
from sentinel_readers_frameworks import _sniff

__all__ = ["sentinel_trace_readers"]

_Read = Callable[[Source], Iterable[ExecutionTrace | ReadError]]


def _reading(module: str) -> _Read:
    """A ``read`` that imports its module on first use."""

    def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
        from importlib import import_module

        yield from import_module(f"{__name__}.{module}").read(source)

    return read


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The readers of this package."""
    return [
        TraceReader(name="adk", summary="Google ADK sessions", sniff=_sniff.adk, read=_reading("adk")),
        TraceReader(
            name="autogen",
            summary="AutoGen group chats, 0.2 and 0.4, and the Who&When shape",
            sniff=_sniff.autogen,
            read=_reading("autogen"),
        ),
        TraceReader(
            name="gemini-cli",
            summary="Gemini CLI chats",
            sniff=_sniff.gemini_cli,
            read=_reading("gemini_cli"),
            kept_at=("~/.gemini/tmp/*/chats/*.json*",),
        ),
        TraceReader(
            name="langchain",
            summary="LangChain and LangGraph messages, in three dump shapes",
            sniff=_sniff.langchain,
            read=_reading("langchain"),
        ),
        TraceReader(
            name="langfuse",
            summary="Langfuse traces and observations: API, UI file, blob export",
            sniff=_sniff.langfuse,
            read=_reading("langfuse"),
        ),
        TraceReader(name="langsmith", summary="LangSmith runs", sniff=_sniff.langsmith, read=_reading("langsmith")),
        TraceReader(
            name="pydantic-ai",
            summary="Pydantic AI message history",
            sniff=_sniff.pydantic_ai,
            read=_reading("pydantic_ai"),
        ),
    ]
