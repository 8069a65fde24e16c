"""How Sphinx builds the site: ``make docs``."""

import re
from typing import Any

import click

from sentinel_core import __version__, offers
from sentinel_core.evaluate import checks, index

project = "Sentinel"
copyright = "the Sentinel authors"  # noqa: A001 - Sphinx's name
release = version = __version__
html_title = "Sentinel"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["images", "*.py"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence"]
suppress_warnings = ["myst.header"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
html_theme_options = {
    "source_repository": "https://github.com/reliability-sentinel/reliability-sentinel/",
    "source_branch": "main",
    "source_directory": "docs/",
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_show_sphinx = False
smartquotes = False  # flags and commands must stay as they are typed

_SOURCE = "https://github.com/reliability-sentinel/reliability-sentinel/blob/main/"
_out = re.compile(
    r"(\](?:\(|: ))\.\./(?=(?:plugins|examples|src|benchmarks|tests|tools|CONTRIBUTING|CHANGELOG|SECURITY|README)\b)"
)


# Names that only type checkers import, and autodoc wants.
index.Check = checks.Check  # type: ignore[attr-defined]
offers.click = click


def setup(app: Any) -> None:
    """Links that leave ``docs`` lead to the repository."""
    app.connect("source-read", _link_to_repository)


def _link_to_repository(_app: Any, _name: str, source: list[str]) -> None:
    source[0] = _out.sub(rf"\1{_SOURCE}", source[0])
