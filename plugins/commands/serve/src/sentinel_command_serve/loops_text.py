"""Families of loops as text: a table of all, and one drawn with its scores against their thresholds."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sentinel_core.guardrails import LIFTS, Completion, Family, Loop, LoopTrace, Override, loop_trace, merged_facts
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.printable import clipped, counted, printable

__all__ = ["render_families", "render_family"]

_CELLS = 20
_WIDE = 100
_HEADINGS = ("root", "attempts", "reruns", "state", "why", "since")
_MOST_TAGS = 20


def render_families(families: Sequence[Family], width: int = 0) -> str:
    """A table with a row for each family, and in how many loops each bias tag was seen; as wide as it is, or ``width``."""
    table = "\n".join(in_columns([_HEADINGS, *map(_row, families)], width))
    lines = table.split("\n")
    seen = Counter(
        tag
        for family in families
        for loop in family.loops
        if loop.reflection is not None
        for tag in set(loop.reflection.bias_tags)
    )
    if seen:
        most_seen = sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TAGS]
        lines += [
            "",
            "Bias tags, by the loops that have them: " + ", ".join(f"{tag} {count}" for tag, count in most_seen),
        ]
    return "".join(f"{printable(line)}\n" for line in lines)


def render_family(family: Family) -> str:
    """One family, a line for each loop: alignment, drift and fatigue as bars, each with its threshold; then why."""
    attempts = sum(loop.reflection is not None for loop in family.loops)
    state, why, _ = _row(family)[3:]
    lines = [f"{family.root}: {counted(attempts, 'attempt')}, {state}" + (f" ({why})" if why != "-" else ""), ""]
    width = max(len(loop.loop_id) for loop in family.loops)
    bars = "".join(f"{name:<{_CELLS + 9}}" for name in ("alignment", "drift", "fatigue")).rstrip()
    lines.append(f"{'':<{width}}  {bars}")
    for loop in family.loops:
        lines.append(f"{loop.loop_id:<{width}}  {_bars(loop)}")
        lines += [f"{'':<{width}}  {line}" for line in _reasons(loop)]
    if family.overrides:
        lines += ["", "Overrides:", *(f"  {_override(override)}" for override in family.overrides)]
    lines += ["", f"{counted(family.rows, 'audit row')}, the last one's hash is {family.head}"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _row(family: Family) -> tuple[str, ...]:
    last = family.loops[-1]
    trace = loop_trace(last)
    attempts = sum(loop.reflection is not None for loop in family.loops)
    reason = trace.rerun_reason or "-"
    return (family.root, str(attempts), str(len(family.loops) - 1), trace.status, reason, trace.timestamp)


def _bars(loop: Loop) -> str:
    """Bars of the known scores, each with a mark at its threshold, if known."""
    trace, completion = loop_trace(loop), loop.completion
    if trace.alignment_score is None or trace.drift_score is None:
        return "granted, not submitted yet"
    facts = {} if completion is None else merged_facts(completion.rulings)
    quality = None if completion is None else completion.quality
    fatigue = facts.get("reflection_fatigue")
    bars = (
        _bar(trace.alignment_score, None if quality is None else quality.alignment_threshold),
        _bar(trace.drift_score, None if quality is None else quality.drift_threshold),
        "" if fatigue is None else _bar(fatigue, facts.get("critical_threshold")),
    )
    return "  ".join(bars).rstrip()


def _bar(score: float, threshold: float | None) -> str:
    """``score`` of 1 in full cells, with a mark at the threshold."""
    full = round(score * _CELLS)
    cells = ["█" if cell < full else "·" for cell in range(_CELLS)]
    if threshold is not None:
        cells.insert(round(threshold * _CELLS), "|")
    return f"{''.join(cells):<{_CELLS + 1}} {score:<5.3g}"


def _reasons(loop: Loop) -> Iterable[str]:
    trace, completion = loop_trace(loop), loop.completion
    if loop.reflection is not None and loop.reflection.bias_tags:
        yield f"bias: {', '.join(loop.reflection.bias_tags)}"
    if completion is not None:
        yield _decision(trace, completion)
        yield clipped(completion.decision.rerun_reason_detail, _WIDE)


def _decision(trace: LoopTrace, completion: Completion) -> str:
    next_step = f"-> {completion.new_loop_id}" if completion.new_loop_id is not None else "-> end"
    by = f", overridden by {trace.overridden_by}" if trace.overridden_by is not None else ""
    return f"{next_step}: {trace.rerun_reason}{by}"


def _override(override: Override) -> str:
    kinds = ", ".join(name for name in LIFTS if getattr(override, name))
    until = f" until {override.expires_at}" if override.expires_at is not None else ""
    spent = f", used for {override.spent_on}" if override.spent_on is not None else ""
    return f"{override.at} {override.actor}: {kinds}{until}{spent}: {clipped(override.reason, _WIDE)}"
