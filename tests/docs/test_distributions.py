"""What a package index shows of each distribution: complete, true, and without a dead link."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from headings import anchors
from tables import each_row
from trove_classifiers import classifiers

from sentinel_core import __version__

REPOSITORY = Path(__file__).parents[2]
NESTED = ("agent", "plugins/*/*", "tools/*")
FOLDERS = (
    REPOSITORY,
    *sorted(path.parent for one in NESTED for path in REPOSITORY.glob(f"{one}/pyproject.toml")),
)
PYTHONS = {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)}


def project(folder: Path) -> dict:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


HOME = project(REPOSITORY)["urls"]["Homepage"]


def relative(folder: Path) -> str:
    return str(folder.relative_to(REPOSITORY))


each = each_row("folder", FOLDERS)


def links(text: str) -> Iterator[str]:
    """Inline, by reference, and bare."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"\]\(([^)\s]+)\)", text)
    yield from re.findall(r"^\[[^\]]+\]: (\S+)$", text, re.MULTILINE)


def problem_of(link: str) -> str | None:
    """Why a link is dead for who reads it on an index. Only those into this repository can be looked up."""
    if not link.startswith(f"{HOME}/"):
        return None if link.startswith(("https://", "#")) else "is not absolute"
    kind, _, rest = link.removeprefix(f"{HOME}/").partition("/")
    if kind == "issues" and not rest:
        return None
    path, _, anchor = rest.removeprefix("main/").partition("#")
    place = REPOSITORY / path
    if kind not in ("blob", "tree") or not rest.startswith("main/"):
        return "leads to no file on the branch main"
    if not (place.is_file() if kind == "blob" else place.is_dir()):
        return "leads to nothing"
    return None if not anchor or anchor in anchors(place) else "leads to no heading"


@each
def test_the_metadata_is_complete_and_the_licence_is_in_the_distribution(folder):
    told = project(folder)
    assert (told["version"], told["license"], told["license-files"]) == (__version__, "Apache-2.0", ["LICENSE"])
    assert (folder / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()
    assert set(told["classifiers"]) <= classifiers
    assert PYTHONS | {"Typing :: Typed", "Operating System :: POSIX :: Linux"} <= set(told["classifiers"])
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= told["urls"].keys()
    assert len(told["keywords"]) >= 4
    assert told["requires-python"] == ">=3.11"


def test_every_pin_of_a_distribution_of_ours_is_of_this_version():
    text = "\n".join((folder / "pyproject.toml").read_text(encoding="utf-8") for folder in FOLDERS)
    assert set(re.findall(r'"reliability-sentinel[^"=]*==([^"]+)"', text)) == {__version__}


@each
def test_every_address_in_metadata_and_readme_leads_somewhere(folder):
    found = [*project(folder)["urls"].values(), *links((folder / "README.md").read_text(encoding="utf-8"))]
    assert {link: why for link in found if link != HOME and (why := problem_of(link)) is not None} == {}


def test_readme_refers_to_no_link_that_it_does_not_define():
    for folder in FOLDERS:
        text = re.sub(
            r"^```.*?^```", "", (folder / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        defined = set(re.findall(r"^\[([^\]]+)\]: ", text, re.MULTILINE))
        used = {name or words for words, name in re.findall(r"\[([^\]\n]+)\]\[([^\]\n]*)\]", text)}
        assert used == defined, folder


@pytest.mark.parametrize(
    "link",
    [
        "docs/evaluate.md",
        "http://localhost/x",
        f"{HOME}/blob/main/docs/gone.md",
        f"{HOME}/blob/other/docs/evaluate.md",
        f"{HOME}/blob/main/docs/evaluate.md#gone",
        f"{HOME}/tree/main/README.md",
    ],
)
def test_a_dead_link_is_found(link):
    assert problem_of(link) is not None
