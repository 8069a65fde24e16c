"""An agent of LangChain or LangGraph whose answer the record does not bear out gets it back, once, with the reason.

from langchain.agents import create_agent
from sentinel_langchain import sentinel_middleware

agent = create_agent(model, tools, middleware=[sentinel_middleware()])
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard

if TYPE_CHECKING:
    from langchain.agents import AgentState
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.runtime import Runtime
    from langgraph.types import Command

__all__ = ["sentinel_middleware", "sentinel_node"]

_READER = "langchain"


def sentinel_middleware(guard: AnswerGuard | None = None) -> "AgentMiddleware[Any, Any]":
    """Middleware for ``create_agent`` that checks the answer after the agent has ended.

    An answer that ``guard`` (default: ``AnswerGuard()``) does not accept goes back to the model with the reason as a human
    message; the next one raises ``langchain_core.exceptions.LangChainException`` with the reason as its text.
    """
    from langchain.agents.middleware import after_agent

    check = guard or AnswerGuard()

    @after_agent(can_jump_to=["model"], name="SentinelMiddleware")
    def sentinel(state: "AgentState[Any]", runtime: "Runtime[Any]") -> dict[str, Any] | None:  # noqa: ARG001 - LangChain passes both
        update = _update(check, state)
        return None if update is None else {**update, "jump_to": "model"}

    return sentinel


def sentinel_node(
    guard: AnswerGuard | None = None, *, model: str, end: str = "__end__"
) -> "Callable[[Mapping[str, Any]], Command[Any]]":
    """A node for a ``StateGraph`` with ``messages``, to stand between the node named ``model`` and ``end``.

    It goes to ``end`` where the answer may pass, and back to ``model`` with the reason where not; the next one raises
    ``langchain_core.exceptions.LangChainException``.
    """
    from langgraph.types import Command

    check = guard or AnswerGuard()

    def sentinel(state: Mapping[str, Any]) -> "Command[Any]":
        update = _update(check, state)
        return Command(goto=end) if update is None else Command(goto=model, update=update)

    return sentinel


def _update(guard: AnswerGuard, state: "Mapping[str, Any] | AgentState[Any]") -> dict[str, Any] | None:
    """The reason as a message; None where the answer may pass. Raises ``LangChainException`` where it was sent back before."""
    from langchain_core.exceptions import LangChainException
    from langchain_core.messages import HumanMessage

    objection = guard.check(state["messages"], reader=_READER)
    if objection is None:
        return None
    if objection.is_final:
        raise LangChainException(objection.reason)
    return {"messages": [HumanMessage(content=objection.reason)]}
