"""An agent of Pydantic AI whose answer the record does not bear out gets it back, once, with the reason.

from pydantic_ai import Agent
from sentinel_pydantic_ai import sentinel_validator

agent = Agent("anthropic:claude-sonnet-5")
agent.output_validator(sentinel_validator())
"""

from typing import TYPE_CHECKING, Any, TypeVar

from sentinel_core import AnswerGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_ai import RunContext

__all__ = ["sentinel_validator"]

_READER = "pydantic-ai"
_Output = TypeVar("_Output")


def sentinel_validator(guard: AnswerGuard | None = None) -> "Callable[[RunContext[Any], Any], Any]":
    """A function for ``agent.output_validator``. Answers of a stream are checked when they are complete.

    An answer that ``guard`` (default: ``AnswerGuard()``) does not accept raises ``ModelRetry`` with the reason, which the
    framework sends to the model. The next one raises ``UnexpectedModelBehavior`` with the reason as its text; so does the
    first where the agent has no output retries.
    """
    check = guard or AnswerGuard()

    def validate(ctx: "RunContext[Any]", output: _Output) -> _Output:
        if ctx.partial_output:
            return output
        from pydantic_ai import ModelMessagesTypeAdapter, ModelRetry, UnexpectedModelBehavior

        run = ModelMessagesTypeAdapter.dump_python(ctx.messages, mode="json")
        if run and run[-1]["kind"] == "request":  # a stream's answer comes before the response that holds it
            run.append({"kind": "response", "parts": [{"part_kind": "text", "content": str(output)}]})
        objection = check.check(run, reader=_READER)
        if objection is None:
            return output
        raise (UnexpectedModelBehavior if objection.is_final else ModelRetry)(objection.reason)

    return validate
