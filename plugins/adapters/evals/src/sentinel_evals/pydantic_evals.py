"""Pydantic Evals: an evaluator that judges the run behind each case.

from sentinel_evals.pydantic_evals import Sentinel

dataset = Dataset(cases=[...], evaluators=[Sentinel()])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext, EvaluatorOutput
from pydantic_evals.otel import SpanTree

from sentinel_evals.scores import score
from sentinel_evals.spans import span

__all__ = ["Sentinel"]


@dataclass(repr=False)
class Sentinel(Evaluator[Any, Any, Any]):
    """The assertion ``sentinel``, true for PASS, and the label ``sentinel_verdict``.

    The run is the task's output if that is a run (a framework's result, or messages), otherwise what the task's spans
    show: the agent must then be instrumented. A case without a readable run or a verdict is an evaluator's failure.
    ``profile``, ``expect`` and ``allow`` are those of ``sentinel_core.judge``.
    """

    profile: str | None = None
    expect: Sequence[str] = field(default=())
    allow: Sequence[str] = field(default=())

    def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> EvaluatorOutput:
        """Judge the run of one case."""
        is_run = _is_run(ctx.output)
        found = score(
            ctx.output if is_run else _document(ctx.span_tree),
            reader=None if is_run else "phoenix",
            profile=self.profile,
            expect=self.expect,
            allow=self.allow,
        )
        return {
            "sentinel": EvaluationReason(value=found.passed, reason=found.reason),
            "sentinel_verdict": found.verdict,
        }


def _is_run(output: object) -> bool:
    """Whether the task gave its run: an agent's result, a state with messages, or a list of messages."""
    if hasattr(output, "all_messages_json") or hasattr(output, "to_input_list"):
        return True
    listed = output.get("messages") if isinstance(output, Mapping) else output
    return isinstance(listed, list) and bool(listed) and not isinstance(listed[0], str)


def _document(tree: SpanTree) -> dict[str, Any]:
    return {
        "data": [
            span(
                node.name,
                ids=(
                    f"{node.trace_id:032x}",
                    f"{node.span_id:016x}",
                    None if node.parent_span_id is None else f"{node.parent_span_id:016x}",
                ),
                times=(node.start_timestamp, node.end_timestamp),
                status=node.status.upper(),
                attributes=node.attributes,
            )
            for node in tree
        ]
    }
