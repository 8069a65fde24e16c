"""What a tool could have done, judged by its name alone: names are all that most traces have."""

from functools import lru_cache
from itertools import pairwise
from typing import Literal

from sentinel_signal_hallucination.families import FAMILIES, stem
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["RUN", "Ability", "ability", "ability_of_command", "is_terminal"]

RUN = "run"
"""The family of what tools may run."""
Kind = Literal["any", "read", "write", "inert"]

_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST_NAME = 200

# Tools that run whatever they are given, hand work on, or say nothing of what they do.
_GENERIC = words(
    "execute exec bash sh zsh shell powershell terminal console python ipython jupyter notebook repl run code interpreter "
    "command cmd script browser computer playwright puppeteer selenium http https request rest graphql curl api sql psql "
    "agent subagent task delegate assistant workflow invoke call process perform handle apply do action operate manage "
    "complete click type keyboard mouse eval function tool use dispatch trigger batch"
)
# Those that say nothing more where a word beside them says what is done: "process_refund" refunds.
_VAGUE = words("apply batch call code complete do function handle manage notebook perform process tool trigger use")
_READING = words(
    "get list search read fetch lookup look find retrieve query show view describe check count calculate calc compute "
    "browse scrape crawl grep glob cat ls head tail load inspect summarize summarise analyze analyse compare validate "
    "verify scroll goto select download estimate predict translate detect monitor recall"
)
_SURE_WRITING = words(
    "create update cancel delete remove send submit write add set modify insert upload purchase buy reserve deploy "
    "install notify upsert put patch push save commit merge replace append rename upgrade publish assign escalate refund "
    "pay reschedule rebook approve reject enable disable restart revoke edit editor"
)
_READING_NOUNS = words(
    "weather wikipedia arxiv wiki clock time date dictionary translator news forecast map maps retriever knowledge "
    "summary status info information details documentation docs"
)
_INERT = words(
    "think thought thinking reflect reflection plan todo calculator calculate math sleep wait noop sequentialthinking"
)
# A name of nothing but these and the words above does nothing, either: "ask_followup_question", "attempt_completion".
_BESIDE = words(
    "ask attempt completion finish followup id library mcp memory question questions resolve sequential user"
)
_TERMINAL = words(
    "finish submit answer final done complete completed terminate terminated end exit stop propose solution conclude "
    "handoff return respond reply transfer yield"
)
_TERMINAL_COMPANIONS = words(
    "task to the result response work run session conversation report with a user agent human agents and give attempt "
    "plan mode completion"
)
# Last words of tools that tell the state of the thing before them, and those words of tools that write which can name
# such a thing: "order_status" orders nothing, but "change_status" changes one.
_STATES = words("status diff log details info history")
_ASKED_ABOUT = words(
    "alert backup bill build charge checkout contact credit debit deposit email exchange file git human invoice issue job "
    "link log mail message order page payment pipeline pip npm release report return route schedule script sms slack "
    "sync test text train transfer transition"
)
_TODO = words("todo todos")
_TODO_WORDS = _TODO | words("write update list create get manage")
_TODO_NAMES = words("update_plan task_create task_get task_list task_update")
# Pairs of words that do more than their first word says, and what they are read as.
_PAIRS = {
    ("check", "in"): "checkin", ("check", "out"): "checkout", ("select", "seat"): "reserve_seat",
    ("select", "room"): "reserve_room", ("choose", "seat"): "reserve_seat", ("pull", "request"): "pr", ("merge", "request"): "pr",
    ("apply", "diff"): "patch", ("tool", "search"): "search", ("apply", "patch"): "patch",
}  # fmt: skip
# "check_in_stock" only looks.
_CHECKED = words("bag baggage cart customer flight guest online order passenger reservation room user")
# Words of tools that write text, and of those that do something else with a file.
_TEXTS = words("file files str string text content contents line lines code patch diff notebook cell document doc")
_TEXT_WRITERS = words("write patch replace insert append overwrite edit editor multi block search")
_FILES = frozenset(("file", "files"))
_FILE_MOVERS = words("upload send delete remove move rename share attach copy submit post email")
_JOINTS = frozenset(("and", "or", "then"))
_ALL_FAMILIES = frozenset(family.name for family in FAMILIES)
_TOOL_WORDS = frozenset[str]().union(*(family.tools for family in FAMILIES))
_WRITING = (_SURE_WRITING | _TOOL_WORDS) - _READING
_FAMILIES_OF: dict[Kind, frozenset[str]] = {
    "any": _ALL_FAMILIES,
    "read": frozenset(family.name for family in FAMILIES if family.strength == "read"),
    "inert": frozenset(),
}
# What some reading verbs do besides reading: who downloads has saved, who queries has run something.
_DOING_TOO = (_READING & _TOOL_WORDS) - {"get", "fetch"}
# Looked through in this order where a name has no sure verb.
_WEAKER_SIGNS: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("any", _GENERIC),
    ("write", _WRITING),
    ("read", _READING_NOUNS),
    ("inert", _INERT),
)


