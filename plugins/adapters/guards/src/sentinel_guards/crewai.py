"""CrewAI: a guardrail of a task that holds its output to the messages of its agent.

from sentinel_guards.crewai import sentinel_guardrail

task = Task(description=..., expected_output=..., agent=agent, guardrail=sentinel_guardrail())
"""

import logging
from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["sentinel_guardrail"]

_READER = "openai-chat"
_log = logging.getLogger("sentinel.answers")


def sentinel_guardrail(guard: AnswerGuard | None = None) -> "Callable[[Any], tuple[bool, Any]]":
    """A function for ``Task(guardrail=...)``, where the agent's model calls tools natively.

    An output that ``guard`` (default: ``AnswerGuard()``) does not accept raises ``UnreliableAnswerError``, and ends the task: an
    output that CrewAI sends back starts anew, without the calls of the first try, and would be judged without them. Where the
    model writes its calls as text, the messages lack the answer; such an output passes, and ``sentinel.answers`` says so.
    """
    check = guard or AnswerGuard()

    def sentinel(output: Any) -> tuple[bool, Any]:
        messages = list(output.messages)
        if not messages or messages[-1]["role"] != "assistant":
            _log.warning(
                "a CrewAI output was not judged: its messages do not end with the answer (no native tool calls?)"
            )
            return True, output
        objection = check.check(messages, reader=_READER)
        if objection is not None:
            raise UnreliableAnswerError(objection)
        return True, output

    return sentinel
