"""The interface of stores for loops, and the store of an address."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from sentinel_core.errors import ConfigError
from sentinel_core.guardrails.family import AuditRow, Change, Family
from sentinel_core.runtime.redact import redact

__all__ = ["DEFAULT_STORE", "Store", "open_store"]

DEFAULT_STORE = ".sentinel/loops.sqlite3"


class Store(Protocol):
    """Families of loops. Every method raises ``StoreError`` if the store cannot be used.

    Thread-safe; many processes may use the same store.
    """

    def family_of(self, loop_id: str) -> Family | None:
        """The whole family of a loop, in a consistent state; None for an unknown loop."""

    def save(self, change: Change) -> bool:
        """Write a change atomically; False if another writer changed the family, or took a loop's id, first."""

    def families(self) -> Sequence[Family]:
        """Every family, sorted by root."""

    def tags_elsewhere(self, root: str, tags: Iterable[str]) -> Mapping[str, int]:
        """For each of these tags the number of loops of other families that have it; tags without any are left out."""

    def audit(self, root: str | None = None, *, after: int = 0, limit: int | None = None) -> Sequence[AuditRow]:
        """Audit rows of one family or of all with a ``row_id`` above ``after``, in the order of ``row_id``."""

    def close(self) -> None:
        """Close all connections. May be called twice."""


def open_store(address: str | None = None, *, create: bool = True) -> Store:
    """The store at an address: ``postgresql://...``, ``memory:``, ``sqlite:PATH`` or a path; None is the default path.

    Without ``create`` a missing file is an error. Raises ``ConfigError`` for an address of another kind, ``StoreError`` if the
    store cannot be opened.
    """
    address = address or DEFAULT_STORE
    scheme, colon, rest = address.partition(":")
    if scheme in ("postgresql", "postgres") and colon:
        from sentinel_core.guardrails.postgres import PostgresStore

        return PostgresStore(address)
    if address == "memory:":
        from sentinel_core.guardrails.memory import MemoryStore

        return MemoryStore()
    if "://" in address:
        raise ConfigError(
            f'"{redact(address)}" is not a store: use a path, sqlite:PATH, memory: or postgresql://HOST/DATABASE'
        )
    from sentinel_core.guardrails.sqlite import SqliteStore

    return SqliteStore(Path(rest if scheme == "sqlite" and colon else address), create=create)