class Ability:
    """What a tool could do: the families of claims that it may back, and the nouns of its name that it may write to.

    ``edits`` is True for a tool that writes text: it may have put in or taken out whatever stands in a file.
    """

    __slots__ = ("edits", "families", "kind", "nouns")

    def __init__(self, kind: Kind, families: frozenset[str], nouns: frozenset[str], *, edits: bool = False) -> None:
        self.kind = kind
        self.families = families
        self.nouns = nouns
        self.edits = edits


_LIST_OF_TASKS = Ability("write", frozenset(), words("todo task item list plan"))


@lru_cache(maxsize=256)
def ability_of_command(deeds: frozenset[str]) -> Ability:
    """That of a shell's command which backs these families. It was run, and may have been a scan."""
    return Ability("write" if deeds else "read", _FAMILIES_OF["read"] | deeds, words("command query scan"))


def _name_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[:_LONGEST_NAME])]


def _joined(parts: list[str]) -> list[str]:
    """The words of a name with its pairs as one: who checks a passenger in does more than check."""
    for at, pair in enumerate(pairwise(map(stem, parts))):
        if pair in _PAIRS and (pair[0] != "check" or _CHECKED.issuperset(map(stem, parts[at + 2 : at + 3]))):
            return [*parts[:at], *_PAIRS[pair].split("_"), *parts[at + 2 :]]
    return parts


@lru_cache(maxsize=4096)
def is_terminal(name: str) -> bool:
    """True for a tool that by its name ends the run (``finish``, ``final_answer``) or hands it on: it has no result."""
    parts = _name_words(name)
    if parts[:1] == ["transfer"]:
        return True
    return not _TERMINAL.isdisjoint(parts) and _TERMINAL.union(_TERMINAL_COMPANIONS).issuperset(parts)


def _is_state_of(things: set[str]) -> bool:
    """True where a writing word is among them, and only such as name a thing."""
    return (
        not things.isdisjoint(_ASKED_ABOUT)
        and things.isdisjoint(_SURE_WRITING | _GENERIC)
        and _ASKED_ABOUT.issuperset(things & _WRITING)
    )


def _kind(parts: list[str]) -> Kind:
    known = set(parts)
    if parts[-1] in _STATES and _is_state_of(known.difference(parts[-1:])):
        return "read"
    writes_too = any(first in _JOINTS and second in _WRITING for first, second in pairwise(parts))
    if writes_too or not known.isdisjoint(_SURE_WRITING):
        return "write" if known.isdisjoint(_GENERIC - _VAGUE) else "any"
    if known <= _INERT | _BESIDE:
        return "inert"
    if not known.isdisjoint(_READING):
        return "any" if parts[0] in _GENERIC else "read"
    return next((kind for kind, table in _WEAKER_SIGNS if not known.isdisjoint(table)), "any")


@lru_cache(maxsize=4096)
def ability(name: str) -> Ability:
    """The ability that a tool's name shows. A name without any known word could do anything, and so can one with spaces."""
    parts = _joined(_name_words(name))
    if _is_list_of_tasks(parts):
        return _LIST_OF_TASKS
    kind: Kind = "any" if not parts or " " in name.strip() else _kind(parts)
    if kind == "write":
        return _writing(parts)
    if kind == "read" and (verbs := _DOING_TOO.intersection(parts)):
        # What does something may fail at it, so its results are looked at as those of a tool that writes.
        return Ability("write", _FAMILIES_OF["read"] | _families_with(verbs), frozenset())
    return Ability(kind, _FAMILIES_OF[kind], frozenset())


def _is_list_of_tasks(parts: list[str]) -> bool:
    """True for an agent's own list of what is to do: writing it saves, files or sends nothing."""
    return "_".join(parts) in _TODO_NAMES or (_TODO_WORDS.issuperset(parts) and not _TODO.isdisjoint(parts))


def _writing(parts: list[str]) -> Ability:
    stems = frozenset(map(stem, parts))
    edits = not _TEXTS.isdisjoint(parts) or _TEXT_WRITERS.issuperset(parts)
    deeds = stems.union(parts)
    if parts[-1] in _FILES:
        deeds -= _FILES  # "edit_file" files nothing
    return Ability("write", _families_with(deeds), stems, edits=edits and _FILE_MOVERS.isdisjoint(parts))


def _families_with(tool_words: frozenset[str]) -> frozenset[str]:
    return frozenset(family.name for family in FAMILIES if not family.tools.isdisjoint(tool_words))
