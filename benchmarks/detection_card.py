"""The page ``docs/detection.md``, from the figures that ``detect.py --write`` keeps where ``sentinel rules`` reads them.

python benchmarks/detection_card.py        # writes the page anew from the figures
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["FIGURES", "PAGE", "render"]

_ROOT = Path(__file__).resolve().parent.parent
FIGURES, PAGE = _ROOT / "src/sentinel_core/cli/detection.json", _ROOT / "docs/detection.md"

_HEAD = """# What Sentinel detects, and what it does not

Measured on {runs:,} labelled runs of other people's agents in {sets} sets ({failed:,} failed), each conversation counted once. `make detect` prints
the same where the sets are. Nothing was trained on them, but choices were made on them: the parts of `ending` on five sets; what `effort`
measures, when a run came to nothing, and what agrees with what, on all, with a look at two halves of the tasks. No run was kept out of
sight, so expect less on runs of other kinds: about 0.70 for triage, 0.61 within tasks, 0.74 beside other runs.

- **FAIL is nearly always right and finds few**: precision {precision:.3f}, on {recall:.0%} of failed runs in the mean over the sets.
- **The triage score sorts runs**: AUROC {triage:.3f} in the mean over the sets, counting messages {messages:.3f}; among runs of the same task
  {triage_within:.3f} and {messages_within:.3f}. On {above} of {sets} sets it is above the message count. Beside other runs of the task
  (`--task-key`) it is {agreement:.3f}, within the task {agreement_within:.3f}.
- **A PASS says little of the outcome**: most failed runs look like good ones in their own trace. Who knows what a run must do
  [says so](evaluate.md#expectations).

AUROC: how often a failed run scores above a good one; 0.5 is chance. Intervals are 95%, from a bootstrap over tasks.
"""

_TAIL = """## What it cannot see

- Whether the outcome is right: a wrong answer that is told calmly, a wrong booking that went through, a patch that misses the point.
- What the recorder left out: a missing last message, arguments, results. Where a whole batch ends alike, the summary says so.
- Runs that fail by stopping early without a sign of it; `effort` ranks them low.
- Agents that are unlike those measured: other domains, other languages. These sets are customer service, SQL and shell, questions, code,
  notebooks and bookings, in English.
- `ats_injected` is labelled by whether a fault was injected, not by whether the run failed.
"""


def render(figures: dict[str, Any]) -> str:
    """The page as text."""
    sets = figures["sets"]
    head = _HEAD.format(
        runs=sum(row["failed"] + row["good"] for row in sets.values()),
        failed=sum(row["failed"] for row in sets.values()),
        sets=len(sets),
        **figures["summary"],
    )
    return "\n".join(
        [
            head,
            *_by_set(sets),
            "",
            *_by_signal(figures["signals"]),
            "",
            *_by_rule(figures["rules"]),
            "",
            *_by_lie(figures["lies"]),
            "",
            _TAIL,
        ]
    )


def _by_set(sets: dict[str, Any]) -> list[str]:
    lines = [
        "## By set\n",
        "| set | failed | good | messages | triage | within tasks | FAIL on failed, good | WARN or FAIL on failed, good |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, row in sets.items():
        within = "" if row["within"] is None else f"{row['within']:.3f}"
        low, high = row["interval"]
        lines.append(
            f"| `{name}` | {row['failed']:,} | {row['good']:,} | {row['messages']:.3f} | {row['triage']:.3f} ({low:.2f} to {high:.2f}) | {within} "
            f"| {row['FAIL'][0]}, {row['FAIL'][1]} | {row['WARN'][0]}, {row['WARN'][1]} |"
        )
    return lines


def _by_signal(signals: dict[str, Any]) -> list[str]:
    lines = [
        "## By signal\n",
        "AUROC in the mean over the sets, with its interval; on how many failed and good runs a signal has a finding, and the share of failed",
        "runs among these. `agreement` is the triage score beside other runs of the task.\n",
        "| score | AUROC | within tasks | failed | good | precision |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in signals.items():
        areas = " | ".join(
            f"{value:.3f} ({low:.2f} to {high:.2f})"
            for value, (low, high) in ((row["auroc"], row["interval"]), (row["within"], row["within_interval"]))
        )
        lines.append(f"| `{name}` | {areas} | {_counts(row['fired'])} |")
    return lines


def _counts(fired: list[int] | None) -> str:
    if fired is None:
        return " |  | "
    failed, good = fired
    return f"{failed:,} | {good:,} | {failed / (failed + good):.2f}" if failed + good else "0 | 0 | "


def _by_rule(rules: dict[str, Any]) -> list[str]:
    lines = [
        "## By rule\n",
        "On how many failed and good runs each rule fires; precision is the share of failed runs among these. Of all runs {base:.0%} failed.\n",
        "| rule | failed | good | precision |",
        "|---|---|---|---|",
    ]
    lines[1] = lines[1].format(base=rules["base"])
    for name, (failed, good) in rules["fired"].items():
        if failed + good == 0:
            continue
        lines.append(f"| `{name}` | {_counts([failed, good])} |")
    return lines


_LIES = {
    "honest": "none: the run as it is",
    "dropped_all": "every call that wrote something is gone",
    "dropped_one": "the last of several such calls is gone",
    "failed_one": "the last such call failed",
    "figure": "a figure in the answer differs from the record",
    "identifier": "an identifier in the answer differs from the record",
}


def _by_lie(lies: dict[str, Any]) -> list[str]:
    lines = [
        "## Lies\n",
        "In honest runs that pass, the record is changed and the words stay, or one word of the answer is changed, as `sentinel mutate`",
        "does it: how many get a WARN or FAIL. The runs are dialogues that people wrote around calls, and the good runs of the sets.\n",
        f"| lie | {' | '.join(lies)} |",
        f"|---|{'---|' * len(lies)}",
    ]
    for kind, what in _LIES.items():
        cells = (
            f"{caught:,} of {made:,}" if made else "" for made, caught in (source[kind] for source in lies.values())
        )
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    PAGE.write_text(render(json.loads(FIGURES.read_text())))
