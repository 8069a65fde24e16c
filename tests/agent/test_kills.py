"""A run killed anywhere is finished by its resumption: nothing is lost, nothing is done twice, the verdict is the same."""

import itertools
import json
import os

import pytest
from agent_counting import counting_service
from agent_killing import work

from sentinel_agent.events import AttemptStarted, DeliveryStarted, ReplyReceived
from sentinel_agent.journal import Journal
from sentinel_core import ExecutionTrace, evaluate_trace

pytestmark = pytest.mark.unmeasured

EVENTS = 24  # of an undisturbed run
SOAK = os.environ.get("SENTINEL_SOAK") == "1"
POINTS = [(kind, point) for point in range(1, EVENTS + 1) for kind in ("before", "after")]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run comes to that nothing happens to."""
    place = tmp_path_factory.mktemp("undisturbed")
    evaluate_trace(ExecutionTrace(trace_id="warm"))  # the forked processes then find the signals loaded
    return work(place / "state", place / "reports")


def events_in(state):
    journal = Journal(state)
    try:
        return journal.read(journal.runs()[-1].run_id).events
    finally:
        journal.close()


def check(state, undisturbed, facts, kills=1):
    """One report, nothing lost, nothing asked again that was answered, and the same result."""
    assert facts == undisturbed
    events = events_in(state)
    assert [event.sequence for event in events] == list(range(len(events)))
    assert len([event for event in events if isinstance(event, ReplyReceived)]) == 3
    assert len([event for event in events if isinstance(event, DeliveryStarted)]) == 1
    asked = len((state / "asked").read_text().splitlines())
    assert 3 <= asked <= 3 + kills
    assert asked <= len([event for event in events if isinstance(event, AttemptStarted)])


killed = []


def until_done(tmp_path, reports, points):
    """Killed at each of the points in turn, then left alone."""
    for options in points:
        facts = work(tmp_path / "state", reports, **options)
        if facts is not None:
            return facts
        killed.append(options)
    return work(tmp_path / "state", reports)


@pytest.mark.parametrize(("kind", "point"), POINTS if SOAK else POINTS[::4])
def test_killed_at_an_event(tmp_path, undisturbed, kind, point):
    facts = until_done(tmp_path, tmp_path / "reports", [{kind: point}])
    check(tmp_path / "state", undisturbed, facts)
    assert len(list((tmp_path / "reports").glob("RR-*"))) == 1


def test_killed_right_after_filing(tmp_path, undisturbed):
    facts = until_done(tmp_path, tmp_path / "reports", [{"in_delivery": True}])
    check(tmp_path / "state", undisturbed, facts)
    assert len(list((tmp_path / "reports").glob("RR-*"))) == 1


SECOND = sorted({*range(1, EVENTS + 1, 2), *range(2, 14, 2)})  # a resumed run has fewer events
PAIRS = list(itertools.product(range(1, EVENTS + 1, 2), SECOND))


@pytest.mark.parametrize(("first", "second"), PAIRS if SOAK else PAIRS[::29])
def test_killed_again_while_it_is_resumed(tmp_path, undisturbed, first, second):
    facts = until_done(tmp_path, tmp_path / "reports", [{"after": first}, {"before": second}, {"in_delivery": True}])
    check(tmp_path / "state", undisturbed, facts, kills=3)
    assert len(list((tmp_path / "reports").glob("RR-*"))) == 1


@pytest.mark.parametrize("point", range(1 if SOAK else 21, EVENTS + 1))
def test_a_server_counts_one_report(tmp_path, point):
    log = tmp_path / "log"
    with counting_service(log) as address:
        facts = until_done(tmp_path, address, [{"after": point}, {"in_delivery": True}])
    reports = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(reports) == 1
    assert facts["delivery"] in ("delivered", "unknown")


def test_a_server_that_took_it_and_never_answers_is_not_sent_a_second_report(tmp_path):
    log = tmp_path / "log"
    with counting_service(log, answers=False) as address:
        facts = until_done(tmp_path, address, [])
        again = until_done(tmp_path, address, [])
    assert len(log.read_text().splitlines()) == 1
    assert (facts["delivery"], facts["severity"]) == ("unknown", None)
    assert again["delivery"] == "unknown"


@pytest.mark.skipif(not SOAK, reason="counts the kills of all the tests above: make soak")
def test_there_were_500_kills():
    print(f"{len(killed)} kills of a run")  # noqa: T201 - a figure, shown with -s
    assert len(killed) >= 500
