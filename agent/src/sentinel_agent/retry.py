"""Retries: when, how often, and with which waits.

The waits are those of the library stamina, and a test compares them: ``min(max_delay, initial_delay * backoff_factor **
(n - 1) + jitter)`` before the n-th repetition, with a random jitter up to ``initial_delay``. The loop is our own, because every
attempt and wait is recorded before it happens; stamina sleeps by itself, logs errors with secrets in them, and is switched
off only for a whole process.
"""

import datetime as dt
import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from sentinel_core.errors import ModelError
from sentinel_core.host.agent_settings import RetryConfig
from sentinel_core.runtime.clock import Clock

__all__ = ["AttemptLog", "delay", "execute_with_retry", "retry_after_of", "schedule"]

_T = TypeVar("_T")


class AttemptLog(Protocol):
    """Receives each attempt as it happens; ``attempt`` counts from 1."""

    def started(self, attempt: int) -> None:
        """The attempt begins."""

    def finished(self, attempt: int, duration_ms: float, error: ModelError | None) -> None:
        """The attempt ended; ``error`` is None if it succeeded."""

    def backing_off(self, attempt: int, seconds: float, error: ModelError) -> None:
        """A wait begins, because ``attempt`` failed with ``error``."""


def delay(config: RetryConfig, failures: int, fraction: float = 0.0) -> float:
    """Seconds to wait after the n-th failure, counted from 1; ``fraction`` in [0, 1) is the share of the jitter to add."""
    jitter = fraction * config.initial_delay if config.jitter else 0.0
    try:
        return min(config.max_delay, config.initial_delay * config.backoff_factor ** (failures - 1) + jitter)
    except OverflowError:
        return config.max_delay


def schedule(config: RetryConfig) -> tuple[float, ...]:
    """The shortest waits between all attempts, in seconds: one fewer than attempts."""
    return tuple(delay(config, failures) for failures in range(1, config.max_attempts))


def retry_after_of(error: ModelError) -> float | None:
    """The seconds that the server asked to wait; None if it gave no usable number."""
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
    """The result of ``operation``, tried up to ``max_attempts`` times while its errors are ``retryable``.

    ``deadline`` is a reading of the clock's stopwatch. ``earlier`` attempts count towards the attempts' numbers. Raises the
    last ``ModelError``; at once if the wait would end after the deadline, with ``resume_after`` set to the end of that wait
    (ISO 8601, UTC).
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
    """The time ``seconds`` after ``now``, rounded up to the second; both ISO 8601 in UTC."""
    moment = dt.datetime.fromisoformat(now)
    try:
        moment += dt.timedelta(seconds=math.ceil(seconds))
    except OverflowError:
        moment = dt.datetime.max.replace(tzinfo=dt.UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
