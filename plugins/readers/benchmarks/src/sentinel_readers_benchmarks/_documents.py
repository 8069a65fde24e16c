"""Files with one JSON document, a list of them, or one per line."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.readers import BadRecord, json_records

__all__ = ["Document", "read_each"]


@attrs.frozen(kw_only=True)
class Document:
    """A JSON object, its position in the file from 0, and its line."""

    value: dict[str, Any]
    position: int = 0
    line: int = 1

    def error(self, message: str) -> ReadError:
        """The error for a document that is not a trace."""
        return ReadError(message=message, line=self.line)

    def name(self, stem: str) -> str:
        """An id for a document without one: the file's name, with the position unless it is the first."""
        return f"{stem}:{self.position + 1}" if self.position else stem


def read_each(
    source: Source, make: Callable[[Document, Source], ExecutionTrace | ReadError]
) -> Iterator[ExecutionTrace | ReadError]:
    """The result of ``make`` for each document of a source: one object, the elements of a list, or one per line."""
    for position, record in enumerate(json_records(source)):
        if isinstance(record, BadRecord):
            yield record.error()
        elif isinstance(record.value, dict):
            yield make(Document(value=record.value, position=position, line=record.line), source)
        else:
            yield ReadError(message=f"expected an object at {record.path or '$'}", line=record.line)
