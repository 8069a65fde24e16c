"""What the record knows of the agent's actions: each call that may have done something, and whether it worked."""

from functools import lru_cache
from typing import Any, NamedTuple

from sentinel_core.evaluate.facts.edits import Writers
from sentinel_core.evaluate.facts.weakening import Weakening, weakenings
from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.evaluate.outcome import judge_result
from sentinel_core.evaluate.shell import command_of
from sentinel_core.evaluate.tools import WRITING, ToolFacts, name_words, singular
from sentinel_core.trace import ToolResult, to_json
from sentinel_signal_hallucination.english.lexicon import COMPLETE, lemmas
from sentinel_signal_hallucination.english.sentences import sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.ledger.commands import named, only_shows
from sentinel_signal_hallucination.ledger.documents import document_of
from sentinel_signal_hallucination.ledger.history import History
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Action", "Record", "failed", "groups_of", "only_tells", "was_run"]

_STEPS = (";", "&&", "|", "\n")
_WELL = COMPLETE | {"ok", "okay"}
_WORD, _KEY, _VALUE = regex(r"[a-z]+"), regex(r'"[^"\n]*"\s*:'), regex(r"[a-z\d][\w.:-]*")
_SEVERAL, _LONGEST = 2, 20_000


def was_run(call: Call) -> bool:
    """False for a call that was refused before it ran."""
    return call.outcome.reason != "not_run"


def failed(call: Call, facts: ToolFacts) -> bool:
    """True where the call failed or was refused before it ran, and nothing of what it was made for can have been done.

    What runs anything is given the benefit of the doubt: of several steps, the last may have failed.
    """
    if not was_run(call):
        return True
    if call.outcome.state != "failed" or not facts.runs_anything:
        return call.outcome.state == "failed"
    command = command_of(call.call.arguments)
    return command is not None and command.strip() != "" and not any(map(command.strip().__contains__, _STEPS))


class Action(NamedTuple):
    """One call that may have done something. ``groups`` are those of its tool's verbs; none where they say nothing."""

    call: Call
    facts: ToolFacts
    groups: frozenset[str]
    failed: bool

    @property
    def message_index(self) -> int:
        """Where it was called."""
        return self.call.message_index

    @property
    def named(self) -> str:
        """How evidence names it."""
        return named(self.call) if self.facts.runs_anything else f'the call to "{self.facts.name}"'


@lru_cache(maxsize=1024)
def groups_of(facts: ToolFacts) -> frozenset[str]:
    """The groups of lemmas that a tool's verbs are in."""
    group = lemmas().group
    return frozenset(group[verb] for verb in facts.verbs if verb in group) - {"work", "general"}


def only_tells(call: Call, facts: ToolFacts) -> bool:
    """True for a call with at most one plain argument whose tool has no verb of writing, and whose result brings several values and tells of no action."""
    arguments = call.call.arguments
    is_plain = len(arguments) <= 1 and not any(isinstance(value, (dict, list)) for value in arguments.values())
    if facts.effect != "unknown" or facts.runs_anything or not facts.verbs.isdisjoint(WRITING) or not is_plain:
        return False
    content = call.result.content.lower() if call.result is not None else ""
    words = _WORD.findall(content)
    if not (_WELL.isdisjoint(words) and lemmas().done.keys().isdisjoint(words)):
        return False
    given = _VALUE.findall(to_json(arguments).decode().lower())
    return len(set(_VALUE.findall(_KEY.sub(" ", content))).difference(given)) >= _SEVERAL


