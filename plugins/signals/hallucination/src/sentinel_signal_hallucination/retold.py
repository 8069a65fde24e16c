"""What results or a text of the user say in words other than the agent's: states, change logs, minutes."""

import re
from bisect import bisect_right

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination.asked import Asked
from sentinel_signal_hallucination.claims import Claim
from sentinel_signal_hallucination.results import told_by_tools
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.wishes import Wish, brought

__all__ = ["OTHER_WORDS", "Retold"]

_ROOT_CHARS = 6
_LOOSE_ROOT_CHARS = 5
# What else may stand where the agent says the verb, in lower case. Verbs of six letters and more without their ending are
# looked for, too: "restart" tells of what was restarted.
OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "added": ("add ", "adds ", "adding ", "addition", "new ", "+ "),
    "approved": ("accepted", '"ok"', "signed off"),
    "assigned": ("assign", "owner"),
    "booked": ("confirmed", "reserved", "ticketed"),
    "canceled": ("cancelled", "canceled", "cancels", "cancell", "void", "terminated", "withdrawn"),
    "cancelled": ("cancelled", "canceled", "cancels", "cancell", "void", "terminated", "withdrawn"),
    "changed": ("change", "modif", "updat", "edit", "rename", "→", "->"),
    "charged": ("charge", "paid", "captured", "settled", "debit"),
    "closed": ("close", "closing", "resolved", '"done"', "completed", "inactive"),
    "completed": ("complete", '"done"', "finished", "delivered", "closed", "success"),
    "confirmed": ("confirm", '"ok"', "active", "booked"),
    "created": ("create", "creating", "new ", "opened", "post ", "initial"),
    "credited": ("credits ", "refund", "posted", "settled", "complete"),
    "deactivated": ("deactivat", "inactive", "disabled", "suspend", "locked"),
    "deleted": ("delet", "remov", "drop", "purge", "destroy"),
    "deployed": ("deploy", "release", "rollout", "rolled out", "live"),
    "disabled": ("disable", "inactive", ": false"),
    "dropped": ("drop", "remov", "delet"),
    "emailed": ("email", "mailed", "mailing"),
    "enabled": ("enable", "active", ": true"),
    "executed": ("execut", "run ", "runs ", "running", "ran ", "passed", "failed"),
    "issued": ("issue", "issuing", "done", "complete", "paid", "refunded", "settled"),
    "launched": ("launch", "live", "released"),
    "merged": ("merge", "merging"),
    "moved": ("move", "moving", "relocat", "transfer", "->"),
    "notified": ("notif", "email", "alert", "sent"),
    "opened": ("open", "created"),
    "paid": ("pay ", "pays ", "settled", '"done"'),
    "placed": ("place", "order_date", "ordered", "created"),
    "processed": ("process", "done", "complete", "settled", "success", "refunded", "paid", "credited", "sent"),
    "ran": ("run", "ran "),
    "refunded": ("refund", "credited", "returned"),
    "released": ("release", "publish", "shipped", "version"),
    "removed": ("remov", "delet", "drop", "\n-"),
    "rescheduled": ("reschedul", "moved", "postpone", "delay"),
    "reserved": ("reserv", "booked", "confirm"),
    "reset": ("reset", "resett"),
    "reverted": ("revert", "rollback", "rolled back", "roll back", "rolls back"),
    "run": ("run", "ran ", "conclusion", "step"),
    "scheduled": ("schedul", "planned", "start"),
    "sent": ("send", "sent", "deliver", "mailed"),
    "shipped": ("shipped", "ships ", "in_transit", "in transit", "on its way", "dispatch", "deliver", "pickup"),
    "submitted": ("submit", "received", "pending", "filed"),
    "transferred": ("transfer", "moved"),
    "updated": ("updat", "upgrad", "bump", "chang", "modif", "edit", "migrat"),
    "upgraded": ("upgrad", "bump"),
}  # fmt: skip
_KEY = regex(r"\"[^\"\n]{1,60}\"\s{0,4}:")
# A heading, or a line that announces what comes; and the line that ends a draft.
_OPENING = regex(r"^(?:#{1,6} [^\n]{1,200}|\*\*[^*\n]{1,100}\*\*:?|[^\n]{0,300}:\**)[ \t]*\n", re.MULTILINE)
_CLOSING = regex(r"^(?:-{3,}|\*{3,}|={3,})[ \t]*$", re.MULTILINE)
_ITEM = regex(r"[ \t]{0,8}(?:[-*•]|\d{1,2}[.)]) ")


