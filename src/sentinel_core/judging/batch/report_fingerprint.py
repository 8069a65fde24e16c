"""What a report depends on besides its trace: plugins, versions, settings, profile. A batch must not mix different ones."""

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from sentinel_core._version import __version__
from sentinel_core.host.plugins import select
from sentinel_core.host.selection import load_target_kind
from sentinel_core.judging.job import Plan
from sentinel_core.profile import PROFILES
from sentinel_core.runtime.redact import redact

__all__ = ["absent", "differences", "fingerprint"]

_KINDS = ("signals", "trace_readers")
_OPTIONS = {
    "format": "--output-format",
    "pretty": "--pretty",
    "verbose": "--verbose",
    "reader": "--from",
    "latest": "--latest",
    "strict": "--strict",
    "attribute": "--attribute",
    "ledger": "--ledger",
    "task_key": "--task-key",
    "expected": "--expect",
    "max_record": "--max-record-mb",
}
_NONE = "none"
_ABSENT = "not found"


def fingerprint(plan: Plan) -> dict[str, str]:
    """The current value of each dependency, by name. Imports no plugin."""
    chosen, _ = select(plan.selection, _KINDS)
    profile = plan.layers.host().profile
    return {
        "reliability-sentinel": __version__,
        **{f'plugin "{source.label}"': source.origin for source in chosen},
        **{f'plugin "{target}"': _content(*_files(target)) for target in plan.selection.targets},
        "profile": profile if profile in PROFILES else f"{profile} ({_content(Path(profile))})",
        **{f'setting "{key}"': value for key, value in _settings(plan)},
        **{flag: _given(getattr(plan, name)) for name, flag in _OPTIONS.items()},
    }


def _given(value: object) -> str:
    """An option's value as users write it; bytes become megabytes."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value >> 20) if isinstance(value, int) else str(value or _NONE)


def _settings(plan: Plan) -> Iterator[tuple[str, str]]:
    """Settings of plugins, rules and weights. Of the host's own, only the profile and the options above affect reports."""
    for key, setting in sorted(plan.layers.values.items()):
        if key.partition(".")[0] in (*_KINDS, "rules", "weights"):
            yield key, redact(str(setting.value))


def _files(target: str) -> Iterator[Path]:
    """The files of a target of ``--plugins``; all Python files of a package.

    Finds a module without importing its parent packages, because they are plugin code too.
    """
    if load_target_kind(target) == "file":
        yield Path(target)
        return
    top, *below = target.split(".")
    try:
        found = importlib.util.find_spec(top)
    except ValueError:  # a module without a spec, such as __main__
        found = None
    for folder in (found and found.submodule_search_locations) or ():
        place = Path(folder, *below)
        yield from sorted(place.rglob("*.py")) if (place / "__init__.py").is_file() else (place.with_suffix(".py"),)


def _content(*paths: Path) -> str:
    files = [path for path in paths if path.is_file()]
    if not files:
        return _ABSENT
    digest = hashlib.sha256(
        b"".join(os.fsencode(file.name) + hashlib.sha256(file.read_bytes()).digest() for file in files)
    )
    return digest.hexdigest()[:16]


def _shown(value: str | None) -> str:
    """A value as users write it: the format ``rows`` is Parquet."""
    return _NONE if value is None else "parquet" if value == "rows" else value


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Each difference, with both values."""
    names = sorted({*before, *now})
    return [
        f"{name} was {_shown(before.get(name))} and is {_shown(now.get(name))}"
        for name in names
        if before.get(name) != now.get(name)
    ]


def absent(there: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """The files and modules that exist there but not here."""
    return [
        name if value == _ABSENT else f'{name} "{value.removesuffix(f" ({_ABSENT})")}"'
        for name, value in here.items()
        if value.endswith((_ABSENT, f"({_ABSENT})")) and value != there.get(name)
    ]
