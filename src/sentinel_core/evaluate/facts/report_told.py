"""What an answer says of the report itself: its severity, its release, how many there are, and what stands in it. Pure."""

from collections.abc import Iterator

import attrs

from sentinel_core.evaluate.facts import report_words as words
from sentinel_core.evaluate.facts.figures import folded

__all__ = ["Report", "against_report"]


@attrs.frozen(kw_only=True)
class Report:
    """What an agent hands in on a release: the severity, empty if unknown, the findings, and what it answers afterwards."""

    release_id: str
    severity: str
    findings: tuple[str, ...]
    answer: str = ""


def against_report(low: str, where: str, report: Report, filed: int, fetched: str) -> Iterator[str]:
    """Why the report itself contradicts a sentence, in small letters and with digits.

    ``filed`` is the number of reports that were filed, and ``fetched`` is all text that the tools returned, folded.
    """
    yield from _severity(low, where, report)
    if where != "answer":
        return
    if words.SEVERAL.search(low):
        yield "one report was staged"
    if words.SINGLE.search(low) and filed > 1:
        yield f"{filed} reports were filed"
    if words.OF_REPORTS.search(low) and not words.DENIED.search(low):
        is_named = report.release_id.lower() in low  # then others that were fetched are what it is compared with
        told = (match[1] for match in words.ABOUT_RELEASE.finditer(low))
        versions = [version for version in told if not (is_named and version in fetched)]
        versions += [] if is_named else (match[1] for match in words.FILED_FOR.finditer(low))
        if any(version not in report.release_id.lower() for version in versions):
            yield f"the report is about {report.release_id}"
    yield from _content(low, report, fetched)


def _severity(low: str, where: str, report: Report) -> Iterator[str]:
    """What the sentence gives as the severity, if it never gives the one that was filed."""
    if not report.severity or (where == "finding" and not words.OF_REPORT.search(low)):
        return
    matches = [] if words.OTHER_RELEASE.search(low) else list(words.SEVERITY.finditer(low))
    levels = {next(level for level in match.groups() if level).replace("moderate", "medium") for match in matches}
    if matches and report.severity not in levels and not words.PART.search(low[: matches[0].end()]):
        yield f"the severity that was filed is {report.severity}"


def _content(low: str, report: Report, fetched: str) -> Iterator[str]:
    """What the sentence says of the report's findings: how many there are, and what of the data stands in them."""
    for match in words.OF_FINDINGS.finditer(low):
        if int(next(count for count in match.groups() if count)) != len(report.findings):
            yield f"the report has {len(report.findings)} findings"
    if (content := words.CONTENT.search(low)) is None:
        return
    held = folded(" ".join((*report.findings, report.severity)))
    for item in words.ITEMS.split(content["items"]):
        stems = {word[: words.STEM] for word in words.CONTENT_WORD.findall(item)}
        if any(stem in fetched for stem in stems) and not any(stem in held for stem in stems):
            yield f'no finding of the report says "{item.strip(" .`")}"'
