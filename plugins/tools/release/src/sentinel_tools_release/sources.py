"""The summary of a release: its document from a file, a folder of files, a server or a range of commits, and what lies beside it."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sentinel_core.errors import InputError, NetworkError
from sentinel_tools_release.files import json_file, json_object
from sentinel_tools_release.plain_text import plain
from sentinel_tools_release.settings import SourceSettings, SummarySettings, is_url

if TYPE_CHECKING:
    from sentinel_tools_release.junit import TestCase

__all__ = [
    "NO_SUCH_PLACE",
    "beside",
    "from_server",
    "get_release_summary",
    "json_files",
    "part_of",
    "release_document",
    "without_part",
]

_MOST_FAILURES = 20
_FAILURE_LENGTH = 200

_FILE_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
_MAX_FILES = 1000
NO_SUCH_PLACE = (404, 405, 410, 501)  # statuses of a server that has no such part


def get_release_summary(settings: SummarySettings, release_id: str) -> dict[str, Any]:
    """``version``, ``changes``, ``tests``, ``deployment_metrics``, and any other key of the source.

    With ``repo`` the changes are the commits of the range, newest first, and ``commits``, ``authors`` and ``files`` give its
    size. ``junit`` replaces ``tests`` and ``metrics`` replaces ``deployment_metrics``. Missing data is left out, and the
    detective counts it as missing.

    Raises ``InputError`` if there is no such release, or a file or the repository cannot be read, ``NetworkError`` if the
    server gives no summary.
    """
    if not settings.repo:
        return {**release_document(settings, release_id), **beside(settings)}
    from sentinel_tools_release.ranges import range_summary

    return {**range_summary(settings, release_id), **beside(settings)}


def beside(settings: SourceSettings) -> dict[str, Any]:
    """The data of the test report and the metrics file, under the summary's keys."""
    found: dict[str, Any] = {}
    if settings.junit:
        from sentinel_tools_release.junit import read_junit

        run = read_junit(settings.junit, settings.max_junit_bytes)
        failed = [_failure(case) for case in run.with_status("failed")[:_MOST_FAILURES]]
        found["tests"] = {**run.counts(), **({"failures": failed} if failed else {})}
    if settings.metrics:
        document = json_file(Path(settings.metrics), settings.max_bytes, "--metrics")
        found["deployment_metrics"] = document.get("deployment_metrics", document)
    return found


def _failure(case: "TestCase") -> dict[str, str]:
    return {"name": plain(case.name, _FAILURE_LENGTH), "message": plain(case.message, _FAILURE_LENGTH)}


def release_document(settings: SourceSettings, release_id: str) -> dict[str, Any]:
    """The document of a release.

    The ``version`` in a file must be the requested release. In a folder it is ``<release_id>.json``, else the first file by
    name with that ``version``. From a server it is the answer of ``GET <base>/release-summary``; its ``version``, if any, must
    be the requested release, too.

    Raises ``InputError`` if there is no such release or no JSON object, ``NetworkError`` if the server gives none. The error
    names a file of the folder that cannot be read if the release's id is in its name.
    """
    if is_url(settings.releases):
        query = {"release_id": release_id}
        summary = from_server(settings, "release-summary", query)
        if summary.get("version") is None:
            return summary
        return _of_version(summary, _address(settings, "release-summary", query), release_id)
    place = Path(settings.releases)
    if place.is_dir():
        return _from_folder(settings, place, release_id)
    return _of_version(_read(place, settings.max_bytes), place, release_id)


def part_of(settings: SourceSettings, release_id: str, key: str, query: Mapping[str, object]) -> Any:
    """One part of a release: ``GET <base>/<key, with dashes>`` from a server, else that key of the document.

    Raises ``InputError`` if the document has no such part.
    """
    if is_url(settings.releases):
        return from_server(settings, key.replace("_", "-"), {"release_id": release_id, **query})
    document = release_document(settings, release_id)
    if key not in document:
        raise InputError(f'release "{release_id}" in "{settings.releases}" has no "{key}"; only its summary is known')
    return document[key]


def without_part(settings: SourceSettings, release_id: str, key: str, asked: Mapping[str, object]) -> str | None:
    """Why ``part_of`` would have no result; None if it would, or if a server does not say for certain."""
    try:
        part_of(settings, release_id, key, asked)
    except InputError as error:
        return str(error)
    except NetworkError as error:
        return str(error) if error.status in NO_SUCH_PLACE else None
    return None


def from_server(settings: SourceSettings, path: str, query: Mapping[str, object]) -> dict[str, Any]:
    """The configured server's answer to ``GET <base>/<path>``; every value of the query is percent-encoded."""
    from sentinel_tools_release.web import request

    url = _address(settings, path, query)
    return json_object(request(url, settings.timeout, settings.max_bytes), url, settings.max_bytes)


def _address(settings: SourceSettings, path: str, query: Mapping[str, object]) -> str:
    encoded = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items() if value is not None)
    return f"{settings.releases.rstrip('/')}/{path}?{encoded}"


def json_files(folder: Path) -> Iterator[Path]:
    """The ``*.json`` files of a folder, by name. Raises ``InputError`` for too many files."""
    files = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    if len(files) > _MAX_FILES:
        raise InputError(
            f'"{os.fspath(folder)}" contains {len(files)} files, too many to search for a release; the file of the release must be named <release>.json'
        )
    return iter(files)


def _from_folder(settings: SourceSettings, folder: Path, release_id: str) -> dict[str, Any]:
    named = folder / f"{release_id}.json"
    if _FILE_NAME.fullmatch(release_id) and named.is_file():
        return _of_version(_read(named, settings.max_bytes), named, release_id)
    unread = []
    for path in json_files(folder):
        try:
            summary = _read(path, settings.max_bytes)
        except InputError:
            if release_id in path.name:
                unread.append(path.name)
            continue
        if summary.get("version") == release_id:
            return summary
    broken = f"; could not be read: {', '.join(unread)}" if unread else ""
    raise InputError(
        f'there is no release "{release_id}" in "{os.fspath(folder)}": no readable file has that name or that '
        f'"version"{broken}'
    )


def _read(path: Path, max_bytes: int) -> dict[str, Any]:
    return json_file(path, max_bytes, "--releases, or --repo for a git repository,")


def _of_version(summary: dict[str, Any], place: Path | str, release_id: str) -> dict[str, Any]:
    version = summary.get("version")
    if version != release_id:
        name = plain(str(version))
        about = f'"{name}"' if isinstance(version, str) else name
        raise InputError(f'"{os.fspath(place)}" describes release {about} (at $.version), not "{release_id}"')
    return summary
