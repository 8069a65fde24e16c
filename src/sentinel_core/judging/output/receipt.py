"""The receipt: the ledger of a session folded to a few lines; claim, record and working tree, the latest first."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from sentinel_core.judging.output.ledger import ANSWERS, counts_of
from sentinel_core.report import LedgerEntry
from sentinel_core.runtime.printable import clipped, counted, first_words, printable

__all__ = ["Row", "receipt_document", "receipt_markdown", "receipt_text", "rows_of", "unbacked"]

_MOST_ROWS = 9  # with the headline, ten lines
_CLAIM, _FACT = 70, 80
_PLURAL = {
    "push": "pushes",
    "pull_request": "pull requests",
    "value": "figures",
    "delete": "deletions",
    "deploy": "deployments",
    "publish": "publications",
    "install": "installations",
    "migrate": "migrations",
}
_ORDER = tuple(ANSWERS)


@attrs.frozen(kw_only=True)
class Row:
    """A claim, and how many ``more`` of its kind have the same answer."""

    entry: LedgerEntry
    more: int = 0


def rows_of(entries: Iterable[LedgerEntry]) -> list[Row]:
    """The rows of a receipt, the gravest answer first, then the latest; repetitions are dropped.

    Backed claims of one kind are one row. Each other claim has a row of its own; only where there would be more than nine, those
    of one kind that are not checkable are one, too. What is contradicted or not on record never is.
    """
    latest_first = sorted(entries, key=lambda one: (len(one.trace_path), -one.message_index))
    own = list({_key(entry): entry for entry in reversed(latest_first)}.values())[::-1]
    rows = _folded(own, ("backed",))
    return rows if len(rows) <= _MOST_ROWS else _folded(own, ("backed", "not_checkable"))


def _key(entry: LedgerEntry) -> tuple[object, ...]:
    return (*entry.trace_path, entry.answer, entry.kind, entry.record, " ".join(entry.claim.lower().split()))


def _folded(entries: Sequence[LedgerEntry], answers: Sequence[str]) -> list[Row]:
    groups = dict[tuple[object, ...], list[LedgerEntry]]()
    for at, entry in enumerate(entries):
        alone = () if entry.answer in answers else (at,)
        groups.setdefault((entry.answer, entry.kind, *alone), []).append(entry)
    rows = [Row(entry=group[0], more=len(group) - 1) for group in groups.values()]
    return sorted(rows, key=lambda row: (_ORDER.index(row.entry.answer), row.entry.kind == "value"))


def unbacked(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The claims of deeds and checks that are not backed, the gravest first; a figure may be derived."""
    found = [entry for entry in entries if entry.answer != "backed" and (entry.rule or entry.kind != "value")]
    return sorted(found, key=lambda entry: _ORDER.index(entry.answer))


def receipt_text(entries: Sequence[LedgerEntry], name: str) -> Iterator[str]:
    """The lines for a terminal: a headline, then one for each row."""
    yield printable(f"{name}: {_headline(entries)}")
    for row in rows_of(entries):
        sign, _ = ANSWERS[row.entry.answer]
        tree = f"; working tree: {row.entry.working_tree}" if row.entry.working_tree else ""
        fact = first_words(_fact(row.entry), _FACT) + first_words(tree, _FACT)
        yield printable(f"{sign} {_more(row)}“{_claim(row.entry)}” {_place(row.entry)}: {fact}")


def receipt_markdown(entries: Sequence[LedgerEntry], name: str) -> Iterator[str]:
    """The lines of a table for a pull request; nothing of the session is live in it."""
    from sentinel_core.judging.output.markup import markdown_text

    yield f"**Sentinel receipt** of {markdown_text(clipped(name, _CLAIM))}: {_headline(entries)}"
    rows = rows_of(entries)
    if not rows:
        return
    has_tree = any(row.entry.working_tree for row in rows)
    yield ""
    yield f"| | claim | record |{' working tree |' if has_tree else ''}"
    yield f"|---|---|---|{'---|' if has_tree else ''}"
    for row in rows:
        sign, words = ANSWERS[row.entry.answer]
        claim = f"{_more(row)}{markdown_text(f'“{_claim(row.entry)}”')} {_place(row.entry)}"
        cells = [f"{sign} {words}", claim, markdown_text(first_words(_fact(row.entry), 2 * _FACT))]
        cells += [markdown_text(first_words(row.entry.working_tree or "", _FACT))] if has_tree else []
        yield f"| {' | '.join(cells)} |"


def receipt_document(entries: Sequence[LedgerEntry], name: str) -> dict[str, Any]:
    """As JSON: the counts of the answers, and the rows."""
    rows = [
        {
            "answer": row.entry.answer,
            "kind": row.entry.kind,
            "claim": row.entry.claim,
            "message_index": row.entry.message_index,
            "trace_path": list(row.entry.trace_path),
            "record": row.entry.record,
            "record_index": row.entry.record_index,
            "working_tree": row.entry.working_tree,
            "rule": row.entry.rule,
            "more": row.more,
        }
        for row in rows_of(entries)
    ]
    given: list[str] = [entry.answer for entry in entries]
    return {"session": name, "counts": {answer: given.count(answer) for answer in ANSWERS}, "rows": rows}


def _headline(entries: Sequence[LedgerEntry]) -> str:
    return f"{counted(len(entries), 'claim')}{counts_of(entries)}"


def _more(row: Row) -> str:
    """How many claims the row stands for, where it is not one."""
    if not row.more:
        return ""
    kind = row.entry.kind
    return f"{row.more + 1} {_PLURAL.get(kind, f'{kind}s')}, the last "


def _claim(entry: LedgerEntry) -> str:
    """The claim without the marks of Markdown around it; of a long one, the first words."""
    return first_words(entry.claim.replace("**", "").strip(" :#-*"), _CLAIM)


def _fact(entry: LedgerEntry) -> str:
    """What the record shows; of a finding, without the claim that stands beside it."""
    _, _, shown = entry.record.partition(", but ") if entry.rule else ("", "", "")
    return (shown or entry.record).removesuffix(".")


def _place(entry: LedgerEntry) -> str:
    agent = "".join(f"sub-agent {position} " for position in entry.trace_path)
    return f"({agent}message {entry.message_index})"
