"""The agent's words to the user: plain text of the same length, cut into sentences with their exact place."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sentinel_signal_hallucination.tables import regex

__all__ = ["Sentence", "Token", "plain", "sentences", "span_around"]

_TAGS = (
    "execute|code|solution|tool_call|tool_response|tool_result|function_calls|function_results|document|documents|email"
    "|draft|example|quote|artifact|result|output|answer_template"
)
_FOREIGN = regex(
    rf"```.*?(?:```|\Z)|<(?P<tag>{_TAGS})\b[^<>]{{0,200}}>.*?(?:</(?P=tag)>|\Z)|^[ \t]*>[^\n]*"
    r"|^(?:[ \t*#_]{0,6}(?:subject:|dear )|(?:(?<=\S\n)|(?<=\S\n\n))(?:hi|hello|hey) [\w. ]{1,30},[ \t]*\n)"
    r"(?:(?!\n\s{0,9}---).)*",
    re.DOTALL | re.MULTILINE,
)
_FOREIGN_SIGNS = ("```", "<", ">", "subject:", "dear ", "\nhi ", "\nhello ", "\nhey ")
_QUOTED = regex(r"`[^`\n]{1,300}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”")
_LONG_QUOTE = 80
_EMPHASIS = str.maketrans({"*": " ", "_": " ", "’": "'", "\t": " ", "\r": " "})
_ASCII = str.maketrans({letter: letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
_END = regex(r"[.!?]+(?=[\s\"'”)\]]|\Z)|[.!](?=[a-z]{2,} )|\n")
_TOKEN = regex(r"[a-z][a-z'-]*|\d+(?:[.,:]\d+)*|Q+|[,;:()?–—]|-(?= )")
_NOT_A_LINE = regex(r"[^\n]")


class Token(NamedTuple):
    """A word or mark, and where it begins."""

    word: str
    at: int


class Sentence(NamedTuple):
    """``start`` and ``end`` are places in the text; ``asks`` is True for a question, ``is_item`` for an item of a list.

    ``ends`` is True where a full stop or the like ends it, and not the line.
    """

    start: int
    end: int
    tokens: tuple[Token, ...]
    asks: bool
    is_item: bool
    ends: bool


def _blank(match: re.Match[str]) -> str:
    return _NOT_A_LINE.sub(" ", match[0])


def _name(match: re.Match[str]) -> str:
    return ("Q" if len(match[0]) <= _LONG_QUOTE else " ") * len(match[0])


def plain(text: str) -> str:
    """The text in lower case, of the same length: code, copied documents and letters are blank, a quoted name is ``Q``."""
    low = text.lower()
    if len(low) != len(text):
        low = text.translate(_ASCII)
    if any(map(low.__contains__, _FOREIGN_SIGNS)):
        low = _FOREIGN.sub(_blank, low)
    if "`" in low or '"' in low or "“" in low:
        low = _QUOTED.sub(_name, low)
    return low.translate(_EMPHASIS)


def sentences(low: str) -> Iterator[Sentence]:
    """The sentences of a plain text, in order."""
    start = 0
    for match in _END.finditer(low):
        yield from _sentence(low, start, match.end(), "?" in match[0])
        start = match.end()
    yield from _sentence(low, start, len(low), False)


def _sentence(low: str, start: int, end: int, asks: bool) -> Iterator[Sentence]:
    tokens = tuple(Token(match[0], match.start()) for match in _TOKEN.finditer(low, start, end))
    if tokens:
        lead = low[start : tokens[0].at].strip(" \n")
        yield Sentence(
            start,
            end,
            tokens,
            asks,
            bool(lead) or tokens[0].word[0].isdigit() or tokens[0].word == "-",
            low[start:end].rstrip()[-1:] in (".", "!"),
        )


def span_around(text: str, start: int, end: int) -> str:
    """The words of the text from ``start`` to ``end`` without the marks and white space at either side: always a substring."""
    while start < end and text[start] in " \t\r\n#*_->•":
        start += 1
    return text[start:end].rstrip()
