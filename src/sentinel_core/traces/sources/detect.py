"""Chooses the reader for a source by its first bytes."""

import codecs
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import msgspec

from sentinel_core.errors import InputError, error_text
from sentinel_core.offers import Source, TraceReader

__all__ = ["choose_reader", "looks_like"]

_HEAD = 1 << 16
_SURE_ENOUGH = 10
_SUREST = 100
_KNOWN = 90  # how sure a reader of its own format is
_KEYS = 6
_TAR_MAGIC_AT = 257
_PI_SESSION = rb'\{\s*"type"\s*:\s*"session"\s*,\s*"version"\s*:\s*[0-9]+\s*,\s*"id"\s*:'  # its first line
_KEY = rb'"([A-Za-z_][\w.$-]{0,40})"\s*:'

_OTHER_JSON = (
    (rb'"\s*[\[{]', "JSON inside a JSON string: decode it once more"),
    (rb"", "JSON, but neither an object nor a list"),
)
_CELL = rb'(?:"[^"\r\n]{0,99}"|(?:\w[\w .-]{0,99})?)'
_OTHER_TEXT = (
    (rb"<[A-Za-z!?]", "HTML or XML"),
    (rb"%b(?:,%b){2,999}\r?\n" % (_CELL, _CELL), "CSV, which no reader reads: export JSON or JSON Lines"),
    (rb"", "text that is not JSON"),
)

# msgspec's messages for text that stops too early, is not JSON, or continues after a document.
_CUT, _MALFORMED, _TRAILING = "Input data was truncated", "JSON is malformed: ", "trailing characters"

_Watch = Callable[[str, str], AbstractContextManager[object]]


def choose_reader(
    source: Source,
    readers: Sequence[TraceReader],
    watch: _Watch = lambda _stage, _label: nullcontext(),
    *,
    forced: bool = False,
) -> TraceReader:
    """The reader with the highest score for the source's first bytes; on a tie the native one, then the first by name.

    A reader that raises or returns no valid score is skipped. ``forced`` takes the only reader without asking it. Reader code
    runs inside ``watch(stage, label)``. Raises ``InputError`` if the source is empty or no reader knows it, and ``OSError`` or
    ``EOFError`` if it cannot be read.
    """
    if not readers:
        raise InputError('no trace reader is installed; pip install "reliability-sentinel[standard]"')
    with source.open() as stream:
        head = stream.read(_HEAD)
    if not head.strip():
        raise InputError("is empty: nothing to check")
    if re.fullmatch(rb"\s*\[\s*\]\s*", head.removeprefix(codecs.BOM_UTF8)):
        raise InputError("is an empty list: nothing to check")
    if forced:
        return readers[0]
    ranked, broken = _ranked(source, head, readers, watch)
    if re.match(_PI_SESSION, head.removeprefix(codecs.BOM_UTF8).lstrip()) and not any(
        sure >= _KNOWN for sure, _ in ranked
    ):
        raise InputError("is an OpenClaw or Pi session, which no installed reader can read")
    if ranked and ranked[0][0] >= _SURE_ENOUGH:
        return ranked[0][1]
    near = ", ".join(reader.name for score, reader in ranked if score > 0)
    hint = f"nearest: {near}; --from NAME forces a format" if near else '"sentinel formats" lists what can be read'
    details = "; ".join([hint, *broken])
    raise InputError(f"is in no format that an installed reader can read: it looks like {looks_like(head)} ({details})")


def _ranked(
    source: Source, head: bytes, readers: Sequence[TraceReader], watch: _Watch
) -> tuple[list[tuple[int, TraceReader]], list[str]]:
    """Readers with their scores, the highest first, and a message for each reader that failed."""
    ranked, broken = [], []
    for reader in readers:
        try:
            with watch("sniff", f"trace_readers:{reader.name}"):
                score = reader.sniff(head, source.name)
            if type(score) is int and 0 <= score <= _SUREST:
                ranked.append((score, reader))
            else:
                broken.append(f"{reader.name} returned {score!r:.40}; expected a whole number from 0 to {_SUREST}")
        except KeyboardInterrupt:
            raise
        except InputError as error:  # from a reader in another process, in words
            broken.append(f"{reader.name} {error}")
        except BaseException as error:  # noqa: BLE001 - plugin code may raise anything
            broken.append(f"{reader.name} raised {type(error).__name__}: {error_text(error)}")
    ranked.sort(key=lambda entry: (-entry[0], entry[1].name != "native"))
    return ranked, broken


def looks_like(head: bytes) -> str:
    """A description of a file by its first bytes, for an error message."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "text in UTF-16: save it as UTF-8"
    if head[_TAR_MAGIC_AT:].startswith(b"ustar"):
        return "a tar archive: unpack it, or pack the files as .zip"
    if b"\0" in head[:1024]:
        return "a zip archive without trace files" if head.startswith(b"PK") else "a binary file"
    text = head.removeprefix(codecs.BOM_UTF8).strip()
    if text.startswith((b"{", b"[")):
        from sentinel_core.traces.sources.own import is_of_reports

        return "Sentinel's own reports, which are not traces" if is_of_reports(head) else _looks_like_json(text, head)
    is_json = not _problem(text.partition(b"\n")[0])
    shapes = _OTHER_JSON if is_json else _OTHER_TEXT
    return next(told for pattern, told in shapes if re.match(pattern, text))


def _looks_like_json(text: bytes, head: bytes) -> str:
    problem = _problem(text)
    if re.match(rb"[\[{\s]*'", text):
        return "a Python value, not JSON: write it with json.dumps"
    if problem == _CUT and len(head) < _HEAD:
        return "JSON that is cut off"
    if problem.startswith(_MALFORMED) and _TRAILING not in problem:
        return f"text that is not JSON: {problem.removeprefix(_MALFORMED)}"
    keys = list(dict.fromkeys(key.decode("ascii", "replace") for key in re.findall(_KEY, text)))[:_KEYS]
    kind = "a JSON list" if text.startswith(b"[") else "JSON"
    return f"{kind} with the keys {', '.join(keys)}" if keys else kind


def _problem(text: bytes) -> str:
    """Why a text is not one JSON document; empty if it is."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    return ""
