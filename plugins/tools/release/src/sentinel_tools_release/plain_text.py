"""Text of others on one line."""

__all__ = ["plain"]

_LONGEST = 200


def plain(text: str, longest: int = _LONGEST) -> str:
    """One line without control characters, of at most ``longest`` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: longest * 4]).split())
    return line if len(line) <= longest else f"{line[:longest]}..."
