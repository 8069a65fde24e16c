"""Named results, to compare later runs with."""

import re
from pathlib import Path

import attrs
import msgspec

from sentinel_command_suite.compare import ALPHA, Comparison, compare
from sentinel_command_suite.results import EvaluationResults
from sentinel_command_suite.summary import agrees_with_trials
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.runtime.state_files import read_bytes, write_whole

__all__ = ["FOLDER", "Baseline", "compare_to_baseline", "load_baseline", "load_results", "save_baseline"]

FOLDER = Path(".sentinel/baselines")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@attrs.frozen(kw_only=True)
class Baseline:
    """Results under a name."""

    name: str
    results: EvaluationResults


def save_baseline(results: EvaluationResults, version_id: str, *, folder: Path = FOLDER, force: bool = False) -> Path:
    """Write ``<folder>/<version_id>.json`` and return its path. An older baseline of the same suite is replaced.

    ``force`` also replaces a baseline of another suite, or an unreadable one. Raises ``ConfigError`` for these without
    ``force``, for an invalid name, and for an incomplete or empty run; ``OSError`` for the disk.
    """
    path = _path(version_id, folder)
    if not results.evaluated:
        raise ConfigError(f'nothing was evaluated, so there is nothing to save as baseline "{version_id}"')
    if results.incomplete:
        raise ConfigError(f"the run is not complete ({results.incomplete}); finish it with --resume")
    if not force and path.exists():
        _check_same_suite(path, results.suite, version_id)
    write_whole(path, msgspec.json.format(results.to_json(), indent=1) + b"\n")
    return path


def _check_same_suite(path: Path, suite: str, name: str) -> None:
    try:
        existing = load_results(path)
    except InputError as error:
        raise ConfigError(
            f'baseline "{name}" already exists and cannot be read ({error}); choose another name, or replace it with --force'
        ) from None
    if existing.suite != suite:
        raise ConfigError(
            f'baseline "{name}" already exists for suite "{existing.suite}", but these results are from suite "{suite}"; '
            "choose another name, or replace it with --force"
        )


def load_baseline(name: str, *, folder: Path = FOLDER, suite: str | None = None) -> Baseline:
    """Load a baseline by name; with ``suite``, it must be of that suite.

    Raises ``InputError`` if it does not exist or cannot be read, ``ConfigError`` if it is of another suite.
    """
    path = _path(name, folder)
    if not path.exists():
        known = sorted(file.stem for file in folder.glob("*.json")) if folder.is_dir() else []
        raise InputError(
            f'there is no baseline "{name}" in "{folder}"{did_you_mean(name, known)}; '
            f'"sentinel suite baseline save {name}" saves the last run as a baseline'
        )
    found = Baseline(name=name, results=load_results(path))
    return found if suite is None else _of_suite(found, suite)


def load_results(path: Path) -> EvaluationResults:
    """Results from a file. Raises ``InputError``."""
    try:
        data = read_bytes(path)
    except OSError as error:
        raise InputError(f'the results file "{path}" cannot be read: {error.strerror}') from None
    if data is None:
        raise InputError(f'there are no results in "{path}"; "sentinel suite run" writes them')
    try:
        results = EvaluationResults.from_json(data)
    except msgspec.MsgspecError as error:
        raise InputError(f'the results file "{path}" cannot be used: {str(error).replace("`", "")}') from None
    if results.schema != 1:
        raise InputError(f'the results file "{path}" has version {results.schema}; expected 1')
    if problem := _problem(results):
        raise InputError(f'the results file "{path}" cannot be used: {problem}; run the suite again')
    return results


class _Reliability(msgspec.Struct):
    """The part of a trial's reliability that is used."""

    overall: float | None = None
    signals: dict[str, float] = {}


def _problem(results: EvaluationResults) -> str | None:
    """A value that no run writes, because the file was edited; None if there is none."""
    if not results.scenarios:
        return "they contain no scenario"
    ids = [scenario.id for scenario in results.scenarios]
    for scenario in results.scenarios:
        if ids.count(scenario.id) > 1:
            return f'scenario "{scenario.id}" occurs twice'
        if not agrees_with_trials(scenario):
            return f'the figures of scenario "{scenario.id}" do not match its trials'
        try:
            for trial in scenario.trials:
                msgspec.convert(trial.reliability, _Reliability)
        except msgspec.ValidationError as error:
            return f'scenario "{scenario.id}": {str(error).replace("`", "")}'
    return None


def compare_to_baseline(
    current: EvaluationResults, baseline: Baseline | str, *, folder: Path = FOLDER, alpha: float = ALPHA
) -> Comparison:
    """Compare results with a baseline, given as such or by name.

    Raises ``InputError`` if there is none, ``ConfigError`` if it is of another suite.
    """
    known = load_baseline(baseline, folder=folder) if isinstance(baseline, str) else baseline
    _of_suite(known, current.suite)
    return compare(current, known.results, name=known.name, alpha=alpha)


def _of_suite(baseline: Baseline, suite: str) -> Baseline:
    if baseline.results.suite != suite:
        raise ConfigError(
            f'baseline "{baseline.name}" belongs to suite "{baseline.results.suite}" and cannot be compared with suite "{suite}"; '
            f'to create a baseline for suite "{suite}", run this suite and then "sentinel suite baseline save NAME"'
        )
    return baseline


def _path(name: str, folder: Path) -> Path:
    if not _NAME.fullmatch(name):
        raise ConfigError(f'baseline name "{name}" must consist of letters, digits, ".", "_" or "-"')
    return folder / f"{name}.json"
