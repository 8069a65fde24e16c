"""Settings: where releases are read and reports are filed, and the limits of both."""

import importlib.util
import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

import attrs

from sentinel_core.runtime.redact import redact

__all__ = ["HistorySettings", "ReportSettings", "SourceSettings", "SummarySettings", "TraceSettings", "is_url"]

_positive = attrs.validators.gt(0)
_seconds = attrs.validators.gt(0.0)

_PATH = {"path": True}  # a relative path in sentinel.toml starts in that file's folder
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_url(place: str) -> bool:
    """True for the address of a server; everything else is a path."""
    return place.lower().startswith(("http://", "https://"))


# Fields are in single quotes, as in attrs' own messages: the host replaces them by the whole key of the setting.
def _check_place(_instance: object, attribute: "attrs.Attribute[Any]", place: str) -> None:
    if not place:
        raise ValueError(f"'{attribute.name}' is empty; give a path or an http(s) address")
    if not _SCHEME.match(place):
        return
    if problem := _address_problem(place):
        raise ValueError(f"'{attribute.name}' is \"{redact(place)}\", which is not a base URL: {problem}")
    if importlib.util.find_spec("httpx2") is None:
        raise ValueError(
            f"'{attribute.name}' is a server's address, which needs an extra: pip install 'reliability-sentinel[http]'"
        )


def _address_problem(address: str) -> str | None:
    """Why an address cannot be a server's base URL."""
    if not is_url(address):
        return "it must begin with http:// or https://; a path has no ://"
    try:
        parts = urlsplit(address)
    except ValueError as error:
        return str(error)
    if not parts.hostname:
        return "it names no host"
    if not _has_usable_port(parts):
        return "its port is not a number from 1 to 65535"
    has = {"a user name": parts.username is not None, "a query": parts.query, "a fragment": parts.fragment}
    if held := [name for name, there in has.items() if there]:
        return f"it has {' and '.join(held)}"
    return None


def _has_usable_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _check_path(_instance: object, attribute: "attrs.Attribute[Any]", place: str) -> None:
    if is_url(place) or "\0" in place:
        raise ValueError(f"'{attribute.name}' must be a path, not \"{place}\"")


@attrs.frozen(kw_only=True)
class SourceSettings:
    """These settings determine where to look up a release; they are the same for every tool that reads releases.

    ``releases`` is a JSON file, a folder of JSON files, or the base URL of a server. If ``repo`` is set to a git
    repository, a release is a range of its commits instead. ``junit`` (a JUnit XML file, or a folder of such files) and
    ``metrics`` (a JSON file) replace the tests and metrics from either source. An empty string means "not set".

    ``timeout`` is the time limit in seconds for one call to a server or to git. ``max_bytes`` limits the size of a
    JSON file or a server's response; the output of git may be up to 16 times as large. ``max_junit_bytes`` limits the total
    size of all JUnit files.
    """

    releases: str = attrs.field(default="releases", validator=_check_place, metadata=_PATH)
    """A JSON file, a folder of JSON files, or the base URL of a server."""
    repo: str = attrs.field(default="", validator=_check_path, metadata=_PATH)
    """A git repository; a release is then a range of its commits."""
    junit: str = attrs.field(default="", validator=_check_path, metadata=_PATH)
    """A JUnit XML file, or a folder of such files, whose tests replace the tests in the summary."""
    metrics: str = attrs.field(default="", validator=_check_path, metadata=_PATH)
    """A JSON file whose metrics replace the metrics in the summary."""
    timeout: float = attrs.field(default=10.0, validator=_seconds)
    """Time limit for one call to a server or to git, in seconds."""
    max_bytes: int = attrs.field(default=1_000_000, validator=_positive)
    """Size limit for a JSON file or a server's response, in bytes; the output of git may be up to 16 times as large."""
    max_junit_bytes: int = attrs.field(default=64_000_000, validator=_positive)
    """Limit on the total size of all JUnit files, in bytes."""


@attrs.frozen(kw_only=True)
class SummarySettings(SourceSettings):
    """``max_changes`` limits the number of commits that are listed for a range; the result states how many were left out."""

    max_changes: int = attrs.field(default=200, validator=_positive)
    """Limit on the number of commits that are listed for a range; the result states how many were left out."""


@attrs.frozen(kw_only=True)
class TraceSettings(SourceSettings):
    """``traces`` is a file of OpenTelemetry spans, in JSON or JSON Lines, as the file exporter of the OpenTelemetry Collector writes them."""

    traces: str = attrs.field(default="", validator=_check_path, metadata=_PATH)
    """A file of OpenTelemetry spans in JSON or JSON Lines, as the file exporter of the OpenTelemetry Collector writes them."""


@attrs.frozen(kw_only=True)
class HistorySettings(SourceSettings):
    """``history`` is a folder of summaries of earlier releases. If it is not set and ``releases`` is a folder, that folder is used."""

    history: str = attrs.field(default="", validator=_check_path, metadata=_PATH)
    """A folder of summaries of earlier releases. If it is not set and ``releases`` is a folder, that folder is used."""


@attrs.frozen(kw_only=True)
class ReportSettings:
    """``reports`` is a folder, which is created if it is missing, or the base URL of a server.

    ``honors_keys`` states that the server files two POSTs with the same ``Idempotency-Key`` only once; a report with an
    unknown outcome is sent again only if this setting is true. ``outbox`` is the folder that records which report was sent with which key.
    ``timeout`` and ``max_bytes`` have the same meaning as for the tools that read releases.
    """

    reports: str = attrs.field(default=".sentinel/reports", validator=_check_place, metadata=_PATH)
    """A folder, which is created if it is missing, or the base URL of a server."""
    honors_keys: bool = False
    """Whether the server files two POSTs with the same ``Idempotency-Key`` only once; if so, a report with an unknown outcome may be sent again."""
    outbox: str = attrs.field(
        default=".sentinel/outbox", validator=[attrs.validators.min_len(1), _check_path], metadata=_PATH
    )
    """The folder that records which report was sent with which key."""
    timeout: float = attrs.field(default=10.0, validator=_seconds)
    """Time limit for one call to a server, in seconds."""
    max_bytes: int = attrs.field(default=1_000_000, validator=_positive)
    """Size limit for a server's answer, in bytes."""
