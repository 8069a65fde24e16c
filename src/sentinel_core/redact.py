"""Secrets taken out of text before it is written anywhere."""

import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from sentinel_core.trace import from_json, to_json

__all__ = ["Redactor", "redact", "redact_json"]

_T = TypeVar("_T")

# Those that begin a word share one look at where words begin: that is most of what looking costs.
_WORDS = (
    r"sk-[A-Za-z0-9_-]{16,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"glpat-[A-Za-z0-9_-]{16,}",
    r"xox[abprs]-[A-Za-z0-9-]{10,}",
    r"AIza[0-9A-Za-z_-]{30,}",
    r"eyJ[A-Za-z0-9_-]{8,256}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,1024}",
    r"(?i:bearer )[A-Za-z0-9._~+/-]{12,}=*",
)
_PATTERNS = (
    r"(?<=://)[^\s/:@]{1,64}:[^\s/:@]{1,128}(?=@)",  # the first, for its user may look like a key, too
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]*PRIVATE KEY-----)?",
    rf"\b(?:{'|'.join(_WORDS)})",
)
_ASSIGNED = r"""(?i)((?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token)["']?\s{0,3}[:=]\s{0,3}["']?)([^\s"',;&}]{6,})"""
# What signs a URL is as good as a password. "sig" and "token" are so in a query alone, and not where they are short.
_SIGNERS = (
    r"""x-(?:amz|goog|oss)-(?:signature|credential|security-token)(?:%3d|["']?\s{0,3}[:=]\s{0,3}["']?)""",
    r"""(?:(?<=[?&;])|(?<=u0026))(?:sig(?:nature)?|token)=(?=[^\s"',;&}]{16})""",
    r"\bsignature=(?=[0-9a-f]{64})",
)
_SIGNED = rf"""(?i)({"|".join(_SIGNERS)})([^\s"',;&}}]{{6,}})"""

# Small letters of which a text without secrets has none: looking for these takes a tenth of the time.
_SECRET_MARKS = (
    *("sk-", "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "aiza", "eyj"),
    *("bearer ", "-----begin", "://"),
)
_ASSIGNED_MARKS = ("apikey", "api_key", "api-key", "secret", "passw", "token")
_SIGNED_MARKS = ("x-amz-", "x-goog-", "x-oss-", "sig=", "signature=", "token=")

_SENSITIVE = r"(?i)key|token|secret|passw|credential"
_LEAST = 8  # characters: a shorter value stands in too many texts by chance

MASK = "[redacted]"
_CACHED = 300  # most details say the same of many traces


def redact(text: str) -> str:
    """The text with what looks like a key, token, password or private key replaced by ``[redacted]``."""
    return _cached(text) if len(text) <= _CACHED else _redact(text)


@functools.cache
def _secret() -> re.Pattern[str]:
    return re.compile("|".join(_PATTERNS))


@functools.cache
def _assigned() -> re.Pattern[str]:
    return re.compile(_ASSIGNED)


@functools.cache
def _signed() -> re.Pattern[str]:
    return re.compile(_SIGNED)


def _redact(text: str) -> str:
    if not text.isascii():  # a few letters beyond ASCII are small and great forms of letters in it
        return _signed().sub(rf"\1{MASK}", _assigned().sub(rf"\1{MASK}", _secret().sub(MASK, text)))
    small = text.lower()
    if any(mark in small for mark in _SECRET_MARKS):
        text = _secret().sub(MASK, text)
    if any(mark in small for mark in _ASSIGNED_MARKS):
        text = _assigned().sub(rf"\1{MASK}", text)
    return _signed().sub(rf"\1{MASK}", text) if any(mark in small for mark in _SIGNED_MARKS) else text


_cached = functools.lru_cache(maxsize=4096)(_redact)


def redact_json(data: bytes) -> bytes:
    """A JSON document with every string in it redacted, keys too."""
    return to_json(_redacted(from_json(data)))


def _redacted(value: Any, text: Callable[[str], str] = redact) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        return [_redacted(inner, text) for inner in value]
    if isinstance(value, dict):
        return {text(key): _redacted(inner, text) for key, inner in value.items()}
    return value


class Redactor(NamedTuple):
    """Takes out what looks like a secret, and the given ``secrets`` wherever they stand."""

    secrets: tuple[str, ...] = ()

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] = os.environ, names: Iterable[str] = ()) -> "Redactor":
        """With the values of the variables that are called a key, token, secret, password or credential, and of ``names``.

        Values under 8 characters and paths are left out.
        """
        known = frozenset(names)
        values = {
            value
            for name, value in environ.items()
            if (name in known or re.search(_SENSITIVE, name)) and len(value) >= _LEAST and not value.startswith("/")
        }
        return cls(tuple(sorted(values, key=lambda value: (-len(value), value))))

    def text(self, text: str) -> str:
        """The text without its secrets."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return redact(text)

    def plain(self, value: Any) -> Any:
        """A JSON value with every text in it redacted, keys too."""
        return _redacted(value, self.text)

    def value(self, value: _T) -> _T:
        """The same attrs object, with every text in it redacted; itself where there was nothing to take out."""
        plain = msgspec.to_builtins(value, enc_hook=repr)
        clean = self.plain(plain)
        return value if clean == plain else msgspec.convert(clean, type(value))
