"""Recognises the files that Sentinel wrote: reports and the files beside them, but not the traces of its runs."""

import re
from collections.abc import Callable
from pathlib import PurePath

__all__ = ["MANIFEST", "ONLY_OWN", "OWN", "WITH_SESSION", "LeftOut", "is_of_reports", "is_own"]

MANIFEST = "manifest.json"
ONLY_OWN = "only files that Sentinel wrote itself (name a file to read it)"

LeftOut = dict[str, list[str]]
"""Files in folders and globs that are not read on their own, by reason: ``OWN`` or ``WITH_SESSION``."""
OWN = "left out because Sentinel wrote them; name a file to read it"
WITH_SESSION = "read as part of a session, not on their own"

_TEXT = rb'"(?:[^"\\]|\\.)*"'
_REPORT = re.compile(
    rb'\s*(?:\[\s*)?\{\s*"trace_id"\s*:\s*%s\s*,\s*"verdict"\s*:\s*(?:null|"[A-Z]{4}")\s*,'
    rb'\s*"overall_score"\s*:\s*(?:null|[\d.eE+-]+)\s*,\s*"signal_scores"\s*:\s*\[' % _TEXT,
    re.DOTALL,
)
_ERROR_ROW = (
    rb'\s*(?:\[\s*)?\{\s*"error"\s*:\s*\{\s*"message"\s*:\s*%s\s*,\s*"source"\s*:\s*%s\s*,\s*"line"\s*:\s*(?:null|\d+)\s*\}\s*\}'
    % (_TEXT, _TEXT)
)
_SUMMARY = rb'\{\s*"schema"\s*:\s*1\s*,\s*"records"\s*:\s*\d+\s*,\s*"verdicts"\s*:\s*\{\s*"PASS"\s*:'
_TELEMETRY = rb'\{"resource(?:Logs|Metrics)":\[.*"scope":\{"name":"sentinel",'
_VERDICT = "(?:✓ PASS|! WARN|✗ FAIL)(?: \\([a-z_, ]+\\))?  [^\\n]*\\n  (?:At least )?(?:PASS|WARN|FAIL): |\\? NO VERDICT  ".encode()
_OTHER = re.compile(b"|".join((_ERROR_ROW, _SUMMARY, _TELEMETRY, _VERDICT)), re.DOTALL)
_MESSAGES = re.compile(rb'(?<!\\)"messages"\s*:')  # a key of a trace; in a report only a plugin could write it
_BRACKET_OR_TEXT = re.compile(rb'([{[])|([]}])|("messages"\s*:)|"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_MANIFEST = re.compile(rb'\{"inputs": \{(?:\}, "fingerprint": \{|%s: \[(?:\d|"|\]))' % _TEXT, re.DOTALL)
# Parts that match no other pattern: an empty one, an error longer than the head, an unfinished table.
_PART = re.compile(rb'\s*\Z|\{"error": \{"message": "|PAR1')
_TABLE = re.compile(
    rb".{,16}schema.{,16}source.{,16}record.{,16}trace_id.{,16}verdict.{,16}overall_score.{,16}score_", re.DOTALL
)
_PARQUET = b"PAR1"  # the first and last bytes of a table; the footer and its length come before the last
_ENDING = 8
_COLUMNS = 512  # bytes of the footer that name the first columns
_IN_BATCH = re.compile(r"\.?part-\d{5,}\.(?:jsonl|parquet)")
_HOME = ".sentinel"
_PLACES = frozenset(("baselines", "logs", "metrics", "outbox", "reports", "suites"))
_TRACES = "runs"


def is_of_reports(head: bytes) -> bool:
    """Whether a file begins with one of Sentinel's own reports."""
    return b'"signal_scores"' in head


def is_own(path: PurePath, head: bytes, manifest: Callable[[], bytes], before_end: Callable[[int, int], bytes]) -> bool:
    """Whether Sentinel wrote a file, by its first ``HEAD`` bytes or its place.

    True for reports and their summary, files in the folder of a batch, logs and metrics, and what the folders of ``.sentinel/``
    hold besides traces. A file must begin exactly as Sentinel writes it: a trace that quotes a report is a trace.
    ``manifest()`` returns the first ``HEAD`` bytes of the ``MANIFEST`` beside the file; ``before_end(distance, length)`` returns
    ``length`` bytes from ``distance`` bytes before its end, and is called for tables only. Both raise ``OSError``.
    A trace can be written to look like a report and so escape the check; that is why files that are left out are listed.
    """
    return (
        _OTHER.match(head) is not None
        or (_REPORT.match(head) is not None and not _has_messages(head))
        or (_is_in_home(path.parts) and _MESSAGES.search(head) is None)
        or _is_in_batch(path, head, manifest)
        or (head.startswith(_PARQUET) and _is_table(before_end))
    )


def _has_messages(head: bytes) -> bool:
    """Whether ``messages`` is a key of the document itself, or of an object in its list; deeper keys do not count."""
    depth, own_depth = 0, 2 if head.lstrip().startswith(b"[") else 1
    for match in _BRACKET_OR_TEXT.finditer(head):
        opens, closes, is_messages = match.groups()
        depth += bool(opens) - bool(closes)
        if is_messages and depth == own_depth:
            return True
    return False


def _is_table(before_end: Callable[[int, int], bytes]) -> bool:
    try:
        ending = before_end(_ENDING, _ENDING)
        footer = int.from_bytes(ending[:4], "little") + _ENDING
        return ending.endswith(_PARQUET) and _TABLE.match(before_end(footer, _COLUMNS)) is not None
    except OSError:
        return False


def _is_in_batch(path: PurePath, head: bytes, manifest: Callable[[], bytes]) -> bool:
    if path.name == MANIFEST or path.suffix == ".manifest":
        return _MANIFEST.match(head) is not None
    if not _IN_BATCH.fullmatch(path.name) or _PART.match(head) is None:
        return False
    try:
        return _MANIFEST.match(manifest()) is not None
    except OSError:
        return False


def _is_in_home(parts: tuple[str, ...]) -> bool:
    if _HOME not in parts:
        return False
    below = parts[parts.index(_HOME) + 1 :]
    return len(below) > 1 and below[0] in _PLACES and _TRACES not in below[:-1]
