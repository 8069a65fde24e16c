"""LlamaIndex: runs an agent workflow, and holds its answer to the memory of the context.

from sentinel_guards.llama_index import run

result = await run(agent, "Fix the failing test.")  # as await agent.run(...)
"""

from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError

if TYPE_CHECKING:
    from llama_index.core.agent.workflow import AgentOutput, AgentWorkflow, BaseWorkflowAgent

__all__ = ["run"]

_READER = "llama-index"


async def run(
    agent: "BaseWorkflowAgent | AgentWorkflow", user_msg: Any, guard: AnswerGuard | None = None, **options: Any
) -> "AgentOutput":
    """As ``await agent.run(user_msg, **options)``; an answer that ``guard`` does not accept is sent back with the reason.

    The next one raises ``UnreliableAnswerError``. The agent goes on with the same context and memory: no call is made again.
    """
    from llama_index.core.memory import ChatMemoryBuffer
    from llama_index.core.workflow import Context

    check = guard or AnswerGuard()
    context = options.pop("ctx", None) or Context(agent)
    memory = options.pop("memory", None) or await context.store.get("memory", default=None)
    if memory is None:
        memory = ChatMemoryBuffer.from_defaults(llm=getattr(agent, "llm", None))
    while True:
        result: AgentOutput = await agent.run(user_msg=user_msg, ctx=context, memory=memory, **options)
        messages = [message.model_dump(mode="json") for message in memory.get_all()]
        objection = check.check(messages, reader=_READER)
        if objection is None:
            return result
        if objection.is_final:
            raise UnreliableAnswerError(objection)
        user_msg = objection.reason
        options.pop("chat_history", None)  # the memory has it
