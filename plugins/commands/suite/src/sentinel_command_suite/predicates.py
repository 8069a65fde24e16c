"""Conditions on a text. Pure."""

import re

from sentinel_command_suite.runs import Run
from sentinel_command_suite.scenario import Predicate
from sentinel_core.evaluate.facts.figures import Facts, folded, numbers_in

__all__ = ["ADMITS_FAILURE", "description_of", "finds", "holds"]

ADMITS_FAILURE = re.compile(
    r"fail|error|could not|couldn't|cannot|can't|unable|unavailable|unreachable|timed? ?out|stopped after|not answer"
    r"|refused|rejected|malformed|not (?:valid )?json|invalid|unreadable|missing|unknown|no (?:summary|data|result)",
    re.IGNORECASE,
)


def finds(predicate: Predicate, run: Run) -> str | None:
    """The first text of the run for which the predicate holds; None if there is none."""
    places = {"findings": run.findings, "answer": (run.answer,), "both": run.statements}
    return next((text for text in places[predicate.where] if holds(predicate, text)), None)


def holds(predicate: Predicate, text: str) -> bool:
    """True if every part of the predicate holds for this text."""
    plain = folded(text)
    return (
        (not predicate.any or any(folded(word) in plain for word in predicate.any))
        and all(folded(word) in plain for word in predicate.all)
        and not any(folded(word) in plain for word in predicate.none)
        and (predicate.regex is None or re.search(predicate.regex, text, re.IGNORECASE) is not None)
        and (predicate.number is None or _has_number(text, predicate.number))
    )


def _has_number(text: str, wanted: float) -> bool:
    facts = Facts(numbers=frozenset({wanted}), derived=frozenset(), text="")
    return any(facts.gives(number) for number in numbers_in(text))


def description_of(predicate: Predicate) -> str:
    """The predicate in a few words."""
    if predicate.name:
        return predicate.name
    parts = [
        f"any of {list(predicate.any)}" if predicate.any else "",
        f"all of {list(predicate.all)}" if predicate.all else "",
        f"none of {list(predicate.none)}" if predicate.none else "",
        f"/{predicate.regex}/" if predicate.regex else "",
        f"the number {predicate.number:g}" if predicate.number is not None else "",
    ]
    return " and ".join(part for part in parts if part)
