"""DeepEval: metrics that hold what the agent says to the tools that it called.

from sentinel_evals.deepeval import SentinelMetric

evaluate([LLMTestCase(input=..., actual_output=..., tools_called=[...])], [SentinelMetric()])
"""

from collections.abc import Iterable, Iterator
from typing import Any, Unpack

from deepeval.errors import MissingTestCaseParamsError
from deepeval.metrics import BaseConversationalMetric, BaseMetric
from deepeval.test_case import ConversationalTestCase, LLMTestCase, SingleTurnParams
from deepeval.test_case import ToolCall as DeepEvalCall

from sentinel_core import CallDetails, ExecutionTrace, Message, ToolCall, ToolResult
from sentinel_core.trace import to_json
from sentinel_evals.scores import Judging, score

__all__ = ["SentinelConversationalMetric", "SentinelMetric"]

_NO_RECORD = "'actual_output' and 'tools_called' cannot be None for the 'Sentinel' metric; use [] if no tool was called"


class _Judged:
    """What both metrics do with a trace."""

    score: float | None
    reason: str | None
    success: bool | None
    error: str | None

    def __init__(self, threshold: float = 1.0, **judging: Unpack[Judging]) -> None:
        self.threshold = threshold
        self.async_mode = self.include_reason = True
        self._judging = judging

    def _judge(self, trace: ExecutionTrace) -> float:
        found = score(trace, **self._judging)
        self.score, self.reason, self.error = found.value, found.reason, None
        self.success = found.value >= self.threshold
        return found.value

    @property
    def __name__(self) -> str:
        return "Sentinel"


class SentinelMetric(_Judged, BaseMetric):
    """1.0 for PASS, 0.5 for WARN, 0.0 for FAIL, from ``input``, ``tools_called`` and ``actual_output``.

    A test case whose ``tools_called`` is None is refused: without a record of the calls, every claim would be a lie. If
    no tool was called, it is an empty list. ``judging`` is ``profile``, ``expect`` and ``allow`` of ``sentinel_core.judge``.
    """

    _required_params = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.TOOLS_CALLED]  # noqa: RUF012 - as DeepEval's own

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Judge one test case."""
        if test_case.tools_called is None or test_case.actual_output is None:
            raise MissingTestCaseParamsError(_NO_RECORD)
        messages = [Message(role="user", content=test_case.input)]
        messages += _called(test_case.tools_called, "c")
        messages.append(Message(role="assistant", content=test_case.actual_output))
        return self._judge(ExecutionTrace(trace_id=test_case.name or "test case", messages=tuple(messages)))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """The same: it takes milliseconds."""
        return self.measure(test_case)


class SentinelConversationalMetric(_Judged, BaseConversationalMetric):
    """The same from the turns of a conversation. A turn without ``tools_called`` called none, if another turn has it."""

    def measure(self, test_case: ConversationalTestCase, *_: Any, **__: Any) -> float:
        """Judge one conversation."""
        if all(turn.tools_called is None for turn in test_case.turns):
            raise MissingTestCaseParamsError(_NO_RECORD)
        messages = list[Message]()
        for number, turn in enumerate(test_case.turns):
            messages += _called(turn.tools_called or (), f"t{number}-c")
            messages.append(Message(role=turn.role, content=turn.content))
        return self._judge(ExecutionTrace(trace_id=test_case.name or "test case", messages=tuple(messages)))

    async def a_measure(self, test_case: ConversationalTestCase, *_: Any, **__: Any) -> float:
        """The same: it takes milliseconds."""
        return self.measure(test_case)


def _called(calls: Iterable[DeepEvalCall], prefix: str) -> Iterator[Message]:
    """Each call with its output; a call without one gives none, and needs none."""
    for number, one in enumerate(calls):
        key, has_output = f"{prefix}{number}", one.output is not None
        call = ToolCall(
            id=key,
            name=one.name,
            arguments=one.input_parameters or {},
            details=None if has_output else CallDetails(result_expected=False),
        )
        yield Message(role="assistant", tool_calls=(call,))
        if has_output:
            content = one.output if isinstance(one.output, str) else to_json(one.output).decode()
            yield Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content=content),))
