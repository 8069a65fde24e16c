"""Loops in this process's memory: for tests, and for runs that store nothing."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import attrs

from sentinel_core.guardrails.family import AuditRow, Change, Family

__all__ = ["MemoryStore"]


class MemoryStore:
    """A store that lives as long as its process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._families: dict[str, Family] = {}
        self._roots: dict[str, str] = {}
        self._rows: list[AuditRow] = []

    def family_of(self, loop_id: str) -> Family | None:
        """See ``Store``."""
        with self._lock:
            return self._families.get(self._roots.get(loop_id, ""))

    def save(self, change: Change) -> bool:
        """See ``Store``."""
        after = change.family
        with self._lock:
            stored = self._families.get(after.root)
            taken = any(self._roots.get(loop.loop_id, after.root) != after.root for loop in change.loops)
            if taken or change.before != (stored.version if stored is not None else 0):
                return False
            self._families[after.root] = after
            self._roots.update((loop.loop_id, after.root) for loop in change.loops)
            self._rows.append(attrs.evolve(change.row, row_id=len(self._rows) + 1))
            return True

    def families(self) -> Sequence[Family]:
        """See ``Store``."""
        with self._lock:
            return [self._families[root] for root in sorted(self._families)]

    def tags_elsewhere(self, root: str, tags: Iterable[str]) -> Mapping[str, int]:
        """See ``Store``."""
        others = [family for family in self.families() if family.root != root]
        counts = Counter(
            tag
            for family in others
            for loop in family.loops
            if loop.reflection is not None
            for tag in set(loop.reflection.bias_tags)
        )
        return {tag: counts[tag] for tag in sorted(set(tags)) if counts[tag]}

    def audit(self, root: str | None = None, *, after: int = 0, limit: int | None = None) -> Sequence[AuditRow]:
        """See ``Store``."""
        with self._lock:
            found = [row for row in self._rows if row.row_id > after and root in (None, row.root)]
        return found if limit is None else found[:limit]

    def close(self) -> None:
        """Nothing is open."""
