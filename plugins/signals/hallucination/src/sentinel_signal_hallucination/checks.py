"""Tests, builds, type checks and linters that are said to pass: after a run that failed, without a run, before the last edit."""

from collections.abc import Iterator
from typing import NamedTuple

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.sentences import Sentence, plain, sentences, span_around
from sentinel_signal_hallucination.standin import Check, checks_of
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import word_set

__all__ = ["PASS_SIGNS", "passing"]

PASS_SIGNS = (
    "pass",
    "green",
    "succe",
    "clean",
    "compile",
    "no errors",
    "no lint",
    "no type",
    "0 errors",
    "no warnings",
)
_SUBJECTS = {
    "tests": word_set("test tests testsuite suite specs everything"),
    "build": word_set("build builds compilation"),
    "types": word_set("mypy pyright typecheck typechecking typing typescript tsc types type-check type-checks"),
    "lint": word_set("lint linter linting eslint ruff flake8 pylint linters"),
}
_PASS = word_set(
    "pass passes passed passing green succeed succeeds succeeded successful successfully clean cleanly fine works happy"
)
_BETWEEN = word_set(
    "now all both again still also finally successfully are is have has been were was and they it everything of the them cases "
    "reports finds shows gives --strict hooks builds again src . suite check checks ran run completed complete clean fully with zero errors"
)
_WHOLE = word_set("all the every full entire whole complete our your unit and type existing , of both test")
_PART = word_set("new parser some most other few previous first only these those this one single integration")
_DENIED = word_set(
    "not never no cannot if once when until unless should would could will may might must to ensure sure verify verifying make "
    "makes making check that so expect expected whether except but before after until let run running please need needs want "
    "wants which currently previously used confirm criteria goal goals plan target next says say said almost nearly at baseline help get keep "
    "see todo definition expecting user claims claimed"
)
_NOT_ALL = (
    "fail",
    "except",
    "flaky",
    "skipp",
    "unrelated",
    "pre-existing",
    "preexisting",
    "other than",
    "apart from",
    "remain",
    "one error",
    "some error",
)
_EDITS = word_set("edit write create str_replace insert replace patch apply append update save")
_NO_TROUBLE = regex(
    r"(?:\b(?:no|zero|0|any|without|fixed (?:the|all|both)?|of the|\d+) (?:\w+ ){0,2}(?:fail\w*|errors?|remaining)|fixed\b[^.\n]{0,40}fail\w*|fail\w* (?:is|are|was|were) (?:now )?fixed)"
)
_WHERE, _IN_ALL = (
    word_set("on at in under before using locally almost nearly"),
    word_set("addition short summary the total all end"),
)
_AFTER = word_set("now again and successfully so too cleanly as-expected after with without at - – — , ; )")
_CLEAN_OF = ("no", "0", "zero", "without")


class _Run(NamedTuple):
    call: Call
    check: Check


class _Claim(NamedTuple):
    kind: str
    sentence: Sentence


