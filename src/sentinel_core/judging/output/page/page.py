"""Builds the page out of judged records: a row for each, and the worst of them in full."""

import base64
import hashlib
import string
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import IO, Any, NamedTuple

import msgspec

from sentinel_core._version import __version__
from sentinel_core.errors import InputError
from sentinel_core.judging.output.findings import findings_of
from sentinel_core.judging.output.headline import SEVERITIES, Rank, headline
from sentinel_core.judging.output.page.alignment import aligned, first_divergence
from sentinel_core.judging.output.page.files import files_markup
from sentinel_core.judging.output.record import MOST_IN_FULL, Extra, Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.printable import visible

__all__ = ["Page"]

_MOST_BYTES = 24 << 20
_BOTH = 2  # runs to compare
_SCRIPTS = (
    "dom.js", "links.js", "place.js", "text.js", "findings.js", "stretches.js", "timeline.js", "finder.js", "files.js", "gist.js",
    "strip.js", "trace.js", "compare.js", "overview.js", "table.js", "main.js",
)  # fmt: skip

_json = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class _Evidence(msgspec.Struct):
    evidence: list[dict[str, Any]]


_evidence = msgspec.json.Decoder(_Evidence).decode


class _Full(NamedTuple):
    """A trace that is in the page as a whole; sorts by how much it is worth a look."""

    rank: Rank
    number: int
    data: bytes


class Page:
    """A self-contained HTML page. Of many traces it holds a row each, and the ``MOST_IN_FULL`` worst whole, 24 MB at most."""

    extras: frozenset[Extra] = frozenset({"page"})

    def __init__(self, stream: IO[bytes], settings: OutputSettings | None = None) -> None:
        self._stream = stream
        self._settings = settings or OutputSettings()
        self._rows: list[list[Any]] = []
        self._ranks: list[Rank] = []
        self._full: list[_Full] = []
        self._bytes = 0
        self._profile: object = None

    def add(self, record: Record) -> None:
        """One more record, in the order of the input."""
        number = len(self._rows)
        self._ranks.append(record.rank)
        if not record.is_judged:
            self._rows.append(_error_row(record))
            return
        report = _decode(record.report)
        self._profile = self._profile or report["profile"]
        self._rows.append(_row(record, report))
        if bytes(record.page):
            self._keep(number, record)

    def _keep(self, number: int, record: Record) -> None:
        known = [place for place, one in enumerate(findings_of(record, self._settings.known)) if one.is_known]
        place = {"source": visible(record.source), "record": record.record, "known": known}
        data = _json(place)[:-1] + b',"trace":' + bytes(record.page) + b"}"
        insort(self._full, _Full(record.rank, number, data))
        self._bytes += len(data)
        fewest = _BOTH if self._settings.compares else 1
        while len(self._full) > MOST_IN_FULL or (self._bytes > _MOST_BYTES and len(self._full) > fewest):
            self._bytes -= len(self._full.pop().data)

    def finish(self) -> None:
        """Write the whole page. Raises ``InputError`` if two runs are to be compared and these are not two."""
        kept = {one.number for one in self._full}
        for number, row in enumerate(self._rows):
            row.append(number in kept)
        order = sorted(range(len(self._rows)), key=self._ranks.__getitem__)
        run = {
            "version": __version__,
            "profile": self._profile,
            "columns": _COLUMNS,
            "rows": self._rows,
            "order": order,
        }
        if self._settings.compares:
            run["compare"] = self._compared()
        blocks = [("run", _json(run)), *((f"r{one.number}", one.data) for one in sorted(self._full, key=_by_number))]
        self._stream.writelines(_document(self._title(), self._files(), blocks))

    def _compared(self) -> dict[str, Any]:
        if not len(self._rows) == len(self._full) == _BOTH:
            unread = sum(row[0] == "UNREADABLE" for row in self._rows)
            also = f", {unread} of them unreadable" if unread else ""
            raise InputError(
                f"--compare needs exactly two traces, and here are {len(self._rows)}{also}; name two files"
            )
        left, right = (_decode(one.data)["trace"]["messages"] for one in sorted(self._full, key=_by_number))
        pairs = aligned(left, right)
        return {"pairs": pairs, "first": first_divergence(pairs)}

    def _title(self) -> str:
        if len(self._rows) != 1:
            return f"Sentinel: {len(self._rows):,} traces"
        row = dict(zip(_COLUMNS, self._rows[0], strict=False))
        request = _decode(self._full[0].data)["trace"].get("request") if self._full else None
        return f"{row['verdict']}: {request or row['id'] or row['source']}"

    def _files(self) -> str:
        """The list of files of a single trace, as markup for a browser that runs no script."""
        found = _decode(self._full[0].data)["trace"].get("files") if len(self._rows) == len(self._full) == 1 else None
        return files_markup(found) if found else ""


def _by_number(one: _Full) -> int:
    return one.number


_COLUMNS = (
    "verdict", "risk", "triage", "id", "source", "record", "quote", "text", "rule", "severities", "rules", "messages", "calls",
    "tokens", "claim", "full",
)  # fmt: skip


def _row(record: Record, report: dict[str, Any]) -> list[Any]:
    findings, totals = report["findings"], report["metadata"]
    worst, told = headline(report)
    return [
        report["verdict"] or "NO VERDICT",
        report["overall_score"],
        report["triage_score"],
        visible(report["trace_id"]),
        visible(record.source),
        record.record,
        *map(visible, told),
        worst["rule"] if worst else "",
        [sum(one["severity"] == severity for one in findings) for severity in SEVERITIES],
        sorted({visible(one["rule"]) for one in findings if one["severity"] != "note"}),
        totals["total_messages"],
        totals["total_tool_calls"],
        totals["total_tokens"],
        _is_claim(worst, report, record),
    ]


def _is_claim(worst: Mapping[str, Any] | None, report: Mapping[str, Any], record: Record) -> bool:
    """Whether the worst finding is about words of the agent, which the record contradicts or does not bear out."""
    if worst is None or not worst["quote"] or not bytes(record.page):
        return False
    found = _evidence(record.page).evidence[report["findings"].index(worst)]
    return bool(found.get("shown")) or "before" in found


def _error_row(record: Record) -> list[Any]:
    assert record.error is not None
    source = visible(record.error.source)
    return [
        "UNREADABLE",
        None,
        None,
        "",
        source,
        record.record,
        "",
        visible(record.error.message),
        "",
        [0, 0, 0],
        [],
        0,
        0,
        None,
        False,
    ]


def _document(title: str, files_changed: str, blocks: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The page in pieces, for what it shows may be large."""
    style, script = _asset("page.css"), "\n".join(map(_asset, _SCRIPTS))
    template = string.Template(_asset("page.html"))
    head, tail = template.substitute(
        title=_escaped(title),
        files=files_changed,
        style=style,
        script=f'"use strict";\n{{\n{script}}}\n',
        style_hash=_hash(style),
        script_hash=_hash(f'"use strict";\n{{\n{script}}}\n'),
        data="\0",
    ).split("\0")
    yield head.encode()
    for name, data in blocks:
        yield b'<script type="application/json" id="%s">' % name.encode()
        yield data.replace(b"<", b"\\u003c")
        yield b"</script>\n"
    yield tail.encode()


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """As a content security policy names what it lets through."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _escaped(text: str) -> str:
    from html import escape

    return escape(visible(text))
