"""Reads Inspect logs, ``.eval`` (zip) and ``.json``: one trace per sample."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.readers import json_document
from sentinel_core.traces.readers.elements import end_of_text
from sentinel_readers_benchmarks._values import as_dict, file_stem
from sentinel_readers_benchmarks.inspect_sample import sample_trace

__all__ = ["read"]

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES, _JSON = "samples/", ".json"
# zipfile raises any of these for a broken archive.
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, NotImplementedError, OSError, OverflowError,
    RuntimeError, ValueError, AssertionError,
)  # fmt: skip
_NO_NUMBER = re.compile(rb"-?\b(?:NaN|Infinity)\b")


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The samples of a log, in the order of the file; a sample that cannot be read is a ``ReadError``."""
    with source.open() as stream:
        if stream.read(2) == b"PK":
            yield from _archive(_rewound(stream, source), source)
            return
    log = _value(source)
    if isinstance(log, ReadError):
        yield log
        return
    samples = as_dict(log).get("samples")
    if not isinstance(samples, list):
        yield ReadError(message="expected a list of samples at $.samples")
        return
    for position, sample in enumerate(samples):
        where = f"$.samples[{position}]"
        if isinstance(sample, dict):
            yield sample_trace(sample, log, origin=where, fallback_id=f"{file_stem(source.name)}/{position + 1}")
        else:
            yield ReadError(message=f"expected an object at {where}")


def _rewound(stream: IO[bytes], source: Source) -> IO[bytes]:
    if stream.seekable():
        return stream
    with source.open() as again:
        return io.BytesIO(again.read())


@attrs.frozen(kw_only=True)
class _Part:
    """Bytes as a source: a member of an archive, or a document without NaN."""

    name: str
    open: Callable[[], IO[bytes]]
    max_record: int
    strict: bool = False
    lines_before: int = 0

    def sibling(self, name: str) -> None:
        """Empty: there are no files beside it."""

    def siblings(self, pattern: str) -> list[Source]:  # noqa: ARG002 - the protocol's signature
        """Empty: there are no files beside it."""
        return []


def _archive(stream: IO[bytes], source: Source) -> Iterator[ExecutionTrace | ReadError]:
    try:
        archive = zipfile.ZipFile(stream)
    except _BROKEN as error:
        yield ReadError(message=f"is not a complete zip file: {error}")
        return
    with archive:
        # A rewritten member is listed twice; the last version counts.
        members = dict.fromkeys(archive.namelist())
        header = next((as_dict(_member(archive, name, source)) for name in _HEADERS if name in members), {})
        samples = [name for name in members if name.startswith(_SAMPLES) and name.endswith(_JSON)]
        for name in samples:
            yield _sample(_member(archive, name, source), name, header, source)
    if not samples:
        yield ReadError(message="contains no samples: the evaluation did not finish any")


def _sample(sample: object, member: str, header: dict[str, Any], source: Source) -> ExecutionTrace | ReadError:
    if isinstance(sample, dict):
        own = member.removeprefix(_SAMPLES).removesuffix(_JSON)
        return sample_trace(sample, header, origin=member, fallback_id=f"{file_stem(source.name)}/{own}")
    problem = sample.message if isinstance(sample, ReadError) else "expected an object at $"
    return ReadError(message=f"{member}: {problem}")


def _member(archive: zipfile.ZipFile, name: str, source: Source) -> Any:
    """A member's JSON value, or a ``ReadError``."""
    part = _Part(name=name, open=lambda: archive.open(name), max_record=source.max_record, strict=source.strict)
    try:
        return _value(part)
    except _BROKEN as error:
        return ReadError(message=f"cannot be unpacked: {error}")


def _value(source: Source) -> Any:
    """The JSON value with null for each NaN and Infinity, or a ``ReadError``."""
    value = json_document(source)
    if not isinstance(value, ReadError):
        return value
    with source.open() as stream:
        data = stream.read(source.max_record + 1)
    if len(data) > source.max_record or not (b"NaN" in data or b"Infinity" in data):
        return value
    cleaned = _with_null(data)
    part = _Part(name=source.name, open=lambda: io.BytesIO(cleaned), max_record=source.max_record, strict=source.strict)
    return json_document(part)


def _with_null(data: bytes) -> bytes:
    """JSON in which null stands where Inspect writes NaN, for a score that could not be given; texts stay as they are."""
    pieces, at = list[bytes](), 0
    while at < len(data):
        quote = data.find(b'"', at)
        start = quote if quote >= 0 else len(data)
        end = end_of_text(data, start + 1) + 1
        pieces += (_NO_NUMBER.sub(b"null", data[at:start]), data[start:end])
        at = end
    return b"".join(pieces)
