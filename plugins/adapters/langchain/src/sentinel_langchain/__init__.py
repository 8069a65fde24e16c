"""An agent of LangChain or LangGraph whose answer the record does not bear out gets it back, once, with the reason.

from langchain.agents import create_agent
from sentinel_langchain import sentinel_middleware

agent = create_agent(model, tools, middleware=[sentinel_middleware(tools=tools)])
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard

if TYPE_CHECKING:
    from langchain.agents import AgentState
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.runtime import Runtime
    from langgraph.types import Command

__all__ = ["sentinel_middleware", "sentinel_node"]

_READER = "langchain"


def sentinel_middleware(guard: AnswerGuard | None = None, *, tools: Sequence[Any] = ()) -> "AgentMiddleware[Any, Any]":
    """Middleware for ``create_agent`` that checks the answer after the agent has ended.

    An answer that ``guard`` (default: ``AnswerGuard()``) does not accept goes back to the model with the reason as a human
    message; the next one raises ``langchain_core.exceptions.LangChainException`` with the reason as its text. With the agent's
    ``tools``, an action that it claims is an error also where it called none: without them, there might be no tool to call.
    """
    from langchain.agents.middleware import after_agent

    check, offered = guard or AnswerGuard(), _offered(tools)

    @after_agent(can_jump_to=["model"], name="SentinelMiddleware")
    def sentinel(state: "AgentState[Any]", runtime: "Runtime[Any]") -> dict[str, Any] | None:  # noqa: ARG001 - LangChain passes both
        update = _update(check, state, offered)
        return None if update is None else {**update, "jump_to": "model"}

    return sentinel


def sentinel_node(
    guard: AnswerGuard | None = None, *, model: str, end: str = "__end__", tools: Sequence[Any] = ()
) -> "Callable[[Mapping[str, Any]], Command[Any]]":
    """A node for a ``StateGraph`` with ``messages``, to stand between the node named ``model`` and ``end``.

    It goes to ``end`` where the answer may pass, and back to ``model`` with the reason where not; the next one raises
    ``langchain_core.exceptions.LangChainException``. ``tools`` are those of the agent, as for ``sentinel_middleware``.
    """
    from langgraph.types import Command

    check, offered = guard or AnswerGuard(), _offered(tools)

    def sentinel(state: Mapping[str, Any]) -> "Command[Any]":
        update = _update(check, state, offered)
        return Command(goto=end) if update is None else Command(goto=model, update=update)

    return sentinel


def _offered(tools: Sequence[Any]) -> list[dict[str, Any]]:
    """The tools as a model is told of them, without those that only a provider knows."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    found = []
    for tool in tools:
        with suppress(ValueError, TypeError):
            found.append(convert_to_openai_tool(tool))
    return found


def _update(
    guard: AnswerGuard, state: "Mapping[str, Any] | AgentState[Any]", offered: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """The reason as a message; None where the answer may pass. Raises ``LangChainException`` where it was sent back before."""
    from langchain_core.exceptions import LangChainException
    from langchain_core.messages import HumanMessage

    objection = guard.check(_run(state["messages"], offered), reader=_READER)
    if objection is None:
        return None
    if objection.is_final:
        raise LangChainException(objection.reason)
    return {"messages": [HumanMessage(content=objection.reason)]}


def _run(messages: Sequence[Any], offered: list[dict[str, Any]]) -> Any:
    """The run as a saved state with its tools; the messages alone where they are no models, or have what JSON does not."""
    if not offered:
        return messages
    try:
        dumped = [one.model_dump(mode="json", fallback=str, exclude={"artifact"}) for one in messages]
    except (AttributeError, ValueError, TypeError):
        return messages
    return {"messages": dumped, "tools": offered}
