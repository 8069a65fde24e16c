"""Makes hostile text harmless: escapes what a terminal or a CI runner would act on or hide."""

import functools
import os
import re
from typing import TextIO

__all__ = [
    "clipped",
    "counted",
    "first_words",
    "fitting",
    "folded",
    "printable",
    "printable_json",
    "thousandths",
    "visible",
]

# Controls (C0 but line feed and tab, DEL, C1), soft hyphen, zero-width and bidirectional marks, line separators, variation
# selectors, interlinear marks, the byte order mark, marks of shorthand and music, tag characters, and lone surrogates.
_HARMFUL = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff"
)
# CI runners execute commands in printed text: "##vso[", "##[" and "##teamcity[" anywhere, "::" at the start of a line.
# The replacement is also a valid escape in JSON and TOML.
_COMMANDS = "##"
_COMMAND = r"(?<=#)#(?=[A-Za-z]{0,20}\[)"
_LINE_COMMAND = "::"

_HANGING = "    "
_JOINERS = "\u200d\ufe0f"
_FIRST_SIGN = "\u2100"  # letterlike signs, arrows and all emoji come after it


@functools.cache
def _harmful(besides: str = "") -> re.Pattern[str]:
    return re.compile(f"[{_HARMFUL}{besides}]")


def printable(text: str) -> str:
    r"""Text for one line of a terminal; line breaks and control characters become ``\n``, ``\x1b`` and so on."""
    if not (text.isascii() and text.isprintable()):
        text = _harmful("\n\t").sub(_escape, text)
    if _COMMANDS in text:
        text = re.sub(_COMMAND, r"\\u0023", text)
    return _without_command(text) if _LINE_COMMAND in text else text


def _without_command(line: str) -> str:
    """The line without a command of a CI runner; runners ignore white space before it."""
    rest = line.lstrip()
    return rf"{line[: len(line) - len(rest)]}\u003a{rest[1:]}" if rest.startswith(_LINE_COMMAND) else line


def printable_json(data: bytes) -> bytes:
    r"""JSON with such characters as ``\u`` escapes: the same value, safe to print."""
    if _COMMANDS.encode() in data:
        data = re.sub(_COMMAND.encode(), rb"\\u0023", data)
    if data.isascii() and b"\x7f" not in data:
        return data
    return _harmful().sub(_escape_json, data.decode("utf-8")).encode("utf-8")


def visible(text: str) -> str:
    r"""Text for a page, with its line breaks and tabs; invisible and bidirectional characters become escapes.

    The joiner and the selector within an emoji stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _harmful().sub(_escape_unless_emoji, text.replace("\r\n", "\n"))


def _escape_unless_emoji(match: re.Match[str]) -> str:
    start = match.start()
    if (
        match[0] in _JOINERS
        and start
        and match.string[start - 1] >= _FIRST_SIGN
        and match.string[start - 1] not in _JOINERS
    ):
        return match[0]
    return _escape(match)


def clipped(text: str, width: int) -> str:
    """At most ``width`` characters, white space folded, the middle of a longer text left out."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    tail = width // 3
    return f"{text[: width - tail - 3]} … {text[-tail:]}"


def first_words(text: str, width: int) -> str:
    """At most ``width`` characters, white space folded, the end of a longer text left out from a word on."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    begin, _, _ = text[:width].rpartition(" ")
    return f"{begin or text[: width - 1]}…"


def folded(text: str, width: int) -> str:
    """Text wrapped at ``width``, except within words; continuation lines are indented. 0 wraps nothing."""
    if not width:
        return text
    return "".join(line if len(line) <= width else _folded(line.rstrip("\n"), width) for line in text.splitlines(True))


def _folded(line: str, width: int) -> str:
    import textwrap

    text = line.lstrip()
    first = line[: len(line) - len(text)]
    wrapper = textwrap.TextWrapper(
        width,
        initial_indent=first,
        subsequent_indent=first + _HANGING,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "".join(f"{_without_command(part)}\n" for part in wrapper.fill(text).split("\n"))


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def _escape_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def fitting(line: str, stream: TextIO) -> str:
    """The start of a line that fits a terminal's width, so that it can be overwritten; all of it without a terminal.

    The last column stays free: some terminals begin a new line as soon as it is taken.
    """
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return line
    return line[: columns - 1] if columns else line


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 trace``, ``2 traces``; ``many`` for an irregular plural."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def thousandths(score: float) -> int:
    """A score for display: rounded here only, so that every place shows the same number."""
    return round(score * 1000)
