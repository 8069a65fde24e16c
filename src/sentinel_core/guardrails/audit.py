"""The audit of a family: append-only rows, each with a hash over itself and the previous hash.

    hash(n) = SHA-256 of the JSON list [root, n, hash(n - 1), body]        hash(0) = 64 zeros

The family keeps the number of its rows and the last hash, written in the same transaction as the row. A row has the actor,
the action, the time, and the new values of loops and overrides, so that a changed loop is found as well as a changed row.
An attacker who can rewrite the whole store can rewrite the chain too; a copy of the heads kept elsewhere reveals that.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from sentinel_core.guardrails.family import GENESIS, AuditRow, Family, digest_of
from sentinel_core.trace import canonical

__all__ = ["audit_problems", "verify"]


def verify(family: Family, rows: Iterable[AuditRow]) -> Iterator[str]:
    """The problems of a family's audit rows, one sentence each."""
    head, expected = GENESIS, 1
    last: dict[tuple[str, str], bytes] = {}
    for row in rows:
        where = f'audit row {row.number} of family "{family.root}"'
        if row.number != expected:
            yield f'audit row {expected} of family "{family.root}" is missing'
            return
        if digest_of(family.root, row.number, head, row.body) != row.digest:
            yield f"{where} was changed: its content does not match its hash"
            return
        head, expected = row.digest, expected + 1
        try:
            last.update(_written(row.body))
        except (msgspec.DecodeError, LookupError, TypeError):
            yield f"{where} was changed: its content is not that of an audit row"
            return
    if (head, expected - 1) != (family.head, family.rows):
        yield f'family "{family.root}" had {family.rows} audit rows; now it has {expected - 1}, or the last one was replaced'
        return
    yield from _unlike(family, last)


def audit_problems(families: Iterable[Family], rows: Iterable[AuditRow]) -> Iterator[str]:
    """The problems of all families' audit rows, one sentence each."""
    by_root: dict[str, list[AuditRow]] = {}
    for row in rows:
        by_root.setdefault(row.root, []).append(row)
    for family in families:
        yield from verify(family, sorted(by_root.pop(family.root, ()), key=_number))
    for root in sorted(by_root):
        yield f'family "{root}" was deleted: only its audit rows are left'


def _number(row: AuditRow) -> tuple[bool, int]:
    """The sort key of a row. SQLite stores any value in a number's column, so rows without a number come last."""
    return (False, row.number) if isinstance(row.number, int) else (True, 0)


def _written(body: str) -> Iterator[tuple[tuple[str, str], bytes]]:
    """The loops and overrides in a row: kind and id to the value."""
    document: dict[str, Any] = msgspec.json.decode(body)
    for loop in document["loops"]:
        yield ("loop", loop["loop_id"]), canonical(loop)
    for override in document["overrides"]:
        yield ("override", override["override_id"]), canonical(override)


def _unlike(family: Family, last: dict[tuple[str, str], bytes]) -> Iterator[str]:
    stored = {("loop", loop.loop_id): canonical(loop) for loop in family.loops}
    stored |= {("override", override.override_id): canonical(override) for override in family.overrides}
    for kind, name in sorted(stored.keys() | last.keys()):
        if stored.get((kind, name)) != last.get((kind, name)):
            yield f'{kind} "{name}" of family "{family.root}" differs from its audit rows'
