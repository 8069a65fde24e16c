"""How often the step that a report names first is the one that people named, on annotated runs. Used by ``detect.py``.

A run is annotated by the label ``failure_step``, which counts as the messages' ``src_index`` does where they have one, else as the
messages themselves. Runs are shown by their set and, where they have one, by the kind of their source (``metadata.kind``).
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from split import HALVES, Half, split_by_task

from sentinel_core import TraceIndex, evaluate_trace
from sentinel_core.evaluate.attribution import attribute
from sentinel_core.traces.codec import decode_trace

__all__ = ["Hits", "count_steps", "print_steps"]

Hits = Mapping[str, Mapping[Half, list[bool]]]
"""By source and half, for each run whether the step is exactly right."""


def count_steps(folder: Path) -> Hits:
    """Whether the step is right, for each annotated run under the folder; no verdict is needed for a step."""
    hits: defaultdict[str, dict[Half, list[bool]]] = defaultdict(lambda: {half: [] for half in HALVES})
    for path in sorted(folder.glob("*.jsonl.gz")):
        for line, record, step in _annotated(path):
            trace, metadata = decode_trace(line), record["metadata"]
            found = attribute(TraceIndex(trace), evaluate_trace(trace).findings)
            places = dict(enumerate(message.get("src_index", at) for at, message in enumerate(record["messages"])))
            name = " ".join(filter(None, (path.name.removesuffix(".jsonl.gz"), metadata.get("kind"))))
            hits[name][split_by_task(metadata["group"])].append(
                found is not None and places.get(found.message_index) == step
            )
    return hits


def _annotated(path: Path) -> Iterator[tuple[bytes, dict[str, Any], int]]:
    with gzip.open(path) as lines:
        for line in lines:
            if b'"failure_step"' in line:
                record = json.loads(line)
                step = record["metadata"]["labels"].get("failure_step")
                if step is not None:
                    yield line, record, int(step)


def print_steps(hits: Hits) -> None:
    """The table of shares; nothing where no run is annotated."""
    if not hits:
        return
    print(f"\nSteps that are exactly right (runs)\n\n{'':32}{'all':>16}" + "".join(f"{half:>16}" for half in HALVES))
    for name, by_half in sorted(hits.items()):
        cells = ([hit for half in HALVES for hit in by_half[half]], *(by_half[half] for half in HALVES))
        print(f"{name:32}" + "".join(f"{_share(cell):>16}" for cell in cells))


def _share(hits: list[bool]) -> str:
    return f"{sum(hits) / len(hits):.3f} ({len(hits)})" if hits else "-"
