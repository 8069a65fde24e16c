"""Removes secrets from text before it is written anywhere."""

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from sentinel_core._fast import evolve
from sentinel_core.report import (
    Attribution,
    Coverage,
    Finding,
    LedgerEntry,
    ReliabilityReport,
    SignalFailure,
    SignalScore,
)
from sentinel_core.runtime.secret_rules import (
    ARGUMENT_RULES,
    BLOCK,
    CUT_RULES,
    FIRST_RULES,
    KEY_RULES,
    LAST_RULES,
    Rule,
)
from sentinel_core.runtime.secret_shapes import without_shapes, without_start
from sentinel_core.trace import from_json, to_json

__all__ = ["Redactor", "redact", "redact_cut", "redact_json", "redact_value", "redacted"]

_T = TypeVar("_T")

# The strings and numbers of a JSON document.
_PIECE = r'"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*'
_KEY_LINE = "[A-Za-z0-9+/=]{16,}"
_LONGEST_NAME = 200  # characters
_SHORTEST_CUT = 100  # characters: quotes are cut at 160 and more
# Letters beyond ASCII that are small or great forms of letters in it.
_FORMS = {"\u017f": "s", "\u212a": "k", "\u0130": "i", "\u0131": "i"}

_SENSITIVE = r"(?i)key|token|secret|passw|passphrase|credential|dsn|_(?:pass|pwd|pat)$"
_LEAST = 8  # characters: a shorter value stands in too many texts by chance

MASK = "[redacted]"
_CACHED = 300  # most details say the same of many traces


def redact(text: str) -> str:
    """The text with what looks like a key, token, password or private key replaced by ``[redacted]``."""
    return _cached(text) if len(text) <= _CACHED else _redact(text)


def redact_cut(text: str) -> str:
    """``redact`` for a text that may be truncated: the start of a secret at its end is removed, too."""
    if len(text) < _SHORTEST_CUT:
        return _cached(text)
    return _cut_cached(text) if len(text) <= _CACHED else _redact_cut(text)


def _redact(text: str) -> str:
    return _as_it_is(text, _flat)


def _redact_cut(text: str) -> str:
    return without_start(_replaced(_redact(text), CUT_RULES), MASK)


def _flat(text: str) -> str:
    return _replaced(without_shapes(_replaced(text, FIRST_RULES), MASK), LAST_RULES)


def _replaced(text: str, rules: Iterable[Rule]) -> str:
    small = _small(text)
    for pattern, marks, assigned in rules:
        if assigned and ":" not in small and "=" not in small:
            continue
        for first, found in marks:
            if first in small and any(map(small.__contains__, found)):
                text = _compiled(pattern).sub(rf"\1{MASK}", text)
                break
    return text


def _small(text: str) -> str:
    if not text.isascii():
        for form, letter in _FORMS.items():
            text = text.replace(form, letter)
    return text.lower()


_compiled = functools.cache(re.compile)
_cached = functools.lru_cache(maxsize=4096)(_redact)
_cut_cached = functools.lru_cache(maxsize=4096)(_redact_cut)


def redact_json(data: bytes) -> bytes:
    """A JSON document with every string redacted, keys too, and every value whose key names a secret."""
    return to_json(redact_value(from_json(data)))


