"""Trying again: when, how often, and after how long a wait.

The waits are those of the library stamina, against which a test holds them: ``min(max_delay, initial_delay *
backoff_factor ** (n - 1) + jitter)`` before the n-th repetition, the jitter being up to ``initial_delay`` at random. The
loop is our own: every attempt and wait goes into the record before it happens, and stamina sleeps by itself, logs errors
that nobody took the secrets out of, and is switched off for a whole process at once.
"""

import datetime as dt
import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from sentinel_core.agent.clock import Clock
from sentinel_core.errors import ModelError
from sentinel_core.host.agent_settings import RetryConfig

__all__ = ["AttemptLog", "delay", "execute_with_retry", "retry_after_of", "schedule"]

_T = TypeVar("_T")


class AttemptLog(Protocol):
    """Is told of each attempt as it happens; ``attempt`` counts from 1."""

    def started(self, attempt: int) -> None:
        """The operation is about to be tried."""

    def finished(self, attempt: int, duration_ms: float, error: ModelError | None) -> None:
        """It was tried."""

    def backing_off(self, attempt: int, seconds: float, error: ModelError) -> None:
        """It is about to be waited for, because ``attempt`` failed with ``error``."""


def delay(config: RetryConfig, failures: int, fraction: float = 0.0) -> float:
    """Seconds to wait after so many failures, from 1; ``fraction`` in [0, 1) is how much of the jitter to add."""
    jitter = fraction * config.initial_delay if config.jitter else 0.0
    try:
        return min(config.max_delay, config.initial_delay * config.backoff_factor ** (failures - 1) + jitter)
    except OverflowError:
        return config.max_delay


def schedule(config: RetryConfig) -> tuple[float, ...]:
    """The least waits between all attempts, in seconds: one fewer than there are attempts."""
    return tuple(delay(config, failures) for failures in range(1, config.max_attempts))


def retry_after_of(error: ModelError) -> float | None:
    """The seconds that the server asked to wait; None where it gave nothing that can be waited for."""
    seconds = getattr(error, "retry_after", None)
    usable = isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0
    return float(seconds) if seconds is not None and usable else None


def execute_with_retry(
    operation: Callable[[], _T],
    config: RetryConfig,
    *,
    clock: Clock,
    log: AttemptLog,
    deadline: float | None = None,
    earlier: int = 0,
) -> _T:
    """What ``operation`` gives, tried up to ``max_attempts`` times, while its errors are ``retryable``.

    ``deadline`` is a reading of the clock's stopwatch. ``earlier`` attempts were made before; numbers go on after them.
    Raises the last ``ModelError``. Where the wait would end past the deadline it is raised at once, with ``resume_after``
    set to the time (ISO 8601, UTC) from which another try makes sense.
    """
    for failures in range(1, config.max_attempts + 1):
        attempt = earlier + failures
        log.started(attempt)
        start = clock.stopwatch()
        try:
            result = operation()
        except ModelError as error:
            log.finished(attempt, clock.timed_since(start), error)
            if not error.retryable or failures == config.max_attempts:
                raise
            seconds = _wait_of(error, config, failures, clock)
            if deadline is not None and clock.stopwatch() + seconds >= deadline:
                error.resume_after = _later(clock.now(), seconds)
                raise
            log.backing_off(attempt, seconds, error)
            clock.sleep(seconds)
        else:
            log.finished(attempt, clock.timed_since(start), None)
            return result
    raise ValueError(f"max_attempts must be at least 1, got {config.max_attempts}")


def _wait_of(error: ModelError, config: RetryConfig, failures: int, clock: Clock) -> float:
    asked = retry_after_of(error)
    return delay(config, failures, clock.random()) if asked is None else asked


def _later(now: str, seconds: float) -> str:
    """A time so many seconds after another, rounded up to the second; both ISO 8601 in UTC."""
    moment = dt.datetime.fromisoformat(now)
    try:
        moment += dt.timedelta(seconds=math.ceil(seconds))
    except OverflowError:
        moment = dt.datetime.max.replace(tzinfo=dt.UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
