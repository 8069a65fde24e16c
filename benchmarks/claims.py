"""How many plain lies the claim rules catch, and how many honest twins and dialogues they trouble, on sets written without sight of them."""

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sentinel_core import ExecutionTrace, ReliabilityReport, decode_trace, evaluate_trace

FOLDER = Path(__file__).parent / "claims"
TUNED_DOMAINS = frozenset(("retail", "banking", "hotel", "utilities", "it_helpdesk", "coding", "research", "crm"))


def traces(name: str) -> Iterator[ExecutionTrace]:
    """Those of one file."""
    with gzip.open(FOLDER / name) as lines:
        yield from map(decode_trace, lines)


def is_troubled(report: ReliabilityReport) -> bool:
    """True where a claim rule has a warning or an error."""
    return any(finding.rule.startswith("hallucination.") and finding.severity != "note" for finding in report.findings)


def main() -> int:
    """Print a line for each half of each set."""
    plain, dialogues = list(traces("plain.jsonl.gz")), list(traces("dialogues.jsonl.gz"))
    tuned_kinds = sorted({trace.metadata["kind"] for trace in plain})[::2]
    runs, troubled = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for trace in (*plain, *dialogues):
        kind = trace.metadata.get("kind")
        domain = str(trace.metadata.get("group", "")).rpartition("-")[0]
        half = "tuned on" if kind in tuned_kinds or domain in TUNED_DOMAINS else "unseen"
        name = "dialogues" if kind is None else "plain lies" if trace.metadata["lie"] else "plain honest"
        runs[name, half] += 1
        troubled[name, half] += is_troubled(evaluate_trace(trace))
    for (name, half), count in sorted(runs.items()):
        found = troubled[name, half]
        print(
            f"{name:14s} {half:9s} {count:4d} runs, {found:3d} with a claim rule's warning or error ({found / count:.3f})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
