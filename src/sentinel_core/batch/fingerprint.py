"""What a report depends on besides its trace: plugins, versions, settings, the profile. Two that differ must not mix."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from sentinel_core import __version__
from sentinel_core.host import select
from sentinel_core.judging.job import Plan
from sentinel_core.profile import RS1
from sentinel_core.redact import redact

__all__ = ["differences", "fingerprint"]

_KINDS = ("signals", "trace_readers")
_OPTIONS = ("format", "pretty", "verbose", "reader", "latest", "strict", "max_record")
_NONE = "none"


def fingerprint(plan: Plan) -> dict[str, str]:
    """By what it is called, what it is, here and now. Imports no plugin."""
    chosen, _ = select(plan.selection, _KINDS)
    profile = plan.layers.host().profile
    return {
        "reliability-sentinel": __version__,
        **{f'plugin "{one.label}"': one.origin for one in chosen},
        **{f'plugin "{target}"': _content(target) for target in plan.selection.targets},
        "profile": profile if profile == RS1.name else f"{profile} ({_content(profile)})",
        **{f'setting "{key}"': value for key, value in _settings(plan)},
        **{f'option "{name}"': str(getattr(plan, name)) for name in _OPTIONS},
    }


def _settings(plan: Plan) -> Iterator[tuple[str, str]]:
    """Of plugins and weights. Of the host's own, the profile and the options above are all that shows in reports."""
    for key, setting in sorted(plan.layers.values.items()):
        if key.partition(".")[0] in (*_KINDS, "weights"):
            yield key, redact(str(setting.value))


def _content(path: str) -> str:
    file = Path(path)
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else _NONE


def _shown(value: str | None) -> str:
    """As people write it: rows are what Parquet is made from."""
    return _NONE if value is None else "parquet" if value == "rows" else value


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Each thing that is not the same, with both values."""
    names = sorted({*before, *now})
    return [
        f"{name} was {_shown(before.get(name))} and is {_shown(now.get(name))}"
        for name in names
        if before.get(name) != now.get(name)
    ]
