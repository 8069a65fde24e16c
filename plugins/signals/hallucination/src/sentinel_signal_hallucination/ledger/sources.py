"""What the agent was told: the record against which figures and identifiers of its answer are held."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.trace import Message, to_json
from sentinel_signal_hallucination.english.languages import is_foreign, with_english_numbers, without_thousands
from sentinel_signal_hallucination.english.sentences import blank
from sentinel_signal_hallucination.ledger.history import History
from sentinel_signal_hallucination.tables import has_digit, once, regex

if TYPE_CHECKING:
    from sentinel_signal_hallucination.ledger.derivation import Derived

__all__ = ["Sources", "family", "final_answer", "first_result", "form_of", "names_in", "prose_of", "stands"]


def first_result(index: TraceIndex) -> int:
    """The first message in which a tool gives anything."""
    for at, message in enumerate(index.messages):
        if message.tool_results and any(result.content.strip() for result in message.tool_results):
            return at
        if message.role == "tool" and message.content and message.content.strip():
            return at
    return len(index.messages)


def _results_of(messages: Sequence[Message]) -> list[str]:
    found = [result.content for message in messages for result in message.tool_results]
    return found + [message.content for message in messages if message.role == "tool" and message.content]


def family(written: str) -> str:
    """What identifiers of one family share: ``INC-4711`` and ``INC-4690`` are ``inc-9999``, ``HAT2XZ`` and ``4OG6T3`` six capitals and digits.

    Behind a prefix, digits of base 16 are one family, with letters among them or without: ``rec_15282dc5``, ``rec_20417733``.
    """
    prefixed = _PREFIXED.match(written)
    if prefixed is not None:
        return f"{prefixed[1].lower()}<{len(prefixed[2])}a>"
    return _PART.sub(
        lambda part: _DIGIT.sub("9", part[0].lower()) if _PLAIN.fullmatch(part[0]) else _mixed(part[0]),
        written.lstrip("#"),
    )


def _mixed(part: str) -> str:
    return f"<{len(part)}{'A' if part == part.upper() else 'a'}>"


def form_of(number: str) -> str:
    """How a number is written, whatever its digits are."""
    return _DIGIT.sub("9", number)


class Sources:
    """All that was told to the agent: results, users, instructions, its own arguments; made when an answer asks for it."""

    def __init__(self, index: TraceIndex, until: int) -> None:
        self.index = index
        self.until = until

    @once
    def results(self) -> list[str]:
        """The contents of results, in order, without the digits of letters that JSON escapes."""
        found = _results_of(self.index.messages[: self.until])
        return [_ESCAPED.sub(" ", content) if "\\" in content else content for content in found]

    @once
    def context(self) -> str:
        """What tools, users and instructions say: most of what an agent tells is of it."""
        roles = ("user", "system")
        spoken = [message.content for message in self.index.messages if message.role in roles and message.content]
        spoken += [text.content for text in self.index.texts if text.is_copied]  # of turns whose calls are elsewhere
        spoken += History(self.index).texts(self.until)
        given = self.results + spoken
        if any(is_foreign(text.content) for text in self.index.texts[-1:]):
            given += map(without_thousands, given[:])
        return "\n".join(given)

    @once
    def all(self) -> str:
        """The same behind what the agent gave to its tools, and what tools were on offer."""
        details = self.index.trace.details
        offered = details.available_tools or () if details is not None else ()
        return "\n".join((self.given, *(to_json(tool).decode() for tool in offered), self.context))

    @once
    def given(self) -> str:
        """What the agent gave to its tools."""
        calls = (call for call in self.index.calls if call.message_index < self.until)
        return "\n".join(to_json(call.call.arguments).decode() for call in calls)

    def names(self, written: str) -> bool:
        """True where an identifier was told, in whatever case, with or without what separates its parts."""
        return written.lower() in self.text or _SEPARATORS.sub("", written.lower()) in self._joined

    @once
    def _joined(self) -> str:
        """All of it, in lower case, without what separates the parts of an identifier."""
        return _SEPARATORS.sub("", self.text)

    @once
    def families(self) -> frozenset[str]:
        """The families of identifiers that tools gave."""
        return frozenset(map(family, _GIVEN.findall(self.tool_output)))

    def has(self, figure: str) -> bool:
        """True where a figure was told, or the agent itself gave it before."""
        return stands(figure, self.context) or stands(figure, self._own) or stands(figure, self.all)

    @once
    def _own(self) -> str:
        """What the agent itself said before."""
        return "\n".join(text.content for text in self.index.texts if text.message_index < self.until)

    @once
    def tool_output(self) -> str:
        """The contents of results, as one text."""
        return "\n".join(self.results)

    @once
    def text(self) -> str:
        """All of it, in lower case."""
        return self.all.lower()

    @once
    def numbers(self) -> dict[str, list[str]]:
        """The numbers that stand by themselves in results, each once, by how they are written but for commas: "99.9"."""
        found = dict.fromkeys(match[0].replace(",", "") for match in _NUMBER.finditer(self.tool_output))
        found |= dict.fromkeys(number.rstrip("0").rstrip(".") for number in list(found) if "." in number)
        by_form = defaultdict[str, list[str]](list)
        for number in found:
            if number.strip("0."):
                by_form[form_of(number)].append(number)
        return by_form

    def shown(self, number: str) -> str:
        """A number of a result as it may be told: empty for one that names a person or a thing, or may be a secret."""
        at = self.tool_output.find(number)
        before = self.tool_output[max(0, at - _NEAR) : at]
        is_private = len(number.partition(".")[0]) >= _LONG or _PRIVATE.search(before) is not None
        return "" if is_private else number

    @once
    def years(self) -> frozenset[int]:
        """The years that were told."""
        return frozenset(map(int, _YEAR.findall(self.text)))

    @once
    def derived(self) -> "Derived":
        """What follows from the figures, and from those that the agent told before: an answer goes on from the last one."""
        from sentinel_signal_hallucination.ledger.derivation import Derived

        return Derived(self.results, f"{self._own}\n{self.all}")


_SEPARATORS = regex(r"[-_ #]")
_YEAR = regex(r"\b(?:19|20)\d\d\b")
_PRIVATE = regex(
    r"(?i)(?:(?<![a-z])(?:pin|otp|ssn|cvv|cvc|iban|card|phone|code)|pass|secret|token|key|pwd|credential|auth|bearer)\w{0,20}\W{0,4}(?:\w{1,20}\W{1,3}){0,2}\Z"
)
_NEAR, _LONG = 40, 7
# Not a part of a word, a path, a version, a date or a time.
_NUMBER = regex(
    r"[0-9](?<![\w./:#].)(?<!\w-.)(?:(?<=[0-9])(?:[0-9]{0,2}(?:,[0-9]{3}){1,6}(?![0-9])|[0-9]{0,20})(?:\.[0-9]{1,20})?)(?=[A-Za-z%€]{0,3}(?![\w:-]|[./][0-9]))",
    re.DOTALL,
)
# Words with digits that stand by themselves: not within a path, an address or a file's name.
_PART, _DIGIT, _PLAIN = regex(r"[A-Za-z0-9]+"), regex(r"\d"), regex(r"[A-Za-z]*\d*|\d+[A-Za-z]+")
_PREFIXED = regex(r"#?([A-Za-z]+[_-])([\da-f]{6,32})\Z")
_GIVEN = regex(r"(?<![\w./\\=-])#?(?=[\w-]*\d[\w-]*\d)[A-Za-z0-9][\w-]{2,39}(?![\w\\./-])")
# A word in backticks is a name and stays; what has more in it is code.
_CODE = regex(
    r"```.*?(?:```|\Z)|<(?P<tag>execute|code)>.*?(?:</(?P=tag)>|\Z)|(?P<word>`[^`\s(){}\[\]=]*`)|`[^`\n]*`|https?://\S+",
    re.DOTALL,
)
_SIGNS_OF_CODE = ("`", "<", "http")


_ESCAPED = regex(r"\\u[0-9a-fA-F]{4}")


def prose_of(content: str) -> str:
    """The text with code and addresses made blank, and with numbers as in English."""
    if any(map(content.__contains__, _SIGNS_OF_CODE)):
        content = _CODE.sub(lambda match: match["word"] or blank(match), content)
    return with_english_numbers(content) if is_foreign(content) else content


def final_answer(index: TraceIndex) -> Text | None:
    """The agent's last words; those before them where these only take leave."""
    last = None
    for text in reversed(index.texts):
        if text.content.strip() and not text.is_copied:
            last = text
            if not _takes_leave(text, index):
                break
    return last