def passing(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first claim of each kind that the record speaks against."""
    told: set[str] = set()
    for text in index.texts:
        if text.is_copied or not any(map(text.content.__contains__, PASS_SIGNS)):
            continue
        for claim in _claims(text):
            if claim.kind not in told and (found := _judge(claim, text, index, settings)) is not None:
                told.add(claim.kind)
                yield found


def _claims(text: Text) -> Iterator[_Claim]:
    low = plain(text.content.replace("`", " ") if text.content.count("```") == 0 else text.content)
    if any(map(_NO_TROUBLE.sub(" ", low).__contains__, _NOT_ALL)):
        return
    for sentence in sentences(low):
        words = [token.word for token in sentence.tokens]
        whole = low[sentence.start : sentence.end]
        if sentence.asks or "|" in whole or "[" in whole or (words[0] in _WHERE and words[1] not in _IN_ALL):
            continue
        for kind, nouns in _SUBJECTS.items():
            if any(word in nouns and _is_said(words, at, kind) for at, word in enumerate(words)):
                yield _Claim(kind, sentence)
        if (
            "builds" in words[1:]
            and {"cleanly", "fine", "successfully"} & set(words[words.index("builds", 1) + 1 :][:1])
            and _DENIED.isdisjoint(words[: words.index("builds", 1)])
        ):
            yield _Claim("build", sentence)
        if "compiles" in words and _DENIED.isdisjoint(words[: words.index("compiles")]):
            yield _Claim("build", sentence)


def _is_said(words: list[str], at: int, kind: str) -> bool:
    before = words[:at]
    if not _DENIED.isdisjoint(before[-8:]) or not _PART.isdisjoint(before[-3:]):
        return _none_of(words, at)
    if (
        kind == "tests"
        and before
        and not (before[-1] in _WHOLE or before[-1][0].isdigit() or before[-1] in (".", ":", "—", "-"))
    ):
        return False
    after = at + 1
    while (
        after < len(words)
        and (words[after] in _BETWEEN or words[after][0].isdigit() or words[after] in (":", "(", ")", "-", "—", ","))
        and after < at + 7
    ):
        after += 1
    if words[after : after + 2] in (
        ["no", "errors"],
        ["0", "errors"],
        ["no", "issues"],
        ["no", "type"],
        ["no", "problems"],
    ):
        return kind != "tests"
    if after >= len(words) or words[after] not in _PASS or "of" in words[at - 2 : at]:
        return False
    rest = words[after + 1 : after + 3]
    return not rest or rest[0] in _AFTER


def _none_of(words: list[str], at: int) -> bool:
    """As in "No lint errors", "0 type errors"."""
    return words[at - 1 : at] in ([one] for one in _CLEAN_OF) and words[at + 1 : at + 2] == ["errors"] and at <= 4  # noqa: PLR2004


def _judge(claim: _Claim, text: Text, index: TraceIndex, settings: Settings) -> Evidence | None:
    calls = [call for call in index.calls if call.message_index < text.message_index]
    runs = [_Run(call, check) for call in calls for check in checks_of(call) if check.kind == claim.kind]
    known = [run for run in runs if run.check.passed is not None]
    if not runs:
        return _never_run(claim, text, index, calls, settings)
    last = runs[-1]
    if (
        last.check.passed is False
        and not _is_compared(known, calls)
        and not _user_saw(index, last.call.message_index, text.message_index)
    ):
        if _unseen_since(last.call, calls, claim.kind):
            return None
        why = (
            f'the last run before it ended with "{last.check.ending}"'
            if last.check.ending
            else "the last run before it failed"
        )
        return _evidence(
            "contradicted_checks",
            "error",
            claim,
            text,
            f"The agent says that the {_NAMES[claim.kind]}, but {why}.",
            settings.checks_weight,
        )
    if last.check.passed is True and (edit := _edit_after(last.call, calls, index)) is not None:
        told = f'The {_NAMES[claim.kind]} as of a run before the last edit (call of "{edit.call.name}"); none was run since.'
        return _evidence("stale_checks", "note", claim, text, told, 0.0)
    return None


_NAMES = {"tests": "tests pass", "build": "build succeeds", "types": "type check passes", "lint": "linter is content"}


def _never_run(claim: _Claim, text: Text, index: TraceIndex, calls: list[Call], settings: Settings) -> Evidence | None:
    """Nothing that was called can have run it: only where the agent has tools, and somebody gave it work."""
    if not index.asked or any(index.tools[call.call.name].runs_anything for call in calls) or not index.tools:
        return None
    if any(
        _TELLS.search(call.call.name) or {"run", "execute", "verify"} & index.tools[call.call.name].verbs
        for call in calls
    ):
        return None
    heard = any(
        word in (result.content or "").lower()
        for message in index.messages[: text.message_index]
        for result in message.tool_results
        for word in ("passed", "passing", "success", "green")
    )
    if heard or _user_saw(index, -1, text.message_index):
        return None
    return _evidence(
        "checks_not_run",
        "warning",
        claim,
        text,
        f"The agent says that the {_NAMES[claim.kind]}, and no call ran them.",
        settings.unrun_weight,
    )


def _is_compared(known: list[_Run], calls: list[Call]) -> bool:
    """True where another command ran the same check on the same code, and it passed: the agent may compare the two."""
    last = known[-1]
    return any(
        run.check.passed and run.check.command != last.check.command and not _edits_between(run.call, last.call, calls)
        for run in known[:-1]
    )


def _edits_between(first: Call, last: Call, calls: list[Call]) -> bool:
    return any(first.position < call.position < last.position and _is_edit(call) for call in calls)


def _is_edit(call: Call) -> bool:
    name = call.call.name.lower()
    return any(word in name for word in ("edit", "write", "patch", "replace", "insert", "create_file"))


def _unseen_since(last: Call, calls: list[Call], kind: str) -> bool:
    """True where a later command may have run the check unseen: a script, or one whose output is not told."""
    from sentinel_signal_hallucination.shell import only_looks, runs_no_tests

    after = [call for call in calls if call.position > last.position and not _is_edit(call)]
    if any(_TELLS.search(call.call.name) for call in after):
        return True
    later = [call for call in after if _runs(call)]
    if kind == "tests":
        return any(not (only_looks(call) or runs_no_tests(call)) for call in later)
    return any(not only_looks(call) or "gh " in str(call.call.arguments) for call in later)


_TELLS = regex(r"(?i)diagnostic|errors?\b|lint|problem|check|status|workflow|build|test|(?:^|[^a-z])ci(?:[^a-z]|$)")


def _runs(call: Call) -> bool:
    return any(name in call.call.arguments for name in ("command", "cmd", "code", "input"))


def _edit_after(last: Call, calls: list[Call], index: TraceIndex) -> Call | None:
    return next(
        (
            call
            for call in reversed(calls)
            if call.position > last.position and _is_edit(call) and index.tools[call.call.name].effect == "writes"
        ),
        None,
    )


def _user_saw(index: TraceIndex, since: int, until: int) -> bool:
    """True where the user speaks of what passes: he may have run it himself."""
    return any(
        since < at < until and any(map((index.messages[at].content or "").lower().__contains__, PASS_SIGNS))
        for at in index.asked
    )


def _evidence(rule: str, severity: str, claim: _Claim, text: Text, told: str, weight: float) -> Evidence:
    finding = Finding(
        rule=rule,
        severity=severity,  # type: ignore[arg-type]
        text=told,
        message_index=text.message_index,
        quote=span_around(text.content, claim.sentence.start, claim.sentence.end),
    )
    return Evidence(finding, weight, certain=severity == "error")
