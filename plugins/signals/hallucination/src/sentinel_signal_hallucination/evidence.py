"""What the rules hand back: findings with the weight that each has in the score."""

import math
import re
from collections.abc import Iterable

from sentinel_core.evaluate.index import Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination.english.sentences import span_around
from sentinel_signal_hallucination.odds import severity_of
from sentinel_signal_hallucination.tables import regex

__all__ = ["Evidence", "combined", "evidence", "in_text", "of_value", "shown"]


class Evidence:
    """One finding and its risk, which is 0 for a note. Errors are not held down by the ceiling of the warnings."""

    __slots__ = ("finding", "weight")

    def __init__(self, finding: Finding, weight: float) -> None:
        self.finding = finding
        self.weight = 0.0 if finding.severity == "note" else weight

    @property
    def certain(self) -> bool:
        """True for an error."""
        return self.finding.severity == "error"


def evidence(
    rule: str,
    branch: str,
    text: str,
    weight: float,
    *,
    message_index: int,
    quote: str | None = None,
    call_id: str | None = None,
) -> Evidence:
    """A finding of a branch, as severe as the odds of that branch allow."""
    finding = Finding(
        rule=rule,
        branch=branch,
        severity=severity_of(rule, branch),
        text=text,
        message_index=message_index,
        quote=quote,
        call_id=call_id,
    )
    return Evidence(finding, weight)


def in_text(text: Text, rule: str, branch: str, message: str, start: int, end: int, weight: float) -> Evidence:
    """A finding in the agent's words, quoted from one place to another."""
    quote = span_around(text.content, start, end)
    return evidence(rule, branch, message, weight, message_index=text.message_index, quote=quote)


def _noisy_or(weights: Iterable[float]) -> float:
    return 1.0 - math.prod(1.0 - weight for weight in weights)


def combined(rows: Iterable[Evidence], ceiling: float) -> float:
    """The risk in [0, 1] of all evidence: independent causes, any of which spoils the trace. Rounded to 6 decimals."""
    rows = list(rows)
    doubtful = min(ceiling, _noisy_or(row.weight for row in rows if not row.certain))
    certain = _noisy_or(row.weight for row in rows if row.certain)
    return round(_noisy_or((doubtful, certain)), 6)


# What may be a secret is named by its first letters: it is found as one only among the words that it stands in.
_SECRET = regex(r"(?i)(?:pass|secret|token|key|pwd|credential|auth|bearer)\w*\W{0,4}(?:\w+\W{1,3}){0,2}\Z")
_LONGEST_SHOWN, _FIRST_LETTERS = 16, 4
# An identifier of words and short numbers: what it names is what the reader has to see, and no secret is so readable.
_JOINT = regex(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])")
_WORD = regex(
    r"(?!.{0,20}(?:[^aeiouyAEIOUY]{6}|[aeiouAEIOU]{4}))(?=.{0,20}[aeiouyAEIOUY]|.{1,5}\Z)(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20})"
)
_SHORT_NUMBER = regex(r"\d{1,4}")
_LEAST_LETTERS = 3  # of a word, on average


def _is_of_words(written: str) -> bool:
    parts = [part for part in _JOINT.split(written) if part and _SHORT_NUMBER.fullmatch(part) is None]
    is_readable = len(parts) > 1 and all(map(_WORD.fullmatch, parts))
    return is_readable and sum(map(len, parts)) >= _LEAST_LETTERS * len(parts)


def shown(written: str, before: str = "") -> str:
    """The value, or the first letters of what may be a secret: by what stands before it, or long and not made of words."""
    is_named = _SECRET.search(before) is not None
    if not is_named and len(written) <= _LONGEST_SHOWN:
        return written
    is_name = not is_named or ("_" in written and written.islower())  # of a variable: passphrases are not written so
    return written if is_name and _is_of_words(written) else f"{written[:_FIRST_LETTERS]}…"


def of_value(answer: Text, rule: str, branch: str, match: re.Match[str], weight: float, left_out: str = "") -> Evidence:
    """A finding of a figure or identifier, quoted with what stands around it in its line; ``left_out`` is what it may stand for."""
    begin = max(answer.content.rfind("\n", 0, match.start()) + 1, match.start() - 150)
    end = min(f"{answer.content}\n".find("\n", match.end()), match.end() + 100)
    what = "identifier" if rule == "identifier" else "figure"
    seen = shown(match[0], answer.content[max(0, match.start() - 40) : match.start()])
    message = (
        f'The {what} "{seen}" is in no result and in nothing that the agent was given, and cannot be derived from them.'
    )
    instead = f" A result has {left_out}, which the answer leaves out." if left_out else ""
    return in_text(answer, rule, branch, f"{message}{instead}", begin, end, weight)
