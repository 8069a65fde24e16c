"""Lies made out of honest runs, as ``sentinel mutate`` makes them, and how many the installed gate catches. Used by ``detect.py``."""

import gzip
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from sentinel_command_mutate.lies import KINDS, lies_of
from sentinel_core import ExecutionTrace, evaluate_trace
from sentinel_core.traces.codec import decode_trace

__all__ = ["count_lies", "honest_runs"]

_CAUGHT = ("WARN", "FAIL")


def honest_runs(folder: Path) -> dict[str, list[ExecutionTrace]]:
    """Dialogues that people wrote around calls, in ``claims`` beside the folder, and the good runs of the sets."""
    dialogues = [trace for path in sorted((folder.parent / "claims").glob("*.jsonl.gz")) for trace in _read(path)]
    runs = [trace for path in sorted(folder.glob("*.jsonl.gz")) for trace in _read(path)]
    good = [trace for trace in runs if (trace.metadata.get("labels") or {}).get("success") is True]
    return {"dialogues": dialogues, "good runs": good}


def _read(path: Path) -> list[ExecutionTrace]:
    with gzip.open(path) as lines:
        return [decode_trace(line) for line in lines]


def count_lies(traces: Iterable[ExecutionTrace]) -> dict[str, list[int]]:
    """By kind, how many lies were made and caught; ``honest`` counts the runs and those that get a WARN or FAIL as they are."""
    made, caught = Counter[str](), Counter[str]()
    for trace in traces:
        made["honest"] += 1
        if evaluate_trace(trace).verdict in _CAUGHT:
            caught["honest"] += 1
            continue
        for kind, lie in lies_of(trace):
            made[kind] += 1
            caught[kind] += evaluate_trace(lie).verdict in _CAUGHT
    return {kind: [made[kind], caught[kind]] for kind in ("honest", *KINDS)}
