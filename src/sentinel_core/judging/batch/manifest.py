"""The progress of a batch: enough to resume after a kill at any moment, and to refuse a changed input."""

import json
from typing import Any, Self

import attrs

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.report_fingerprint import differences
from sentinel_core.judging.batch.summary import Summary

__all__ = ["Inputs", "Manifest"]

_VERSION = 1
_MOST_SHOWN = 5

Inputs = dict[str, list[int | str]]


@attrs.define(kw_only=True)
class Manifest:
    """The input (by label: size and time of change, or digest), the fingerprint of the setup, and the progress.

    The first ``splits`` splits, in parts of ``part`` bytes, are written, as ``offset`` bytes if they go to one file; they
    were ``size`` bytes of the input. ``summary`` covers them, and ``columns`` names the signals.
    """

    inputs: Inputs
    fingerprint: dict[str, str]
    part: int
    splits: int = 0
    offset: int = 0
    size: int = 0
    summary: Summary = attrs.field(factory=Summary)
    columns: list[str] = attrs.field(factory=list)
    complete: bool = False

    def encoded(self) -> bytes:
        """As JSON."""
        return json.dumps({**attrs.asdict(self), "version": _VERSION}).encode()

    @classmethod
    def decoded(cls, data: bytes) -> Self:
        """From ``encoded``. Raises ``InputError`` for a damaged manifest or another version."""
        try:
            held: dict[str, Any] = json.loads(data)
            version = held.pop("version")
            if version == _VERSION:
                return cls(**{**held, "summary": Summary.restored(held["summary"])})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError("--resume: the manifest is damaged; start again without --resume") from None
        raise InputError(
            f"--resume: the manifest has version {version}, but this Sentinel writes version {_VERSION}; start again without --resume"
        )

    def check(self, now: "Manifest") -> None:
        """Raises ``InputError`` with the differences if ``now`` is not the same work."""
        found = [*_changed(self.inputs, now.inputs), *differences(self.fingerprint, now.fingerprint)]
        if found:
            more = f"; and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
            shown = "; ".join(found[:_MOST_SHOWN])
            raise InputError(
                f"--resume: the options or inputs differ from those of the started batch: {shown}{more}; start again without --resume"
            )


def _changed(before: Inputs, now: Inputs) -> list[str]:
    gone = [f'the input "{label}" is missing now' for label in before if label not in now]
    new = [f'the input "{label}" is new' for label in now if label not in before]
    other = [f'the input "{label}" has changed' for label in now if label in before and before[label] != now[label]]
    order = ["the inputs are in another order"] if not (gone or new) and list(before) != list(now) else []
    return [*gone, *new, *other, *order]
