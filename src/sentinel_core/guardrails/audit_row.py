"""One row of a family's audit: who did what and when, with a hash over itself and the hash of the row before it.

hash(n) = SHA-256 of the JSON list [root, n, hash(n - 1), body]        hash(0) = 64 zeros
"""

import hashlib
from collections.abc import Sequence

import attrs

from sentinel_core.guardrails.facts import Override
from sentinel_core.trace import canonical

__all__ = ["GENESIS", "AuditRow", "digest_of", "next_row"]

GENESIS = "0" * 64


@attrs.frozen(kw_only=True)
class AuditRow:
    """Row ``number`` (from 1) of a family. ``body`` is JSON text; ``row_id`` counts over all families, 0 until stored."""

    root: str
    number: int
    body: str
    digest: str
    row_id: int = 0


def next_row(
    root: str,
    rows: int,
    head: str,
    *,
    kind: str,
    at: str,
    actor: str | None,
    loops: Sequence[object],
    overrides: Sequence[Override],
) -> AuditRow:
    """The row that follows ``rows`` others, the last of which has the hash ``head``."""
    body = canonical({"kind": kind, "at": at, "actor": actor, "loops": loops, "overrides": overrides}).decode()
    return AuditRow(root=root, number=rows + 1, body=body, digest=digest_of(root, rows + 1, head, body))


def digest_of(root: str, number: int, previous: str, body: str) -> str:
    """The hash of a row, in hexadecimal."""
    return hashlib.sha256(canonical([root, number, previous, body])).hexdigest()
