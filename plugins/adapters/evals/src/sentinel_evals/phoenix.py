"""Phoenix: an annotation that says whether a trace supports what its agent said.

from phoenix.client import Client
from sentinel_evals.phoenix import annotate_trace

annotate_trace(Client(), "my-project", "0f1c…")
"""

from typing import TYPE_CHECKING, Unpack

from sentinel_core.errors import InputError
from sentinel_evals.scores import Judging, Score, score

if TYPE_CHECKING:
    from phoenix.client import Client

__all__ = ["annotate_trace"]

_NAME = "sentinel"
_MOST_SPANS = 10_000


def annotate_trace(client: "Client", project: str, trace_id: str, **judging: Unpack[Judging]) -> Score:
    """Judge a trace from its spans, and annotate its outermost span: label PASS, WARN or FAIL, score 1, 0.5 or 0.

    Judging the trace again replaces the annotation. ``project`` is the project's name or id; ``judging`` is ``profile``,
    ``expect`` and ``allow`` of ``sentinel_core.judge``. Raises ``InputError`` if the trace has no spans or no run of an agent,
    ``VerdictError`` if there is no verdict, and what the client raises.
    """
    spans = client.spans.get_spans(project_identifier=project, trace_ids=[trace_id], limit=_MOST_SPANS)
    if not spans:
        raise InputError(f'Phoenix has no spans of the trace "{trace_id}" in the project "{project}"')
    found = score({"data": spans}, reader="phoenix", **judging)
    known = {one["context"]["span_id"] for one in spans}
    outermost = min((one for one in spans if one.get("parent_id") not in known), key=lambda one: one["start_time"])
    client.spans.add_span_annotation(
        span_id=outermost["context"]["span_id"],
        annotation_name=_NAME,
        annotator_kind="CODE",
        label=found.verdict,
        score=found.value,
        explanation=found.reason,
        metadata={"rules": list(found.rules)},
        identifier=_NAME,
        sync=True,
    )
    return found
