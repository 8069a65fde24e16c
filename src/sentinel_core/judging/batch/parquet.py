"""Reports as a Parquet table: a row per record, a column per signal."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec

from sentinel_core.errors import ConfigError

__all__ = ["write_table"]

_ROWS = 4096  # rows per row group


class _Score(msgspec.Struct):
    signal_name: str
    score: float | None


class _Report(msgspec.Struct):
    trace_id: str
    verdict: str | None
    overall_score: float | None
    signal_scores: list[_Score]


class _Error(msgspec.Struct):
    message: str
    source: str
    line: int | None


class _Row(msgspec.Struct):
    source: str | None = None
    record: int | None = None
    report: msgspec.Raw = msgspec.Raw()
    error: _Error | None = None


_row_decoder = msgspec.json.Decoder(_Row)
_report_decoder = msgspec.json.Decoder(_Report)


def write_table(lines: IO[bytes], path: Path, columns: Sequence[str]) -> None:
    """From lines in the format ``rows``. ``columns`` are the names of the signals.

    Columns: ``source``, ``record`` (from 1), ``trace_id``, ``verdict``, ``overall_score``, a ``score_NAME`` for each signal,
    ``report`` (JSON), and ``line`` and ``error`` if a weighted signal crashed on the record; an unreadable record has only
    ``source``, ``line`` and ``error``. Raises ``ConfigError`` if pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install 'reliability-sentinel[parquet]'") from None
    text, real, whole = pa.string(), pa.float64(), pa.int64()
    schema = pa.schema(
        [
            ("source", text),
            ("record", whole),
            ("trace_id", text),
            ("verdict", text),
            ("overall_score", real),
            *((f"score_{name}", real) for name in columns),
            ("report", text),
            ("line", whole),
            ("error", text),
        ]
    )
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in _groups(lines):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _groups(lines: IO[bytes]) -> Iterator[list[dict[str, Any]]]:
    while group := list(islice(lines, _ROWS)):
        yield [_cells(line) for line in group]


def _cells(line: bytes) -> dict[str, Any]:
    row = _row_decoder.decode(line)
    error = {} if row.error is None else {"line": row.error.line, "error": row.error.message}
    if row.error is not None and row.record is None:
        return {"source": row.error.source, **error}
    report = _report_decoder.decode(row.report)
    return {
        **error,
        "source": row.source,
        "record": row.record,
        "trace_id": report.trace_id,
        "verdict": report.verdict,
        "overall_score": report.overall_score,
        "report": bytes(row.report).decode(),
        **{f"score_{score.signal_name}": score.score for score in report.signal_scores},
    }
