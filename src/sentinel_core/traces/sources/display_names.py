"""What files and URLs are called in all that is written or shown: text, and nothing that only whoever fetches may know."""

import re

__all__ = ["as_text", "shown_url", "without_secrets"]

_NO_TEXT = re.compile("[\ud800-\udfff]")
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # for what a byte of a name stands that is no UTF-8

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://"
_URL = re.compile(rf"""{_SCHEME}[^\s"'<>]+""")
# A password may hold anything; what stands behind a colon may be a port instead.
_USER = re.compile(r"(?<=://)(?:[^\s/?#:@\[]*:(?!:|\d+(?:[/?#]|$)).*@|(?:(?<=http://)|(?<=https://))[^/?#@]*@)")
_ON_THE_WEB = re.compile(r"https?://[^?#]*")
_QUERY = re.compile(r"\?[\w.~%-]+=.*", re.DOTALL)  # elsewhere than on the web, "?" is a wildcard, too


def as_text(name: str) -> str:
    r"""The same, with ``\xff`` for a byte that is no UTF-8: what is written can hold it, and two names are two."""
    return name if name.isascii() else _NO_TEXT.sub(_escaped, name)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if _FIRST_BYTE <= code <= _LAST_BYTE else f"\\u{code:04x}"


def shown_url(url: str) -> str:
    """Without user, password and query, which often holds a signature that is as good as a password."""
    shown = _USER.sub("", url)
    on_the_web = _ON_THE_WEB.match(shown)
    return on_the_web[0] if on_the_web else _QUERY.sub("", shown)


def without_secrets(text: str) -> str:
    """Text, such as an error's, in which each URL stands as it is shown."""
    return _URL.sub(lambda match: shown_url(match[0]), text)
