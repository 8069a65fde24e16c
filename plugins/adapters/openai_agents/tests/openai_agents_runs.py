"""Agents of the OpenAI Agents SDK with its own scripted model."""

from agents import (
    Agent,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunHooks,
    Runner,
    SQLiteSession,
    UserError,
    function_tool,
    handoff,
)
from agents.testing import ScriptedModel, assistant_message, function_call

__all__ = ["OutputGuardrailTripwireTriggered", "Runner", "SQLiteSession", "UserError"]

QUIET = RunConfig(tracing_disabled=True)


@function_tool
def run_tests() -> str:
    """Run the tests."""
    return "1 failed, 2 passed"


def agent_of(*answers, **options):
    call = function_call("run_tests", {}, call_id="c1")
    model = ScriptedModel([[call], *([assistant_message(text)] for text in answers)])
    return Agent("tester", model=model, tools=[run_tests], **options)


def handing_over():
    """An agent that calls, then hands over to one that does not see the call."""
    second = Agent("writer", model=ScriptedModel([[assistant_message("I've sent the email to the customer.")]]))

    @function_tool
    def send_email() -> str:
        """Send it."""
        return "sent"

    steps = [
        [function_call("send_email", {}, call_id="c1")],
        [function_call("transfer_to_writer", {}, call_id="c2")],
    ]
    only_the_question = handoff(second, input_filter=lambda data: data.clone(pre_handoff_items=(), new_items=()))
    first = Agent("sender", model=ScriptedModel(steps), tools=[send_email], handoffs=[only_the_question])
    return first, second


class Counting(RunHooks):
    def __init__(self):
        self.names = []

    async def on_llm_start(self, context, agent, system_prompt, input_items):
        self.names.append("start")

    async def on_llm_end(self, context, agent, response):
        self.names.append("end")

    async def on_tool_end(self, context, agent, tool, result):
        self.names.append(tool.name)
