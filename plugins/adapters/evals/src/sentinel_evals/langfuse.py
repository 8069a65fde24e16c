"""Langfuse: scores of recorded traces, and an evaluator for experiments.

from langfuse import get_client
from sentinel_evals.langfuse import score_trace

score_trace(get_client(), "0f1c…")
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Unpack

from sentinel_core.errors import InputError
from sentinel_core.trace import from_json
from sentinel_evals.delivery import ScoresLostError, delivered, write_score
from sentinel_evals.scores import Judging, Score, score

if TYPE_CHECKING:
    from langfuse import Evaluation, Langfuse

__all__ = ["ScoresLostError", "delivered", "evaluator", "score_trace"]

_NAME = "sentinel"
_FIELDS = "core,basic,time,io,model,usage"
_PAGE = 1_000
_AGENTS = frozenset(("GENERATION", "TOOL", "AGENT", "RETRIEVER", "CHAIN"))
"""Types of observations of which a run of an agent has one at least."""
_NO_KEYS = "the Langfuse client has no keys: set LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_BASE_URL"
_ASKED = "/api/public/v2/observations"
_REFUSALS = {
    401: f"Langfuse does not accept the keys ({_ASKED} answers 401): they must be those of the trace's project and server",
    403: f"Langfuse does not let these keys read observations ({_ASKED} answers 403)",
    404: f"this Langfuse server has no {_ASKED} (404): update it, or check LANGFUSE_BASE_URL",
}


def score_trace(client: "Langfuse", trace_id: str, **judging: Unpack[Judging]) -> Score:
    """Judge a trace from its observations, and write the score ``sentinel`` to it: 1 for PASS, 0.5 for WARN, 0 for FAIL.

    When it returns, Langfuse has accepted the score. The score's id and time follow from the trace, so judging it again
    replaces the score. ``judging`` is ``profile``, ``expect`` and ``allow`` of ``sentinel_core.judge``. Raises ``InputError`` if
    the client has no keys, the server refuses them or cannot list observations, or the trace has no observations or no run
    of an agent; ``VerdictError`` if there is no verdict; ``ScoresLostError`` if Langfuse does not take the score; and what the
    client raises while it reads.
    """
    observations = list(_observations(client, trace_id))
    if not observations:
        raise InputError(f'Langfuse has no observations of the trace "{trace_id}": new ones may take a few seconds')
    rows = [from_json(one.json(by_alias=True).encode()) for one in observations]
    if _AGENTS.isdisjoint(str(row.get("type")).upper() for row in rows):
        raise InputError(f'the trace "{trace_id}" has no call of a model or a tool, so it is no run of an agent')
    found = score({"trace": {"id": trace_id}, "observations": rows}, reader="langfuse", **judging)
    first = min(observations, key=lambda one: one.start_time)
    body = {
        "id": f"{_NAME}-{trace_id}",
        "name": _NAME,
        "value": found.value,
        "dataType": "NUMERIC",
        "traceId": trace_id,
        "comment": found.reason,
        "metadata": {"verdict": found.verdict, "rules": list(found.rules)},
        "timestamp": first.start_time.isoformat(),
        "environment": first.environment,  # a score is shown beside the trace only in the same environment
    }
    write_score(client, {key: value for key, value in body.items() if value is not None})
    return found


def evaluator(**judging: Unpack[Judging]) -> "Callable[..., Evaluation]":
    """An evaluator for ``run_experiment``; the task must return its run, such as an agent's result or messages.

    Langfuse's client sends its scores in the background, and only logs those that it loses: run the experiment in ``delivered``.
    """

    def sentinel(*, output: Any, **_: Any) -> "Evaluation":
        from langfuse import Evaluation

        if isinstance(output, str):  # a text would be a path
            raise InputError("the task returned only a text; it must return its run: an agent's result, or messages")
        found = score(output, **judging)
        return Evaluation(
            name=_NAME,
            value=found.value,
            comment=found.reason,
            metadata={"verdict": found.verdict, "rules": list(found.rules)},
        )

    return sentinel


def _observations(client: "Langfuse", trace_id: str) -> Iterator[Any]:
    from langfuse.api.core import ApiError

    api = getattr(client, "api", None)  # a client without keys has none
    if api is None:
        raise InputError(_NO_KEYS)
    cursor = None
    while True:
        try:
            page = api.observations.get_many(trace_id=trace_id, fields=_FIELDS, limit=_PAGE, cursor=cursor)
        except ApiError as error:
            refusal = _REFUSALS.get(error.status_code or 0)
            if refusal is None:
                raise
            raise InputError(refusal) from None
        yield from page.data
        cursor = page.meta.cursor
        if not cursor:
            return
