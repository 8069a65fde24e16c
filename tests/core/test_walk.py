"""What folders and patterns lead to: through links without circles, as ``glob`` matches, with what cannot be read told."""

import glob
import sys
from pathlib import Path

import pytest

from sentinel_core.errors import InputError
from sentinel_core.traces.sources import find_sources
from sentinel_core.traces.sources.walk import Walk

# A child takes another user's id (root reads everything), and says what it finds. It looked once before: that user may not be let in
# to where the project and Python stand, and so could import nothing more.
AS_NOBODY = """
import os
from sentinel_core.traces.sources import find_sources
def look():
    for argument in %r:
        yield "; ".join(str(one) if isinstance(one, Exception) else one.label for one in find_sources((argument,)))
found = list(look())
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
    found = list(look())
print(*found, sep="\\n")
"""


def write(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def found(*arguments: str) -> list[str]:
    return [str(one) if isinstance(one, InputError) else one.label for one in find_sources(arguments)]


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_links_lead_round_in_no_circle(place):
    write(place / "in/a.json", place / "in/deep/b.json", place / "far/c.json")
    for name, target in {
        "latest": ".",
        "again": "..",
        "away": "../far",
        "d.json": "deep/b.json",
        "loop": "loop",
    }.items():
        (place / "in" / name).symlink_to(target)
    once = ["in/a.json", "in/d.json", "in/deep/b.json"]
    assert found("in") == once
    assert found("in/**") == [*once, '"in/loop": is not a file, or is a link to a missing file']
    assert found("in/**/*.json") == found("in/**/**/*.json") == once
    assert found("in/away/*.json") == found("in/away/**/*.json") == found("in/away") == ["in/away/c.json"]
    assert found("in/aw*/*.json") == ["in/away/c.json"]


def test_patterns_match_as_those_of_glob_do(place):
    names = ("a.json", "b.json/c.json", ".h/d.json", "x/.e.json", "x/a-b/f.json", "x/a/g.json", "[y]/h.json", "ä.txt")
    write(*(place / name for name in names))
    patterns = (
        "*",
        "*/*",
        "**",
        "**/*.json",
        "x/**",
        "?.json",
        "[!x]*/*",
        ".*/*",
        "x/.*",
        "[[]y]/*",
        "*/a/*.json",
        "**x/*",
    )
    for pattern in (*patterns, "**/a/*", "*/", "x/*/..", "none/*", f"{place}/**/*.json", "a.json/*"):
        expected = sorted(name for name in glob.glob(pattern, recursive=True) if not Path(name).is_dir())  # noqa: PTH207 - what is compared with
        assert [str(path) for path in Walk().matches(pattern)] == expected, pattern


@pytest.mark.unmeasured  # as another user, who cannot write what was measured
def test_what_cannot_be_read_is_told_and_costs_nothing_else(place):
    import subprocess

    write(place / "in/a.json", place / "in/locked/b.json", place / "in/listed/c.json", place / "in/z/d.json")
    modes = {"in/locked": 0o000, "in/listed": 0o744}
    place.chmod(0o755)
    for name, mode in modes.items():
        (place / name).chmod(mode)
    arguments = ("in", "in/**/*.json", "in/*/*.json", "in/*/b.json", "in/locked", "in/locked/b.json", "in/locked/*")
    code = f"import sys; sys.path[:] = {sys.path!r}\n" + AS_NOBODY % (arguments,)
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    finally:
        for name in modes:
            (place / name).chmod(0o755)
    locked = '"in/locked": this folder cannot be read: Permission denied'
    listed = '"in/listed/c.json": cannot be read: Permission denied'
    assert (done.stdout.splitlines(), done.stderr) == (
        [
            f"in/a.json; {listed}; {locked}; in/z/d.json",
            f"in/a.json; {listed}; {locked}; in/z/d.json",
            f"{listed}; {locked}; in/z/d.json",
            '"in/listed": this folder cannot be read: Permission denied; ' + locked,
            locked,
            '"in/locked/b.json": cannot be read: Permission denied',
            locked,
        ],
        "",
    )
