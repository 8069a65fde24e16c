"""Builds everything that is published: of each project a source distribution, and a wheel out of that source distribution.

    python publishing/distributions.py dist [--once]

It builds twice, the second time from a copy of the tracked files in another folder, and ends with 1 where a byte differs. With
``--once`` it builds once, and needs no git.
"""

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["REPOSITORY", "build", "projects"]

REPOSITORY = Path(__file__).resolve().parents[1]


def projects(root: Path = REPOSITORY) -> list[Path]:
    """The host, the agent, and every folder with a ``pyproject.toml`` under ``plugins`` and ``tools``."""
    found = [
        path.parent
        for pattern in ("agent", "plugins/*/*", "tools/*")
        for path in root.glob(f"{pattern}/pyproject.toml")
    ]
    return [root, *sorted(found)]


def build(folder: Path, root: Path = REPOSITORY) -> list[Path]:
    """A source distribution and a wheel of each project, in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    return [built for project in projects(root) for built in _build(project, folder)]


def _build(project: Path, folder: Path) -> Iterator[Path]:
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    (source,) = map(Path, SdistBuilder(str(project)).build(directory=str(folder)))
    yield source
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(source) as archive:
            archive.extractall(unpacked, filter="data")
        (content,) = Path(unpacked).iterdir()
        yield from map(Path, WheelBuilder(str(content)).build(directory=str(folder)))


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@contextlib.contextmanager
def _copy() -> Iterator[Path]:
    """The files that git knows or would take, in another folder, of now, and readable by the owner alone."""
    told = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name in filter(None, told.stdout.split("\0")):
            if (REPOSITORY / name).is_file():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(REPOSITORY / name, target)
        yield Path(folder)


def main() -> int:
    """Build, build again, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--once", action="store_true", help="build once and compare nothing")
    asked = parser.parse_args()
    build(asked.folder)
    return 0 if asked.once else _compare(asked.folder)


def _compare(folder: Path) -> int:
    first = digests(folder)
    mask = os.umask(0o077)
    with _copy() as copy, tempfile.TemporaryDirectory() as again:
        build(Path(again), copy)
        second = digests(Path(again))
    os.umask(mask)
    differing = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    print(f"{len(first)} files in {folder}; {len(differing)} differ in a second build from a copy")
    for name in differing:
        print(f"differs: {name}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
