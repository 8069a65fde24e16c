"""Finds ancestors of runs in linear time at any depth; cuts cycles."""

from collections.abc import Callable, Mapping

__all__ = ["levels", "nearest", "without_cycles"]

Parents = Mapping[str, str | None]


def without_cycles(parents: Parents) -> dict[str, str | None]:
    """Every run's parent; None if it is not among the runs, or would close a cycle."""
    cut = {run: parent if parent in parents else None for run, parent in parents.items()}
    done: set[str] = set()
    for start in cut:
        path: dict[str, None] = {}
        at: str | None = start
        while at is not None and at not in done and at not in path:
            path[at] = None
            at = cut[at]
        if at is not None and at in path:
            cut[at] = None
        done.update(path)
    return cut


def nearest(parents: Parents, wanted: Callable[[str], bool]) -> dict[str, str | None]:
    """For each run, its nearest ancestor that is ``wanted``. The parents must have no cycles."""
    found: dict[str, str | None] = {}
    for start in parents:
        path = [start]
        at = parents[start]
        while at is not None and not wanted(at) and at not in found:
            path.append(at)
            at = parents[at]
        answer = at if at is None or wanted(at) else found[at]
        found.update(dict.fromkeys(path, answer))
    return found


def levels(parents: Parents) -> dict[str, int]:
    """The number of ancestors of each run. The parents must have no cycles."""
    depth: dict[str, int] = {}
    for start in parents:
        path = []
        at: str | None = start
        while at is not None and at not in depth:
            path.append(at)
            at = parents[at]
        base = -1 if at is None else depth[at]
        for run in reversed(path):
            base += 1
            depth[run] = base
    return depth
