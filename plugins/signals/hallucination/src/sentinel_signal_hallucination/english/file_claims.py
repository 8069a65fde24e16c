"""What an agent says of files besides that it changed one: several in a list of changes, one that it left alone, one that it read."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from sentinel_signal_hallucination.english.coding_claims import EDITS, paths_in
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.sentences import Sentence, plain, sentences
from sentinel_signal_hallucination.english.statements import statements
from sentinel_signal_hallucination.tables import regex

__all__ = ["Denial", "Listing", "denials", "listings", "readings"]

_CHANGES = EDITS | word_set(
    "raise lower bump set switch convert port extract swap inline split simplify clean align drop introduce apply wire register"
)
# What leads to a list of changes without a verb: "The key is `cache_ttl` everywhere now:".
_LEADS = word_set("now changes changed everywhere edits updates places")
# Of a file with one of these in its line nothing is said to be changed.
_LEFT_ALONE = word_set(
    "unchanged untouched not no never already still only reads read see uses used use existing left kept keep stays remains would should could todo unless "
    "if pending remaining reference unaffected skipped without isn't wasn't didn't don't doesn't haven't hasn't won't can't needn't nothing none optional next"
)
_BETWEEN = regex(r"(?:\([^()\n]{0,120}\)|[\s,;&`*_\"'’|+/]|\band\b|\bas well as\b|\bin\b)*\Z")
_ITEM = regex(r"(?m)^[ \t]*(?:[-*•+]|\d{1,2}[.)]|\|)[ \t]*(?:\[x\][ \t]*|✅[ \t]*|✓[ \t]*)?[`*_\"]{0,4}")
_UNTOUCHED = regex(
    r"\b(?:did not|didn't|have not|haven't|has not|hasn't)(?: (?:yet|even|actually|otherwise))? (?:touch|change|modif|edit|alter)\w*(?: (?:the|any|file|files|anything|in|of|either))*[ `*\"Q]*\Z"
)
_IS_UNTOUCHED = regex(
    r"\A[`*\"Q]*(?: (?:is|was|stays|remains|has been))?(?: left)?(?: completely| entirely)? (?:unchanged|untouched)\b"
)
_UNDONE = regex(
    r"\b(?:i|we)(?: have not|'ve not| haven't| did not| didn't) (?P<a>commit|push|deploy|publish)(?:t?ed|ed)?(?= *(?:anything|it|this|them|the changes?|any of (?:it|this))? *(?:[.,;:!)\n]|yet\b|\Z|(?:and|or) (?:push|commit|deploy|publish)))"
    r"|\bnothing (?:was|has been|is)(?: yet)? (?P<b>committed|pushed|deployed|published)\b"
)
_READ = regex(
    r"\b(?:i|i've|we|we've)(?: have)?(?: also| carefully| fully| now| already| then)* (?:read|reviewed|inspected|examined|studied|went through|gone through|looked (?:at|through|into))\b[^.;:\n]{0,40}?\Z"
)
_EXCEPTIONS = word_set(
    "except besides apart beyond only again else more further other otherwise than yet but until before"
)


class Listing(NamedTuple):
    """Files that stand side by side in what is said of changes, each with the place of its sentence or item."""

    files: tuple[tuple[str, int, int], ...]


class Denial(NamedTuple):
    """A ``kind`` of thing that is said not to be done, of a file where it is an edit."""

    kind: str
    sentence: Sentence
    path: str = ""


def listings(content: str) -> Iterator[Listing]:
    """The lists of changed files of a text: items that begin with a file, and files in one sentence that only commas part."""
    paths = paths_in(content)
    if len(paths) < 2:  # noqa: PLR2004 - several
        return
    low = plain(content)
    yield from _items(content, low, paths)
    for sentence in sentences(low):
        within = [path for path in paths if sentence.start <= path[0] < sentence.end]
        if len(within) > 1 and not sentence.asks and _LEFT_ALONE.isdisjoint(sentence.words) and _tells_change(sentence):
            for group in _groups(content, within):
                yield Listing(tuple((path, sentence.start, sentence.end) for _, path in group))


def _items(content: str, low: str, paths: list[tuple[int, str]]) -> Iterator[Listing]:
    """Of each list under a line that tells of changes the files with which its items begin."""
    starts = dict(paths)
    found, lead, is_list = list[tuple[str, int, int]](), "", False
    at = 0
    for line in (*content.splitlines(keepends=True), ""):
        item = _ITEM.match(content, at, at + len(line))
        if item is None and line.strip():
            if found:
                yield Listing(tuple(found))
            found, lead, is_list = [], line, False
        elif item is not None:
            is_list = is_list or _leads(lead)
            first = starts.get(item.end())
            words = [word for part in sentences(low[at : at + len(line)]) for word in part.words]
            if is_list and first is not None and _LEFT_ALONE.isdisjoint(words):
                own = [(start, path) for start, path in paths if at <= start < at + len(line)]
                group = next(iter(_groups(content, own)), own[:1])
                found += [(path, at, at + len(line)) for _, path in group]
        at += len(line)
    if found:
        yield Listing(tuple(found))


def _leads(line: str) -> bool:
    """True for a line before a list that tells of changes."""
    if not line.rstrip(" *_\n").endswith(":"):
        return False
    parts = sentences(plain(line))
    words = [word for part in parts for word in part.words]
    return _LEFT_ALONE.isdisjoint(words) and (not _LEADS.isdisjoint(words) or any(map(_tells_change, parts)))


def _tells_change(sentence: Sentence) -> bool:
    return any(one.verb in _CHANGES for one in statements(sentence))


def _groups(content: str, paths: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """The files of a sentence in groups of which only commas part the members; none of one."""
    group = paths[:1]
    for (start, path), following in pairwise(paths):
        if _BETWEEN.match(content[start + len(path) : following[0]]):
            group.append(following)
        else:
            if len(group) > 1:
                yield group
            group = [following]
    if len(group) > 1:
        yield group


def denials(content: str) -> Iterator[Denial]:
    """What the agent says that it did not do: "I did not touch src/a.py", "Nothing was pushed"."""
    low = plain(content)
    if "n't" not in low and " not " not in low and "nothing" not in low and "un" not in low:
        return
    paths = paths_in(content)
    for sentence in sentences(low):
        if sentence.asks:
            continue
        if _EXCEPTIONS.isdisjoint(sentence.words):
            for start, path in paths:
                if sentence.start <= start < sentence.end and (
                    _UNTOUCHED.search(low, sentence.start, start)
                    or _IS_UNTOUCHED.match(low[start + len(path) : sentence.end])
                ):
                    yield Denial("edit", sentence, path)
        match = _UNDONE.search(low, sentence.start, sentence.end)
        if match is not None:
            word = match["a"] or match["b"]
            yield Denial(
                next(kind for kind in ("commit", "push", "deploy", "publish") if word.startswith(kind)), sentence
            )


def readings(content: str) -> Iterator[tuple[str, Sentence]]:
    """The files that the agent says it read, each with its sentence."""
    low, paths = plain(content), paths_in(content)
    for start, path in paths:
        low = low[:start] + "Q" * len(path) + low[start + len(path) :]
    for start, path in paths:
        sentence = next((one for one in sentences(low) if one.start <= start < one.end), None)
        if sentence is not None and not sentence.asks and _READ.search(low, sentence.start, start):
            yield path, sentence
