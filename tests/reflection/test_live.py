"""Watching an attempt gives what judging its trace gives, on every prefix."""

import re
from itertools import pairwise
from pathlib import Path

import attrs
import pytest

from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.bound import EACH_UP_TO, BoundGuardrail, LiveGuard
from sentinel_core.guardrails.facts import Attempt, History, Ruling
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.settings import Layers
from sentinel_core.profile import RS1
from sentinel_core.trace import ExecutionTrace, Message, TokenUsage
from sentinel_core.traces.codec import decode_trace

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "traces").glob("*.json"))
SAID = Message(role="assistant", content="Done.")


@pytest.fixture(scope="module")
def panel():
    return make_panel(*load(installed(("signals",))), (), Layers())


def header(trace):
    return attrs.evolve(trace, messages=())


def stops_when(condition, action="stop_attempt"):
    def check(history):
        return (
            Ruling(action=action, reason="enough", detail="Enough.") if condition(history) else Ruling(action="allow")
        )

    return BoundGuardrail(name="mine", check=check)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_live_and_batch_agree_on_every_prefix_of_every_example(path, panel):
    trace = decode_trace(path.read_bytes())
    guard = LiveGuard(header(trace), panel, [])
    assert len(trace.messages) > 1
    for count, message in enumerate(trace.messages, 1):
        assert guard.check(message) is None
        prefix = attrs.evolve(trace, messages=trace.messages[:count])
        assert guard.report == evaluate(TraceIndex(prefix), panel)


def test_what_was_used_so_far_counts(panel):
    trace = ExecutionTrace(trace_id="t", messages=(SAID,))
    guard = LiveGuard(header(trace), panel, [])
    usage = TokenUsage(prompt_tokens=10**9)
    guard.check(SAID, token_usage=usage)
    assert guard.report == evaluate(TraceIndex(attrs.evolve(trace, token_usage=usage)), panel)
    assert guard.report.metadata.total_tokens == 10**9


def test_a_guardrail_sees_the_report_and_the_family_and_stops_the_attempt(panel):
    trace = decode_trace((EXAMPLES[0].parent / "fabricated.json").read_bytes())
    family = History(attempts=(Attempt(loop_id="before"),))
    seen = []

    def fails(history):
        seen.append(history)
        return history.live.verdict == "FAIL"

    guard = LiveGuard(header(trace), panel, [stops_when(fails)], family)
    rulings = [guard.check(message) for message in trace.messages]
    assert rulings[:-1] == [None] * (len(rulings) - 1)
    assert (rulings[-1].action, rulings[-1].reason) == ("stop_attempt", "enough")
    assert {history.attempts for history in seen} == {family.attempts}


def test_the_first_by_name_is_told_and_one_that_fails_stops_nothing(panel):
    def broken(history):
        raise RuntimeError("no idea")

    failing = BoundGuardrail(name="a", check=broken)
    alone = LiveGuard(ExecutionTrace(trace_id="t"), panel, [failing])
    assert [alone.check(SAID), alone.check(SAID)] == [None, None]
    assert re.fullmatch(r'Guardrail "a" raised RuntimeError: no idea \(test_live\.py:\d+\)\.', alone.failed["a"].detail)
    three = [stops_when(lambda _: True, "finalize"), failing, attrs.evolve(stops_when(lambda _: True), name="z")]
    guard = LiveGuard(ExecutionTrace(trace_id="t"), panel, three)
    ruling = guard.check(SAID)
    assert (guard.ruled_by, ruling.action, ruling.reason) == ("mine", "finalize", "enough")


def test_the_built_in_guardrails_let_an_attempt_at_work_be(panel, make):
    attempts = tuple(Attempt(loop_id=str(n), alignment_score=0.0, drift_score=1.0, bias_tags=("x",)) for n in range(9))
    guard = LiveGuard(ExecutionTrace(trace_id="t"), panel, make().guardrails, History(attempts=attempts))
    assert guard.check(SAID) is None


def test_each_message_up_to_a_thousand_and_then_ever_fewer():
    judged = []
    guard = LiveGuard(
        ExecutionTrace(trace_id="t"),
        Panel(signals=(), profile=RS1),
        [stops_when(lambda history: judged.append(history.live.metadata.total_messages))],
    )
    for _ in range(3 * EACH_UP_TO):
        guard.check(SAID)
    assert judged[:EACH_UP_TO] == list(range(1, EACH_UP_TO + 1))
    assert all((after - before) * 500 >= after for before, after in pairwise(judged[EACH_UP_TO:]))
    assert EACH_UP_TO + 300 < len(judged) < 2 * EACH_UP_TO
    last = guard.judge()
    assert (last.metadata.total_messages, guard.report) == (3 * EACH_UP_TO, last)
