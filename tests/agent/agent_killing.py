"""Runs that are killed with SIGKILL at a point of their choice, each in a forked process of its own, and resumed."""

import json
import os
import signal
from pathlib import Path

import attrs

from sentinel_agent.detective import Investigation
from sentinel_agent.journal import Journal, JournalObserver
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, bind_tool
from sentinel_provider_offline import OfflineModel
from sentinel_tools_release import sentinel_tools

RELEASES = Path(__file__).parents[2] / "examples" / "releases"


class Killer:
    """An observer that ends its process, hard, at the Nth event that it sees."""

    def __init__(self, point):
        self.point, self.seen = point, 0

    def __call__(self, _event):
        self.seen += 1
        if self.seen == self.point:
            os.kill(os.getpid(), signal.SIGKILL)


class Counting:
    """The offline rules; writes a line into a file for each time that they are asked."""

    def __init__(self, log):
        self._log, self._model = log, OfflineModel()

    def complete(self, request, on_text=None):
        with self._log.open("a") as file:
            file.write("asked\n")
        return self._model.complete(request, on_text)

    def __getattr__(self, name):
        return getattr(self._model, name)


def tools_for(state, reports, killed=False):
    """The release tools; the one that files ends its agent's process right after it has filed, where ``killed``."""
    made = []
    for tool in sentinel_tools():
        fields = {field.name for field in attrs.fields(tool.settings)}
        wanted = {"releases": str(RELEASES), "reports": str(reports), "outbox": str(state / "outbox")}
        bound = bind_tool(tool, tool.settings(**{name: value for name, value in wanted.items() if name in fields}))
        if killed and tool.name == "file_risk_report":
            bound = attrs.evolve(bound, handler=_then_kill(bound.handler))
        made.append(bound)
    return made


def _then_kill(handler):
    def filed(release_id, severity, findings, *, idempotency_key=None, below_evidence=False):
        handler(release_id, severity, findings, idempotency_key=idempotency_key, below_evidence=below_evidence)
        os.kill(os.getppid(), signal.SIGKILL)

    return filed


def work(state, reports, *, before=0, after=0, in_delivery=False):
    """A new run, or the one in the journal resumed, in a forked process: what it came to, None where it was killed."""
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.close(reader)
            os.write(writer, _run(state, reports, before, after, in_delivery))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        told = file.read()
    os.waitpid(process, 0)
    return json.loads(told) if told else None


def _run(state, reports, before, after, in_delivery):
    journal = Journal(state)
    journal_observer = JournalObserver(journal)
    begun = journal.runs()
    if begun:
        journal_observer.resume(begun[-1].run_id)
    else:
        journal_observer.prepare("v2.1.0", {}, {}, lambda _run_id: None)
    investigation = Investigation(
        release_id="v2.1.0",
        model=Counting(state / "asked"),
        tools=tools_for(state, reports, killed=in_delivery),
        provider="offline",
        observers=(Killer(before), journal_observer, Killer(after)),
        toolbox=Toolbox(),
        settings=AgentSettings(initial_delay=0.0),
        past=journal_observer.past,
    )
    attempt = investigation.attempt()
    result = investigation.result(attempt, investigation.deliver(attempt))
    return json.dumps(facts_of(result)).encode()


def facts_of(result):
    """What must be the same however often a run was killed."""
    from sentinel_core import evaluate_trace

    report = evaluate_trace(result.trace)
    return {
        "outcome": result.outcome,
        "delivery": result.delivery.status if result.delivery else None,
        "severity": result.severity,
        "verdict": report.verdict,
        "findings": [finding.rule for finding in report.findings],
        "messages": [[m.role, m.content, [r.content for r in m.tool_results]] for m in result.trace.messages],
    }
