"""Writes what other package managers install from: the Homebrew formula and the conda recipe, with the checksums of what was built.

    python publishing/recipes.py dist build/recipes

Both are templates beside this file; a checksum is known only once ``make dist`` has built the source distributions.
"""

import hashlib
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from distributions import projects

__all__ = ["rendered"]

_FILES = {"homebrew/reliability-sentinel.rb", "conda/recipe.yaml"}
_HOST = "reliability-sentinel"
_EXTRAS = ("standard", "mcp")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[a-z,-]+\])?(.*)")


class _Source(NamedTuple):
    """A source distribution: its project's table, its address on the index, and its checksum."""

    project: dict[str, Any]
    url: str
    sha256: str


def rendered(dist: Path) -> dict[str, str]:
    """Each recipe's text by its file name, for the source distributions in ``dist``. Raises ``OSError`` where one is missing."""
    tables = {table["name"]: table for table in map(_table, projects())}
    host = tables[_HOST]
    wanted = [tables[_name(one)[0]] for extra in _EXTRAS for one in host["optional-dependencies"][extra]]
    sources = [_source(table, dist) for table in (host, *wanted)]
    values = {
        "VERSION": host["version"],
        "URL": sources[0].url,
        "SHA256": sources[0].sha256,
        "SOURCES": "\n".join(
            f"  - url: {one.url}\n    sha256: {one.sha256}\n    target_directory: {one.project['name']}"
            for one in sources
        ),
        "FOLDERS": " ".join(f"./{one.project['name']}" for one in sources),
        "REQUIREMENTS": "\n".join(f"    - {one}" for one in _requirements(one.project for one in sources)),
    }
    texts = {Path(name).name: (Path(__file__).parent / name).read_text(encoding="utf-8") for name in _FILES}
    return {name: re.sub(r"@([A-Z0-9]+)@", lambda found: values[found[1]], text) for name, text in texts.items()}


def _table(project: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def _source(project: dict[str, Any], dist: Path) -> _Source:
    name = project["name"]
    file = f"{name.replace('-', '_')}-{project['version']}.tar.gz"
    digest = hashlib.sha256((dist / file).read_bytes()).hexdigest()
    return _Source(project, f"https://pypi.org/packages/source/{name[0]}/{name}/{file}", digest)


def _name(requirement: str) -> tuple[str, str]:
    """A requirement's name and its bounds."""
    found = _REQUIREMENT.fullmatch(requirement.partition(";")[0].strip())
    if found is None:
        raise ValueError(f"{requirement!r} is no requirement")
    return found[1], found[2]


def _requirements(tables: Iterable[dict[str, Any]]) -> list[str]:
    """What is not Sentinel's own, as conda writes it; the highest bound of each."""
    found: dict[str, str] = {}
    for table in tables:
        for name, bounds in map(_name, table["dependencies"]):
            if not name.startswith(_HOST):
                found[name] = max(found.get(name, ""), bounds, key=_numbers)
    return [f"{name} {bounds}".strip() for name, bounds in sorted(found.items())]


def _numbers(bounds: str) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", bounds)]


def main(arguments: list[str]) -> int:
    """Write them; 1 where the folders are not told."""
    try:
        dist, folder = map(Path, arguments)
    except ValueError:
        print("say where the distributions are, and where to write: recipes.py dist build/recipes", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in rendered(dist).items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
