"""The documents stay short enough to read: words of prose, without code, generated pages, and the card of figures."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
GENERATED = "<!-- docs/generate.py"
MOST_IN_ALL, MOST_ON_A_PAGE, MOST_IN_THE_README = 19_500, 2_000, 700


def words(path: Path) -> int:
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\[[^\]]+\]: \S+$", "", text, flags=re.MULTILINE)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def written() -> dict[str, int]:
    pages = [path for path in DOCS.rglob("*.md") if path.name != "detection.md"]
    return {
        str(path.relative_to(DOCS)): words(path)
        for path in pages
        if not path.read_text(encoding="utf-8").startswith(GENERATED)
    }


def test_all_pages_together_are_read_in_a_hundred_minutes():
    counted = written()
    assert len(counted) > 20
    assert sum(counted.values()) <= MOST_IN_ALL


def test_no_page_is_a_book():
    assert {name: count for name, count in written().items() if count > MOST_ON_A_PAGE} == {}


def test_the_readme_is_short():
    assert words(DOCS.parent / "README.md") <= MOST_IN_THE_README
