"""Sentinel trace readers for the spans of AI agents: OTLP JSON, Jaeger, Phoenix and MLflow exports."""

from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl
from sentinel_readers_telemetry import sniffs

__all__ = ["sentinel_trace_readers"]


def _read_otlp(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.otlp import read

    return read(source)


def _read_jaeger(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.jaeger import read

    return read(source)


def _read_phoenix(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.phoenix import read

    return read(source)


def _read_mlflow(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.mlflow import read

    return read(source)


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The four readers of this package."""
    return [
        TraceReader(
            name="otlp",
            summary="OpenTelemetry spans as OTLP JSON, including Tempo's",
            sniff=sniffs.otlp,
            read=_read_otlp,
        ),
        TraceReader(name="jaeger", summary="Jaeger traces as JSON", sniff=sniffs.jaeger, read=_read_jaeger),
        TraceReader(
            name="phoenix", summary="Phoenix exports of OpenInference spans", sniff=sniffs.phoenix, read=_read_phoenix
        ),
        TraceReader(name="mlflow", summary="MLflow traces as JSON", sniff=sniffs.mlflow, read=_read_mlflow),
    ]
