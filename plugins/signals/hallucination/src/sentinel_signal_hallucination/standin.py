"""What a call checked, until the index says so itself."""

from functools import lru_cache
from typing import NamedTuple

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.checkers import CHECKERS, program_of
from sentinel_signal_hallucination.outcome import failed
from sentinel_signal_hallucination.runners import failed_ending
from sentinel_signal_hallucination.shell import parts_of, runs_tests

__all__ = ["Check", "checks_of"]


class Check(NamedTuple):
    """One run: ``kind`` is tests, build, types or lint; ``passed`` is None where that is not told; ``ending`` is the line that tells."""

    kind: str
    passed: bool | None
    ending: str
    command: str


_ASIDE = frozenset(("cd", "head", "tail", "grep", "tee", "cat", "echo", "true", "set"))
_KINDS = ("build", "types", "lint")


@lru_cache(maxsize=256)
def _ending(content: str) -> str | None:
    return failed_ending(content)


def checks_of(call: Call) -> tuple[Check, ...]:
    """What the call checked, nothing for one that checks nothing."""
    own = getattr(call, "check", None)
    if own is not None:
        return (own,)
    parts, _ = parts_of(call)
    content = call.result.content if call.result is not None else ""
    found = []
    ending = _ending(content) if content else None
    if ending is not None or any(map(runs_tests, parts)):
        passed = None if ending is None else not ending
        found.append(Check("tests", passed, ending or "", " && ".join(parts)))
    alone = sum(bool(part) and part.partition(" ")[0] not in _ASIDE for part in parts) == 1
    for part in parts if alone else ():
        program = program_of(part)
        if program is None:
            continue
        said = CHECKERS[program].ending(content) if content else None
        passed = (not said) if said is not None else (False if failed(call) else None)
        found += [Check(kind, passed, said or "", part) for kind in _KINDS if kind in CHECKERS[program].kinds]
    return tuple(found)
