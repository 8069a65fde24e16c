"""Metrics from spans: one table of which metric takes which spans' values, with which attributes."""

from collections.abc import Callable, Iterable, Sequence

import attrs

from sentinel_core.telemetry.data import Attribute, MetricData, Point, SpanData

__all__ = ["metrics_of"]

# Buckets that OpenTelemetry's GenAI conventions recommend.
_OPERATION = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_AGENT = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6)
_WORKFLOW = (1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)
_TOKENS = tuple(float(4**power) for power in range(14))
_TENTHS = tuple(step / 10 for step in range(1, 11))
_MODEL = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "error.type",
)

Select = Callable[[SpanData], bool]
Value = Callable[[SpanData], object]


def _operation(name: str) -> Select:
    return lambda span: span.attributes.get("gen_ai.operation.name") == name


def _named(name: str) -> Select:
    return lambda span: span.name == name


def _attribute(name: str) -> Value:
    return lambda span: span.attributes.get(name)


def _seconds(span: SpanData) -> float:
    return span.seconds


@attrs.frozen
class _Row:
    """Where a metric's values come from. ``more`` are attributes that every value of the row gets."""

    name: str
    unit: str
    description: str
    bounds: tuple[float, ...]
    select: Select
    value: Value
    keys: tuple[str, ...]
    more: tuple[tuple[str, Attribute], ...] = ()


_USAGE = ("gen_ai.client.token.usage", "{token}", "Tokens read or written by a model", _TOKENS, _operation("chat"))
_RETRY_KEYS = ("error.type", "sentinel.retry.reason")
_ROWS = (
    _Row(
        "gen_ai.client.operation.duration",
        "s",
        "Duration of one model call, including all attempts",
        _OPERATION,
        _operation("chat"),
        _seconds,
        _MODEL,
    ),
    _Row(*_USAGE, _attribute("gen_ai.usage.input_tokens"), _MODEL, (("gen_ai.token.type", "input"),)),
    _Row(*_USAGE, _attribute("gen_ai.usage.output_tokens"), _MODEL, (("gen_ai.token.type", "output"),)),
    _Row(
        "gen_ai.execute_tool.duration",
        "s",
        "Duration of one tool execution; failures have an error.type",
        _OPERATION,
        _operation("execute_tool"),
        _seconds,
        ("gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.agent.name", "error.type"),
    ),
    _Row(
        "gen_ai.invoke_agent.duration",
        "s",
        "Duration of one run of the agent",
        _AGENT,
        _operation("invoke_agent"),
        _seconds,
        ("gen_ai.agent.name", "gen_ai.request.model", "error.type"),
    ),
    _Row(
        "gen_ai.invoke_workflow.duration",
        "s",
        "Duration of the whole conversation",
        _WORKFLOW,
        _operation("invoke_workflow"),
        _seconds,
        ("gen_ai.workflow.name",),
    ),
    _Row(
        "sentinel.client.retries",
        "{attempt}",
        "Retries after a failed attempt",
        (),
        _named("sentinel.backoff"),
        lambda _: 1,
        _RETRY_KEYS,
    ),
    _Row(
        "sentinel.context.utilization",
        "1",
        "Estimated tokens as a fraction of the context budget",
        _TENTHS,
        _named("sentinel.context.manage"),
        _attribute("sentinel.context.utilization"),
        ("sentinel.context.strategy",),
    ),
    _Row(
        "sentinel.client.cost",
        "{USD}",
        "Cost of model calls in US dollars",
        (),
        _operation("chat"),
        _attribute("operation.cost"),
        _MODEL[:-1],
    ),
)


def metrics_of(spans: Sequence[SpanData]) -> list[MetricData]:
    """The metrics of one run, sorted by name; a metric without a value is left out.

    Error and success rates are counts by ``error.type`` within a histogram.
    """
    if not spans:
        return []
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    found: dict[str, tuple[_Row, dict[tuple[tuple[str, Attribute], ...], list[float]]]] = {}
    for row in _ROWS:
        points = found.setdefault(row.name, (row, {}))[1]
        for key, value in _values(row, spans):
            points.setdefault(key, []).append(value)
    return [
        MetricData(
            name=name,
            unit=row.unit,
            description=row.description,
            start=start,
            end=end,
            points=tuple(Point(attributes=dict(key), values=tuple(values)) for key, values in points.items()),
            bounds=row.bounds,
        )
        for name, (row, points) in sorted(found.items())
        if points
    ]


def _values(row: _Row, spans: Iterable[SpanData]) -> Iterable[tuple[tuple[tuple[str, Attribute], ...], float]]:
    for span in spans:
        if row.select(span):
            value = row.value(span)
            if isinstance(value, (int, float)):
                attributes = [(key, span.attributes[key]) for key in row.keys if key in span.attributes]
                yield (*attributes, *row.more), float(value)
