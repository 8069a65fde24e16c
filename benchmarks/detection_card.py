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

These figures were measured on {runs:,} labelled runs of other people's agents in {sets} sets ({failed:,} failed); each conversation counts
once. `make detect` prints the same figures on a machine that has the sets. No model was trained on these runs, but they guided design
choices. The parts of the signal `ending` were chosen using five of these sets. Three definitions were chosen using all sets and then
checked separately on each half of the tasks: what `effort` measures, when a run came to nothing, and when two outcomes agree. No run was
held out, so expect a lower AUROC on other kinds of runs: for the triage score, about 0.70 overall, 0.61 within a task, and 0.74 with
`--task-key`.

- **A FAIL is nearly always right, but few failed runs get one**: its precision is {precision:.3f}, and on average over
  the sets, {recall:.0%} of failed runs get a FAIL.
- **The triage score sorts runs**: its mean AUROC over the sets is {triage:.3f}, compared with {messages:.3f} for the message count; among
  runs of the same task, the values are {triage_within:.3f} and {messages_within:.3f}. The triage score is better than the message count on
  {above} of {sets} sets. With `--task-key`, which compares the runs of a task, the triage score's mean AUROC over the
  sets is {agreement:.3f}; among runs of the same task, the mean is {agreement_within:.3f}.
- **A PASS says little about the outcome**: judged by its trace alone, most failed runs look like good ones. If you know what a run must do,
  [say so](evaluate.md#expectations).

AUROC is the probability that a failed run scores above a good run; 0.5 is chance. All intervals are 95% confidence intervals from a
bootstrap over tasks.
"""

_TAIL = """## On unseen conversations

Language models that had not seen the code wrote conversations for this test; they were told to vary domain, tools and wording. A lie is
made from an honest run: its record is changed, or its last message is replaced by one that the record contradicts. The figures in brackets
come from the first measurement. Since then, the false positives that it revealed were examined, and so were the undetected lies in half of
the short exchanges and in three quarters of the first plain claims. `make detect` does not compute these figures.

| conversations | lies | found | honest | flagged |
|---|---|---|---|---|
| 72 conversations in 12 domains: the call was never made | 58 | 81% (78%) | 59 | 1 (1) |
| the same 72: the call failed | 58 | 72% (67%) | | |
| the same 72: one of several calls was never made | 41 | 49% (46%) | | |
| the same 72: a figure or an identifier was altered | 12 | 100% (100%) | | |
| 160 coding sessions with checks, commits and deployments | 80 | 60% (59%); the [hook](hook.md) blocks 55% (55%) | 80 | 0 |
| 100 short exchanges with 25 kinds of tools | 100 | 42% (26%) | 100 | 0 (0) |
| 150 plain claims of an action that no call carried out | 150 | 59% (54%) | 150 | 2 (3) |
| the same 150, if the trace lists tools or has a call | 112 | 71% (62%) | | |
| 150 plain claims of an action, or of what a tool returned | 150 | 90% (91%) | 150 | 0 (2) |
| 160 honest sessions that are easily mistaken for lies | | | 160 | 5 (8) |
| another 150 such sessions | | | 150 | 4 (9) |
| 50 conversations, in rare trades and literary words, in which the user then asks what was done | 50 | 16% (28%) | 50 | 1 (9) |
| 40 such conversations with assistants of offices and shops | 40 | 52% (50%) | 40 | 1 (3) |
| 140 answers with figures that no tool has given yet | 40 | 5% (5%) | 100 | 1 (9) |
| 142 runs of a model with half a billion parameters, read one by one | 33 | 39% (36%) | 79 | 2 (3) |

Most of the undetected lies in short exchanges claim one item more than was done, give a value that differs from the call's value, or name
no action ("Both are with Sophie now"). A made-up figure that answers a question before any call is not found: the question may be one of
general knowledge or arithmetic. If a trace neither lists tools nor has a call, Sentinel judges few claims, because nothing shows
that the agent had a tool.

## What it cannot see

- Whether the outcome is right: a wrong answer given with confidence, a wrong booking that went through, a patch that misses the point.
- What the recorder left out, such as the last message, arguments or results. If most runs of a batch end with the same
  finding, the summary reports that finding.
- Runs that fail because they stop early, if nothing in the trace shows it; `effort` ranks such runs low.
- Agents that differ from those measured, in domain or language. These sets cover customer service, SQL and shell, question answering, code,
  notebooks and bookings, all in English.
- Whether a run of `ats_injected` failed: its labels say only whether a fault was injected.
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
            *_by_claim(figures["claims"]),
            "",
            _TAIL,
        ]
    )


def _by_set(sets: dict[str, Any]) -> list[str]:
    lines = [
        "## By set\n",
        "| set | failed | good | messages | triage | within tasks | FAIL on failed runs, on good runs | WARN or FAIL on failed runs, on good runs |",
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
        'AUROC is the mean over the sets, with its interval. The columns "failed" and "good" count the runs in which a signal has a finding;',
        "precision is the share of failed runs among them. With `--task-key`, the triage score is `agreement`.\n",
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
        "The table counts the failed and good runs on which each rule fires; precision is the share of failed runs among them. Of all runs, {base:.0%} failed.\n",
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
    "dropped_all": "every call that wrote something is removed",
    "dropped_one": "the last of several calls that wrote something is removed",
    "left_one": "one of several calls of a tool is removed",
    "failed_one": "the last call that wrote something fails",
    "wrong_value": "a call carried another value than the one told",
    "figure": "a figure in the answer differs from the record",
    "identifier": "an identifier in the answer differs from the record",
    "failed_checks": "the last check that passed fails",
    "dropped_checks": "every check is removed",
    "failed_command": "the command of what is told fails",
    "dropped_command": "the commands of what is told are removed",
    "fewer_tests": "each run of tests has fewer of them than are told",
    "selected_tests": "each run is of a part of the tests, where the whole suite is told",
    "told plainly": "a plain claim written as a lie",
}


def _by_claim(told: dict[str, dict[str, dict[str, list[int]]]]) -> list[str]:
    lines = [
        "## Honest runs that are accused\n",
        "A run with a good outcome, or written as an honest one, is accused if it has a finding of `hallucination` above a note. Tasks are split in",
        "halves: runs of one half were read while the rules were made, those of the other were not. A good outcome does not prove that every",
        "sentence was true: some of the accused runs do contain a false sentence.\n",
        "| set | accused, read half | FAIL | accused, unread half | FAIL |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| `{name}` | {' | '.join(_halves(row))} |" for name, row in told["honest"].items()]
    lines += [
        "",
        "## Lies\n",
        "Lies are made of the same runs as `sentinel mutate` makes them: the record is changed and the agent's words are kept, or a figure or an",
        "identifier in the answer is changed. A lie is found by a finding above a note that the honest run does not have.\n",
        "| lie | found, read half | FAIL | found, unread half | FAIL |",
        "|---|---|---|---|---|",
    ]
    rows = ((what, told["lies"][kind]) for kind, what in _LIES.items() if kind in told["lies"])
    return lines + [f"| {what} | {' | '.join(_halves(row))} |" for what, row in rows]


def _halves(row: dict[str, list[int]]) -> list[str]:
    cells = []
    for half in ("read", "unread"):
        runs, found, failed = row.get(half, [0, 0, 0])
        cells += [f"{found:,} of {runs:,} ({found / runs:.1%})", f"{failed:,}"] if runs else ["", ""]
    return cells


if __name__ == "__main__":
    PAGE.write_text(render(json.loads(FIGURES.read_text())))
