"""Which files the calls of a trace and its sub-agents changed, and where: what the page lists."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from html import escape
from itertools import islice
from typing import Any, NamedTuple

import attrs

from sentinel_core.evaluate.facts.files import changes_unnamed, files_of
from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.runtime.printable import counted, visible
from sentinel_core.runtime.redact import redact
from sentinel_core.trace import ToolResult

__all__ = ["MOST_FILES", "files_changed", "files_markup", "is_refused"]

MOST_FILES = 200
_LONGEST, _DEEPEST = 300, 20
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class _Made(NamedTuple):
    """A call that was made, as it sorts in the order of the timeline; ``key`` is its message's in links, ``place`` its own there."""

    order: tuple[int, ...]
    key: str
    place: int
    folder: str
    call: Call


@attrs.define
class _File:
    first: _Made
    last: _Made
    how: str
    changes: int = 0


def files_changed(index: TraceIndex) -> dict[str, Any] | None:
    """A row for each file, the one that changed last first; None where no call changed any.

    Calls that failed or that the user refused changed nothing. ``files`` counts also those beyond the rows, ``calls`` the calls that
    name a file, and ``unnamed`` those that changed files and name none.
    """
    files: dict[str, _File] = {}
    unnamed: list[_Made] = []
    calls = 0
    for made in sorted(_made(index, (), (), ""), key=_order):
        asked = made.call.call
        changed = {_named(path, made.folder): how for path, how in files_of(asked.name, asked.arguments).items()}
        calls += bool(changed)
        for path, how in changed.items():
            file = files.pop(path, None) or _File(made, made, how)
            file.last, file.how, file.changes = made, how, file.changes + 1
            files[path] = file  # the one that changed last comes last
        if not changed and changes_unnamed(asked.name, asked.arguments):
            unnamed.append(made)
    if not (files or unnamed):
        return None
    rows = [_row(path, file) for path, file in islice(reversed(files.items()), MOST_FILES)]
    told: dict[str, Any] = {"rows": rows, "files": len(files), "calls": calls}
    return told | {"unnamed": {"calls": len(unnamed), "last": unnamed[-1].key}} if unnamed else told


def _order(made: _Made) -> tuple[int, ...]:
    return made.order


def files_markup(told: Mapping[str, Any]) -> str:
    """The same as a list in HTML, of escaped text alone."""
    items = [
        f"<li><code>{escape(row['path'])}</code>: {row['how']} in message {row['last']}, {counted(row['changes'], 'change')}</li>"
        for row in told["rows"]
    ]
    left = told["files"] - len(items)
    rest = f"<p>and {counted(left, 'file')} that changed earlier</p>" if left else ""
    return f'<div class="noscript"><h2>Files changed</h2><ol>{"".join(items)}</ol>{rest}</div>'


def is_refused(result: ToolResult | None) -> bool:
    """True for the result of a call that never ran: the user refused it, or the agent's host did."""
    return result is not None and (result.metadata or {}).get("not_run") is True


def _made(index: TraceIndex, path: tuple[int, ...], order: tuple[int, ...], folder: str) -> Iterator[_Made]:
    """The calls that may have changed something, those of a sub-agent after the call that started it."""
    here = index.trace.metadata.get("cwd")
    folder = here if isinstance(here, str) else folder
    started = {call.call.id: (call.message_index, call.position) for call in index.calls}
    first: dict[int, int] = {}
    for call in index.calls:
        place = call.position - first.setdefault(call.message_index, call.position)
        if not (call.is_copied or is_refused(call.result) or call.outcome.state == "failed"):
            key = ".".join(map(str, (*path, call.message_index)))
            yield _Made((*order, call.message_index, call.position), key, place, folder, call)
    if len(path) < _DEEPEST:
        for place, child in enumerate(index.children):
            parent = None if child.trace.details is None else child.trace.details.parent_call_id
            at = started.get(parent or "", (len(index.messages), 0))
            yield from _made(child, (*path, place), (*order, *at, place), folder)


def _named(path: str, folder: str) -> str:
    """The path in one spelling: relative to the session's folder where it lies in it."""
    path, folder = (one.replace("\\", "/") if _DRIVE.match(one) else one for one in (path, folder))
    whole = path if _DRIVE.match(path) else posixpath.join(folder, path)
    whole = posixpath.normpath(whole)
    base = posixpath.normpath(folder) + "/" if folder else ""
    return whole[len(base) :] if base and whole.startswith(base) else whole


def _row(path: str, file: _File) -> dict[str, Any]:
    clean = visible(redact(path)).replace("\n", "\\n")
    row = {
        "path": clean if len(clean) <= _LONGEST else f"…{clean[-_LONGEST:]}",
        "how": file.how,
        "changes": file.changes,
        "first": file.first.key,
        "last": file.last.key,
    }
    if file.last.place:
        row["call"] = file.last.place  # which call of its message, if not the first
    return row if file.last.call.result is not None else row | {"open": True}
