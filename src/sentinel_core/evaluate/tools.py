"""What each tool can do, told by its name, its description and the names of its parameters.

The answer has three values: a tool ``reads``, it ``writes``, or that is ``unknown``. A shell, an interpreter or an agent runs
anything: what it did depends on what it was given.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from sentinel_core.evaluate.expressions import regex
from sentinel_core.trace import ToolSchema

__all__ = [
    "NOTHING",
    "READING",
    "SHOWN",
    "VAGUE",
    "WRITING",
    "Effect",
    "ToolFacts",
    "facts_of",
    "is_ending",
    "name_words",
    "singular",
    "tools_of",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Shells, interpreters and delegates run whatever they are given.
ANYTHING = _words(
    "execute exec bash sh zsh shell powershell terminal console python py ipython jupyter notebook repl run code interpreter "
    "command cmd script browser computer playwright puppeteer selenium http https curl api graphql sql psql agent subagent "
    "delegate assistant workflow invoke click type keyboard mouse eval dispatch codex"
)
READING = _words(
    "get list search read fetch lookup look find retrieve query show view describe check count calculate calc compute "
    "browse scrape crawl grep glob cat ls head tail load inspect summarize summarise analyze analyse compare validate verify "
    "scroll goto estimate predict translate detect monitor recall recommend suggest preview see explore locate "
    "identify determine diagnose test ping watch track obtain access examine evaluate convert parse ask display "
    "score simulate measure rank classify whoami whois geocode navigate know review quote extract resolve open"
)
WRITING = _words(
    "create update cancel delete remove send submit write add set modify insert upload purchase buy reserve book deploy "
    "install notify upsert put patch push save commit merge replace append rename upgrade downgrade publish assign escalate "
    "refund pay reschedule rebook approve reject enable disable restart revoke edit order exchange schedule register enroll "
    "transfer charge deposit withdraw post reply forward share email mail text message call invite move copy drop "
    "destroy clear reset lock unlock block unblock activate deactivate suspend resume pause start stop play stream launch queue "
    "apply grant authorize confirm place file log record report issue release rent hire note subscribe unsubscribe toggle switch "
    "turn change adjust extend renew archive restore attach detach link unlink tag label follow unfollow like vote rate "
    "comment close reopen finalize checkout checkin void mark provision migrate rollback revert rotate print export import "
    "transition borrow lend donate bid trade sell ship dispatch return reimburse compensate generate draft build make terminate kill "
    "shutdown reboot acknowledge ack waive mute unmute silence snooze enrol unenrol freeze unfreeze discard remind requeue "
    "cordon drain redact credit debit skip refresh declare lift decide purge truncate hold fork star stash retry reconcile "
    "settle discharge admit onboard offboard calibrate capture ban unban trash refuel fill swap trigger download sync store "
    "redeem claim request alert broadcast dm tweet del"
)
# These say nothing more where another word says what is done: "process_refund" refunds.
VAGUE = _words("process handle manage perform do use apply batch complete action operate")
NOTHING = _words("think thought thinking reflect reflection plan todo todos sleep wait noop sequentialthinking")
THINGS_OF_READING = _words(
    "weather wikipedia arxiv wiki clock time date dictionary translator calculator news forecast map maps retriever knowledge "
    "summary status info information details documentation docs history balance"
)
ENDING = _words(
    "finish submit answer final done complete completed terminate terminated end exit stop propose solution conclude handoff "
    "return respond reply transfer yield quit finalize finalise escalate hand completion"
)
ENDING_COMPANIONS = _words(
    "task to the result response work run session conversation report with a user agent human agents and give attempt plan "
    "mode off over in up results findings summary patch code supervisor support operator specialist"
)


_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST_NAME, _LONGEST_DESCRIPTION, _SHORTEST_PLURAL = 200, 300, 4
_SENTENCE = regex(r"[.;\n]")
# "check_in_stock" only looks.
_CHECKED = _words("bag baggage cart customer flight guest online order passenger reservation room user")
_DULL = _words(
    "the and for with from this that tool use used given any specific information based using about into your user"
)
_JOINTS = frozenset(("and", "or", "then"))
_KNOWN = READING | WRITING | ANYTHING | VAGUE | NOTHING
# Verbs that are nouns as often: "order_status" and "claim_details" show something, "order_pizza" and "file_claim" do not.
_NOUNS_TOO = _words(
    "claim hold score measure rank star order log record report request quote monitor review comment message email mail text "
    "call file label note schedule queue draft charge link rate plan deposit transfer release alert issue test query view "
    "access track copy lock switch stream store place tag vote bid trade ship return exchange rent refund build install "
    "deploy import archive invite download display upgrade post migrate register estimate count preview search silence answer"
)
# What a tool with such a name shows, whatever noun comes first; and what it shows where no verb comes first.
SHOWN = _words(
    "status state states diff log logs details detail info information history summary balance balances level levels "
    "availability stats statistics metrics usage results lookup"
)
_RECORDS = _words("log audit rate rates quotes records logs")
_DETERMINERS = _words("a an the all any your this that one new some its their")
_AFTER_NOUN, _AFTER_PLURAL = _words("of with"), _words("of in")
# "search_replace" does more than search.
_AFTER_SEARCH = _words("replace")
_GETS = _words("get find")
# A noun that is made of a verb: "Settlement of a claim".
_MAKING = ("tion", "sion", "ment", "al", "ing", "ance", "ence", "ure", "age")
_STRICT = (READING | WRITING) - _NOUNS_TOO - VAGUE
# Verbs that fit what a tool gets as well as what it makes: the description decides.
_WEAK = frozenset(("get", "find", "request", "ask", "open", "resolve", "test", "report", "order", "log"))


# To open a file is to read it, to open a claim is not; so with what is resolved.
_EITHER = frozenset(("open", "resolve"))
_READABLE = _words(
    "file url page link website site document doc image folder tab browser path host hostname dns domain name address"
)


Effect = Literal["reads", "writes", "unknown"]


class ToolFacts(NamedTuple):
    """``verbs`` are what the tool does, as base forms; ``objects`` what it does that to, as singular nouns.

    ``runs_anything`` is True for a tool whose arguments decide what it does; ``is_inert`` for one that only thinks.
    """

    name: str
    effect: Effect
    verbs: frozenset[str]
    objects: frozenset[str]
    runs_anything: bool = False
    is_inert: bool = False


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """The word without a plural ending: ``reports`` and ``report`` are one, so are ``entries`` and ``entry``."""
    if len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and word not in ("movies", "cookies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name in any of the usual spellings; of ``mcp__shop__cancel_order`` those of the last part."""
    last = name[-_LONGEST_NAME:].rpartition("__")[2] or name[-_LONGEST_NAME:]
    return _joined([word.lower() for word in _WORD.findall(last)])


