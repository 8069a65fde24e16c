"""What the user asks first, as a title and the beginnings of the points that it has: long requests are read by their points."""

import re
from collections.abc import Iterator, Sequence

from sentinel_core.runtime.printable import visible
from sentinel_core.runtime.redact import redact_cut
from sentinel_core.trace import Message

__all__ = ["asked_of"]

_TITLE, _READ = 140, 2_000  # characters of the title, and of the request
_MOST_POINTS, _WORDS = 10, 10
_MARKDOWN = re.compile(r"^\s*(?:#{1,6}|>)\s|\*\*|`", re.MULTILINE)  # a title has no headings, bold words or code
_GREETING = re.compile(
    r"(?i)(?:hi|hello|hey|good (?:morning|afternoon|evening)|morning)\b[ ,!.]*(?:there[ ,!.]*)?(?=\w)"
)
_POINT = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)]|[a-z]\))\s+(?=\S)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def asked_of(messages: Sequence[Message]) -> tuple[str, list[str]]:
    """The title, at most 140 characters, and the points where the request has several; both are empty where the user asks nothing."""
    for message in messages:
        is_copied = message.details is not None and message.details.is_copied_context
        content = (message.content or "").strip()
        if message.role == "user" and content and not is_copied:
            text = _MARKDOWN.sub("", redact_cut(content[:_READ]))
            return visible(_title(text)), [visible(point) for point in _points(text)]
    return "", []


def _title(text: str) -> str:
    """The beginning on one line; of a request with points the sentence before them."""
    plain = _GREETING.sub("", " ".join(text.split()), count=1) if _GREETING.match(text) else " ".join(text.split())
    plain = plain[:1].upper() + plain[1:] if _GREETING.match(text) else plain
    if _is_long(text):
        plain = _SENTENCE.split(plain, maxsplit=1)[0]
    return plain if len(plain) <= _TITLE else f"{plain[:_TITLE].rsplit(' ', 1)[0]} …"


def _is_long(text: str) -> bool:
    return len(text) > _TITLE and len([line for line in text.splitlines() if _POINT.match(line)]) > 1


def _points(text: str) -> Iterator[str]:
    """The beginnings of the points and of the sentences after them, each in a few words."""
    if not _is_long(text):
        return
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if _POINT.match(line))
    parts = [
        part for line in lines[first:] for part in ([line] if _POINT.match(line) else _SENTENCE.split(line.strip()))
    ]
    yield from [_begin(part) for part in parts if part.strip()][:_MOST_POINTS]


def _begin(part: str) -> str:
    words = _POINT.sub("", part, count=1).strip().removesuffix(".").split()
    return " ".join(words) if len(words) <= _WORDS else f"{' '.join(words[:_WORDS])} …"
