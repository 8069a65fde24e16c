"""Who may call the service: tokens with a name and scopes, from a TOML file or the environment.

    [tokens.operator]
    token = "at least 20 characters"
    scopes = ["override", "read"]
    expires = 2027-01-01T00:00:00Z     # may be left out

In ``SENTINEL_SERVE_TOKENS`` each is ``NAME:SCOPE+SCOPE:TOKEN``, with commas between them.
"""

import hashlib
import hmac
import os
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import ConfigError
from sentinel_core.runtime.state_files import make_folder, refuse_detours

__all__ = ["DEFAULT_FILE", "SCOPES", "VARIABLE", "Token", "Tokens", "make_tokens", "read_tokens"]

SCOPES = ("complete", "override", "read")
"""``complete`` submits attempts and completes loops, ``override`` overrides guardrails, ``read`` only reads."""

VARIABLE = "SENTINEL_SERVE_TOKENS"
DEFAULT_FILE = Path(".sentinel/tokens.toml")
_SHORTEST = 20
_OTHERS = 0o077
_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FIRST = {
    "agent": ("complete", "read"),
    "operator": ("override", "read"),
    "orchestrator": ("complete", "override", "read"),
}


@attrs.frozen(kw_only=True)
class Token:
    """One caller: the SHA-256 of its token, and its scopes. After ``expires`` it is invalid."""

    name: str
    digest: bytes = attrs.field(repr=False)
    scopes: frozenset[str]
    expires: datetime | None = None


@attrs.frozen
class Tokens:
    """All valid callers."""

    known: tuple[Token, ...]

    def find(self, presented: str, now: datetime) -> Token | None:
        """The caller with this token. Every known token is compared in constant time."""
        digest = hashlib.sha256(presented.encode("utf-8", "surrogateescape")).digest()
        found = None
        for token in self.known:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return None if found is None or (found.expires is not None and now >= found.expires) else found


def read_tokens(path: Path | None, environ: Mapping[str, str] = os.environ) -> Tokens:
    """Read tokens from a file; if none is named, from the environment, else from ``.sentinel/tokens.toml``.

    Raises ``ConfigError`` for a file that others may read, and for an invalid token.
    """
    if path is None and environ.get(VARIABLE):
        return _checked(_from_text(environ[VARIABLE]), VARIABLE, names=False)
    path = DEFAULT_FILE if path is None else path
    try:
        refuse_detours(path.parent)
        if path.stat().st_mode & _OTHERS:
            raise ConfigError(f'"{path}" contains tokens, but other users can read it: chmod 600 {path}')
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f'the tokens file "{path}" cannot be read: {error.strerror}') from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f'the tokens file "{path}" is not TOML: {error}') from None
    tables = document.get("tokens")
    if not isinstance(tables, dict) or not tables or set(document) != {"tokens"}:
        raise ConfigError(f'the tokens file "{path}" must contain tables [tokens.NAME] and nothing else')
    return _checked(list(tables.items()), f'"{path}"')


def make_tokens(path: Path) -> None:
    """Write a file with new tokens, mode 0600.

    An agent's (complete, read), an operator's (override, read), and an orchestrator's, who may complete with an override.

    Raises ``ConfigError`` if it cannot be written.
    """
    tables = [_table(name, scopes) for name, scopes in _FIRST.items()]
    try:
        refuse_detours(path.parent)
        make_folder(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(tables))
    except OSError as error:
        raise ConfigError(f'the tokens file "{path}" cannot be written: {error.strerror}') from None


def _table(name: str, scopes: Sequence[str]) -> str:
    listed = ", ".join(f'"{scope}"' for scope in scopes)
    return f'[tokens.{name}]\ntoken = "{secrets.token_urlsafe(32)}"\nscopes = [{listed}]\n'


def _from_text(text: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for number, part in enumerate((entry.strip() for entry in text.split(",")), 1):
        name, _, rest = part.partition(":")
        scopes, colon, token = rest.partition(":")
        if not colon:
            raise ConfigError(f"{VARIABLE}: entry {number} must have the form NAME:SCOPE+SCOPE:TOKEN")
        found.append((name, {"token": token, "scopes": scopes.split("+")}))
    return found


def _checked(entries: Sequence[tuple[str, Any]], where: str, *, names: bool = True) -> Tokens:
    """The callers. Without ``names``, errors give an entry's number: if a part is missing, its name may be the token."""
    made = tuple(
        _token(name, table, f'{where}: token "{name}"' if names else f"{where}: entry {number}")
        for number, (name, table) in enumerate(entries, 1)
    )
    if len({token.digest for token in made}) < len(made) or len({token.name for token in made}) < len(made):
        raise ConfigError(f"{where}: two tokens are equal or have the same name")
    return Tokens(made)


def _token(name: str, table: Any, called: str) -> Token:
    if not _name.fullmatch(name):
        raise ConfigError(f"{called}: a name must consist of 1 to 64 letters, digits, dots, dashes or underscores")
    if not isinstance(table, dict) or set(table) - {"token", "scopes", "expires"}:
        raise ConfigError(f"{called} must be a table with token, scopes and, optionally, expires")
    token, scopes, expires = table.get("token"), table.get("scopes"), table.get("expires")
    if not isinstance(token, str) or len(token) < _SHORTEST or not token.isascii():
        raise ConfigError(f"{called} must have a token of at least {_SHORTEST} ASCII characters")
    if not isinstance(scopes, list) or not scopes or not all(scope in SCOPES for scope in scopes):
        raise ConfigError(f"{called} must have one or more of the scopes {', '.join(SCOPES)}")
    if expires is not None and not (isinstance(expires, datetime) and expires.tzinfo is not None):
        raise ConfigError(f"{called}: expires must be a time with a time zone, such as 2027-01-01T00:00:00Z")
    return Token(
        name=name,
        digest=hashlib.sha256(token.encode()).digest(),
        scopes=frozenset(scopes),
        expires=None if expires is None else expires.astimezone(UTC),
    )