def redact_value(value: Any, text: Callable[[str], str] = redact) -> Any:
    """``redact_json`` for a decoded value; ``text`` redacts one text."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        clean = [redact_value(inner, text) for inner in value]
        for place, before in enumerate(value[:-1], 1):
            if isinstance(before, str) and _precedes_secret(before):
                clean[place] = _without_secret(before, ",", clean[place])
        return clean
    if isinstance(value, dict):
        return _object(value, text)
    return value


def _object(value: dict[Any, Any], text: Callable[[str], str]) -> dict[str, Any]:
    """An object redacted; keys that become equal are numbered, so that no value is lost."""
    clean: dict[str, Any] = {}
    count: dict[str, int] = {}
    for key, inner in value.items():
        name = first = text(str(key))
        while name in clean:
            count[first] = count.get(first, 1) + 1
            name = f"{first} {count[first]}"
        clean[name] = _of_key(str(key), redact_value(inner, text))
    return clean


def _of_key(key: str, value: Any) -> Any:
    return _without_secret(key, ":", value) if _names_secret(key) else value


def _without_secret(before: str, between: str, value: Any) -> Any:
    """A text or a whole number without the secret that the key (":") or argument (",") before it names."""
    if not isinstance(value, str) and type(value) is not int:
        return value
    import json

    start = f"{json.dumps(before[-_LONGEST_NAME:])}{between}"
    written = found = start + json.dumps(value, ensure_ascii=False)

    def masked(match: re.Match[str]) -> str:
        return match[1] + MASK if match.start() < len(start) <= match.end(1) else match[0]

    for rule in KEY_RULES if between == ":" else ARGUMENT_RULES:
        found = _compiled(rule.pattern).sub(masked, found)
    if found == written:
        return value
    try:
        return json.loads(found[len(start) :])
    except ValueError:
        return MASK


@functools.lru_cache(maxsize=4096)
def _names_secret(key: str) -> bool:
    small = _small(key)
    marks = (mark for rule in KEY_RULES for mark in rule.marks)
    return any(first in small and any(map(small.__contains__, found)) for first, found in marks)


def _precedes_secret(argument: str) -> bool:
    return "--" in argument or "-u" in argument


def _as_it_is(text: str, flat: Callable[[str], str]) -> str:
    """The redacted text; a JSON document stays one.

    Expressions for flat text match across quotes and brackets into the next field, so in a document they are applied to
    each string alone.
    """
    clean = flat(text)
    if clean == text or _compiled(r"\s*[{\[]").match(text) is None or not _is_json(text):
        return clean
    return _in_document(text, flat)


def _is_json(text: str) -> bool:
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _in_document(document: str, flat: Callable[[str], str]) -> str:
    """JSON text with its strings redacted, and numbers that are secret; the rest stays as it is written, byte for byte."""
    import json

    parts: list[str] = []
    end, before, in_key = 0, "", False
    redacted = functools.cache(lambda text: _as_it_is(text, flat))  # keys and many values repeat
    for piece in _compiled(_PIECE).finditer(document):
        between, written = document[end : piece.start()], piece[0]
        end, sign = piece.end(), "".join(between.split())
        value = clean = json.loads(written) if "\\" in written or written[0] != '"' else written[1:-1]
        if isinstance(value, str):
            is_line = in_key and _is_of_key(value) and _compiled(r"\s*:").match(document, end) is None
            clean = MASK if is_line else redacted(value)
            in_key = "-----END" not in value if in_key else _begins_key(value)
        else:
            clean, sign = (value if redacted(written) == written else MASK), sign.rstrip("[")
        if (sign == ":" and _names_secret(before)) or (sign == "," and _precedes_secret(before)):
            clean = _without_secret(before, sign, clean)
        parts += (between, written if clean == value else json.dumps(clean, ensure_ascii="\\u" in written))
        before = value if isinstance(value, str) else ""
    return "".join((*parts, document[end:]))


def _begins_key(text: str) -> bool:
    """Whether this string of a document ends within a private key, so that strings after it may be its lines."""
    rest = text.rpartition("-----BEGIN ")[2] if "PRIVATE KEY" in text else ""
    begun = _compiled(f"[A-Z ]*{BLOCK}").match(rest)
    return begun is not None and (begun.end() == len(rest.rstrip()) or _is_of_key(rest[begun.end() :]))


def _is_of_key(text: str) -> bool:
    lines = text.split()
    return bool(lines) and all(map(_compiled(_KEY_LINE).fullmatch, lines))


class Redactor(NamedTuple):
    """Removes what looks like a secret, and every occurrence of the given ``secrets``."""

    secrets: tuple[str, ...] = ()

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] = os.environ, names: Iterable[str] = ()) -> "Redactor":
        """With the values of variables named as a key, token, secret, password or credential, and of ``names``.

        Also with the passwords in URLs. Values under 8 characters and existing paths are left out.
        """
        known = frozenset(names)
        values = {
            value
            for name, value in environ.items()
            if (name in known or re.search(_SENSITIVE, name)) and not _is_path(value)
        }
        values.update(password for value in environ.values() if "://" in value for password in _passwords(value))
        forms = {form for value in values if len(value) >= _LEAST for form in _forms(value)}
        return cls(tuple(sorted(forms, key=lambda form: (-len(form), form))))

    def text(self, text: str) -> str:
        """The text without its secrets."""
        return _as_it_is(text, self._flat) if self.secrets else redact(text)

    def plain(self, value: Any) -> Any:
        """A JSON value with every text in it redacted, keys too."""
        return redact_value(value, self.text)

    def value(self, value: _T) -> _T:
        """The attrs object with every text in it redacted; the same object if there was no secret."""
        plain = msgspec.to_builtins(value, enc_hook=repr)
        clean = self.plain(plain)
        return value if clean == plain else msgspec.convert(clean, type(value))

    def _flat(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return _flat(text)


def _is_path(value: str) -> bool:
    """Whether this is an existing path; a secret may begin with a slash, too."""
    return value.startswith("/") and os.path.exists(value)  # noqa: PTH110 - a Path raises where the value is too long


def _passwords(url: str) -> Iterator[str]:
    """The password in a URL, as written and decoded; none if it equals the user's name."""
    from urllib.parse import unquote

    found = re.search(r"://([^\s/:@]*):([^\s/]+)@", url)
    if found is not None and found[1] != found[2]:
        yield from {found[2], unquote(found[2])}


