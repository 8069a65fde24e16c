"""Agents of Pydantic AI with a scripted model."""

from pydantic import BaseModel
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart, UnexpectedModelBehavior
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from sentinel_pydantic_ai import sentinel_validator

__all__ = ["Answer", "UnexpectedModelBehavior", "agent_of", "final", "saying"]


class Answer(BaseModel):
    text: str


def final(text):
    """The answer as a call."""
    return ToolCallPart("final_result", {"text": text})


def saying(text, *validators):
    """An agent that calls nothing."""
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart(text)])))
    for validator in validators:
        agent.output_validator(validator)
    return agent


def agent_of(*answers, guard=None, **options):
    parts = iter([ToolCallPart("run_tests", {}), *answers])

    def model(messages, info):
        part = next(parts)
        return ModelResponse(parts=[TextPart(part) if isinstance(part, str) else part])

    async def stream(messages, info):
        part = next(parts)
        if isinstance(part, str):
            yield part[:9]
            yield part[9:]
        else:
            yield {0: DeltaToolCall(name=part.tool_name, json_args="{}", tool_call_id="c1")}

    agent = Agent(FunctionModel(model, stream_function=stream), **options)
    agent.output_validator(sentinel_validator(guard))

    @agent.tool_plain
    def run_tests() -> str:
        return "1 failed, 2 passed"

    return agent
