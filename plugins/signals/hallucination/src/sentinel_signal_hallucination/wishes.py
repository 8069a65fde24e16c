"""What a user's message asks for: a deed, or only an account of how things stand or of what some text says."""

import re
from typing import Literal

from sentinel_signal_hallucination.tables import either, regex, words

__all__ = ["DEEDS", "WISHES", "Wish", "brought", "orders", "wish"]

Wish = Literal["deed", "know", "retell", "translate", "write"]

_TELLING = (
    "(?:check|explain|find|help|let|look|say|see|show|tell"
    r"|(?:give|provide)(?: me)?(?: (?:an?|the|some|my))?(?: \w{1,12})? (?:details|info|information|overview|status|summary|update)\b)"
)
# "Can you fix it?" asks for a deed, "Can you tell me where it is?" for a state.
_REQUEST = regex(
    rf"\b(?:please (?!{_TELLING})|(?:can|could|will|would) (?:you|we|i) (?!(?:please |also |just |quickly ){{0,2}}{_TELLING}))"
)
DEEDS = words(
    "ack acknowledge activate add allow apply approve archive arrange assign ban block book build buy cancel change charge cherry-pick clean clear close comment "
    "commit complete confirm connect copy correct create credit deactivate deal delete deploy disable downgrade drop e-mail "
    "email enable enroll erase escalate exchange execute export extend file fix fly forward grant hand handle install issue "
    "kill launch link lodge log mail make mark merge message migrate modify move notify open order patch pause pay ping place post "
    "process publish purchase purge push put raise reboot rebook refund register reimburse release remove rename renew "
    "replace reply rerun reschedule reserve reset resolve restart restore return revert revoke roll rotate run save scale schedule "
    "send set share ship shut snooze solve sort start stop submit subscribe swap switch sync tag text transfer trigger turn unsubscribe update "
    "upgrade upload waive wipe withdraw"
)
_CLAUSE = r"(?:^\s{0,3}|[.!?;:,\n][ \t]{0,3}|\b(?:please|and|then|to|you|just|also|or|now|so|me|know|hello|hi) )"
# An order stands where a clause begins, or after words that ask: "my order" and "the state of the refund" are things.
_DEED = regex(
    rf"{_CLAUSE}(?:(?:please|then|also|just|now|go ahead and) ){{0,2}}(?:{either(DEEDS)})\b"
    r"(?!-| (?:status|state|history|details|info|number|date|notes?|me on|\d|#)| (?:(?:any|my|the|this) )?(?:grammar|spelling|typos|wording))"
)
_LONGING = regex(
    r"\b(?:want|like|need|get|to have) (?!to\b)(?:(?!(?:about|for|of|on) )[\w#]{1,20} ){1,4}"
    r"(?:\w{2,20}ed|back|compensation|credit|refund|replacement|voucher)\b"
    r"|\bbe (?:\w{2,12} )?\w{2,20}ed\b|\bmoney back|\bdo (?:it|so|that)\b|\bgo ahead|\bproceed|\btake care of"
)
# "When will I get my money back?" asks for a time.
_WHEN = regex(r"\b(?:when|where|why|how (?:long|soon))(?: (?!(?:and|or|then) )[\w'’#]{1,20}){1,8}")
# Looked for in this order: "translate the summary", "write a summary", "summarize what happened".
WISHES: tuple[tuple[Wish, re.Pattern[str]], ...] = (
    (
        "translate",
        regex(r"\b(?:translat(?:e|ion)|rewrite|rephrase|paraphrase|proofread|polish|grammar|spelling|wording|tense)\b"),
    ),
    (
        "write",
        regex(
            r"\b(?:write|draft|compose)\b|\b(?:generate|prepare|produce) (?:\w{1,12} ){0,3}"
            r"(?:change ?log|release notes|message|post-?mortem|status|timeline|update)\b"
        ),
    ),
    (
        "retell",
        regex(
            r"\b(?:summary|summari[sz]e|recap|tl;?dr|review|explain|describe|key points|(?:meeting|the) minutes|release notes"
            r"|change ?log|itinerary|overview|post-?mortem|rundown|timeline)\b|\bwhat(?:'s| is) new\b"
        ),
    ),
    (
        "know",
        regex(
            # Not "a lamp which is broken", nor "when I opened it".
            rf"{_CLAUSE}(?:what|why|how|which (?:is|are|of)"
            r"|check(?! (?:me|us) in)|look (?:up|at|into)|track|analy[sz]e|compare|count|find out)\b"
            r"|\b(?:(?:when|where)(?:'s|’s| (?:will|do|does|did|is|are|was|were|can))|tell me|show me|let me know|(?:want|wanted|like|love|need|trying) to (?:know|see|understand|find out|check"
            r"|hear|learn)|wondering|curious|status (?:of|for|update)|(?:a|the|some|current) status|update (?:me )?on|latest"
            r"|(?:info|information|details|asking|inquiring|enquiring|question) (?:about|on)|following up on)\b|\bstatus\W{0,3}$"
            r"|^\s{0,3}(?:any|are|did|do i|does|has|have|is|was|were) "
        ),
    ),
)
_TEXT_FOLLOWS = regex(r"[:\n\"“]")
_SENTENCE_END = regex(r"[.!?\n]\s+")


def wish(text: str) -> Wish:
    """What a message, in lower case, asks for; ``deed`` unless it plainly asks for words alone."""
    if orders(text):
        return "deed"
    own = _without_text(text)
    found: Wish = next((name for name, look in WISHES if look.search(own) is not None), "deed")
    if found in {"deed", "know"}:
        asks = found == "know" or text.rstrip().endswith("?")
        return "know" if asks and _REQUEST.search(_WHEN.sub(" ", text)) is None else "deed"
    return found


def orders(text: str) -> bool:
    """True where a message, in lower case, has an order in it: "..., and email it to Bo", "I want it refunded"."""
    wanted = _WHEN.sub(" ", _without_text(text))
    return _DEED.search(wanted) is not None or _LONGING.search(wanted) is not None


def brought(text: str) -> str:
    """The text that a message brings along: what follows its first colon, quotation mark or line. Empty for none."""
    found = _TEXT_FOLLOWS.search(text)
    return text[found.end() :] if found is not None else ""


def _without_text(text: str) -> str:
    """The message without a text that it brings along: up to a colon, quotation or line, and its last sentence."""
    found = _TEXT_FOLLOWS.search(text)
    if found is None or all(look.search(text, 0, found.start()) is None for name, look in WISHES if name != "know"):
        return text
    last = found.end()
    for end in _SENTENCE_END.finditer(text, last, len(text.rstrip())):
        last = end.end()
    return text[: found.start()] + "\n" + (text[last:] if last > found.end() else "")
