"""The agent's words to the user: plain text of the same length, cut into sentences with their exact place."""

import re
from collections.abc import Iterator
from functools import lru_cache

from sentinel_signal_hallucination.tables import regex

__all__ = ["Sentence", "blank", "is_heading", "plain", "sentences", "sentences_with", "span_around"]

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
# Marks that say nothing, and dots of titles, which end no sentence.
_EMPHASIS = (
    ("*", " "), ("_", " "), ("’", "'"), ("\t", " "), ("\r", " "), (" mr. ", " mr  "), (" mrs. ", " mrs  "), (" ms. ", " ms  "), (" dr. ", " dr  "),
)  # fmt: skip
_ASCII = str.maketrans({letter: letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
# Both begin with a set of characters: what is none of them is passed over quickly.
_END = regex(r"[.!?\n](?:(?<=\n)|[.!?]*(?=[\s\"'”)\]]|\Z)|(?<=[.!])(?=[a-z]{2,} ))")
# A dot before a word, without a space between them, ends a sentence ("Done.the rest") unless it stands in a name.
_IN_NAME = regex(r"[/\\\d][\w/\\-]*+\Z|[\s(\"']\Z")
_EXTENSIONS = frozenset("""
    bat bash bin cfg cjs com conf cpp cs css csv db dev diff doc docx env exe gif git go gradle gz hpp html ini io ipynb jar java
    jpeg jpg js json jsonl jsx kt lock log lua md mdx mjs mts net org patch pdf php pl png proto ps py pyi rb rs rst scala scss sh
    sql sqlite svelte svg swift tar tex tf toml ts tsv tsx txt vue wasm xls xlsx xml yaml yml zip
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
_NEXT_WORD, _LONGEST_NAME = regex(r"[a-z]+"), 80
_TOKEN = regex(
    r"[a-z\dQ,;:()?–—-](?:(?<=[a-z])[a-z'-]*|(?<=\d)\d*(?:[.,:]\d+)*|(?<=Q)[PQ]*|(?<=[,;:()?–—])|(?<=-)(?= ))"
)


class Sentence:
    """``start`` and ``end`` are places in the text; ``words`` its words and marks; ``asks`` is True for a question."""

    __slots__ = ("_first", "_low", "asks", "end", "start", "words")

    def __init__(self, low: str, start: int, end: int, words: list[str], *, asks: bool) -> None:
        self._low, self.start, self.end, self.words, self.asks = low, start, end, words, asks
        self._first = words[0]

    def of(self, words: list[str]) -> "Sentence":
        """The same with other words."""
        other = Sentence(self._low, self.start, self.end, words, asks=self.asks)
        other._first = self._first
        return other

    @property
    def is_item(self) -> bool:
        """True for an item of a list."""
        lead = self._low[self.start : self._low.index(self._first, self.start)].strip(" \n")
        return bool(lead) or self._first[0].isdigit() or self._first == "-"


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
        low = low.replace(mark, instead)
    return low


@lru_cache(maxsize=64)
def sentences(low: str) -> tuple[Sentence, ...]:
    """The sentences of a plain text, in order."""
    spans = _spans(low, 0, len(low))
    found = ((start, end, _TOKEN.findall(low, start, end), asks) for start, end, asks in spans)
    return tuple([Sentence(low, start, end, words, asks=asks) for start, end, words, asks in found if words])


def sentences_with(low: str, having: frozenset[str]) -> Iterator[Sentence]:
    """The sentences that have one of the words and ask nothing; lines and sentences without any are passed over."""
    for begin, stop in sorted(_lines_with(low, having).items()):
        for start, end, asks in _spans(low, begin, stop):
            if not asks and any(map(low[start:end].__contains__, having)):
                words = _TOKEN.findall(low, start, end)
                if not having.isdisjoint(words):
                    yield Sentence(low, start, end, words, asks=False)


def _lines_with(low: str, having: frozenset[str]) -> dict[int, int]:
    """Where the lines begin and end that hold one of the words."""
    lines: dict[int, int] = {}
    for word in having:
        at = low.find(word)
        while at >= 0:
            end = low.find("\n", at) + 1 or len(low)
            lines[low.rfind("\n", 0, at) + 1] = end
            at = low.find(word, end)
    return lines


def _spans(low: str, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    """Where each sentence begins and ends, and whether it is a question."""
    for match in _END.finditer(low, start, stop):
        end = match.end()
        if low[end : end + 1].isalpha() and _is_in_name(low, match):
            continue
        yield start, end, "?" in match[0]
        start = end
    yield start, stop, False


def _is_in_name(low: str, mark: re.Match[str]) -> bool:
    """True for the dot of a file's or a host's name: "src/amounts.py", ".env"."""
    following = _NEXT_WORD.match(low, mark.end())
    is_extension = following is not None and following[0] in _EXTENSIONS
    at = mark.start()
    return is_extension or not at or _IN_NAME.search(low, max(0, at - _LONGEST_NAME), at) is not None


def span_around(text: str, start: int, end: int) -> str:
    """The words of the text from ``start`` to ``end`` without the marks and white space at either side: always a substring."""
    while start < end and text[start] in " \t\r\n#*_->•":
        start += 1
    return text[start:end].rstrip()


def is_heading(content: str, at: int) -> bool:
    """True for a place in a line of a word or two that is in bold, or marked as a heading, and above other lines."""
    begin, end = content.rfind("\n", 0, at) + 1, content.find("\n", at)
    line = content[begin : max(end, begin)].strip(" :")
    is_marked = line.startswith("#") or (line.startswith("*") and line.endswith("*"))
    return is_marked and len(line.split()) <= _OF_HEADING


_OF_HEADING = 3
