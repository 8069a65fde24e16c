"""What an agent says of files against what was done to them: one of a list of changes, one that it left alone, one that it read."""

from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.facts.edits import is_named_in
from sentinel_core.evaluate.index import Call, Text
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.file_claims import Denial, denials, listings, readings
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.coding import NAMES, CodingFacts
from sentinel_signal_hallucination.ledger.turns import Turn
from sentinel_signal_hallucination.tables import regex

__all__ = ["about_files"]

# What may be both of these may be anything.
_UNRELATED = frozenset(("migrate", "pull_request"))
_LISTS = word_set("ls find tree fd du stat wc glob list")
_GIT_LISTS = ("git status", "git ls-files", "git branch", "git add")
_WIDE = regex(r"[*?]|\s-[a-zA-Z]*[rR]\b|--recursive|\bgit (?:diff|show|log -p)\b|\brg\b|\bgrep\b")
_GIVEN = regex(r"```|<\w+[ >]|(?:^|\s)@\w")
_LONG, _LONGEST = 2_000, 20_000


def about_files(text: Text, turn: Turn, facts: CodingFacts, settings: Settings) -> Iterator[Evidence]:
    """At most one finding of each way."""
    for rows in (_listed(text, facts), _denied(text, turn, facts), _unread(text, facts)):
        for rule, branch, message, start, end in islice(rows, 1):
            yield in_text(text, rule, branch, message, start, end, settings.effect_weight)


_Row = tuple[str, str, str, int, int]


def _listed(text: Text, facts: CodingFacts) -> Iterator[_Row]:
    """A file in a list of changes that no call can have written, while calls wrote others of the list."""
    witness = facts.index.witness
    for listing in listings(text.content[:_LONGEST]):
        written = [facts.has_written(path, text) for path, _, _ in listing.files]
        for (path, start, end), is_written in zip(listing.files, written, strict=True):
            if not any(written) or (witness is not None and witness.tells("edit", path)):
                continue
            if is_written and facts.failed_try("edit", path, text) is None:
                continue
            message = f"The agent lists {path} as changed, but no call that worked can have written it."
            yield "claim_without_call", "listed_path", message, start, end


def _denied(text: Text, turn: Turn, facts: CodingFacts) -> Iterator[_Row]:
    """What is said not to be done, and was done in this turn."""
    before = [call for call in turn.calls if call.message_index <= text.message_index]
    for denial in denials(text.content[:_LONGEST]):
        call = facts.done(denial.kind, denial.path, before)
        if call is not None and not _is_told_otherwise(denial, text):
            what = f"{NAMES[denial.kind]} of {denial.path}" if denial.path else NAMES[denial.kind]
            message = (
                f'The agent denies {what}, but the call to "{call.call.name}" in message {call.message_index} was one.'
            )
            yield "contradicted_claim", "denied", message, denial.sentence.start, denial.sentence.end


def _is_told_otherwise(denial: Denial, text: Text) -> bool:
    """True where another sentence names the file: then it is said what was changed in it."""
    rest = text.content[: denial.sentence.start] + text.content[denial.sentence.end :]
    return bool(denial.path) and denial.path.rpartition("/")[2] in rest


def _unread(text: Text, facts: CodingFacts) -> Iterator[_Row]:
    """A file that the agent says it read, and that no call can have shown."""
    for path, sentence in readings(text.content[:_LONGEST]):
        if not any(_may_show(call, path) for call, _ in facts.before(text)) and not _was_given(path, text, facts):
            message = f"The agent says that it read {path}, but no call on record can have shown it."
            yield "claim_without_call", "read", message, sentence.start, sentence.end


def _may_show(call: Call, path: str) -> bool:
    """True for a call that names the file, and for one that shows many or runs what is not known; a list of names shows none."""
    last = path.rpartition("/")[2]
    command = command_of(call.call.arguments)
    steps = [part.text for part in parts_of(command)] if command else [call.call.name.lower()]
    if all(step.partition(" ")[0] in _LISTS or step.startswith(_GIT_LISTS) for step in steps):
        return False
    given = to_json(call.call.arguments).decode()
    shown = "" if call.result is None else call.result.content
    return is_named_in(given, path) or last in shown or _WIDE.search(given) is not None


def _was_given(path: str, text: Text, facts: CodingFacts) -> bool:
    """True where something else may have shown it: a script, a sub-agent, or the user's own message."""
    index = facts.index
    unclear = (kinds for _, kinds in facts.before(text) if kinds.may > _UNRELATED)
    asked = (index.messages[at].content or "" for at in index.asked if at < text.message_index)
    systems = (message.content or "" for message in index.messages if message.role == "system")
    last = path.rpartition("/")[2]
    return (
        bool(index.children)
        or any(True for _ in unclear)
        or any(len(content) > _LONG or _GIVEN.search(content) for content in asked)
        or any(last in content for content in systems)
    )
