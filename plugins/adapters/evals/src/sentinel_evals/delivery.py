"""Scores on their way to Langfuse: written at once, or watched while its client sends them. A score that is lost is an error."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sentinel_core.errors import SentinelError
from sentinel_core.runtime.printable import clipped, counted, printable
from sentinel_core.runtime.redact import redact

if TYPE_CHECKING:
    from langfuse import Langfuse

__all__ = ["ScoresLostError", "delivered", "write_score"]

_WHERE = "/api/public/scores"
_LONGEST, _MOST = 300, 3
_REMEDIES = {
    401: "check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY",
    403: "use keys that may write scores",
    404: "update the server, or check LANGFUSE_BASE_URL",
    429: "wait a minute, then judge the trace again",
}
_AGAIN = "judge the trace again once the server is well"
_DROPPED = "dropped"


class ScoresLostError(SentinelError):
    """Langfuse did not take scores; the text says which, why, and what to do."""


def write_score(client: "Langfuse", body: Mapping[str, Any]) -> None:
    """Write one score, and return when Langfuse has accepted it. Raises ``ScoresLostError`` if it was not accepted."""
    import httpx
    from langfuse.api.core import ApiError

    scores: Any = client.api.scores
    try:
        answer = scores.create(request=[body])
    except ApiError as error:
        status = error.status_code
        raise _lost(body, f"answers {status}: {error.body}", _REMEDIES.get(status or 0, _AGAIN)) from None
    except httpx.HTTPError as error:
        raise _lost(body, f"cannot be reached: {error}", "check LANGFUSE_BASE_URL and the network") from None
    if getattr(answer, "rejected", 0):
        reasons = "; ".join(row.message for row in answer.errors)
        raise _lost(body, f"rejected it: {reasons}", "mend what it names, then judge the trace again")


@contextmanager
def delivered(client: "Langfuse") -> Iterator[None]:
    """Watch a block whose scores Langfuse's client sends in the background, such as ``run_experiment``, until all are sent.

    That client only logs what it loses. Raises ``ScoresLostError`` after the block if the client logged an error or dropped a
    score meanwhile, or if it sends no scores at all, as with ``LANGFUSE_TRACING_ENABLED=false``.
    """
    if not getattr(client, "_tracing_enabled", True):
        raise ScoresLostError(
            "Langfuse's client sends no scores: it has no keys, or LANGFUSE_TRACING_ENABLED is false; set them"
        )
    lost, log = _Losses(), logging.getLogger("langfuse")
    log.addHandler(lost)
    try:
        yield
        client.flush()
    finally:
        log.removeHandler(lost)
    if lost.texts:
        shown = "; ".join(clipped(printable(text), _LONGEST) for text in lost.texts[:_MOST])
        number = counted(len(lost.texts), "problem")
        raise ScoresLostError(
            f"Langfuse's client logged {number} while it sent scores, so some are lost: {shown}. Mend that, then run it again"
        )


class _Losses(logging.Handler):
    """What the client's log says of scores or results that are lost."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep an error, and a warning that something was dropped."""
        text = record.getMessage()
        if record.levelno >= logging.ERROR or _DROPPED in text:
            self.texts.append(text)


def _lost(body: Mapping[str, Any], why: str, remedy: str) -> ScoresLostError:
    why = clipped(printable(redact(why)), _LONGEST)
    trace_id = printable(str(body["traceId"]))
    return ScoresLostError(
        f'the score "{body["name"]}" of the trace "{trace_id}" is not in Langfuse: {_WHERE} {why}; {remedy}'
    )
