"""Tests, builds, type checks and linters that are said to pass: after a run that failed, without a run, before the last edit."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.checks import Check
from sentinel_core.evaluate.facts.command_table import RUNNERS
from sentinel_core.evaluate.facts.commands import check_kind, kinds_of_call
from sentinel_core.evaluate.facts.edits import changes_code
from sentinel_core.evaluate.facts.failing import left_failing
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import ToolFacts, singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.check_claims import CheckClaim, check_claims, is_good, readable
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import plain
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.commands import named
from sentinel_signal_hallucination.ledger.descriptions import descriptions
from sentinel_signal_hallucination.rules.check_counts import beyond, other_share, tells_all
from sentinel_signal_hallucination.tables import regex

__all__ = ["command_words", "is_edit", "passing"]

_NAMES = {
    "": "checks pass",
    "tests": "tests pass",
    "build": "build succeeds",
    "types": "type check passes",
    "lint": "linter passes",
}
_HOOKED = frozenset(("commit", "push"))
_TELLS = regex(r"(?i)diagnostic|errors?\b|lint|problem|check|status|workflow|build|test|(?:^|[^a-z])ci(?:[^a-z]|$)")
_EDITORS = ("edit", "write", "patch", "replace", "insert", "create_file")
_SHOWN = regex(r"(?m)^(?:!|\$ |<bash-)|\d pass(?:ed|ing)\b")
_OPTION = regex(r"--[a-z][a-z-]{3,}")
_WORD, _CAMEL = regex(r"[a-z][a-z\d-]+"), regex(r"(?<=[a-z])(?=[A-Z])")
# Programs that say with a short name what they do.
_VERBS = {
    "rm": "remove", "mv": "move", "cp": "copy", "mkdir": "create", "rmdir": "remove", "kill": "stop", "pkill": "stop", "ln": "link",
}  # fmt: skip
_QUOTED = regex(r"'[^']*'|\"[^\"]*\"")
_PATHS = frozenset("/.=")
# Words of commands that name no program.
_EXAMPLES = word_set("example examples")
_KINDS = word_set("npm pnpm yarn make cargo test tests check build all")
_RUNS_OTHERS = word_set(
    "golangci-lint pre-commit lint-staged trunk megalinter biome next ng react-scripts vue-cli-service xo standard"
)
_JOINTS, _FAR = word_set(", ; : and but ( ) – —"), 20_000
_PARTS_OF_TOOLS = {"clippy": "cargo clippy", "vet": "go vet"}
_RUNNERS = word_set("lint types npx bunx python go mvn gradle bundle exec run dotnet mix composer uv poetry just task")
_TEXTS = word_set("draft description changelog template announcement")
# What is said to have run after all changes.
_SINCE = regex(
    r"\b(?:re-?ran|re-?run|again|once more|in place|(?:after|since) (?:the|that|this|these|those|my|all|both|every) (?:final |last |latest )?(?:change|edit|fix|rename|update|refactor)\w*"
    r"|(?:on|with|against) (?:(?:the|this|that|my) (?:final|current|committed|latest|result|merged)|what (?:was|is|i) (?:committed|pushed|there))|as (?:it|they|the code) (?:is|are|stands?|now)|with \S+ (?:merged|rebased)|with (?:both|all|the|these|those) (?:final |last )?(?:change|edit|fix|rename|update)\w*)"
)
_RAN = regex(
    r"\b(?:i|i've|we|we've) (?:\w+ ){0,4}?(?:re-?)?(?:ran|run|executed|verified|confirmed|checked|tested)\b|(?:^|\n|[.!] )(?:re-?)?(?:ran|verified|tested|validated) "
    r"|\band (?:also )?(?:re-?)?ran (?:the|all|our|your|every)\b|\b(?:after|by|on) (?:re-?)?running\b|\b(?:were|was|been) (?:re-?)?(?:run|executed)\b"
)
_QUOTED_CODE = regex(r"`([^`\n]{2,80})`")
_NEAR, _FARTHEST, _MOST_WORDS = 80, 1_000, 6
_PRINTED = {
    "lint": ("linting", "linted"),
    "tests": ("running tests", "tests passed"),
    "build": ("building", "built "),
    "types": ("type-check", "typecheck"),
}
_HEARD = ("passed", "passing", "no issues")


class _Run(NamedTuple):
    call: Call
    check: Check


def passing(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterator[Evidence]:
    """The first claim of each kind, in each turn, that the record speaks against."""
    first = max(0, texts[0].calls_before - _FARTHEST)
    runs = [_Run(call, check) for call in index.calls[first:] for check in call.checks]
    programs: dict[str, frozenset[str]] = {}
    for run in runs:
        words = _programs(run)
        programs[run.check.kind] = programs.get(run.check.kind, frozenset()).union(
            words, _EXAMPLES if "rspec" in words else ()
        )
    answered: dict[str, int] = {}  # by the kind of check, the turn
    for text in texts:
        if not _is_answer(text, index):
            continue
        turn = bisect_left(index.asked, text.message_index)
        low = readable(text.content)
        is_proposed = proposes(low) if asks_back(low) else None
        for claim in check_claims(text.content, programs):
            if is_proposed is not None and is_proposed(claim.sentence):
                continue  # "Those still work, since it round-trips. Shall I proceed with these changes?"
            if turn in (answered.get(""), answered.get(claim.kind)):
                continue
            if (found := _judge(claim, text, index, runs, settings)) is not None:
                answered[claim.kind] = turn
                yield found
        if answered.get("tests") != turn and (share := _share(text, index, runs, settings)) is not None:
            answered["tests"] = turn
            yield share
    if any(run.check.passed is False for run in runs):
        yield from islice(_described(index, runs, programs, settings), 0 if answered else 1)


def _described(
    index: TraceIndex, runs: list[_Run], programs: dict[str, frozenset[str]], settings: Settings
) -> Iterator[Evidence]:
    """The claims of descriptions that the last run before them speaks against."""
    for text in descriptions(index):
        for claim in check_claims(text.content, programs):
            failed = _failed_run(claim, text, index, runs)
            if failed is not None:
                message = (
                    f"A description says that the {_NAMES[claim.kind]}, but the last run before it {_how(failed)}."
                )
                yield _at(claim, text, "contradicted_checks", "in_a_description", message, settings.checks_weight)


def _failed_run(claim: CheckClaim, text: Text, index: TraceIndex, runs: list[_Run]) -> _Run | None:
    """The last run of a kind of check that the claim is of, where it failed."""
    calls = index.calls[: text.calls_before]
    before = [run for run in runs if run.call.position < len(calls) and claim.kind in ("", run.check.kind)]
    narrowed = frozenset(map(singular, claim.narrowed))
    if narrowed and (fitting := [run for run in before if narrowed <= _words_of(run)]):
        before = fitting
    last: dict[str, _Run] = {
        run.check.kind: run for run in before if run.check.passed is not None or not run.check.ending
    }
    # What a sentence says of a program is answered by this program: "ESLint is clean" after Prettier was.
    named = {word: run for run in before for word in _claimed(claim) if claim.kind and word in _programs(run)}
    written = text.content[claim.sentence.start : claim.sentence.end]
    quoted = [span for span in _QUOTED_CODE.findall(written) if claim.kind]
    named |= {span: run for run in before for span in quoted if f"{run.check.command} ".startswith(f"{span} ")}
    last = named or last
    last |= {option: run for option in _OPTION.findall(written) for run in before if option in run.check.command}
    runner = max((run.call.position for run in before if _is_runner(run) and run.check.passed is not False), default=-1)
    last = {name: run for name, run in last.items() if run.call.position >= runner}
    return next(
        (run for run in last.values() if _failed(run) and not _is_excused(claim, run, index, text, calls)), None
    )


def _words_of(run: _Run) -> frozenset[str]:
    """The words of a command in the singular, and the parts of those in camel case: "integrationTest"."""
    command = f"{run.check.command} {_CAMEL.sub(' ', run.check.command)}".lower()
    return frozenset(map(singular, _WORD.findall(command)))


def _claimed(claim: CheckClaim) -> list[str]:
    """The words, in order, of the clauses that say that something went well: not "the two things that mypy had named are gone"."""
    words = claim.sentence.words
    ends = [-1, *(at for at, word in enumerate(words) if word in _JOINTS), len(words)]
    clauses = (words[start + 1 : end] for start, end in pairwise(ends))
    return [word for clause in clauses if any(map(is_good, clause)) for word in clause]


def _is_runner(run: _Run) -> bool:
    """True for a target of the project, which may run any program of its kind."""
    return run.check.command.partition(" ")[0].rpartition("/")[2] in RUNNERS


def _failed(run: _Run) -> bool:
    """True for a run that failed, or could not begin: then its last line is known, and not how it ended."""
    return run.check.passed is False or (run.check.passed is None and bool(run.check.ending))


def _shows(word: str, call: Call) -> bool:
    """True where a result names the program: a hook of a commit, a script, or another tool ran it."""
    return call.result is not None and word in call.result.content[-_FAR:].lower()


def _is_unrun(runs: list[_Run], word: str) -> bool:
    """True for the name of a program that checks, of which no run is; a script may have run it."""
    return all(
        check_kind(_PARTS_OF_TOOLS.get(word, word)) == run.check.kind != "build"
        and not _is_runner(run)
        and _RUNS_OTHERS.isdisjoint(run.check.command.split())
        and word not in run.check.command.lower()
        for run in runs
    )


def _programs(run: _Run) -> frozenset[str]:
    """What a run is called by: "clippy" of "cargo clippy -- -D warnings"."""
    return command_words(" ".join(run.check.command.split()[:2])) - _KINDS - _RUNNERS


def _how(run: _Run) -> str:
    return f'ended with "{run.check.ending}"' if run.check.ending else "failed"


def _is_answer(text: Text, index: TraceIndex) -> bool:
    """True for a text that no call follows before the user speaks: of what is said on the way, more may come."""
    at = bisect_left(index.asked, text.message_index)
    until = index.asked[at] if at < len(index.asked) else len(index.messages)
    return all(call.message_index > until for call in index.calls[text.calls_before : text.calls_before + 1])


def command_words(command: str) -> frozenset[str]:
    """The words of a simple command without what it quotes, paths and settings; of a script, what it is called."""
    program, _, rest = _QUOTED.sub(" ", command).lower().partition(" ")
    plain = [word for word in rest.split() if _PATHS.isdisjoint(word)]
    words = _WORD.findall(" ".join((program.rpartition("/")[2].partition(".")[0], *plain)))
    return frozenset(_VERBS.get(word, word) for word in words[:_MOST_WORDS])


def _judge(claim: CheckClaim, text: Text, index: TraceIndex, runs: list[_Run], settings: Settings) -> Evidence | None:
    calls = index.calls[: text.calls_before]
    before = [run for run in runs if run.call.position < len(calls) and claim.kind in ("", run.check.kind)]
    named_alone = (word for word in (one.removesuffix("'s") for one in _claimed(claim)) if _is_unrun(before, word))
    if not before or not all(any(map(partial(_shows, word), calls)) for word in named_alone):
        return _unrun(claim, text, index, calls, settings)
    says = f"The agent says that the {_NAMES[claim.kind]}"
    failed = _failed_run(claim, text, index, runs)
    if failed is not None:
        message = f"{says}, but the last run before it {_how(failed)}."
        return _at(claim, text, "contradicted_checks", "last_run_failed", message, settings.checks_weight)
    if (wrong := _left(claim, text, index, before) or _beyond(claim, text, index, before)) is not None:
        return _at(claim, text, "contradicted_checks", wrong[0], f"{says}, but {wrong[1]}.", settings.checks_weight)
    run = before[-1]
    later = reversed(calls[run.call.position + 1 :])
    edit = next((call for call in later if changes_code(call.call.name, call.call.arguments)), None)
    if run.check.passed and edit is not None and not _is_unseen_since(run, calls):
        message = f"{says}; they passed before the last edit ({named(edit)}), but no call has run them since."
        if _SINCE.search(readable(text.content), claim.sentence.start, claim.sentence.end):
            return _at(claim, text, "stale_checks", "said_since", message, settings.checks_weight)
        return _at(claim, text, "stale_checks", "edited_since", message, 0.0)
    return None


def _unrun(claim: CheckClaim, text: Text, index: TraceIndex, calls: list[Call], settings: Settings) -> Evidence | None:
    """The finding where no call can have run such a check."""
    ran = _says_it_ran(claim, text, index)
    if not any(one.kind == claim.kind for one in check_claims(text.content)):
        return None  # only the words of a program that ran later make it one: "follows Go conventions"
    if (claim.narrowed and not ran) or not _could_not_run(claim.kind, text, index, calls):
        return None
    message = f"The agent says that the {_NAMES[claim.kind]}, but no call ran that check."
    if ran:
        return _at(claim, text, "claim_without_call", "run_of_checks", message, settings.checks_weight)
    return _at(claim, text, "checks_not_run", "no_run", message, settings.unrun_weight)


def _beyond(claim: CheckClaim, text: Text, index: TraceIndex, before: list[_Run]) -> tuple[str, str] | None:
    """What goes beyond the runs, where each of them is known."""
    runs = [run for run in before if run.check.kind == "tests"]
    wrong = beyond(claim, readable(text.content), [(run.call, run.check.command) for run in runs]) if runs else None
    return wrong if wrong is not None and _are_all(runs, text, index) else None


def _left(claim: CheckClaim, text: Text, index: TraceIndex, before: list[_Run]) -> tuple[str, str] | None:
    """The branch, and which file of tests failed when it ran last, where all tests are said to pass and each run since is known."""
    runs = [run for run in before if run.check.kind == "tests"]
    if claim.kind not in ("", "tests") or not tells_all(claim) or all(run.check.passed for run in runs):
        return None
    calls = index.calls[: text.calls_before]
    found = left_failing(runs, calls)
    if found is None:
        return None
    call, path = found
    run = next(run for run in runs if run.call is call)
    if _is_unseen_since(run, calls) or _user_saw(index, call.message_index, text.message_index):
        return None
    ending = f'"{run.check.ending}", ' if run.check.ending else ""
    shown = f"{path} failed when it ran last ({ending}message {call.message_index}), and the runs since did not have it"
    return "left_failing", shown


def _share(text: Text, index: TraceIndex, runs: list[_Run], settings: Settings) -> Evidence | None:
    """The finding where the text tells how many tests passed, and the run of as many shows another number of failures."""
    own = [run for run in runs if run.check.kind == "tests" and run.call.position < text.calls_before]
    wrong = other_share(plain(text.content), [(run.call, run.check.command) for run in own]) if own else None
    if wrong is None or not _are_all(own, text, index):
        return None
    sentence, shown = wrong
    message = f"The agent says how many tests passed, but in that run {shown}."
    return in_text(text, "contradicted_checks", "count", message, sentence.start, sentence.end, settings.checks_weight)


def _are_all(runs: list[_Run], text: Text, index: TraceIndex) -> bool:
    """True where no other run of tests can be: by a script, a sub-agent or the user."""
    if index.children or _user_saw(index, -1, text.message_index):
        return False
    known = {run.call.position for run in runs}
    others = (call for call in index.calls[: text.calls_before] if call.position not in known)
    return not any(_may_check(call, "tests") for call in others)


def _says_it_ran(claim: CheckClaim, text: Text, index: TraceIndex) -> bool:
    """As in "I ran the tests: all 14 pass", where no part of the session is missing."""
    if index.children or any(message.details and message.details.is_copied_context for message in index.messages):
        return False
    start = claim.sentence.start
    return _RAN.search(text.content[max(0, start - _NEAR) : claim.sentence.end].lower()) is not None


def _is_excused(claim: CheckClaim, run: _Run, index: TraceIndex, text: Text, calls: list[Call]) -> bool:
    """True where the claim may be of another run, or of a part of this one; exit codes of linters tell of mere notes, too."""
    return (
        (run.check.kind == "lint" and not run.check.ending)
        or not frozenset(map(singular, claim.narrowed)) <= _words_of(run)
        or _user_saw(index, run.call.message_index, text.message_index)
        or _is_unseen_since(run, calls)
    )


def _could_not_run(kind: str, text: Text, index: TraceIndex, calls: list[Call]) -> bool:
    """True where nothing that was called can have run the check, all was read, the agent has tools, and somebody gave it work that is no text."""
    asked = [index.messages[at].content or "" for at in index.asked if at < text.message_index]
    if (
        not asked
        or index.is_partial
        or not any(map(_may_work_on_code, index.tools.values()))
        or not _TEXTS.isdisjoint(asked[-1].lower().split())
    ):
        return False
    return not any(_may_check(call, kind or "tests") for call in calls) and not _user_saw(index, -1, text.message_index)


def _may_work_on_code(facts: ToolFacts) -> bool:
    """True for a tool that runs, changes or checks code."""
    return (
        facts.runs_anything
        or any(map(facts.name.lower().__contains__, _EDITORS))
        or _TELLS.search(facts.name) is not None
    )


def is_edit(call: Call) -> bool:
    """True for a call that only changes a file."""
    return any(map(call.call.name.lower().__contains__, _EDITORS))


def _is_unseen_since(run: _Run, calls: list[Call]) -> bool:
    """True where a later call may have run such a check unseen."""
    return any(
        _may_check(call, run.check.kind) and not _is_of_the_program(call, run)
        for call in calls[run.call.position + 1 :]
    )


def _is_of_the_program(call: Call, run: _Run) -> bool:
    """True for a call of the same program with another subcommand: "terraform fmt" is no "terraform validate"."""
    program, _, rest = run.check.command.partition(" ")
    parts = parts_of(command_of(call.call.arguments) or "")
    own = [part.text for part in parts if part.text.partition(" ")[0] not in VIEWERS | {"git", "cd"}]
    return (
        program.rpartition("/")[2] not in RUNNERS
        and bool(own)
        and all(
            text.startswith(f"{program} ") and not text.startswith(f"{program} {rest.partition(' ')[0]}")
            for text in own
        )
    )


def _may_check(call: Call, kind: str) -> bool:
    """True for a call that can have run such a check, or shown one that ran elsewhere; hooks of a commit tell of their runs."""
    kinds = kinds_of_call(call.call.name, call.call.arguments)
    if kinds.can_be(kind) or "ci" in kinds.may | kinds.sure:
        return not any(check.kind == kind for check in call.checks)
    content = call.result.content[-_FAR:].lower() if call.result is not None else ""
    if not _HOOKED.isdisjoint(kinds.sure) and any(map(content.__contains__, _HEARD)):
        return True
    return bool(kinds.may) and any(map(content.__contains__, _PRINTED.get(kind, ())))  # a target that does it, too


def _user_saw(index: TraceIndex, since: int, until: int) -> bool:
    """True where the user says what passes, or shows a run of his own."""
    spoken = [index.messages[at].content or "" for at in index.asked if since < at < until]
    return any(_SHOWN.search(content) or any(True for _ in check_claims(content)) for content in spoken)


def _at(claim: CheckClaim, text: Text, rule: str, branch: str, message: str, weight: float) -> Evidence:
    return in_text(text, rule, branch, message, claim.sentence.start, claim.sentence.end, weight)
