"""The host's own formats of results, as plugins offer theirs."""

import importlib
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, NamedTuple

from sentinel_core.offers import Document, Output

if TYPE_CHECKING:
    from sentinel_core.host.plugins import Installed
    from sentinel_core.judging.output.settings import OutputSettings

__all__ = ["OWN", "PLAIN", "Format"]

PLAIN = ("text", "json", "jsonl")
"""The formats that stand for themselves: reports one after the other."""


class Format(NamedTuple):
    """A format of results; ``source`` is the plugin that offers it, None for the host's own."""

    name: str
    summary: str
    endings: tuple[str, ...]
    source: "Installed | None" = None


def _later(module: str, name: str) -> "Callable[[IO[bytes], OutputSettings], Document]":
    """Opens a document; its module is imported only then."""

    def opened(stream: IO[bytes], settings: "OutputSettings") -> "Document":
        made: Document = getattr(importlib.import_module(f"{__package__}.{module}"), name)(stream, settings)
        return made

    return opened


OWN: Mapping[str, Output] = {
    output.name: output
    for output in (
        Output(name="text", summary="reports to read", open=_later("reports", "Texts"), endings=("txt",)),
        Output(
            name="json",
            summary="one JSON document: an object for one trace, a list for several",
            open=_later("reports", "Json"),
            endings=("json",),
        ),
        Output(
            name="jsonl",
            summary="one line of JSON per trace",
            open=_later("reports", "JsonLines"),
            endings=("jsonl", "ndjson"),
        ),
        Output(
            name="html",
            summary="the page: findings beside the conversation, without a network",
            open=_later("page.page", "Page"),
            endings=("html", "htm"),
        ),
        Output(
            name="sarif",
            summary="SARIF 2.1.0 for code scanning: each finding at its line of the file, with a stable fingerprint and its rule's help; "
            "at most 5,000 findings, worst first",
            open=_later("sarif", "Sarif"),
            endings=("sarif",),
        ),
        Output(
            name="junit",
            summary="one suite per file, one case per trace; a verdict that fails the job (`--fail-on`) is a failure, a trace that could "
            "not be judged is an error; valid against `junit-10.xsd` of Jenkins' xUnit plugin",
            open=_later("junit", "JUnit"),
            endings=("xml",),
        ),
        Output(
            name="markdown",
            summary="counts and the 30 findings most worth reading, for a comment or a job summary",
            open=_later("summary_markdown", "Markdown"),
            endings=("md",),
        ),
        Output(
            name="github",
            summary="annotations for GitHub Actions, at most ten per level, worst first: no trace gets a second before every trace has one; "
            "the summary goes to the job's page",
            open=_later("runners", "GitHub"),
        ),
        Output(name="gitlab", summary="a code quality report for GitLab CI", open=_later("runners", "GitLab")),
    )
}
"""The host's own outputs."""
