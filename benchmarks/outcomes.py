"""How well ``Call.outcome`` tells failed calls, held against labels and against the flags of sources that have them.

    python benchmarks/outcomes.py [--data DIR] [--errors]

The labels are those of ``tests/core/outcome_labels.jsonl``: 400 results read by hand, found by their ids in the traces under the
data folder, or judged by their excerpts where there is no such folder. A flag is stripped and the text judged alone. Ends with
1 where precision is below 0.98 or recall below 0.90 on a half of the labels; flags are printed and no bound, for a source may mean
something else by them. ``--errors`` prints what is judged otherwise than labelled or flagged.
"""

import argparse
import gzip
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sentinel_core.evaluate.outcome import judge_text
from sentinel_core.trace import ToolResult
from sentinel_core.traces.codec import decode_trace

ROOT = Path(__file__).resolve().parent.parent
LABELS = ROOT / "tests" / "core" / "outcome_labels.jsonl"
DATA = Path(os.environ.get("SENTINEL_TRACES") or ROOT.parent / "shared" / "data" / "traces")
PRECISION, RECALL = 0.98, 0.90
SHOWN = 160

Judged = list[tuple[bool, bool, str]]
"""Whether it failed, whether it was judged so, and the text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables; 1 where a half of the labels is not judged well enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args(arguments)
    results = dict(read_results(options.data))
    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    texts = {named(result.content): result.content for found in results.values() for result in found}
    print(
        "labels" if results else f"labels, excerpts only: there is no folder {options.data} (--data or SENTINEL_TRACES)"
    )
    good = [
        show(half, judged_labels([row for row in labels if row["half"] == half], texts), errors=options.errors)
        for half in ("tune", "held")
    ]
    print("\nflags")
    for source, found in results.items():
        flagged = [result for result in found if result.success is not None]
        if flagged:
            judged = [(not result.success, is_failed(result.content), result.content) for result in flagged]
            show(source, judged, errors=options.errors)
    return 0 if all(good) else 1


def read_results(folder: Path) -> Iterator[tuple[str, list[ToolResult]]]:
    """The results of each set under the folder, by the set's name."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            messages = [message for line in lines for message in decode_trace(line).messages]
        yield path.name.removesuffix(".jsonl.gz"), [result for message in messages for result in message.tool_results]


def named(content: str) -> str:
    """The id of a result's text."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def is_failed(content: str) -> bool:
    """Whether the text alone tells a failure."""
    return judge_text(content).state == "failed"


def judged_labels(rows: list[dict[str, str]], texts: dict[str, str]) -> Judged:
    """The rows whose text is known and whose label is clear."""
    known = ((row, texts.get(row["id"], row.get("text"))) for row in rows if row["label"] != "unclear")
    return [(row["label"] == "failed", is_failed(text), text) for row, text in known if text is not None]


def show(name: str, judged: Judged, *, errors: bool) -> bool:
    """Print one row; False where it is below the bounds."""
    counts = Counter((failed, told) for failed, told, _ in judged)
    told, failed = counts[True, True] + counts[False, True], counts[True, True] + counts[True, False]
    precision, recall = counts[True, True] / max(told, 1), counts[True, True] / max(failed, 1)
    print(
        f"  {name:22} {len(judged):6} results {failed:5} failed {told:5} judged so"
        f"   precision {precision:.3f}   recall {recall:.3f}"
    )
    for was, judged_so, text in judged if errors else ():
        if was != judged_so:
            print(f"      {'missed' if was else 'wrong '} {text[:SHOWN]!r}")
    return precision >= PRECISION and recall >= RECALL


if __name__ == "__main__":
    sys.exit(main())
