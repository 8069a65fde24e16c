"""What the user asked, and did: what only a question was about may be a state that the agent tells in other words."""

import re
from bisect import bisect_left

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.wishes import Wish, orders, wish

__all__ = ["Asked"]

_ROOT_CHARS = 5
_NEVER = 1 << 62
# Verbs whose first letters are not those of what a user asks for; the rest lose their "ed".
_ROOTS = {
    "applied": "apply", "bought": "buy", "copied": "copy", "dropped": "drop", "e-mailed": "mail", "logged": "log",
    "paid": "pay", "ran": "run", "re-ran": "run", "sent": "send", "shipped": "ship", "withdrawn": "withdraw",
}  # fmt: skip
# A line that the user ran himself, as notebooks and coding agents write it down.
_COMMAND = regex(r"^(?:!(?!\[)|[$%] |<bash-input>)([^\n]{1,400})", re.MULTILINE)
_CONTINUED = "this session is being continued from a previous conversation"
_LONG_WORD = regex(r"[A-Za-z]{5,20}")
_NOUN = regex(r"\b\w{3,20}(?:tion|ment)s?\b")


class Asked:
    """The user's messages, each looked at once, and for each verb once, however many claims there are."""

    __slots__ = (
        "_commands",
        "_firsts",
        "_orderly",
        "_plain",
        "_positions",
        "_questions",
        "_ran",
        "_recalled",
        "_said",
        "_wishes",
    )

    def __init__(self, index: TraceIndex) -> None:
        said = [(at, message.content) for at, message in enumerate(index.messages) if message.role == "user"]
        self._positions = [at for at, content in said if content]
        self._said = [content.lower() for _, content in said if content]
        self._wishes: dict[int, Wish] = {}
        self._orderly: dict[int, bool] = {}
        self._questions: dict[int, bool] = {}
        self._plain: dict[int, str] = {}
        self._firsts: dict[str, int] = {}
        self._commands: list[tuple[int, str]] | None = None
        self._ran: dict[str, int] = {}
        self._recalled: dict[str, int] = {}

    def only_about(self, verb: str, position: int) -> bool:
        """True where the user's last message before ``position`` asks for no deed, and none so far asks for the verb's."""
        last = bisect_left(self._positions, position) - 1
        asked_for = self._wish(last) if last >= 0 else "deed"
        if asked_for == "know":
            return self._first(verb) > last
        return (
            asked_for != "deed" and self._first(verb) >= last
        )  # a text that the message brings along may have the verb

    def wish(self, position: int) -> Wish:
        """What the user's last message before ``position`` asks for; ``deed`` also where there is none."""
        last = bisect_left(self._positions, position) - 1
        return self._wish(last) if last >= 0 else "deed"

    def for_deeds(self, position: int) -> bool:
        """True where the user's last message before ``position`` asks for a deed, or there is none: then orders came elsewhere."""
        return self.wish(position) == "deed"

    def orders(self, position: int) -> bool:
        """True where a message of the user before ``position`` orders something in plain words, or there is none."""
        last = bisect_left(self._positions, position) - 1
        return last < 0 or any(self._is_order(number) for number in range(last, -1, -1))

    def speaks_of(self, verb: str, sentence: str, position: int) -> bool:
        """True where a message of the user before ``position`` has the verb or a long word of the sentence, or there is none."""
        last = bisect_left(self._positions, position) - 1
        if last < 0 or self._first(verb) <= last:
            return True
        long_words = {word.lower() for word in _LONG_WORD.findall(sentence)}
        return any(word in text for text in self._said[: last + 1] for word in long_words)

    def last(self, position: int) -> tuple[int, str]:
        """The number of the user's last message before ``position``, and its text in lower case; -1 for none."""
        last = bisect_left(self._positions, position) - 1
        return last, self._said[last] if last >= 0 else ""

    def ran(self, verb: str, position: int) -> bool:
        """True where the user ran a command that has the verb before the message: "!pip install numpy"."""
        if self._commands is None:
            lines = ((at, _COMMAND.findall(said)) for at, said in zip(self._positions, self._said, strict=True))
            self._commands = [(at, "\n".join(commands)) for at, commands in lines if commands]
        root = _root(verb)
        if root not in self._ran:
            self._ran[root] = next((at for at, commands in self._commands if root in commands), _NEVER)
        return self._ran[root] < position

    def recalls(self, verb: str, position: int) -> bool:
        """True where a summary of what went before, which stands in for a message of the user, has the verb."""
        if verb not in self._recalled:
            said = zip(self._positions, self._said, strict=True)
            told = (at for at, text in said if text.startswith(_CONTINUED) and verb in text)
            self._recalled[verb] = next(told, _NEVER)
        return self._recalled[verb] < position

    def ends_in_question(self, position: int) -> bool:
        """True where the user's last message before ``position`` ends in a question mark."""
        last = bisect_left(self._positions, position) - 1
        if last not in self._questions:
            self._questions[last] = last >= 0 and self._said[last].rstrip().endswith("?")
        return self._questions[last]

    def _wish(self, number: int) -> Wish:
        if number not in self._wishes:
            self._wishes[number] = wish(self._said[number])
        return self._wishes[number]

    def _is_order(self, number: int) -> bool:
        if number not in self._orderly:
            self._orderly[number] = orders(self._said[number])
        return self._orderly[number]

    def _first(self, verb: str) -> int:
        root = _root(verb)
        if root not in self._firsts:
            told = (number for number in range(len(self._said)) if self._has(number, root, verb))
            self._firsts[root] = next(told, len(self._said))
        return self._firsts[root]

    def _has(self, number: int, root: str, verb: str) -> bool:
        text = self._said[number]
        if root not in text:
            return False
        if self._wish(number) != "know":
            return True
        # "Has it been shipped?" and "where is the confirmation?" ask for no deed.
        if number not in self._plain:
            self._plain[number] = _NOUN.sub("", text)
        return root in self._plain[number].replace(verb, "")


def _root(verb: str) -> str:
    return _ROOTS.get(verb, verb.removesuffix("ed"))[:_ROOT_CHARS]
