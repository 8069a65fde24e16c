"""The documentation as a site: built without a warning, each link leads somewhere, and it asks nothing of a network."""

import importlib.util
import os
import re
import subprocess
import sys
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from page_looks import each_look

pytestmark = pytest.mark.unmeasured

DOCS = Path(__file__).parents[2] / "docs"
CLICKS = 3
# As "python -m sphinx", but without a look for garbage among the trees of all pages: a quarter of its time.
SPHINX = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.ids |= {value for name, value in attrs if name in ("id", "name") and value}
        if tag == "a" and told.get("href"):
            self.links.add(told["href"])
        if tag in ("script", "img", "iframe", "source") and told.get("src"):
            self.loads.add(told["src"])
        if tag == "link" and told.get("rel") in ("stylesheet", "icon", "preload", "shortcut icon"):
            self.loads.add(told["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if importlib.util.find_spec("sphinx") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Sphinx is not installed (make test and make docs do it)")
        pytest.skip("Sphinx is not installed (make test and make docs do it)")
    folder = tmp_path_factory.mktemp("site")
    build = ("--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", folder / "trees", DOCS, folder / "html")
    done = subprocess.run([sys.executable, "-c", SPHINX, *build], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}


def targets(name: str, links: set[str]) -> set[tuple[str, str]]:
    """Page and anchor of each link into the site."""
    found = set()
    for link in links:
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            whole = os.path.normpath((Path(name).parent / unquote(path)).as_posix()) if path else name
            found.add((whole, unquote(anchor)))
    return found


def test_every_link_leads_to_a_page_and_to_a_place_on_it(site, pages):
    dead = []
    for name, page in pages.items():
        for path, anchor in targets(name, page.links):
            if path not in pages:
                dead += [] if (site / path).is_file() else [f"{name}: {path}"]
            elif anchor and anchor not in pages[path].ids:
                dead.append(f"{name}: {path}#{anchor}")
    assert dead == []


def test_every_page_is_reached_from_the_first_in_three_clicks(site, pages):
    clicks, waiting = {"index.html": 0}, deque(["index.html"])
    while waiting:
        name = waiting.popleft()
        for path, _ in targets(name, pages[name].links):
            if path in pages and path not in clicks:
                clicks[path] = clicks[name] + 1
                waiting.append(path)
    documents = {f"{path.relative_to(DOCS).with_suffix('').as_posix()}.html" for path in DOCS.rglob("*.md")}
    assert documents <= set(pages)
    assert {name for name in documents if clicks.get(name, CLICKS + 1) > CLICKS} == set()


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for name, page in pages.items():
        for what in page.loads:
            assert not what.startswith(("http:", "https:", "//")), f"{name} loads {what}"
            assert (site / name).parent.joinpath(what.partition("?")[0]).exists(), f"{name} loads {what}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", style.read_text(encoding="utf-8")), style


@each_look(390)
def test_a_search_works_without_a_network(browse, site, theme, width):
    told = browse(
        site / "search.html",
        hash="?q=baseline",
        ready="#search-results li a",
        theme=theme,
        width=width,
        steps=[
            ["eval", "[...document.querySelectorAll('#search-results li a')].map((one) => one.innerText)"],
            ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ],
    )
    titles, fits = told["values"]
    assert any("baseline" in title.lower() for title in titles), titles
    assert fits
    assert all(one.startswith("file:") for one in told["requests"])


def test_a_block_is_copied_without_its_prompt(browse, site):
    """Of a console session only what is typed; a program whole."""
    copy = "(() => { let text; navigator.clipboard.writeText = async (one) => { text = one; }; const button = [...document.querySelectorAll('div.highlight-console button.copy')][0]; button.click(); return text; })()"
    told = browse(
        site / "hook.html",
        ready="h1",
        steps=[["eval", copy], ["eval", WITHOUT_BUTTON]],
        permissions=["clipboard-write"],
    )
    first, bare = told["values"]
    assert first.splitlines()[1] == "~/.sentinel/bin/sentinel hook install auto --user"
    assert "$" not in first
    assert bare == 0


WITHOUT_BUTTON = "document.querySelectorAll('div.highlight').length - document.querySelectorAll('button.copy').length"
