"""The records of one source, one by one, whatever its reader does."""

from typing import TYPE_CHECKING

from sentinel_core.errors import InputError, error_text
from sentinel_core.offers import Source, TraceReader
from sentinel_core.trace import ExecutionTrace, Message, TokenUsage, TraceDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OVER", "RecordStream", "is_whole"]

OVER = object()
"""Marks the end of the records; a reader may yield anything, even None."""
_MESSAGES = {Message}
_MEMORY = "it needs more memory than --max-memory-mb allows"


class RecordStream:
    """The records of a reader; its ``read`` is called only with the first record, so that a watch around ``next`` sees it."""

    def __init__(self, reader: TraceReader, source: Source) -> None:
        self._reader, self._source = reader, source
        self._given: Iterator[object] | None = None

    def next(self) -> object:
        """The next record, or ``OVER``. Anything a reader raises becomes an ``InputError``, so that only its file is lost."""
        try:
            if self._given is None:
                self._given = iter(self._reader.read(self._source))
            return next(self._given, OVER)
        except (InputError, OSError, EOFError, KeyboardInterrupt):
            raise
        except BaseException as error:
            why = error_text(error) or (_MEMORY if isinstance(error, MemoryError) else "")
            problem = f"raised {type(error).__name__}{why and ': '}{why}"
            raise InputError(f'its reader "{self._reader.name}" {problem}') from error


def is_whole(trace: object) -> bool:
    """A quick check of a trace's outer types; a full check of every trace would slow a batch down."""
    if not (isinstance(trace, ExecutionTrace) and isinstance(trace.trace_id, str) and trace.trace_id):
        return False
    if not isinstance(trace.metadata, dict) or not {*map(type, trace.messages)} <= _MESSAGES:
        return False
    usage: object = trace.token_usage
    if not (usage is None or isinstance(usage, TokenUsage)):
        return False
    details = trace.details
    if details is None:
        return True
    children = details.children if isinstance(details, TraceDetails) else None
    return isinstance(children, tuple) and all(map(is_whole, children))
