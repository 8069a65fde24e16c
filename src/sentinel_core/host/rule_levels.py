"""``[rules]`` and ``--rule``: switch rules off, or change the severity of their findings."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import attrs

from sentinel_core._fast import evolve
from sentinel_core.errors import ConfigError
from sentinel_core.evaluate.evaluator import Panel
from sentinel_core.host.conversion import Setting
from sentinel_core.host.selection import did_you_mean
from sentinel_core.offers import Signal
from sentinel_core.report import Detection, Finding
from sentinel_core.runtime.printable import counted

__all__ = ["Level", "check_rules", "lowered_by", "with_levels", "without_rules"]

Level = Literal["off", "note", "warning", "error"]
_LEVELS = get_args(Level)
_NOTHING_COUNTS = "All findings are switched off, or reduced to notes by their rules' levels."


def check_rules(
    settings: Iterable[Setting], signals: Iterable[Signal], not_in_use: Collection[str] = ()
) -> dict[str, Level]:
    """Levels by the rule's full id. Raises ``ConfigError`` for an unknown level, or a rule that its signal does not declare.

    Any rule is accepted for a signal that declares none or is not in use.
    """
    declared = {signal.name: {rule.id for rule in signal.rules} for signal in signals}
    every = [f"{name}.{rule}" for name, rules in declared.items() for rule in rules]
    levels: dict[str, Level] = {}
    for setting in settings:
        rule = setting.key.removeprefix("rules.")
        name, _, short = rule.partition(".")
        where = f'rule "{rule}" from {setting.origin}'
        level = next((level for level in _LEVELS if level == setting.value), None)
        if level is None:
            raise ConfigError(f"{where}: {setting.value!r} is not a level; expected {', '.join(_LEVELS)}")
        is_known = name in not_in_use or (name in declared and (not declared[name] or short in declared[name]))
        if not short or not is_known:
            raise ConfigError(
                f'{where}: there is no such rule{did_you_mean(rule, every)} ("sentinel rules" lists the rules)'
            )
        levels[rule] = level
    return levels


def with_levels(detect: Callable[[Any], object], name: str, levels: Mapping[str, Level]) -> Callable[[Any], object]:
    """The signal's function with these levels applied to its findings; unchanged if no level is about it.

    A rule that is off becomes a gap in the report. If every finding behind a score is off, or now a note, the score is 0; other
    scores stay, because only the signal knows the weight of each finding.
    """
    own = {rule.removeprefix(f"{name}."): level for rule, level in levels.items() if rule.startswith(f"{name}.")}
    if not own:
        return detect

    def run(index: Any) -> object:
        found = detect(index)
        return _apply(found, own) if isinstance(found, Detection) else found

    return run


def lowered_by(levels: Mapping[str, Level]) -> frozenset[str]:
    """The signals with a rule that may now be milder than the signal has it: what their scores say is held to their findings."""
    return frozenset(rule.partition(".")[0] for rule, level in levels.items() if level != "error")


def without_rules(panel: Panel, allowed: Sequence[str]) -> Panel:
    """The panel with these rules off, as ``[rules]`` switches them off. Raises ``ConfigError`` for a rule that there is not."""
    if isinstance(allowed, str) or not all(isinstance(rule, str) for rule in allowed):
        raise ConfigError('allow must be a list of rules such as "loop.cycle"')
    levels: dict[str, Level] = dict.fromkeys(allowed, "off")
    declared = {signal.name: {rule.id for rule in signal.rules} for signal in panel.signals}
    for rule in levels:
        name, _, short = rule.partition(".")
        if not short or (declared.get(name) and short not in declared[name]):
            every = [f"{name}.{one}" for name, rules in declared.items() for one in rules]
            raise ConfigError(
                f'allow: there is no rule "{rule}"{did_you_mean(rule, every)} ("sentinel rules" lists the rules)'
            )
    signals = (attrs.evolve(one, detect=with_levels(one.detect, one.name, levels)) for one in panel.signals)
    return attrs.evolve(panel, signals=tuple(signals), lowered=panel.lowered | lowered_by(levels))


def _apply(found: Detection, levels: Mapping[str, Level]) -> Detection:
    kept = [leveled for finding in found.findings if (leveled := _leveled(finding, levels)) is not None]
    counted = any(finding.severity != "note" for finding in found.findings)
    still = any(finding.severity != "note" for finding in kept)
    gaps = [gap for rule, level in sorted(levels.items()) if level == "off" for gap in [_gap(rule, found)] if gap]
    rests_on_nothing = counted and not still and found.score is not None
    return evolve(
        found,
        score=0.0 if rests_on_nothing else found.score,
        details=_NOTHING_COUNTS if rests_on_nothing else found.details,
        findings=tuple(kept),
        gaps=(*found.gaps, *gaps),
    )


def _leveled(finding: Finding, levels: Mapping[str, Level]) -> Finding | None:
    level = levels.get(finding.rule)
    if level == "off":
        return None
    return finding if level is None else evolve(finding, severity=level)


def _gap(rule: str, found: Detection) -> str:
    number = sum(finding.rule == rule for finding in found.findings)
    if not number:
        return f"The rule {rule} is switched off."
    return f"The rule {rule} is switched off; it would have had {counted(number, 'finding')}."
