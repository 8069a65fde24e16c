"""What the agent was told: the record against which figures and identifiers of its answer are held."""

import re
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.sentences import blank, span_around
from sentinel_signal_hallucination.tables import once, regex

if TYPE_CHECKING:
    from sentinel_signal_hallucination.derive import Derived

__all__ = ["Held", "final_answer", "prose_of", "shown", "stands", "value_evidence"]


class Held:
    """All that was told to the agent: results, users, instructions, its own arguments; made when an answer asks for it."""

    def __init__(self, index: TraceIndex, until: int) -> None:
        self.index = index
        self.until = until

    @property
    def has_results(self) -> bool:
        """True where a tool gave anything: few answers need all that was given."""
        messages = self.index.messages[: self.until]
        contents = (result.content for message in messages for result in message.tool_results)
        spoken = (message.content for message in messages if message.role == "tool" and message.content)
        return any(content.strip() for content in chain(contents, spoken))

    @once
    def results(self) -> list[str]:
        """The contents of results, in order; what JSON escapes is read as it is meant."""
        messages = self.index.messages[: self.until]
        found = [result.content for message in messages for result in message.tool_results]
        found += [message.content for message in messages if message.role == "tool" and message.content]
        return [_ESCAPED.sub(_meant, content) if "\\u" in content else content for content in found]

    @once
    def spoken(self) -> list[str]:
        """What users and instructions say."""
        roles = ("user", "system")
        return [message.content for message in self.index.messages if message.role in roles and message.content]

    @once
    def said(self) -> list[str]:
        """The same with what the agent gave to its tools, and what tools were on offer."""
        given = [to_json(call.call.arguments).decode() for call in self.index.calls if call.message_index < self.until]
        details = self.index.trace.details
        offered = details.available_tools or () if details is not None else ()
        return [*self.spoken, *given, *(to_json(tool).decode() for tool in offered)]

    def holds(self, look: Callable[[str], bool]) -> bool:
        """True where a result, or what else was told, holds it: results first, for most are of them."""
        return look(self.told_by_tools) or any(map(look, self.spoken)) or look(self.text)

    def names(self, written: str) -> bool:
        """True where an identifier was told, in whatever case, with or without its dashes."""
        low = written.lower()
        if self.holds(lambda text: written in text or low in text):
            return True
        return "-" in low and low.replace("-", "") in self.squeezed

    def was_said(self, written: str) -> bool:
        """True where the agent itself gave the figure before."""
        return any(stands(written, text.content) for text in self.index.texts if text.message_index < self.until)

    @once
    def told_by_tools(self) -> str:
        """The contents of results, as one text."""
        return "\n".join(self.results)

    @once
    def text(self) -> str:
        """All of it, in lower case."""
        return "\n".join(chain(self.results, self.said)).lower()

    @once
    def squeezed(self) -> str:
        """All of it without dashes."""
        return self.text.replace("-", "")

    @once
    def derived(self) -> "Derived":
        """What follows from the figures."""
        from sentinel_signal_hallucination.derive import Derived

        return Derived(self.results, self.said)


# A word in backticks is a name and stays; what has more in it is code.
_CODE = regex(
    r"```.*?(?:```|\Z)|<(?P<tag>execute|code)>.*?(?:</(?P=tag)>|\Z)|(?P<word>`[^`\s(){}\[\]=]*`)|`[^`\n]*`|https?://\S+",
    re.DOTALL,
)
_SIGNS_OF_CODE = ("`", "<", "http")


_ESCAPED = regex(r"\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})")


def _meant(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def prose_of(content: str) -> str:
    """The text with code and addresses made blank."""
    if not any(map(content.__contains__, _SIGNS_OF_CODE)):
        return content
    return _CODE.sub(lambda match: match["word"] or blank(match), content)


def final_answer(index: TraceIndex) -> Text | None:
    """The agent's last words; those before them where user and agent only took leave."""
    texts = [text for text in index.texts if text.content.strip() and not text.is_copied]
    while len(texts) > 1 and _takes_leave(texts[-1], texts[-2], index):
        texts.pop()
    return texts[-1] if texts else None


def _takes_leave(last: Text, before: Text, index: TraceIndex) -> bool:
    if len(last.content) > _LEAVE or _DIGIT.search(last.content) is not None:
        return False
    between = index.messages[before.message_index + 1 : last.message_index]
    if [message.role for message in between] != ["user"]:
        return False
    thanks = between[0].content or ""
    return len(thanks) <= _THANKS and "?" not in thanks


def stands(written: str, text: str) -> bool:
    """True where the figure stands in the text, with or without commas and zeros behind its point."""
    bare = written.replace(",", "")
    if _found(bare, text) or (bare != written and _found(written, text)):
        return True
    whole = bare.rstrip("0").rstrip(".") if "." in bare else bare
    return whole != bare and _found(whole, text)


def _found(figure: str, text: str) -> bool:
    """True where the figure stands by itself: not within a longer one, but for zeros behind its point."""
    at = text.find(figure)
    while at >= 0:
        before, after = text[max(0, at - _GROUPED) : at], text[at + len(figure) : at + len(figure) + _GROUPED]
        inner = (
            before[-1:].isdigit()
            or before[-1:] == "."
            or (_GROUP.search(before) and len(figure.partition(".")[0]) == _THREE)
        )
        if not inner and _ends_here(after):
            return True
        at = text.find(figure, at + 1)
    return False


# A comma groups three digits each; others separate the columns of a table.
_GROUP = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})*,\Z")
_FOLLOWS = re.compile(r",\d{3}(?!\d)")
_THREE, _GROUPED = 3, 12


def _ends_here(after: str) -> bool:
    if after[:1].isdigit() or _FOLLOWS.match(after):
        return False
    return after[:1] != "." or not after[1:2].isdigit() or not after[1:].rstrip(",]} \n").strip("0")


_DIGIT = regex(r"\d")
_LEAVE, _THANKS = 120, 60
# What may be a secret is named by its first letters: it is found as one only among the words that it stands in.
_SECRET = regex(r"(?i)(?:pass|secret|token|key|pwd|credential|auth|bearer)\w*\W{0,4}(?:\w+\W{1,3}){0,2}\Z")
_LONGEST_SHOWN, _FIRST_LETTERS = 16, 4


def shown(match: re.Match[str]) -> str:
    """The value, or the first letters of what may be a secret."""
    is_plain = (
        len(match[0]) <= _LONGEST_SHOWN
        and _SECRET.search(match.string[max(0, match.start() - 40) : match.start()]) is None
    )
    return match[0] if is_plain else f"{match[0][:_FIRST_LETTERS]}…"


def value_evidence(
    answer: Text, rule: str, match: re.Match[str], weight: float, *, certain: bool, told: str = ""
) -> Evidence:
    """A finding of a figure or identifier, quoted with what stands around it in its line."""
    content = answer.content
    begin = content.rfind("\n", 0, match.start()) + 1
    end = content.find("\n", match.end())
    quote = span_around(
        content, max(begin, match.start() - 150), min(len(content) if end < 0 else end, match.end() + 100)
    )
    what = "The identifier" if rule == "identifier" else "The figure"
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=told
        or f'{what} "{shown(match)}" is in no result and in nothing that the agent was given, and cannot be derived from them.',
        message_index=answer.message_index,
        quote=quote,
    )
    return Evidence(finding, weight, certain=certain)
