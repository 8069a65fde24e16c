"""What was done in a session of an agent that writes code, and whether a claim of it can be true: each claim is answered by its own kind."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.facts.command_table import LOOKS
from sentinel_core.evaluate.facts.commands import (
    NOTHING,
    Kinds,
    check_kind,
    is_editor,
    kinds_of,
    kinds_of_call,
    prepared_by,
)
from sentinel_core.evaluate.facts.edits import Reach, changes_code, changes_tree, is_named_in, reach_of
from sentinel_core.evaluate.facts.signs import is_shown_done, undone
from sentinel_core.evaluate.index import Call, Text
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import facts_of
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.english.coding_claims import EDITS, KINDS, CodingClaim, is_path
from sentinel_signal_hallucination.english.lexicon import bases
from sentinel_signal_hallucination.english.sentences import Sentence
from sentinel_signal_hallucination.ledger.actions import Record, failed, was_run
from sentinel_signal_hallucination.ledger.commands import named
from sentinel_signal_hallucination.ledger.turns import Turn
from sentinel_signal_hallucination.tables import once, regex

__all__ = [
    "NAMES",
    "Answer",
    "CodingFacts",
    "is_asserted",
    "may_be_done",
    "of_other_kinds",
    "orders_of",
    "why_failed",
    "works",
]

Answer = Literal["backed", "contradicted", "absent", "not_checkable"]

NAMES = {
    "commit": "a commit", "push": "a push", "pull_request": "a pull request", "comment": "a comment", "deploy": "a deployment", "publish": "a publication", "install": "an installation",
    "migrate": "a migration", "restart": "a restart", "delete": "a deletion", "edit": "an edit",
    "format": "a run of a formatter",
}  # fmt: skip
"""What a claim of each kind tells of."""
_OWN, _STATES = frozenset(("own", "brief")), frozenset(("perfect", "state"))
_CHANGES = frozenset(("edit", "format", "install", "migrate", "commit", "delete"))
# What names one commit or pull request.
_VALUES = {
    "commit": regex(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"),
    "pull_request": regex(r"https?://[^\s)>`]+|(?<=#)\d+\b"),
}
_BY = regex(
    r"\b(?:with|via|using|through|by) `?(helm|kubectl|terraform|ansible|flyctl|fly|vercel|netlify|wrangler|serverless|pulumi|skaffold|argocd|twine|alembic|flyway|prisma|systemctl|pm2)\b"
)
_TYPED = regex(r"(?m)<bash-input>([^\n<]*)|^(?:\$ |!)([^\n]*)")
_WORD = regex(r"[a-z][a-z-]+")
_NAMES_OF_CODE = regex(r"[A-Za-z]\w*(?:[a-z][A-Z]|_)\w+")
_SHOWN_AS_CHANGED = regex(
    r" {0,2}(?:[MARDTmU?]{1,2} +\S|\+\+\+ b/|\S+ +\| +\d|(?:create|delete|rename) mode |\d \.?[MARD.]{1,2} )|\s*(?:modified|new file|renamed|deleted):"
)
_MADE_BY_CHECKS = regex(
    r"(?:^|/)(?:__snapshots__|snapshots?|golden|fixtures|expected|coverage|reports?)/|\.(?:snap|lock|xml|html|json)\Z"
)
_LONGEST_LINE = 400
_LEAVES_CODE = frozenset(("tests", "types", "lint"))
_COMMANDS = ("command", "cmd")
_LONGEST = 20_000
_PLAIN = ("commit", "push", "deploy", "install", "restart")
"""Kinds whose verbs mean nothing else."""


class CodingFacts:
    """From which call on something can have been done; the calls of sub-agents count from the begin."""

    def __init__(self, record: Record) -> None:
        self.index, self._record = record.index, record
        self._tools = {**record.tools, **{call.call.name: facts_of(call.call.name) for call in record.calls_below}}
        self._by_user: dict[str, int] = {}
        self._tries: dict[tuple[str, str, int], Call | None] = {}

    @once
    def rows(self) -> list[tuple[int, Call, Kinds]]:
        """The calls, each with its position and what it can have done."""
        own = [(call.position, call) for call in self.index.calls if was_run(call)]
        below = [(-1, call) for call in self._record.calls_below]
        return [(at, call, kinds_of_call(call.call.name, call.call.arguments)) for at, call in (*below, *own)]

    @once
    def _first(self) -> dict[tuple[str, bool], int]:
        """The position of the first call that was of a kind, or (False) can have been."""
        found: dict[tuple[str, bool], int] = {}
        for at, _, kinds in self.rows:
            for kind in kinds.sure:
                found.setdefault((kind, True), at)
            for kind in kinds.sure | kinds.may:
                found.setdefault((kind, False), at)
        return found

    def has(self, kind: str, text: Text, *, is_sure: bool = False) -> bool:
        """True where a call before the text can have been of the kind, or was one."""
        end = self._end(text)
        return self._first.get((kind, is_sure), end) < end

    def names(self, path: str, text: Text) -> bool:
        """True where anything before the text names the file, but for what the agent is told to do always."""
        messages = [one for one in self.index.messages[: text.message_index] if one.role != "system"]
        given = (to_json(call.call.arguments).decode() for call, _ in self.before(text))
        shown = (result.content for message in messages for result in message.tool_results)
        return any(is_named_in(one, path) for one in chain((one.content or "" for one in messages), given, shown))

    def is_by_program(self, claim: CodingClaim, text: Text) -> bool:
        """False where the sentence names the program that did it ("rolled out with helm"), and no call of the kind is of it."""
        match = _BY.search(text.content, claim.sentence.start, claim.sentence.end)
        if match is None:
            return True
        rows = (command_of(call.call.arguments) for call, kinds in self.before(text) if kinds.can_be(claim.kind))
        return any(match[1] in (command or match[1]) for command in rows)

    def has_prepared(self, kind: str, text: Text) -> bool:
        """True where a call before the text only prepared or showed what would be done."""
        commands = (command_of(call.call.arguments) for call, _ in self.before(text))
        return any(command and kind in prepared_by(command) for command in commands)

    def has_written(self, path: str, text: Text) -> bool:
        """True where a call before the text can have written the file."""
        first = self._record.writers.first(path)
        return first is not None and first < self._end(text)

    def cannot_have_written(self, path: str, text: Text) -> bool:
        """True where no call before the text can have written the file, and Git showed it as changed nowhere."""
        end = self._end(text)
        if any(is_named_in(shown, path) for shown in self._changed):
            return False
        if any(at < end for at, makes in self._makers if makes == "any"):
            return False
        if _MADE_BY_CHECKS.search(path) and any(at < end for at, makes in self._makers if makes):
            return False
        return not any(reach.has(path) for at, reach in self._writers if at < end)

    @once
    def _makers(self) -> list[tuple[int, str]]:
        """What calls can make that they do not name: "any" file, or what "checks" leave behind."""
        rows = ((at, call.call.name, call.call.arguments) for at, call, _ in self.rows)
        return [(at, _makes(name, arguments)) for at, name, arguments in rows]

    @once
    def _writers(self) -> list[tuple[int, Reach]]:
        """What calls can have written by what they name, but for edits that failed."""
        rows = ((at, call, reach) for at, call, _, reach in self._reached)
        return [
            (at, reach)
            for at, call, reach in rows
            if not (is_editor(call.call.name) and failed(call, self._tools[call.call.name]))
        ]

    @once
    def _changed(self) -> list[str]:
        """The lines of results that name a changed file, as Git shows them: "M a.py", "+++ b/a.py", "modified: a.py"."""
        results = (call.result.content[-_LONGEST:] for _, call, _ in self.rows if call.result is not None)
        lines = (line[:_LONGEST_LINE] for content in results for line in content.splitlines())
        return [line for line in lines if _SHOWN_AS_CHANGED.match(line)]

    def failed_try(self, kind: str, path: str, text: Text) -> Call | None:
        """The last call that was to do it, where each such call failed and no other can have done it."""
        key = (kind, path, text.message_index)
        if key not in self._tries:
            self._tries[key] = self._failed_try(kind, path, text)
        return self._tries[key]

    def _failed_try(self, kind: str, path: str, text: Text) -> Call | None:
        end = self._end(text)
        rows = [(call, kinds) for at, call, kinds in self.rows if at < end]
        if not any(kind in kinds.sure and why_failed(call, kind) for call, kinds in rows):
            return None  # as in most sessions
        tried = list[Call]()
        for call, kinds in rows:
            reach = reach_of(call.call.name, call.call.arguments) if path else None
            own = kind in kinds.sure and (reach is None or is_named_in(reach.text, path))
            if own and why_failed(call, kind) and _is_last(call, kind):
                tried.append(call)
            elif own or (call.outcome.state != "failed" and (kinds.can_be(kind) if reach is None else reach.is_wide)):
                return None  # what failed at something else has not done this
        return tried[-1] if tried and self.user_did(kind) >= text.message_index else None

    def answer(self, kind: str, paths: Sequence[str], text: Text, quote: str = "") -> tuple[Answer, str, Call | None]:
        """What calls before the text show of a claim of a kind, or of edits of the paths: the answer, the fact, and its call.

        Of several calls that worked it is the last one, of those first that hold a name of code in the quoted sentence.
        """
        names = _NAMES_OF_CODE.findall(quote)
        shown = [self._shown(kind, path, text, names) for path in paths or ("",)]
        return min(shown, key=lambda one: one[0] == "backed")  # what is not backed counts

    def _shown(self, kind: str, path: str, text: Text, names: Sequence[str]) -> tuple[Answer, str, Call | None]:
        end = self._end(text)
        rows = [row for row in self._reached if row[0] < end]
        sure = [call for _, call, kinds, reach in rows if is_named_in(reach.text, path) and kind in kinds.sure]
        if kind == "edit" and not path:  # what changed code, rather than what also changed something
            sure = [call for call in sure if changes_code(call.call.name, call.call.arguments)] or sure
        worked = [call for call in sure if not failed(call, self._tools[call.call.name])]
        if worked:
            last = next((call for call in reversed(worked) if _holds_one_of(names, call)), worked[-1])
            return "backed", f"{named(last, kind)} worked", last
        if sure:
            answer: Answer = "not_checkable" if self.failed_try(kind, path, text) is None else "contradicted"
            return answer, f"{named(sure[-1], kind)} failed", sure[-1]
        what = f"{NAMES[kind]} of {path}" if path else NAMES[kind]
        may = [call for _, call, kinds, reach in rows if (reach.is_wide or (not path and kind in kinds.may))]
        if may:
            last_one = next((call for call in reversed(may) if is_editor(call.call.name)), may[-1])
            return "not_checkable", f"only {named(last_one, kind)} may be {what}", last_one
        if self.user_did(kind) < text.message_index:
            return "backed", "the user did it, or says so", None
        return "not_checkable", f"{what} is not on record", None

    @once
    def _reached(self) -> list[tuple[int, Call, Kinds, Reach]]:
        return [(at, call, kinds, reach_of(call.call.name, call.call.arguments)) for at, call, kinds in self.rows]

    def user_did(self, kind: str) -> int:
        """The first message in which the user did such a thing, or says that it is done; where none is, their number."""
        if kind not in KINDS:
            return len(self.index.messages)
        if kind not in self._by_user:
            asked = ((at, (self.index.messages[at].content or "")[:_LONGEST]) for at in self.index.asked)
            rows = (at for at, content in asked if _user_did(kind, content))
            self._by_user[kind] = next(rows, len(self.index.messages))
        return self._by_user[kind]

    def before(self, text: Text) -> Iterator[tuple[Call, Kinds]]:
        """The calls before the text."""
        end = self._end(text)
        return ((call, kinds) for at, call, kinds in self.rows if at < end)

    def _end(self, text: Text) -> int:
        """How many calls were made up to the text, with those of its own message: it may tell of them."""
        calls, end = self.index.calls, text.calls_before
        while end < len(calls) and calls[end].message_index == text.message_index:
            end += 1
        return end


def _holds_one_of(names: Sequence[str], call: Call) -> bool:
    given = to_json(call.call.arguments).decode() if names else ""
    return any(map(given.__contains__, names))


def _makes(name: str, arguments: Mapping[str, Any]) -> str:
    """What a call can make that it does not name; nothing is made by editors, looks, Git, and what only shows."""
    command = None if is_editor(name) else command_of(arguments)
    if command is None:
        return "" if is_editor(name) or kinds_of_call(name, arguments) == NOTHING else "any"
    made = {_makes_unnamed(part.text) for part in parts_of(command)}
    return "any" if "any" in made else "checks" if "checks" in made else ""


def _makes_unnamed(text: str) -> str:
    program = text.partition(" ")[0].rpartition("/")[2]
    if changes_tree(text):
        return "any"
    if program in LOOKS or program in VIEWERS or kinds_of(text).sure == {"edit"}:
        return ""
    return "checks" if check_kind(text) in _LEAVES_CODE else "any"


def why_failed(call: Call, kind: str) -> str:
    """The words that show that a call did not do what is of the kind; "failed" where the source only says so, empty where none does."""
    if call.outcome.state == "failed":
        is_done = call.result is not None and is_shown_done(kind, call.result.content)  # a later step failed
        return "" if is_done else call.outcome.words or "failed"
    command = None if is_editor(call.call.name) else command_of(call.call.arguments)
    return "" if call.result is None or command is None else undone(kind, command, call.result.content)


def _is_last(call: Call, kind: str) -> bool:
    """True where the step that failed is of the kind: of a command, the last one that is no viewer of its output."""
    command = None if is_editor(call.call.name) else command_of(call.call.arguments)
    if command is None:
        return True
    steps = [part.text for part in parts_of(command) if part.text.partition(" ")[0] not in VIEWERS]
    return bool(steps) and kind in kinds_of(steps[-1]).sure


def works(call: Call) -> bool:
    """True for a command, and for a tool that edits or reads a file: what is done with these is on record."""
    arguments = call.call.arguments
    if any(arguments.get(key) for key in _COMMANDS) and command_of(arguments):
        return True
    texts = (value for value in arguments.values() if isinstance(value, str) and "://" not in value)
    return any(is_path(text.rpartition("/")[2]) for text in texts)  # a whole path may begin at the root


def is_asserted(claim: CodingClaim, text: Text, turn: Turn, facts: CodingFacts) -> bool:
    """True where the agent says that it did it, or that a thing is done which the user ordered, or, beside edits, which only the agent brings up."""
    ordered = not orders_of(claim).isdisjoint(turn.asked_words | turn.ever_named)
    if claim.voice in _STATES and not ordered:
        tried = facts.has_prepared(claim.kind, text) or facts.failed_try(claim.kind, "", text) is not None
        edits = any(is_editor(call.call.name) for call in turn.calls)
        ordered = tried if not claim.path else edits and not facts.names(claim.path, text)
    if claim.kind == "edit" and not claim.path:
        return claim.voice in _OWN and ordered and "```" not in text.content and not turn.wants_text
    return claim.voice in _OWN or (claim.voice in _STATES and ordered)


def orders_of(claim: CodingClaim) -> frozenset[str]:
    """The words with which a user orders what is claimed."""
    if claim.kind in KINDS:
        return KINDS[claim.kind].orders
    return EDITS if claim.kind == "edit" else frozenset(bases(claim.word))


def may_be_done(claim: CodingClaim, text: Text, facts: CodingFacts) -> bool:
    """True where a call, or the user, may have done it, or a result tells of the same commit or address."""
    if claim.path:
        return facts.has_written(claim.path, text)
    if claim.kind == "edit":
        return any(facts.has(kind, text) for kind in _CHANGES)
    if facts.has(claim.kind, text) and facts.is_by_program(claim, text):
        return True
    index, sentence = facts.index, text.content[claim.sentence.start : claim.sentence.end].lower()
    if facts.user_did(claim.kind) < text.message_index:
        return True
    asked = [(index.messages[at].content or "")[:_LONGEST] for at in index.asked if at < text.message_index]
    named = _VALUES.get(claim.kind)
    values = [match[0] for match in named.finditer(sentence)] if named is not None else []
    results = (call.result.content for call, _ in facts.before(text) if call.result is not None)
    return any(value in shown.lower() for shown in (*asked, *results) for value in values) if values else False


def of_other_kinds(claims: Iterable[CodingClaim], sentence: Sentence, command: str) -> frozenset[str]:
    """The verbs with which a sentence claims what a command cannot have done: its failure does not speak of them."""
    kinds, answered, others = kinds_of(command), set[str](), set[str]()
    for claim in claims:
        if claim.sentence.start < sentence.end and sentence.start < claim.sentence.end:
            (answered if _can_answer(kinds, claim) else others).add(claim.word)
    for word in sentence.words:
        named = [name for name in _PLAIN if not KINDS[name].verbs.isdisjoint(bases(word))]
        if named and not any(map(kinds.can_be, named)):
            others.add(word)
    return frozenset(others - answered)


def _can_answer(kinds: Kinds, claim: CodingClaim) -> bool:
    """True where a command of these kinds can have done it; a change of no named file may be by any that changes files."""
    if claim.kind == "edit" and not claim.path:
        return not kinds.sure or any(map(kinds.can_be, _CHANGES))
    return kinds.can_be(claim.kind)


def _user_did(kind: str, content: str) -> bool:
    """True where the user typed such a command, or says that it is done."""
    typed = ("".join(match) for match in _TYPED.findall(content))
    if any(kinds_of(command.strip()).can_be(kind) for command in typed):
        return True
    done = (word for word in _WORD.findall(content.lower()) if word not in KINDS[kind].verbs)
    return any(not KINDS[kind].verbs.isdisjoint(bases(word)) for word in done)
