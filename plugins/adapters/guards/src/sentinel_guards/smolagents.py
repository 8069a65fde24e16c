"""smolagents: a step callback that holds the final answer to the agent's memory.

from sentinel_guards.smolagents import sentinel_callback

agent = ToolCallingAgent(tools=tools, model=model, step_callbacks=[sentinel_callback()])
"""

from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["sentinel_callback"]

_READER = "smolagents"


def sentinel_callback(guard: AnswerGuard | None = None) -> "Callable[..., None]":
    """A function for ``step_callbacks`` of a ``ToolCallingAgent``.

    A final answer that ``guard`` (default: ``AnswerGuard()``) does not accept raises ``smolagents.AgentError`` with the reason
    as its text, and ends the run: the framework's ``final_answer_checks`` send answers back, but cannot end a run. The record
    of a ``CodeAgent`` has code instead of calls, so that few of its claims can be blocked.
    """
    check = guard or AnswerGuard()

    def sentinel(memory_step: Any, agent: Any) -> None:
        if not memory_step.is_final_answer:
            return
        objection = check.check([*agent.memory.get_full_steps(), memory_step.dict()], reader=_READER)
        if objection is not None:
            from smolagents import AgentError

            raise AgentError(objection.reason, agent.logger)

    return sentinel
