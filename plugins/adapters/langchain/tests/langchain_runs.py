"""Agents of LangChain with a scripted model."""

from langchain.agents import create_agent
from langchain_core.exceptions import LangChainException
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, convert_to_messages
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from sentinel_langchain import sentinel_middleware, sentinel_node

__all__ = [
    "HumanMessage",
    "LangChainException",
    "by_middleware",
    "by_node",
    "convert_to_messages",
    "scripted",
    "sentinel_node",
]


class Scripted(FakeMessagesListChatModel):
    def bind_tools(self, tools, **options):
        return self


@tool
def run_tests() -> str:
    """Run the tests."""
    return "1 failed, 2 passed"


def scripted(*answers):
    call = AIMessage("", tool_calls=[{"name": "run_tests", "args": {}, "id": "c1"}])
    return Scripted(responses=[call, *map(AIMessage, answers)])


def by_middleware(*answers, guard=None):
    return create_agent(scripted(*answers), [run_tests], middleware=[sentinel_middleware(guard)])


def by_node(*answers, guard=None):
    model = scripted(*answers)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([run_tests]))
    graph.add_node("sentinel", sentinel_node(guard, model="model"), destinations=("model", "__end__"))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else "sentinel")
    graph.add_edge("tools", "model")
    return graph.compile()


def plainly(*answers, guard=None):
    return create_agent(scripted(*answers), [run_tests])


def without_calls(*answers, tools=()):
    return create_agent(
        Scripted(responses=list(map(AIMessage, answers))), [run_tests], middleware=[sentinel_middleware(tools=tools)]
    )