class Retold:
    """What was told in other words, looked for once a verb."""

    __slots__ = ("_asked", "_bounded", "_brought", "_first", "_given", "_index")

    def __init__(self, index: TraceIndex, asked: Asked) -> None:
        self._index = index
        self._asked = asked
        self._given: list[str] | None = None
        self._first: dict[tuple[str, bool], int] = {}
        self._brought: dict[tuple[str, int], bool] = {}
        self._bounded: tuple[int, list[int], list[int]] = (-1, [], [])

    def tells(self, claim: Claim, position: int) -> bool:
        """True where the user asked for no deed, and a source may say what the claim says: no deed of the agent."""
        wish = self._asked.wish(position)
        if wish == "translate" and self._is_brought(claim.verb, position, wish):
            return True  # a text that is put in other words may be of its writer's deeds
        is_state = claim.voice != "active" and bool(claim.told)
        if not is_state or not self._asked.only_about(claim.verb, position):
            return False
        return wish == "translate" or self.has_verb(claim, position, wish)

    def is_drafted(self, claim: Claim, content: str, position: int) -> bool:
        """True where the claim stands in a text that the user asked the agent to write. To have sent it is a deed."""
        if self._asked.wish(position) not in {"translate", "write"}:
            return False
        if claim.families[0].name == "send" and " we" not in f" {claim.sentence.lower()}":
            return False
        line = content.rfind("\n", 0, claim.begin) + 1
        if _ITEM.match(content, line) is not None:
            return True
        opened, closed = self._bounds(content, position)
        number = bisect_right(opened, line)
        return number > 0 and bisect_right(closed, line) == bisect_right(closed, opened[number - 1])

    def _bounds(self, content: str, position: int) -> tuple[list[int], list[int]]:
        """Where drafts open and end in the text of the message, looked for once."""
        if self._bounded[0] != position:
            opened = [match.end() for match in _OPENING.finditer(content)]
            self._bounded = position, opened, [match.end() for match in _CLOSING.finditer(content)]
        return self._bounded[1:]

    def has_verb(self, claim: Claim, position: int, wish: Wish) -> bool:
        """True where a result may say what the claim says, whoever did it, or a text that the user brought along."""
        if wish == "know":
            return self._first_result(claim.verb) < position
        return self._is_brought(claim.verb, position, wish) or self._first_result(claim.verb, loose=True) < position

    def _is_brought(self, verb: str, position: int, wish: Wish) -> bool:
        number, last = self._asked.last(position)
        key = verb, number
        if key not in self._brought:
            self._brought[key] = _stands(verb, last if wish == "write" else brought(last), loose=True)
        return self._brought[key]

    def _first_result(self, verb: str, *, loose: bool = False) -> int:
        if self._given is None:
            self._given = _results(self._index)
        key = verb, loose
        if key not in self._first:
            told = (at for at, text in enumerate(self._given) if text and _stands(verb, text, loose=loose))
            self._first[key] = next(told, len(self._given))
        return self._first[key]


def _results(index: TraceIndex) -> list[str]:
    """What tools gave, message by message. A key of JSON says nothing: "shipping" stands in each order."""
    return [_KEY.sub(" ", text) if text else "" for text in told_by_tools(index)]


def _stands(verb: str, text: str, *, loose: bool = False) -> bool:
    """True where the text has the verb, one that says the same, or its beginning; ``loose`` for a text that is retold."""
    root = verb.removesuffix("ed")
    roots = (root[:_LOOSE_ROOT_CHARS],) if loose else (root,) if len(root) >= _ROOT_CHARS else ()
    return any(map(text.__contains__, (verb, *roots, *OTHER_WORDS.get(verb, ()))))
