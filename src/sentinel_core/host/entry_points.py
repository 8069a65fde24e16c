"""Entry points of installed distributions, read straight from their files.

``importlib.metadata`` returns the same, but importing it takes a tenth of a cold start, and it reads every distribution
again for each group. It is used only for what is not a plain folder, such as a zip file on the path.
"""

import functools
import os
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["HOST", "EntryPoint", "entry_points"]

HOST = "reliability-sentinel"
"""The host's own distribution, which every plugin requires."""

_INFO = (".dist-info", ".egg-info")
_SEPARATORS = re.compile(r"[-_.]+")


class EntryPoint(NamedTuple):
    """One entry point and its distribution; ``requires`` lists that distribution's requirements."""

    group: str
    name: str
    value: str
    distribution: str
    version: str
    requires: tuple[str, ...] = ()


def entry_points(prefix: str) -> tuple[EntryPoint, ...]:
    """The entry points in groups that begin with ``prefix``. If a distribution is there twice, the first on the path counts.

    Cached per process: a distribution installed later is not seen.
    """
    return _all_on(tuple(sys.path), prefix)


@functools.cache
def _all_on(path: tuple[str, ...], prefix: str) -> tuple[EntryPoint, ...]:
    found: list[EntryPoint] = []
    seen: set[str] = set()
    for entry in path:
        for points in _on(entry or ".", prefix):
            if points and (key := _SEPARATORS.sub("-", points[0].distribution).lower()) not in seen:
                seen.add(key)
                found += points
    return tuple(found)


def _on(entry: str, prefix: str) -> Iterator[list[EntryPoint]]:
    if os.path.isfile(entry):  # noqa: PTH113 - runs for each entry of the path, at every start
        yield from _in_archive(entry, prefix)
        return
    try:
        names = os.listdir(entry)  # noqa: PTH208 - as above
    except OSError:
        return
    for name in sorted(names):
        if name.endswith(_INFO):
            text = _read(f"{entry}/{name}/entry_points.txt")
            if f"[{prefix}" in text:
                facts = _read(f"{entry}/{name}/METADATA") or _read(f"{entry}/{name}/PKG-INFO")
                yield _points(text, prefix, facts)


def _in_archive(entry: str, prefix: str) -> Iterator[list[EntryPoint]]:
    from importlib.metadata import distributions

    for distribution in distributions(path=[entry]):
        text = distribution.read_text("entry_points.txt") or ""
        yield _points(text, prefix, distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or "")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return ""


def _points(text: str, prefix: str, facts: str) -> list[EntryPoint]:
    headers = facts.partition("\n\n")[0].splitlines()
    name, version = _first(headers, "Name: "), _first(headers, "Version: ")
    requires = tuple(line.removeprefix("Requires-Dist: ") for line in headers if line.startswith("Requires-Dist: "))
    group = ""
    points = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]")
        elif "=" in line and not line.startswith(("#", ";")) and group.startswith(prefix):
            key, _, value = line.partition("=")
            target = value.partition("[")[0].strip()
            points.append(
                EntryPoint(
                    group=group, name=key.strip(), value=target, distribution=name, version=version, requires=requires
                )
            )
    return points


def _first(headers: list[str], field: str) -> str:
    return next((line.removeprefix(field).strip() for line in headers if line.startswith(field)), "")
