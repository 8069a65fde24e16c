"""The agent's words to the user: plain text of the same length, cut into sentences with their exact place."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sentinel_signal_hallucination.tables import regex

__all__ = ["Sentence", "blank", "is_item", "plain", "sentences", "sentences_with", "span_around"]

_TAGS = (
    "execute|code|solution|tool_call|tool_response|tool_result|function_calls|function_results|document|documents|email"
    "|draft|example|quote|artifact|result|output|answer_template"
)
# What is not the agent's own, each with the signs without which it cannot be.
_FOREIGN = (
    (("```",), r"```.*?(?:```|\Z)"),
    (("<",), rf"<(?P<tag>{_TAGS})\b[^<>]{{0,200}}>.*?(?:</(?P=tag)>|\Z)"),
    ((">",), r"^[ \t]*>[^\n]*"),
    (
        ("subject:", "dear ", "\nhi ", "\nhello ", "\nhey "),
        (
            r"^(?:[ \t*#_]{0,6}(?:subject:|dear )|(?:(?<=\S\n)|(?<=\S\n\n))(?:hi|hello|hey) [\w. ]{1,30},[ \t]*\n)"
            r"(?:(?!\n\s{0,9}---).)*"
        ),
    ),
)
_QUOTED = regex(r"`[^`\n]{1,300}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”")
_LONG_QUOTE = 80
_EMPHASIS = (("*", " "), ("_", " "), ("’", "'"), ("\t", " "), ("\r", " "))
_ASCII = str.maketrans({letter: letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
# Both begin with a set of characters: what is none of them is passed over quickly.
_END = regex(r"[.!?\n](?:(?<=\n)|[.!?]*(?=[\s\"'”)\]]|\Z)|(?<=[.!])(?=[a-z]{2,} ))")
_TOKEN = regex(r"[a-z\dQ,;:()?–—-](?:(?<=[a-z])[a-z'-]*|(?<=\d)\d*(?:[.,:]\d+)*|(?<=Q)Q*|(?<=[,;:()?–—])|(?<=-)(?= ))")
_WORDS = bytes(byte if byte in b"abcdefghijklmnopqrstuvwxyz'-" else 32 for byte in range(256))
_NO_WORDS = (b"--", b"''", b"'-", b"-'", b" '", b" -")


class Sentence:
    """``start`` and ``end`` are places in the text; ``words`` its words and marks; ``asks`` is True for a question."""

    __slots__ = ("_low", "_places", "asks", "end", "start", "words")

    def __init__(self, low: str, start: int, end: int, words: list[str], *, asks: bool) -> None:
        self._low, self.start, self.end, self.words, self.asks = low, start, end, words, asks
        self._places: list[int] | None = None

    @property
    def is_item(self) -> bool:
        """True for an item of a list."""
        lead = self._low[self.start : self._low.index(self.words[0], self.start)].strip(" \n")
        return bool(lead) or self.words[0][0].isdigit() or self.words[0] == "-"

    @property
    def ends(self) -> bool:
        """True where a full stop or the like ends it, and not the line."""
        return self._low[self.start : self.end].rstrip()[-1:] in (".", "!")

    def place(self, number: int) -> int:
        """Where a word begins."""
        if self._places is None:
            self._places = [match.start() for match in _TOKEN.finditer(self._low, self.start, self.end)]
        return self._places[number]


def blank(match: re.Match[str]) -> str:
    """White space of the same lines and lengths as what was found."""
    return "\n".join([" " * len(line) for line in match[0].split("\n")])


@lru_cache(maxsize=1 << len(_FOREIGN))
def _foreign(sources: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(sources), re.DOTALL | re.MULTILINE)


def _name(match: re.Match[str]) -> str:
    return ("Q" if len(match[0]) <= _LONG_QUOTE else " ") * len(match[0])


@lru_cache(maxsize=32)
def plain(text: str) -> str:
    """The text in lower case, of the same length: code, copied documents and letters are blank, a quoted name is ``Q``."""
    low = text.lower()
    if len(low) != len(text):
        low = text.translate(_ASCII)
    sources = tuple([source for signs, source in _FOREIGN if any(map(low.__contains__, signs))])
    if sources:
        low = _foreign(sources).sub(blank, low)
    if "`" in low or '"' in low or "“" in low:
        low = _QUOTED.sub(_name, low)
    for mark, instead in _EMPHASIS:
        if mark in low:
            low = low.replace(mark, instead)
    return low


@lru_cache(maxsize=64)
def sentences(low: str) -> tuple[Sentence, ...]:
    """The sentences of a plain text, in order."""
    return tuple(sentences_with(low, frozenset()))


def sentences_with(low: str, having: frozenset[str]) -> Iterator[Sentence]:
    """The sentences that have one of the words and ask nothing; all where no words are given."""
    for begin, stop in _lines(low, having) if having else ((0, len(low)),):
        start = begin
        for match in _END.finditer(low, begin, stop):
            end, asks = match.end(), "?" in match[0]
            if not (asks and having):
                words = _TOKEN.findall(low, start, end)
                if words and not (having and having.isdisjoint(words)):
                    yield Sentence(low, start, end, words, asks=asks)
            start = end
        words = _TOKEN.findall(low, start, stop)
        if words and not (having and having.isdisjoint(words)):
            yield Sentence(low, start, stop, words, asks=False)


def _lines(low: str, having: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The lines that may have one of the words, each with its end: a sentence never goes beyond."""
    words = b" " + low.encode("utf-8", "replace").translate(_WORDS)
    for mark in _NO_WORDS:
        if mark in words:
            words = words.replace(mark, b" ")
    places = set[int]()
    for word in map(bytes.decode, _encoded(having).intersection(words.split())):
        at = low.find(word)
        while at >= 0:
            places.add(low.rfind("\n", 0, at) + 1)
            at = low.find("\n", at)
            at = low.find(word, at) if at >= 0 else -1
    for begin in sorted(places):
        end = low.find("\n", begin)
        yield begin, len(low) if end < 0 else end + 1


@lru_cache(maxsize=8)
def _encoded(having: frozenset[str]) -> frozenset[bytes]:
    return frozenset(word.encode() for word in having)


def span_around(text: str, start: int, end: int) -> str:
    """The words of the text from ``start`` to ``end`` without the marks and white space at either side: always a substring."""
    while start < end and text[start] in " \t\r\n#*_->•":
        start += 1
    return text[start:end].rstrip()


def is_item(sentence: Sentence, content: str) -> bool:
    """True for an item of a list: with a mark, or a number and a full stop."""
    lead = content[sentence.start : sentence.place(0)]
    return sentence.is_item and (
        sentence.words[0] == "-" or any(map(lead.__contains__, "-*+•–")) or _is_numbered(sentence, content)
    )


def _is_numbered(sentence: Sentence, content: str) -> bool:
    first = sentence.words[0]
    at = sentence.place(0) + len(first)
    return first.isdigit() and content[at : at + 1] in (".", ")")