def _joined(words: list[str]) -> tuple[str, ...]:
    """Two words that do more than the first says as one: who checks a passenger in does more than check."""
    for at, pair in enumerate(pairwise(words)):
        if pair in (("check", "in"), ("check", "out")) and (
            at + 2 == len(words) or singular(words[at + 2]) in _CHECKED
        ):
            return (*words[:at], "".join(pair), *words[at + 2 :])
    return tuple(words)


@lru_cache(maxsize=4096)
def is_ending(name: str) -> bool:
    """True for a tool that by its name ends the run (``finish``, ``final_answer``) or hands it on: it has no result."""
    words = name_words(name)
    if words[:1] == ("transfer",) or words == ("give", "up"):
        return True
    return not ENDING.isdisjoint(words) and ENDING.union(ENDING_COMPANIONS).issuperset(words)


def tools_of(offered: Iterable[ToolSchema], called: Iterable[str]) -> dict[str, ToolFacts]:
    """The facts of each tool on offer or called, by name."""
    found = {tool.name: _offered(tool) for tool in offered}
    for name in called:
        if name not in found:
            found[name] = facts_of(name)
    return found


def _offered(tool: ToolSchema) -> ToolFacts:
    schema = tool.parameters
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    names = tuple(str(key) for key in properties) if isinstance(properties, Mapping) else ()
    return facts_of(tool.name, (tool.description or "")[:_LONGEST_DESCRIPTION], names)


@lru_cache(maxsize=4096)
def facts_of(name: str, description: str = "", parameters: tuple[str, ...] = ()) -> ToolFacts:
    """The facts of one tool. A name without any known word, without a description, is ``unknown``."""
    words = name_words(name)
    verbs = _verbs(_operation(name, words)) if " " not in name.strip() else []
    told, is_thing = _told(description, verbs[0] if verbs else "")
    effect, runs = _effect(words, verbs, told, is_thing=is_thing)
    deeds = {verb for verb in (*verbs, told) if verb not in VAGUE} - {""}
    things = {singular(word) for word in (*words, *_nouns(description)) if word not in verbs and not word.isdigit()}
    things.update(singular(word) for parameter in parameters for word in name_words(parameter))
    inert = bool(words) and NOTHING.issuperset(words)
    return ToolFacts(name, effect, frozenset(deeds), frozenset(things), runs and not inert, inert)


