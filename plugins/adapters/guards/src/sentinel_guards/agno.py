"""Agno: a post-hook that holds the answer to the messages of the run.

from sentinel_guards.agno import sentinel_hook

agent = Agent(model=model, tools=tools, post_hooks=[sentinel_hook()])
"""

from typing import TYPE_CHECKING

from sentinel_core import AnswerGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from agno.run.agent import RunOutput

__all__ = ["sentinel_hook"]

_READER = "agno"


def sentinel_hook(guard: AnswerGuard | None = None) -> "Callable[[RunOutput], None]":
    """A function for ``Agent(post_hooks=[...])``.

    Agno's hooks cannot send an answer back: one that ``guard`` (default: ``AnswerGuard()``) does not accept raises
    ``agno.exceptions.OutputCheckError``. Agno ends the run with the status ``ERROR``, and the reason replaces the answer.
    """
    check = guard or AnswerGuard()

    def sentinel(run_output: "RunOutput") -> None:
        from agno.exceptions import CheckTrigger, OutputCheckError

        objection = check.check(run_output.to_dict(), reader=_READER)
        if objection is not None:
            run_output.content = None  # Agno then puts the error's text in its place
            rules = [finding.rule for finding in objection.findings]
            raise OutputCheckError(objection.reason, CheckTrigger.VALIDATION_FAILED, {"rules": rules})

    return sentinel
