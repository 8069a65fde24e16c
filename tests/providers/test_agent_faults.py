"""The detective, every provider, every fault, at three places of the conversation: never a second report, exact attempts."""

import functools
import time
from collections.abc import Callable, Iterator

import attrs
import pytest
from tables import judge_rows

from sentinel_agent.detective import RunResult, investigate
from sentinel_agent.events import AttemptStarted
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Model
from sentinel_faults import DIALECTS, FAULTS, Asked, Fault, FaultServer, Turn

pytestmark = pytest.mark.unmeasured

RELEASE = "v2.1.0"
SHORT = 0.15  # seconds; what a fault that lasts until the client gives up costs
ATTEMPTS = 3
REPORT = {"release_id": RELEASE, "severity": "high", "findings": ["2 of 144 tests failed"]}
SCRIPT = (
    Turn(calls=(Asked(name="get_release_summary", arguments={"release_id": RELEASE}),)),
    Turn(calls=(Asked(name="file_risk_report", arguments=REPORT),)),
    Turn(text="The release is risky: 2 of 144 tests failed. The report is r-1."),
)
FIRST, AFTER_RESULT, LAST = 0, 1, 2
FEW = ("openrouter",)  # the same code as another provider: each fault at one place only
ENDS = {"max_tokens": "truncated", "refusal": "refused", "content_filter": "filtered"}


def cases(
    wanted: Callable[[Fault], bool], *, few: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Each provider, all faults, each at a place of its own; where they are not to be few, ``make soak`` tries all places."""

    def params() -> Iterator[object]:
        for dialect in sorted(DIALECTS):
            faults = [
                (number % 3, fault)
                for number, fault in enumerate(FAULTS.values())
                if fault.fits(dialect) and wanted(fault)
            ]
            own = [{"fault": fault, "place": place} for place, fault in faults]
            yield pytest.param(dialect, own, id=dialect, marks=pytest.mark.exhaustive if dialect in FEW else ())
            places = () if few or dialect in FEW else (FIRST, AFTER_RESULT, LAST)
            if more := [{"fault": fault, "place": one} for place, fault in faults for one in places if one != place]:
                yield pytest.param(dialect, more, id=f"{dialect}-elsewhere", marks=pytest.mark.exhaustive)

    def judged(test: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize(("connection", "rows"), list(params()), indirect=["connection"])
        def test_of_all_rows(connection, rows):
            judge_rows(functools.partial(test, connection), rows)

        return test_of_all_rows

    return judged


@attrs.frozen
class Run:
    result: RunResult
    reports: int
    seconds: float

    @property
    def attempts(self) -> int:
        return sum(isinstance(event, AttemptStarted) for event in self.result.events)


@attrs.frozen
class Hurried:
    """Gives a call little time where the server is about to last until it is over, and enough elsewhere."""

    model: Model
    server: FaultServer

    def complete(self, request, on_text=None):
        turn = sum(message.role == "assistant" for message in request.messages)
        limit = SHORT if self.server.is_due(turn) else None
        return self.model.complete(attrs.evolve(request, timeout=limit), on_text)

    def __getattr__(self, name):
        return getattr(self.model, name)


def run(connection, fault: Fault, place: int, times: int) -> Run:
    connection.server.script = SCRIPT
    connection.server.play(fault, position=place, times=times)
    desk, start = connection.desk(), time.monotonic()
    model = connection.connect(call_timeout=20.0)
    result = investigate(
        RELEASE,
        Hurried(model, connection.server) if fault.slow else model,
        desk.tools(),
        provider=connection.name,
        settings=AgentSettings(max_attempts=ATTEMPTS, initial_delay=0.0, jitter=False, deadline=60.0),
        toolbox=Toolbox(run=in_process),
    )
    model.close()
    done = Run(result, len(desk.reports), time.monotonic() - start)
    # A call with 0.15 s to live may end on a busy machine before the server has read its request, or count it afterwards.
    assert fault.slow or done.attempts == connection.server.asked
    assert done.reports <= 1
    assert done.seconds < 30
    assert connection.key not in repr(result)
    return done


def fits_the_deadline(fault: Fault) -> bool:
    return fault.retry_after is None or fault.retry_after < 60


@cases(lambda fault: fault.retryable and fits_the_deadline(fault))
def test_once_is_survived(connection, fault, place):
    done = run(connection, fault, place, times=1)
    assert (done.result.outcome, done.reports, done.attempts) == ("completed", 1, 4), done.result.error
    assert done.result.severity == "high"


@cases(lambda fault: fault.outcome != "reply" and not (fault.retryable and fits_the_deadline(fault)))
def test_what_no_repetition_helps_ends_the_run(connection, fault, place):
    done = run(connection, fault, place, times=99)
    again = 2 if fault.outcome == "ContextLengthError" else 1  # a shorter conversation is tried, once
    assert done.result.outcome == "model_error"
    assert (done.attempts, done.reports) == (place + again, 0)
    assert "\n" not in done.result.error


@cases(lambda fault: fault.retryable and fits_the_deadline(fault), few=True)
def test_every_time_ends_the_run(connection, fault, place):
    done = run(connection, fault, place, times=99)
    assert (done.result.outcome, done.attempts, done.reports) == ("model_error", place + ATTEMPTS, 0)


@cases(lambda fault: fault.outcome == "reply")
def test_odd_replies(connection, fault, place):
    done = run(connection, fault, place, times=1)
    stopped = ENDS.get(fault.stop)
    assert done.result.outcome == (stopped or "completed")
    assert done.attempts == (place + 1 if stopped else 3 + fault.adds_turn)
    finished = stopped is None or (stopped == "truncated" and place == LAST)
    assert done.reports == finished