def _operation(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of what is done: of ``estimate.email`` those behind the last point, where one of them is a verb."""
    last = name_words(name.rpartition(".")[2])
    return words if _KNOWN.isdisjoint(last) else last


def _verbs(words: tuple[str, ...]) -> list[str]:
    """The verbs of a name: the word in verb position, and each that "and" or "or" joins to it."""
    first = _verb(words) if words else None
    joined = [second for before, second in pairwise(words) if before in _JOINTS and second in _KNOWN]
    return ([first] if first else []) + joined


def _verb(words: tuple[str, ...]) -> str | None:
    """The first word or the last: of those that are nouns as well, "order_status" and "vehicle_log" show something."""
    first, last = words[0], words[-1]
    if last in _AFTER_SEARCH or (last == "request" and first in _NOUNS_TOO):
        return last
    inner = next((word for word in words[1:-1] if word in WRITING and word in _STRICT), None)
    if len(words) == 1 and first not in _KNOWN and first != singular(first):
        return "get"
    if len(words) > 1 and (
        (last in SHOWN and (first not in WRITING or first in _NOUNS_TOO))
        or (last in _RECORDS and _KNOWN.isdisjoint(words[:-1]))
        or (first == "open" and last != singular(last))
    ):
        return "get" if inner is None else None  # "password_reset_status", "stock_adjust_level"
    if first in _NOUNS_TOO and last not in _STRICT:
        return inner or first
    placed = (last, first) if first == "list" and last in WRITING else (first, last, *words[1:-1])
    for known in (_STRICT if first not in ANYTHING else _KNOWN - VAGUE, WRITING, _KNOWN):
        if (verb := next(filter(known.__contains__, placed), None)) is not None:
            return verb
    return None


def _told(description: str, verb: str) -> tuple[str, bool]:
    """The verb that a description begins with: "Books a cab", "Use this tool to book a cab"; True for a thing: "State of a claim"."""
    words = re.findall(r"[a-z][a-z'-]*", _SENTENCE.split(description, 1)[0].lower())
    if words[:3] in (["use", "this", "tool"], ["this", "tool", "will"], ["use", "this", "to"]):
        words = words[4 if words[3:4] == ["to"] else 3 :]
    if words[:1] and words[0].endswith("ly"):
        words = words[1:]
    first, second = (*words[:2], "", "")[:2]
    for base in (first, singular(first), first.removesuffix("es")):
        if base in READING or base in WRITING:
            is_noun = (first != base and second in _AFTER_PLURAL) or (
                base in _NOUNS_TOO and (second in _AFTER_NOUN or second in SHOWN or "of" in words[2:3] or verb in _GETS)
            )
            return (base, False) if second in _DETERMINERS or not is_noun else ("", True)
    return "", "of" in words[1:3] and second != "out" and second not in _DETERMINERS and not first.endswith(_MAKING)


def _nouns(description: str) -> list[str]:
    words = re.findall(r"[a-z]{3,}", _SENTENCE.split(description, 1)[0].lower())
    return [word for word in words[:14] if word not in _KNOWN and word not in _DULL]


def _effect(words: tuple[str, ...], verbs: list[str], told: str, *, is_thing: bool) -> tuple[Effect, bool]:
    ends_as_noun = bool(verbs) and words[0] not in _KNOWN and verbs[0] in _NOUNS_TOO
    if is_thing and (ends_as_noun or (words[:1] != tuple(verbs[:1]) and words[0] in _NOUNS_TOO)):
        verbs = []
    is_weak = not verbs or verbs[0] in _WEAK or ends_as_noun
    if not ends_as_noun and any(verb in WRITING and verb not in _WEAK for verb in verbs):
        return "writes", False
    if any(verb in ANYTHING for verb in verbs) or (not (verbs or told or is_thing) and not ANYTHING.isdisjoint(words)):
        return "unknown", True
    if is_weak and told and told not in _EITHER | {"ask"}:
        return ("writes" if told in WRITING else "reads"), False
    if any(verb in READING for verb in verbs):
        is_either = _EITHER.issuperset(verbs) and _READABLE.isdisjoint(map(singular, words))
        return ("unknown" if is_either else "reads"), False
    if verbs and not ends_as_noun and any(verb in WRITING for verb in verbs):
        return "writes", False
    return ("reads" if is_thing or not THINGS_OF_READING.isdisjoint(words) else "unknown"), False