def _takes_leave(text: Text, index: TraceIndex) -> bool:
    """True for a few words without a figure that answer no question."""
    before = index.messages[text.message_index - 1].content or ""
    return len(text.content) <= _LEAVE and not has_digit(text.content) and "?" not in before


def stands(written: str, text: str) -> bool:
    """True where the figure stands in the text, with or without commas and zeros behind its point."""
    plain = written.replace(",", "")
    whole = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return any(_found(figure, text) for figure in dict.fromkeys((plain, written, whole)))


_INNER = frozenset("0123456789.")
_OF_A_DATE = regex(r"(?<!\d)\d{1,2}\.\d{1,2}\.\Z")
_GOES_ON = regex(r"\d|,\d{3}(?!\d)|\.\d{0,20}[1-9]")


def _found(figure: str, text: str) -> bool:
    """True where the figure stands by itself: not within a longer one, but for zeros behind its point."""
    at = text.find(figure)
    while at >= 0:
        is_whole = text[max(0, at - 1) : at] not in _INNER or _OF_A_DATE.search(text, max(0, at - 6), at) is not None
        if is_whole and _GOES_ON.match(text, at + len(figure)) is None:
            return True
        at = text.find(figure, at + 1)
    return False


_LEAVE = 120


def names_in(text: str) -> frozenset[str]:
    """The words with three digits or more: what tells one thing of a kind from the others."""
    return frozenset(word.lower() for word in _WITH_DIGITS.findall(text)) if has_digit(text) else frozenset()


_WITH_DIGITS = regex(r"(?<![\w.-])(?=[\w-]*\d[\w-]*\d[\w-]*\d)[A-Za-z0-9][\w-]*")
