"""Looking into JSON values of which nothing is sure."""

from typing import Any

from sentinel_core.trace import TokenDetails, TokenUsage

__all__ = ["as_dict", "as_list", "as_text", "exit_success", "file_stem", "number", "stated_usage"]

# A whole number larger than a float holds is no duration and no cost.
_TOO_LARGE = 1e300
_SUFFIXES = (".gz", ".zst", ".json", ".jsonl", ".traj", ".trajectory", ".eval")


def as_dict(value: object) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    """The value where it is text that is not empty, else None."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> float | None:
    """The value where it is a finite number that is not negative, else None."""
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
    """What an exit code says: 0 worked; 1 is how ``grep`` and ``diff`` say no, and -1 that the command still runs."""
    if type(code) is not int or code in (1, -1):
        return None
    return code == 0


def stated_usage(raw: object, **names: str) -> TokenUsage | None:
    """A usage whose keys are given by name (``prompt="total_prompt_tokens"``); None where it holds no positive count."""
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
