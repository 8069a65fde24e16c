"""Reads JSON values of unknown types."""

from typing import Any

from sentinel_core.trace import TokenDetails, TokenUsage

__all__ = ["as_dict", "as_list", "as_text", "exit_success", "file_stem", "number", "stated_usage"]

# An integer too large for a float is neither a duration nor a cost.
_TOO_LARGE = 1e300
_SUFFIXES = (".gz", ".zst", ".json", ".jsonl", ".traj", ".trajectory", ".eval")


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """The value if it is non-empty text, else None."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> float | None:
    """The value if it is a finite number of at least 0, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < _TOO_LARGE else None


def file_stem(name: str) -> str:
    """A file name without its suffixes, for formats whose files carry no id."""
    stem = name
    while stem.endswith(_SUFFIXES):
        stem = stem.rpartition(".")[0]
    return stem or name


def exit_success(code: object) -> bool | None:
    """Success by exit code: 0 is success; 1 is unclear, as ``grep`` and ``diff`` use it for no match; -1 is still running."""
    if type(code) is not int or code in (1, -1):
        return None
    return code == 0


def stated_usage(raw: object, **names: str) -> TokenUsage | None:
    """A usage whose keys are given by name (``prompt="total_prompt_tokens"``); None if it has no positive count."""
    found = as_dict(raw)
    counts = {part: found.get(key) for part, key in names.items()}
    known = {part: value for part, value in counts.items() if type(value) is int and value > 0}
    if not known:
        return None
    details = TokenDetails(
        **{f"{part}_tokens": known[part] for part in ("cached", "cache_write", "reasoning") if part in known}
    )
    return TokenUsage(
        prompt_tokens=known.get("prompt", 0),
        completion_tokens=known.get("completion", 0),
        details=None if details == TokenDetails() else details,
    )
