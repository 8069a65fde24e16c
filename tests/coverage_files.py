"""Removes the coverage data that killed processes left half written, so that the rest can be combined.

    python tests/coverage_files.py

Tests kill processes, also while they write what they measured. One such file must not fail the whole run: it is counted.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

__all__ = ["drop_broken"]


def drop_broken(folder: Path) -> tuple[int, int]:
    """Remove the files of a folder that hold no whole data, with the journals beside them; returns how many, of how many."""
    files = [path for path in sorted(folder.glob(".coverage.*")) if not path.name.endswith("-journal")]
    broken = [path for path in files if not _is_whole(path)]
    for path in broken:
        path.unlink()
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
    return len(broken), len(files)


def _is_whole(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as data:
            data.execute("select version from coverage_schema").fetchone()
            return bool(data.execute("pragma quick_check").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


if __name__ == "__main__":
    dropped, of = drop_broken(Path.cwd())
    sys.stdout.write(f"coverage data: {dropped} of {of} files dropped, which killed processes left half written\n")
