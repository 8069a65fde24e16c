"""Files that an answer tells of as changed in other words than a plain verb of editing before them: what they hold now, and lists of changes."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sentinel_signal_hallucination.english.coding_claims import EDITS, masked
from sentinel_signal_hallucination.english.lexicon import bases, word_set
from sentinel_signal_hallucination.english.sentences import sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["FileClaim", "file_claims"]

_ITEM = regex(
    r"(?m)^[ \t]{0,8}(?:[-*•+]|\d{1,3}[.)]|[✅✔☑✓|])[ \t]{0,4}(?:\[[ xX]\] )?(?:\*\*[^*\n]{1,30}\*\*:? ?)?[`*_\[]{0,4}(?=\S)"
)
# What stands above a list of changes, and above one of other things.
_OF_CHANGES = regex(
    r"(?i)\b(?:chang\w*|updat\w*|edit(?:s|ed)|modif\w*|touched|what i did|done|in place|what's there|what is there|raised|renamed|implemented|rewritten)\b"
)
_OF_OTHERS = regex(
    r"(?i)\b(?:review|look|next|relevant|where|how|used|uses|see|read|related|routes?|still|to do|todo|should|would|could|not|need\w*)\b|\?"
)
_OWN = regex(r"\b(?:i|we|i've|we've)(?: have)?(?: also| then| now| just| already| additionally)* (\w{1,30})")
_CHANGES = EDITS | word_set(
    "raise lower double halve bump increase decrease set switch insert tighten loosen shorten simplify reword translate recolour recolor"
)
# What leads from the verb to something else than what was changed.
_ELSEWHERE = word_set(
    "from like per using with by via as than instead that which where on next based see beside against after before following matching"
)
# What the file itself does now.
_HOLDS = regex(
    r"[`)*_Q]{0,3} (?:both |all |also |now )*(?:has|have|holds?|reads?|mentions?|names?|exports?|describes?|documents?|lists?|contains?|covers?|explains?|is in place|are in place)\b"
)
_ACTS, _CLAUSE = regex(r"[`)*_Q]{0,3} (?:is|are|was|has|have|\w{2,20}s)\b"), regex(r"[;:()–—]")
_NOW = regex(r"\bnow\b|\bin place\b")
# With one of these a sentence may tell of what was there before, of what is left to do, or of what was not done.
_OPEN = regex(
    r"\b(?:no|not|never|nothing|none|without|unchanged|untouched|already|still|only|should|would|could|might|can|cannot|will|needs?|needed|if|unless|except|failed|missing|todo|skipped|same as|like|as in|from|before|was|were|see|existing|unrelated)\b|n't\b"
)


class FileClaim(NamedTuple):
    """A file that the agent says it changed, that is told to hold something now, or that stands in a list of changed files."""

    path: str
    start: int
    end: int


def file_claims(
    content: str, paths: Sequence[tuple[int, int]], is_unwritten: Callable[[str], bool]
) -> Iterator[FileClaim]:
    """What is told of the files at the ``paths`` of the text that nothing wrote; in a list, beside one that was written."""
    low = masked(content, list(paths))
    entries = _entries(content)
    listed = [(start, end) for start, end in paths if start in entries]
    for sentence in sentences(low):
        places = [place for place in paths if sentence.start <= place[0] < sentence.end]
        if not places or sentence.asks or _OPEN.search(low, sentence.start, sentence.end):
            continue
        is_now = _NOW.search(low, sentence.start, sentence.end) is not None
        for start, end in places:
            is_told = (is_now and _HOLDS.match(low, end)) or _is_done(low, sentence.start, start, end)
            path = content[start:end]
            if not (is_told or start in entries) or not is_unwritten(path):
                continue
            if is_told or not all(is_unwritten(content[one:to]) for one, to in listed):
                yield FileClaim(path, sentence.start, sentence.end)


def _is_done(low: str, begin: int, at: int, end: int) -> bool:
    """True where the agent says that it did something to the file, and nothing leads from that to another thing."""
    match = next(reversed(list(_OWN.finditer(low, begin, at))), None)
    if (
        match is None
        or _CHANGES.isdisjoint(bases(match[1]))
        or _CLAUSE.search(low, match.end(), at)
        or _ACTS.match(low, end)
    ):
        return False
    between = low[match.end() : at].replace(",", " ").split()
    return _ELSEWHERE.isdisjoint(between) and not any(bases(word) for word in between)


def _entries(content: str) -> frozenset[int]:
    """Where the text of each entry begins, of lists and tables whose head tells of changes."""
    found, start, head, was_row = set[int](), 0, "", False
    for line in content.splitlines(keepends=True):
        item, is_row = _ITEM.match(content, start), line.lstrip().startswith("|")
        if is_row and not was_row:
            head = f"{head} {line.strip()}"
        elif item is None:
            head = line.strip() or head
        elif _OF_CHANGES.search(head) and not _OF_OTHERS.search(head):
            found.add(item.end())
        start, was_row = start + len(line), is_row
    return frozenset(found)