def _forms(value: str) -> set[str]:
    r"""A value as written in text, in JSON, in JSON within JSON, and in a URL; also with line breaks for ``\n``."""
    import json
    from urllib.parse import quote

    forms = {value, value.replace("\\n", "\n")}
    for _ in range(2):
        written = {json.dumps(form, ensure_ascii=in_ascii)[1:-1] for form in forms for in_ascii in (True, False)}
        forms |= written | {form.replace("/", "\\/") for form in written}
    return forms | {quote(value), quote(value, safe="")}


_Row = TypeVar("_Row")


def redacted(report: ReliabilityReport) -> ReliabilityReport:
    """The report without secrets in anything that quotes the trace; the same object if there are none."""
    found = {
        "trace_id": redact(report.trace_id),
        "findings": _each(_finding, report.findings),
        "failures": _each(_failure, report.failures),
        "signal_scores": _each(_score, report.signal_scores),
        "unread": _each(redact, report.unread),
        "coverage": _each(_coverage, report.coverage),
        "attribution": _attribution(report.attribution),
        "ledger": _each(_entry, report.ledger) if report.ledger else report.ledger,
    }
    changed = {name: value for name, value in found.items() if value != getattr(report, name)}
    return evolve(report, **changed) if changed else report


def _each(change: Callable[[_Row], _Row], rows: Sequence[_Row]) -> Sequence[_Row]:
    return tuple([change(row) for row in rows]) if rows else rows


def _attribution(given: Attribution | None) -> Attribution | None:
    if given is None or given.agent is None:
        return given
    return evolve(given, agent=redact(given.agent))


# A row without a secret, as nearly all are, is returned as it is: a copy costs more than the comparison.


def _finding(finding: Finding) -> Finding:
    found = (
        redact(finding.text),
        _perhaps(redact_cut, finding.quote),
        _perhaps(redact, finding.call_id),
        _perhaps(redact, finding.origin),
    )
    if found == (finding.text, finding.quote, finding.call_id, finding.origin):
        return finding
    text, quote, call_id, origin = found
    return evolve(finding, text=text, quote=quote, call_id=call_id, origin=origin)


def _entry(entry: LedgerEntry) -> LedgerEntry:
    found = (
        redact_cut(entry.claim),
        redact_cut(entry.record),
        _perhaps(redact, entry.call_id),
        _perhaps(redact, entry.working_tree),
    )
    if found == (entry.claim, entry.record, entry.call_id, entry.working_tree):
        return entry
    claim, record, call_id, working_tree = found
    return evolve(entry, claim=claim, record=record, call_id=call_id, working_tree=working_tree)


def _perhaps(change: Callable[[str], str], text: str | None) -> str | None:
    return None if text is None else change(text)


def _failure(failure: SignalFailure) -> SignalFailure:
    error = redact_cut(failure.error)
    return failure if error == failure.error else evolve(failure, error=error)


def _score(score: SignalScore) -> SignalScore:
    details = redact(score.details)
    return score if details == score.details else evolve(score, details=details)


def _coverage(row: Coverage) -> Coverage:
    reason, gaps = redact(row.reason) if row.reason else "", _each(redact, row.gaps)
    return row if reason == row.reason and gaps == row.gaps else evolve(row, reason=reason, gaps=gaps)