class Record:
    """Built once a trace."""

    def __init__(self, index: TraceIndex) -> None:
        self.index = index
        self.tools = index.tools
        self.reported: dict[tuple[frozenset[str], int], bool] = {}
        self._documents: dict[int, Any] = {}
        self.history = History(index)

    def document(self, result: ToolResult) -> Any:
        """The document that a result is, read once; None where it is none."""
        if id(result) not in self._documents:
            self._documents[id(result)] = document_of(result.content)
        return self._documents[id(result)]

    @once
    def actions(self) -> list[Action]:
        """What the agent did, or tried to do, in order; what only reads or shows something is no action."""
        return [
            Action(call, facts, groups_of(facts), failed(call, facts))
            for call in self.index.calls
            if (facts := self.tools[call.call.name]).effect != "reads"
            and not facts.is_inert
            and (facts.effect == "writes" or not (only_shows(call) or only_tells(call, facts)))
        ]

    @once
    def weakenings(self) -> list[Weakening]:
        """Tests that failed, were changed or left out, and passed."""
        return list(weakenings(self.index.calls))

    @once
    def writers(self) -> Writers:
        """Which calls can have written a file; those of sub-agents count from the begin."""
        own = [(call.position, call.call.name, call.call.arguments) for call in self.index.calls if was_run(call)]
        below = [(-1, call.call.name, call.call.arguments) for call in self.calls_below]
        return Writers((*below, *own))

    @once
    def calls_below(self) -> list[Call]:
        """The calls of sub-agents."""
        records = [Record(child) for child in self.index.children]
        return [call for record in records for call in (*record.index.calls, *record.calls_below)]

    @once
    def repeated_words(self) -> tuple[frozenset[str], str]:
        """The verbs of what was said in turns whose calls are in another record, and all their words."""
        texts = [low_of(text.content[:_LONGEST]) for text in self.index.texts if text.is_copied]
        found = (one.verb for low in texts for part in sentences(low) for one in statements(part))
        return frozenset(found), " ".join(texts)

    @once
    def left_out(self) -> list[Action]:
        """What failed, and was not tried again, beside the same with something else: one of three tickets was not closed."""
        worked = {action.facts.name: action for action in self.actions if not action.failed}
        beside = [
            (action, worked[action.facts.name])
            for action in self.actions
            if action.failed and action.facts.name in worked
        ]
        return [
            action
            for action, last in beside
            if last.message_index <= action.message_index and last.call.key != action.call.key
        ]

    @once
    def results(self) -> list[tuple[int, str]]:
        """What tools gave, in lower case, each with the place of its message; not what calls that failed gave."""
        failed = {id(call.result) for call in self.index.calls if call.outcome.state == "failed"}
        messages = enumerate(self.index.messages)
        rows = ((at, result) for at, message in messages for result in message.tool_results if id(result) not in failed)
        return [(at, result.content.lower()) for at, result in rows]

    @once
    def runs_anything(self) -> bool:
        """True where the arguments of some tool decide what it does."""
        return any(facts.runs_anything for facts in self.tools.values())

    @once
    def is_partial(self) -> bool:
        """True where not all that was done is the agent's: users called tools that worked."""
        theirs = {call.id for message in self.index.messages if message.role == "user" for call in message.tool_calls}
        results = (result for message in self.index.messages if theirs for result in message.tool_results)
        worked = (
            result for result in results if result.tool_call_id in theirs and judge_result(result).state != "failed"
        )
        return any(True for _ in worked)

    @once
    def below(self) -> list[Action]:
        """What sub-agents did or tried to do: it backs their parent, whenever it was."""
        records = [Record(child) for child in self.index.children]
        return [action for record in records for action in (*record.actions, *record.below)]

    @once
    def tool_words(self) -> frozenset[str]:
        """All words in the names of the tools."""
        return frozenset(word for name in self.tools for word in name_words(name))

    @once
    def idle_tools(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The words in the name of each tool on offer that was never called with success, as singulars, and its groups."""
        called = {call.call.name for call in self.index.calls if not failed(call, self.tools[call.call.name])}
        idle = [facts for name, facts in self.tools.items() if name not in called]
        return [(frozenset(map(singular, name_words(facts.name))), groups_of(facts)) for facts in idle]

    @once
    def tool_nouns(self) -> dict[str, str]:
        """The nouns in the names of tools that write, and the group of what the tool does to them."""
        found: dict[str, str] = {}
        for name, facts in sorted(self.tools.items()):
            if facts.effect == "writes":
                group = min(groups_of(facts), default="general")
                found.update((singular(word), group) for word in name_words(name) if word not in facts.verbs)
        return found
