"""Traces of agent benchmarks: Inspect logs, ATIF (also written), SWE-agent, mini-swe-agent and OpenHands.

Every file is scored for each reader by its first bytes, so what reads a format is imported when it is read.
"""

from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl

__all__ = [
    "sentinel_trace_readers",
    "sniff_atif",
    "sniff_inspect",
    "sniff_mini_swe_agent",
    "sniff_openhands",
    "sniff_swe_agent",
]

_ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"


def _read_atif(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_benchmarks.atif import read

    return read(source)


def _write_atif(trace: ExecutionTrace) -> bytes:
    from sentinel_readers_benchmarks.atif_write import write_atif

    return write_atif(trace)


def _read_inspect(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_benchmarks.inspect_log import read

    return read(source)


def _read_mini(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_benchmarks.mini_swe_agent import read

    return read(source)


def _read_openhands(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_benchmarks.openhands import read

    return read(source)


def _read_swe_agent(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_benchmarks.swe_agent import read

    return read(source)


def _json(head: bytes) -> bytes:
    """The head if it can be JSON, else nothing."""
    start = head.removeprefix(_BOM).lstrip()
    return start if start.startswith((b"{", b"[")) else b""


def _has(head: bytes, *keys: bytes) -> bool:
    return all(b'"' + key + b'"' in head for key in keys)


def sniff_atif(head: bytes, filename: str) -> int:  # noqa: ARG001 - the schema version is enough
    """95 for a schema version of ATIF."""
    start = _json(head)
    return 95 if b'"ATIF-v' in start and _has(start, b"schema_version") else 0


def sniff_inspect(head: bytes, filename: str) -> int:
    """95 for a zip file with an Inspect log's members or suffix, 90 for the JSON log's keys."""
    if head.startswith(_ZIP):
        named = b"_journal/" in head or b"header.json" in head or b"_epoch_" in head
        return 95 if named or filename.endswith(".eval") else 0
    start = _json(head)
    if not start.startswith(b"{") or not _has(start, b"eval", b"status", b"version"):
        return 0
    return 90 if _has(start, b"task") and (_has(start, b"run_id") or _has(start, b"eval_id")) else 0


def sniff_mini_swe_agent(head: bytes, filename: str) -> int:
    """95 for the format's own tag, 85 for the phrases of its prompts, 60 for its suffix."""
    start = _json(head)
    if not start:
        return 0
    if b'"mini-swe-agent-' in start or _has(start, b"mini_version"):
        return 95
    if b"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in start or b"mswea_bash_command" in start:
        return 85 if _has(start, b"role", b"content") else 0
    return 60 if filename.endswith(".traj.json") and _has(start, b"role") else 0


def sniff_openhands(head: bytes, filename: str) -> int:  # noqa: ARG001 - other tools also write output.jsonl
    """90 for an evaluation record, 75 for a bare list of events."""
    start = _json(head)
    events = _has(start, b"action", b"observation") or _has(start, b"kind", b"tool_call_id")
    if (
        start.startswith(b"{")
        and _has(start, b"history")
        and _has(start, b"instruction")
        and (events or _has(start, b"git_patch") or _has(start, b"metadata"))
    ):
        return 90
    if start.startswith(b"{") and _has(start, b"history", b"instance_id") and not _has(start, b"trajectory"):
        return 80
    return 75 if start.startswith(b"[") and _has(start, b"action", b"source", b"args") else 0


def sniff_swe_agent(head: bytes, filename: str) -> int:
    """90 for a trajectory's keys, 75 for a bare history of SWE-agent's, 50 for the suffix."""
    start = _json(head)
    if not start.startswith(b"{"):
        return 0
    if _has(start, b"trajectory") and _has(start, b"action", b"observation"):
        return 90
    if _has(start, b"history", b"role") and (_has(start, b"is_demo") or _has(start, b"message_type", b"agent")):
        return 85
    return 50 if filename.endswith(".traj") else 0


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The five readers of this package."""
    return [
        TraceReader(
            name="atif",
            summary="ATIF trajectories (Harbor, Terminal-Bench)",
            sniff=sniff_atif,
            read=_read_atif,
            write=_write_atif,
        ),
        TraceReader(name="inspect", summary="Inspect logs, .eval and .json", sniff=sniff_inspect, read=_read_inspect),
        TraceReader(
            name="mini-swe-agent",
            summary="mini-swe-agent trajectories, .traj.json",
            sniff=sniff_mini_swe_agent,
            read=_read_mini,
        ),
        TraceReader(
            name="openhands",
            summary="OpenHands evaluation output, output.jsonl",
            sniff=sniff_openhands,
            read=_read_openhands,
            grain="line",
        ),
        TraceReader(
            name="swe-agent", summary="SWE-agent trajectories, .traj", sniff=sniff_swe_agent, read=_read_swe_agent
        ),
    ]
