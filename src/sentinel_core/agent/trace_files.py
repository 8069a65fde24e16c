"""Runs on disk: each trace a whole file that only its owner can read."""

import re
from pathlib import Path

from sentinel_core.runtime.redact import redact_json
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_trace

__all__ = ["save_run"]

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def save_run(trace: ExecutionTrace, directory: Path) -> Path:
    """Write a run's trace to ``<directory>/runs/<run id>.trace.json`` and give back its path.

    Secrets are taken out. The file appears whole or not at all and replaces an older one of the same run. Folders that
    are made are for their owner only (0700), the file too (0600). Raises ``ValueError`` for a run id that is not a plain
    name, ``OSError`` where the disk refuses.
    """
    if not _RUN_ID.fullmatch(trace.trace_id):
        raise ValueError(f'run id "{trace.trace_id}" cannot be a file name')
    path = directory / "runs" / f"{trace.trace_id}.trace.json"
    write_whole(path, redact_json(encode_trace(trace)))
    return path
