"""What is done of a batch: enough to go on after a kill at any moment, and to refuse where the input changed."""

import json
from typing import Any, Self

import attrs

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.report_fingerprint import differences
from sentinel_core.judging.batch.summary import Summary

__all__ = ["Inputs", "Manifest"]

_VERSION = 1
_TOLD = 5

Inputs = dict[str, list[int | str]]


@attrs.define(kw_only=True)
class Manifest:
    """The input (by label: size and time of change, or digest), what judged it, and how far it came.

    The first ``splits`` splits, in parts of ``part`` bytes, are out whole, in ``offset`` bytes where they go to one file;
    they were ``size`` bytes of the input. ``summary`` tells of them, and ``columns`` names the signals.
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
        """From ``encoded``. Raises ``InputError`` where it is none, or of another version."""
        try:
            held: dict[str, Any] = json.loads(data)
            version = held.pop("version")
            if version == _VERSION:
                return cls(**{**held, "summary": Summary.restored(held["summary"])})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError("--resume: the manifest is damaged; start again without --resume") from None
        raise InputError(
            f"--resume: the manifest has version {version}, here it is {_VERSION}; start again without --resume"
        )

    def check(self, now: "Manifest") -> None:
        """Raises ``InputError`` with the differences where ``now`` is not the same work."""
        found = [*_changed(self.inputs, now.inputs), *differences(self.fingerprint, now.fingerprint)]
        if found:
            more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
            told = "; ".join(found[:_TOLD])
            raise InputError(f"--resume: this is other work than was begun: {told}{more}; start again without --resume")


def _changed(before: Inputs, now: Inputs) -> list[str]:
    gone = [f'the input "{label}" is not given any more' for label in before if label not in now]
    new = [f'the input "{label}" is new' for label in now if label not in before]
    other = [f'the input "{label}" changed' for label in now if label in before and before[label] != now[label]]
    order = ["the inputs are in another order"] if not (gone or new) and list(before) != list(now) else []
    return [*gone, *new, *other, *order]
