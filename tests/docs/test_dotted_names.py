"""Every dotted name of Sentinel in the docs is there: a package, a module, or a name in one."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES += [
    path for part in ("plugins/*/*", "agent", "integrations", "publishing/*") for path in ROOT.glob(f"{part}/README.md")
]
NAME = re.compile(r"(?<![\w./:-])(sentinel_\w+(?:\.\w+)+)")
FILES = (".py", ".toml", ".md", ".json", ".jsonl", ".txt")


def resolves(name: str) -> bool:
    """Whether the longest part that is a module has the rest; a module is looked for, and imported only for what is in it."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            is_module = importlib.util.find_spec(".".join(parts[:end])) is not None
        except ModuleNotFoundError:
            is_module = False
        if is_module:
            found = importlib.import_module(".".join(parts[:end])) if end < len(parts) else True
            for part in parts[end:]:
                found = getattr(found, part, None)
            return found is not None
    return False


def named():
    return sorted(
        {
            (name, path.relative_to(ROOT).as_posix())
            for path in PAGES
            for name in NAME.findall(path.read_text(encoding="utf-8"))
            if not name.endswith(FILES)
        }
    )


@pytest.mark.parametrize(("name", "page"), named())
def test_it_is_there(name, page):
    """What stands for a reader's own package is none of ours."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip("an example's own package")
    assert resolves(name), page


def test_there_are_many():
    assert len(named()) > 30
