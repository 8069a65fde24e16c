"""Short spellings of traces: ``trace(user("..."), call("get_order", "{}"), say("..."))``."""

from collections.abc import Callable
from typing import Any

import pytest

import sentinel_signal_hallucination as signal
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Detection
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult, ToolSchema, TraceDetails

Step = Callable[[int], list[Message]]


class Script:
    """Makes messages and traces; a call is one assistant message and, where it has a result, one tool message."""

    def user(self, content: str) -> Step:
        return lambda _: [Message(role="user", content=content)]

    def say(self, content: str) -> Step:
        return lambda _: [Message(role="assistant", content=content)]

    def call(
        self,
        name: str,
        result: str | None = "ok",
        *,
        success: bool | None = None,
        says: str | None = None,
        **arguments: Any,
    ) -> Step:
        def step(number: int) -> list[Message]:
            calls = (ToolCall(id=f"call-{number}", name=name, arguments=arguments or {"id": 1}),)
            messages = [Message(role="assistant", content=says, tool_calls=calls)]
            if result is not None:
                results = (ToolResult(tool_call_id=f"call-{number}", content=result, success=success),)
                messages.append(Message(role="tool", tool_results=results))
            return messages

        return step

    def ways(self, detection: Detection) -> set[str]:
        """The ways to its findings: ``{"claim_without_call.unasked"}``. How grave each is, only the odds say."""
        return {f"{finding.rule}.{finding.branch}" for finding in detection.findings}

    def tool(self, name: str) -> ToolSchema:
        return ToolSchema(name=name)

    def trace(self, *steps: Step, **details: Any) -> ExecutionTrace:
        messages = [message for number, step in enumerate(steps) for message in step(number)]
        return ExecutionTrace(
            trace_id="t", messages=tuple(messages), details=TraceDetails(**details) if details else None
        )

    def judge(self, *steps: Step, **details: Any) -> Detection:
        return self.detect(self.trace(*steps, **details))

    def detect(self, trace: ExecutionTrace, **settings: float) -> Detection:
        return signal.detect(TraceIndex(trace), signal.Settings(**settings))


@pytest.fixture
def all_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finding is a warning, whatever the odds say: for tests of weights."""
    monkeypatch.setattr("sentinel_signal_hallucination.evidence.severity_of", lambda *_: "warning")


@pytest.fixture
def script() -> Script:
    return Script()
