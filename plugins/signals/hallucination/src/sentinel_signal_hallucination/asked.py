"""What the user asked: what only a question was about may be a looked-up state that the agent tells in other words."""

from bisect import bisect_left

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination.tables import regex

__all__ = ["Asked"]

_ROOT_CHARS = 5
# Verbs whose first letters are not those of what a user asks for; the rest lose their "ed".
_ROOTS = {
    "applied": "apply", "bought": "buy", "copied": "copy", "dropped": "drop", "e-mailed": "mail", "logged": "log",
    "paid": "pay", "ran": "run", "re-ran": "run", "sent": "send", "shipped": "ship", "withdrawn": "withdraw",
}  # fmt: skip
_TELLING = "(?:check|explain|find|help|let|look|say|see|show|tell)"
# "Can you fix it?" asks for a deed, "Can you tell me where it is?" for a state.
_REQUEST = regex(
    rf"\b(?:please (?!{_TELLING})|(?:can|could|will|would) (?:you|we|i) (?!(?:please |also |just |quickly ){{0,2}}{_TELLING}))"
)


class Asked:
    """The user's messages, each looked at once, and for each verb once, however many claims there are."""

    __slots__ = ("_firsts", "_positions", "_questions", "_said")

    def __init__(self, index: TraceIndex) -> None:
        said = [(at, message.content) for at, message in enumerate(index.messages) if message.role == "user"]
        self._positions = [at for at, content in said if content]
        self._said = [content.lower() for _, content in said if content]
        self._questions: dict[int, bool] = {}
        self._firsts: dict[str, int] = {}

    def only_about(self, verb: str, position: int) -> bool:
        """True where the user's last message before ``position`` asks for no deed, and none so far has the verb."""
        last = bisect_left(self._positions, position) - 1
        return last >= 0 and self._is_question(last) and self._first(verb) > last

    def _is_question(self, number: int) -> bool:
        if number not in self._questions:
            text = self._said[number]
            self._questions[number] = text.rstrip().endswith("?") and _REQUEST.search(text) is None
        return self._questions[number]

    def _first(self, verb: str) -> int:
        root = _ROOTS.get(verb, verb.removesuffix("ed"))[:_ROOT_CHARS]
        if root not in self._firsts:
            told = (number for number, text in enumerate(self._said) if root in text)
            self._firsts[root] = next(told, len(self._said))
        return self._firsts[root]
