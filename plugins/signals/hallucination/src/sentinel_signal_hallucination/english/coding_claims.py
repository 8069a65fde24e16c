"""What an agent that writes code says it did: committed, pushed, deployed, edited a file; each a kind of its own."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from sentinel_signal_hallucination.english.lexicon import COMPLETE, bases, word_set
from sentinel_signal_hallucination.english.modality import ADVERBS, STOPS, is_done
from sentinel_signal_hallucination.english.sentences import Sentence, plain, sentences
from sentinel_signal_hallucination.english.statements import Statement, statements
from sentinel_signal_hallucination.tables import regex

__all__ = ["EDITS", "IS_PATH", "KINDS", "CodingClaim", "coding_claims", "is_path", "masked", "paths_in", "readings"]


class _Kind(NamedTuple):
    """Verbs, words of which one must be near, words of which none may be, and those with which a user orders it."""

    verbs: frozenset[str]
    needs: frozenset[str]
    never: frozenset[str]
    orders: frozenset[str]


def _kind(verbs: str, needs: str, never: str, orders: str) -> _Kind:
    return _Kind(word_set(verbs), word_set(needs), word_set(never), word_set(orders))


KINDS = {
    "commit": _kind("commit", "", "transaction transactions database offset session", "commit commits"),
    "push": _kind("push force-push", "origin main master branch remote github gitlab upstream commit commits committed tag repo repository change changes fix it everything them this pr", "stack queue array list notification notifications button item items image container registry docker", "push force-push"),
    "pull_request": _kind("open create submit raise file make", "pr prs mr pull merge", "issue ticket", "pr prs mr pull merge request"),
    "comment": _kind("comment reply respond post leave", "issue issues ticket pr prs mr thread reviewer", "code docstring line lines file above inline todo open opened", "comment reply respond answer"),
    "deploy": _kind("deploy redeploy", "", "", "deploy deployment redeploy ship roll rollout release production staging live"),
    "publish": _kind("publish release", "npm pypi crate crates registry package version github io", "event events message messages topic lock memory", "publish release"),
    "install": _kind("install", "", "hook hooks handler handlers listener", "install add set setup dependency dependencies"),
    "migrate": _kind("apply run execute migrate", "migration migrations", "", "migrate migration migrations"),
    "restart": _kind("restart", "", "", "restart reboot"),
    "delete": _kind("delete remove", "file files directory directories folder folders dir branch container containers volume worktree", "from in of import imports line lines reference references call calls test tests", "delete remove rm drop clean"),
}  # fmt: skip
"""What takes a command of its kind."""
_WEAK = (
    ("deploy", word_set("apply roll upload sync promote scale provision"), word_set("terraform cluster manifest manifests staging production prod bucket s3 server servers kubernetes k8s cdn infrastructure")),
    ("restart", word_set("start stop boot reload bring"), word_set("server servers service services container containers worker daemon stack process nginx")),
    ("publish", word_set("push upload"), word_set("image images registry hub ghcr ecr artifact")),
    ("migrate", word_set("seed upgrade downgrade"), word_set("database db schema")),
    ("format", word_set("format reformat"), word_set("code codebase repo project file files source sources module modules everything all it them")),
)  # fmt: skip
_OF_KINDS = frozenset(chain.from_iterable(kind.verbs for kind in KINDS.values()))
# Verbs that also tell of much else: a claim of them speaks only where a command of the kind is there.
EDITS = word_set(
    "update add create write edit modify change fix rename document refactor adjust extend implement correct rewrite patch replace move note record mention list"
)
"""Verbs of changes of files."""
_ENDING = r"(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|md|mdx|rst|txt|toml|ya?ml|json|cfg|ini|html|css|scss|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|swift|php|ex|exs|sh|sql|vue|svelte|lock|tf|proto|gradle|xml)\b(?![/(@])(?!\.\w)"
_PATH = regex(rf"(?<![\w@:/.!-])(?:[\w.-]+/){{0,9}}(?:[\w-]+\.)+{_ENDING}")
IS_PATH = _PATH.search
"""The first name of a file of a project in a text, or in a part of it."""
_DOTTED = regex(rf"\.{_ENDING}")
_DIRECTORY = regex(r"`(?:[\w.-]+/)+`")
_NEAR, _AHEAD = 6, 10
_SOURCES = word_set("from like per using with by of see on via as than instead where that which for matching following")
_BEGINS = regex(r"`? (?:is|was|stays|stayed|remains|remained|has|does|keeps)\b").match
_JOINTS = word_set("and then ,")
_BASES, _AUXILIARIES = (
    word_set("database databases db staging production prod"),
    word_set("is are was were has have been now also fully successfully already"),
)
_INTO, _SELF = word_set("in into to under"), frozenset(("i", "i've", "i have", "i also"))
_READ = regex(
    r"\b(?:i|i've|we|we've)(?: have)?(?: also| carefully| fully| now| already| then)* (?:read|reviewed|inspected|examined|studied|went through|gone through|looked (?:at|through|into))\b[^.;:\n]{0,40}?\Z"
)
_IS_LIVE = regex(r"\b(?:is|are|it's|went|gone) (?:now |already )?live\b(?! \w+ing\b)|\bnow live\b").search
_IS_OPEN = regex(
    r"\b(?:pr|pull request|merge request|mr)\b(?: #?\d+| \S+){0,5} (?:is|was) (?:now |already )?(?:open|opened|up|created|filed)\b"
).search
_IS_PUSHED = regex(
    r"\bbranch\b(?: \S+){0,4} is (?:now |already )?on (?:origin|github|gitlab|bitbucket|the remote)\b"
).search
_HEDGED = word_set("not if when once should will would can could as rather until before isn't aren't")
_ACTIVE, _DASHES = frozenset(("own", "brief")), word_set("; – —")
_OPENING = COMPLETE | ADVERBS | word_set("all : , - – — and then so that's it's ok okay great good yes ✅ now")
_OTHERS = word_set("who who's whoever someone anyone everyone users people they he she")


class CodingClaim(NamedTuple):
    """A sentence that says that a thing of a ``kind`` is done; ``path`` is the file of an edit, else empty.

    ``voice`` is that of ``Statement``: by the agent ("own", "brief"), or of what it was done to. ``is_weak`` is True where the
    words may be of something else: only a command of the kind says that they are not. ``word`` is the verb, as it is written.
    """

    kind: str
    sentence: Sentence
    voice: str
    path: str = ""
    is_weak: bool = False
    word: str = ""


def is_path(text: str) -> bool:
    """Whether a text names a file of a project; most have no such ending, which is quick to see."""
    return _DOTTED.search(text) is not None and _PATH.search(text) is not None


def coding_claims(content: str) -> Iterator[CodingClaim]:
    """The claims of one text, in order; of an edit one for each file, and one without where no file is named."""
    paths = paths_in(content)
    low = masked(content, paths)
    for sentence in sentences(low):
        if sentence.asks:
            continue
        within = [(start, content[start:end]) for start, end in paths if sentence.start <= start < sentence.end]
        if _IS_LIVE(low, sentence.start, sentence.end) and _HEDGED.isdisjoint(sentence.words):
            yield CodingClaim("deploy", sentence, "state", word="live")
        has_directory = _DIRECTORY.search(content, sentence.start, sentence.end) is not None
        if _IS_PUSHED(low, sentence.start, sentence.end) and _HEDGED.isdisjoint(sentence.words):
            yield CodingClaim("push", sentence, "state", is_weak=True, word="origin")
        if _IS_OPEN(low, sentence.start, sentence.end) and _HEDGED.isdisjoint(sentence.words):
            yield CodingClaim("pull_request", sentence, "state", is_weak=True, word="open")
        for one in _told(sentence):
            yield from _claims(one, low, within, has_directory=has_directory)


def readings(content: str) -> Iterator[str]:
    """The files that the agent says it read."""
    paths = paths_in(content)
    low = masked(content, paths) if paths else ""
    for sentence in sentences(low):
        for start, end in paths if not sentence.asks else ():
            if sentence.start <= start < sentence.end and _READ.search(low, sentence.start, start):
                yield content[start:end]


def paths_in(content: str) -> list[tuple[int, int]]:
    """Where the files of a text stand."""
    return [match.span() for match in _PATH.finditer(content)] if _DOTTED.search(content) else []


def masked(content: str, paths: list[tuple[int, int]]) -> str:
    """The plain text with each file as one word, as no other name is written."""
    low = plain(content)
    if not paths:
        return low
    ends = [0, *(end for _, end in paths)]
    named = (
        (low[before:start], "Q" + "P" * (end - start - 1)) for before, (start, end) in zip(ends, paths, strict=False)
    )
    return "".join((*chain.from_iterable(named), low[ends[-1] :]))


def _claims(one: Statement, low: str, paths: list[tuple[int, str]], *, has_directory: bool) -> Iterator[CodingClaim]:
    word = one.sentence.words[one.at]
    kind = _kind_of(one, lambda word: word[0] == "Q" and (has_directory or "QP" in word))
    if kind is not None:
        yield CodingClaim(kind, one.sentence, one.voice, word=word)
        return
    words, verbs = one.near, {one.verb, *bases(word)}
    for weak, row, needs in _WEAK:
        if not row.isdisjoint(verbs) and not needs.isdisjoint(words):
            yield CodingClaim(weak, one.sentence, one.voice, is_weak=True, word=word)
    if one.verb in EDITS:
        named = list(_edited(one, low, paths))
        yield from (CodingClaim("edit", one.sentence, one.voice, path, word=word) for path in named)
        if not paths:
            yield CodingClaim("edit", one.sentence, one.voice, word=word)


def _told(sentence: Sentence) -> Iterator[Statement]:
    """What is said to be done by the agent or to a thing; "Fixed it and opened a PR" says both, the end of "It stays installed" none."""
    found = {one.at: one for one in statements(sentence)}
    words, opens = sentence.words, False
    for at, word in enumerate(words):
        one = found.get(at)
        if one is not None and one.voice == "brief":
            opens = opens or _OPENING.issuperset(words[:at])
            if opens or _closes(words, at):
                yield one
            elif words[at - 1] not in STOPS and not _OF_KINDS.isdisjoint(
                (one.verb, *bases(word))
            ):  # "branch pushed, PR opened"
                yield one._replace(voice="state")
        elif one is not None:
            if _OTHERS.isdisjoint(words[:at]):
                yield one
        elif opens and words[at - 1] in _JOINTS and bases(word) and is_done(words, at):
            yield Statement(sentence, at, bases(word)[0], "brief")


def _closes(words: list[str], at: int) -> bool:
    """True for the last of several reports in short: "tests green, committed.", "patched, committed and pushed"."""
    return words[at - 1 : at] == [","] and (at + 1 == len(words) or words[at + 1] in _JOINTS)


def _kind_of(one: Statement, is_file: Callable[[str], bool]) -> str | None:
    words, at = one.sentence.words, one.at
    left, right = words[max(0, at - _NEAR) : at], _until(words[at + 1 : at + _AHEAD], _DASHES)
    verbs = {one.verb, *bases(words[at])}
    for name, kind in KINDS.items():
        if kind.verbs.isdisjoint(verbs):
            continue
        if name == "delete":  # "the file", not "the import from the file"
            own = _until(right, kind.never) if one.voice in _ACTIVE else left
            if not kind.needs.isdisjoint(own) or any(map(is_file, own)):
                return name
        elif kind.never.isdisjoint((*left, *right)):
            if name == "migrate" and one.voice not in _ACTIVE and not _BASES.isdisjoint(_subject(left)):
                return name
            sides = (*left, *right) if name != "pull_request" else right[:_NEAR] if one.voice in _ACTIVE else left
            to_name = name == "push" and right[:1] == ["to"] and right[1:2] != [] and right[1][0] == "Q"
            if not kind.needs or to_name or not kind.needs.isdisjoint(sides):
                return name
    return None


def _subject(left: list[str]) -> list[str]:
    """The word that a passive verb is said of: "staging" in "staging has been migrated"."""
    return [word for word in left if word not in _AUXILIARIES][-1:]


def _until(words: list[str], ends: frozenset[str]) -> list[str]:
    return words[: next((at for at, word in enumerate(words) if word in ends), len(words))]


def _edited(one: Statement, low: str, paths: list[tuple[int, str]]) -> Iterator[str]:
    """The files that a verb of editing is said of: after it where the agent did it, before it where they "are updated"."""
    word = one.sentence.words[one.at]
    verb = _place(one.sentence, low, one.at, word)
    is_active = one.by_self or (one.voice == "brief" and not any(start < verb for start, _ in paths))
    for start, path in paths:
        if one.verb != "move" and _is_where(low, verb, start, len(path), word):
            yield path
        if (start > verb) is not is_active:
            continue
        between = low[verb + len(word) : start] if is_active else low[start + len(path) : verb]
        words = between.replace(",", " , ").replace(";", " ; ").replace("`", " ").split()
        if is_active and "," in words and _BEGINS(low, start + len(path)):
            continue  # "I changed only the test, a.py is as before"
        if is_active and (not (_SOURCES | _DASHES).isdisjoint(words) or any(bases(word) for word in words)):
            continue
        yield path


def _is_where(low: str, verb: int, start: int, length: int, word: str) -> bool:
    """True for the file that a thing is put in: "was added to a.md", "noted in a.md", "In a.ts I added"."""
    if start > verb:
        return low[verb + len(word) : start].removesuffix("the ").strip(" `QP") in _INTO
    return low[:start].rstrip(" `QP").endswith(("in", "to")) and low[start + length : verb].strip(" `,QP") in _SELF


def _place(sentence: Sentence, low: str, at: int, word: str) -> int:
    """Where the word at a place of the sentence stands in the text."""
    place = sentence.start
    for before in sentence.words[:at]:
        place = low.find(before, place) + len(before)
    return low.find(word, place)
