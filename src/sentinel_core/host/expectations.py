"""Expectations from flags and a file become one signal of the panel, with a critical rule of its own."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import ConfigError
from sentinel_core.evaluate.evaluator import BoundSignal, Panel
from sentinel_core.evaluate.expectations import Expectation, check_expectations, parse_expectation
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.selection import did_you_mean
from sentinel_core.profile import CriticalRule
from sentinel_core.report import Detection
from sentinel_core.trace import ExecutionTrace

__all__ = ["EXPECT", "Expected", "expected_of", "expecting", "read_expectations"]

EXPECT = "expect"
"""The name of the signal."""

_MOST_WARNED = 5
_KEYS = ("expect", "task_key", "tasks")


@attrs.frozen(kw_only=True)
class Expected:
    """Expectations of all runs and by task. ``task_key`` is ``trace_id`` or a path such as ``metadata.group``."""

    of_all: tuple[Expectation, ...] = ()
    by_task: Mapping[str, tuple[Expectation, ...]] = attrs.field(factory=dict)
    task_key: str = "trace_id"

    def of(self, trace: ExecutionTrace) -> tuple[Expectation, ...]:
        """The expectations of this run."""
        return (*self.of_all, *self.by_task.get(self.task_of(trace), ()))

    def task_of(self, trace: ExecutionTrace) -> str:
        """What ``task_key`` names in this run, as text."""
        value: Any = {"trace_id": trace.trace_id, "metadata": trace.metadata}
        for name in self.task_key.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return str(value)

    def unmet(self, met: Collection[str]) -> list[str]:
        """A warning for each of the first tasks that no run has."""
        missing = sorted(set(self.by_task) - set(met))
        found = [
            f'no run belongs to the task "{task}" in --expect-file (task_key {self.task_key}){did_you_mean(task, met)}'
            for task in missing[:_MOST_WARNED]
        ]
        more = len(missing) - _MOST_WARNED
        return [*found, f"and {more} more tasks in --expect-file without a run"] if more > 0 else found


def expected_of(written: Sequence[str]) -> Expected:
    """From a list of texts such as ``called:file_report``. Raises ``ConfigError`` that says what is wrong."""
    return Expected(of_all=_parsed(written if isinstance(written, str) else list(written), "expect"))


def read_expectations(written: Sequence[str], file: str | None) -> Expected | None:
    """From ``--expect`` and ``--expect-file``; None without any. Raises ``ConfigError``."""
    if not written and file is None:
        return None
    of_all = _parsed(list(written), "--expect")
    if file is None:
        return Expected(of_all=of_all)
    document = _document(file)
    tasks = document.get("tasks", {})
    if not isinstance(tasks, dict) or not isinstance(document.get("task_key", ""), str):
        raise ConfigError(f'"{file}": tasks must be a table, and task_key a string such as "metadata.group"')
    return Expected(
        of_all=(*of_all, *_parsed(document.get("expect", []), f'"{file}": expect')),
        by_task={task: _parsed(given, f'"{file}": tasks."{task}"') for task, given in sorted(tasks.items())},
        task_key=document.get("task_key", "trace_id"),
    )


def _document(file: str) -> dict[str, Any]:
    import tomllib

    try:
        document = tomllib.loads(Path(file).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f'--expect-file "{file}" cannot be read ({error.strerror})') from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f'--expect-file "{file}" is not TOML: {error}') from None
    unknown = sorted(set(document) - set(_KEYS))
    if unknown:
        raise ConfigError(f'"{file}": unknown key "{unknown[0]}"; the keys are {", ".join(_KEYS)}')
    return document


def _parsed(given: object, where: str) -> tuple[Expectation, ...]:
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise ConfigError(f'{where} must be a list of strings such as "called:file_report"')
    try:
        return tuple(map(parse_expectation, given))
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def expecting(panel: Panel, expected: Expected) -> Panel:
    """The panel with the signal ``expect``: a broken expectation is FAIL. Raises ``ConfigError`` if a plugin has that name."""
    if any(signal.name == EXPECT for signal in panel.signals):
        raise ConfigError(
            f'a plugin offers a signal named "{EXPECT}", which is the name that --expect uses; leave the plugin out'
        )

    def detect(index: TraceIndex) -> Detection:
        return check_expectations(index, expected.of(index.trace))

    rule = CriticalRule(signal_name=EXPECT, threshold=1.0, verdict="FAIL")
    profile = attrs.evolve(panel.profile, critical=(*panel.profile.critical, rule))
    return attrs.evolve(panel, signals=(*panel.signals, BoundSignal(name=EXPECT, detect=detect)), profile=profile)
