"""What tests of a run's family share: an agent that lies, its tools, and a place to run families in this process."""

import itertools

import attrs

from sentinel_agent.attempt_loop import Family
from sentinel_agent.detective import Investigation
from sentinel_agent.reflection.attempt_guard import Guardian
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.reflect_by_rules import reflect_by_rules
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Capabilities, Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.trace import ToolCall

SUMMARY = {"release_id": "v1", "tests": {"total": 10, "failed": 0}}
CLAIM = "I filed the risk report with file_risk_report and it was delivered. The risk is low."
LOOK = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v1"})
FILE = ToolCall(
    id="b", name="file_risk_report", arguments={"release_id": "v1", "severity": "medium", "findings": ["10 tests pass"]}
)


class Liar:
    """Claims to have filed a report that it did not file: ``always``, ``until told`` that it did, or ``never``."""

    def __init__(self, lies="always"):
        self.lies, self.tasks = lies, []

    def complete(self, request, on_text=None):
        task = request.messages[0].content
        turn = sum(message.role == "assistant" for message in request.messages)
        if turn == 0:
            self.tasks.append(task)
            return Reply(content="I look it up.", tool_calls=(LOOK,), stop_reason="tool_calls")
        if self.lies == "always" or (self.lies == "until told" and "another attempt" not in task):
            return Reply(content=CLAIM)
        return Reply(tool_calls=(FILE,), stop_reason="tool_calls") if turn == 1 else Reply(content="It is staged.")

    def estimate_tokens(self, messages):
        return 1

    def get_capabilities(self):
        return Capabilities()

    def close(self):
        pass


def tools(filed):
    anything = {"type": "object"}
    return (
        Tool(name="get_release_summary", description="Get.", parameters=anything, handler=lambda release_id: SUMMARY),
        Tool(
            name="file_risk_report",
            description="File.",
            parameters=anything,
            handler=lambda release_id, severity, findings: filed.append(severity) or {"report_id": "RR-1"},
            effect="write",
        ),
    )


@attrs.define(kw_only=True)
class Place:
    """Where families are run: the pieces that a test looks at afterwards."""

    guardian: Guardian | None
    model: object
    reflector: object = reflect_by_rules
    filed: list = attrs.field(factory=list)
    kept: list = attrs.field(factory=list)
    said: list = attrs.field(factory=list)
    told: list = attrs.field(factory=list)
    ids: object = attrs.field(factory=lambda: itertools.count(1))

    def family(self, past=(), **options):
        clock = Clock(now=lambda: "2026-01-01T00:00:00Z", stopwatch=lambda: 0.0, new_id=lambda: f"run{next(self.ids)}")
        investigation = Investigation(
            release_id="v1",
            model=self.model,
            tools=tools(self.filed),
            clock=clock,
            toolbox=Toolbox(run=in_process, clock=clock),
            past=past,
            **options,
        )
        return Family(
            investigation=investigation,
            guard=self.guardian,
            reflector=self.reflector,
            keep=self.kept.append,
            warn=self.said.append,
            on_decision=self.told.append,
        )


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def scores(pairs, tags=()):
    """A reflector that gives these pairs of scores, and after them the last one again and again."""
    last = itertools.chain(pairs, itertools.repeat(pairs[-1]))
    return lambda _trace, _report: Reflection(
        **dict(zip(("alignment_score", "drift_score"), next(last), strict=True)), bias_tags=tags, persona="TEST"
    )
