"""Span and trace ids derived from a run's id, so that the same record always gives the same spans."""

from hashlib import sha256

__all__ = ["nanos_of", "root_span_id_of", "span_id_of", "trace_id_of"]

_ROOT = "workflow"


def trace_id_of(run_id: str) -> str:
    """The OpenTelemetry trace id of the conversation that begins with this run: 16 bytes as hexadecimal digits."""
    return sha256(b"sentinel-run:" + run_id.encode("utf-8", "replace")).hexdigest()[:32]


def span_id_of(trace_id: str, key: object) -> str:
    """The id of the span that ``key`` names within a trace: 8 bytes as hexadecimal digits."""
    return sha256(f"{trace_id}:{key}".encode()).hexdigest()[:16]


def root_span_id_of(trace_id: str) -> str:
    """The id of the outermost span of one of our own traces."""
    return span_id_of(trace_id, _ROOT)


def nanos_of(at: str) -> int:
    """ISO 8601 text as nanoseconds since 1970; 0 for anything else."""
    import datetime as dt

    try:
        moment = dt.datetime.fromisoformat(at)
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return max(0, (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000)
