"""Every requirement of the source documents has a test that holds it, or a row of ``docs/differences.md`` that leaves it.

``requirements.toml`` is the table. Where the documents lie beside the repository, their sections are counted, too.
"""

import ast
import functools
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = tomllib.loads(Path(__file__).with_name("requirements.toml").read_text(encoding="utf-8"))
SOURCES = ROOT.parent / "shared" / "spec"
ENTRIES = [
    (f"{name} {number}", holds)
    for name, document in DOCUMENTS.items()
    for number, all_that_hold in document["held"].items()
    for holds in all_that_hold
]


def rows():
    """The first cell of each row of the page's tables."""
    page = (ROOT / "docs/differences.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (.+?) \| .+ \| .+ \|$", page, re.MULTILINE)
    return [cell for cell in cells if cell != "the source says"]


@functools.cache
def names_in(path):
    return {
        node.name for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
    }


def problem(holds):
    """Why this holds nothing; empty if it does."""
    kind, _, what = holds.partition(": " if holds.startswith("differs: ") else " ")
    if kind == "differs":
        found = [row for row in rows() if row == what] or [row for row in rows() if row.startswith(what)]
        return "" if len(found) == 1 else f"{len(found)} rows begin so"
    if kind == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return "" if re.search(rf"^{re.escape(what)}:", makefile, re.MULTILINE) else "no such target"
    path, _, name = holds.partition("::")
    if not (ROOT / path).is_file():
        return "no such file"
    return "" if name in names_in(path) else "no such test"


def test_what_holds_a_requirement_is_there():
    assert {f"{number}: {holds}: {problem(holds)}" for number, holds in ENTRIES if problem(holds)} == set()
    assert len({number for number, _ in ENTRIES}) >= 400


def test_every_row_of_the_differences_leaves_a_requirement():
    named = [holds.removeprefix("differs: ") for _, holds in ENTRIES if holds.startswith("differs: ")]
    assert [row for row in rows() if row not in named and not any(row.startswith(name) for name in named)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_sections_are_whole_and_requirements_are_counted_through(name):
    document = DOCUMENTS[name]
    numbers = [tuple(map(int, number.split("."))) for number in document["held"]]
    ordinals = {section: [ordinal for one, ordinal in numbers if one == section] for section, _ in numbers}
    assert all(found == list(range(1, len(found) + 1)) for found in ordinals.values())
    assert sorted(chain(ordinals, document["empty"])) == list(range(1, document["sections"] + 1))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_have_as_many_sections(name):
    source = SOURCES / f"{name}.txt"
    if not source.exists():
        pytest.skip(f"the source document {source.name} is not beside the repository")
    plain = re.sub(r"^```.*?^```", "", source.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^#+ ", plain, re.MULTILINE)) == DOCUMENTS[name]["sections"]
