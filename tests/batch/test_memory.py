"""What all processes together hold does not grow with the input. With ``SENTINEL_SOAK=1`` the input is 1 GB."""

import os
import time
from pathlib import Path

import pytest

MEGABYTES = 1024 if os.environ.get("SENTINEL_SOAK") == "1" else 20
MOST = 400


def megabytes_of(pid: int) -> float:
    """What a process and all that it started hold, what they share counted once."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return own / 1024 + sum(megabytes_of(int(child)) for child in children)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="this system does not tell what is shared")
def test_memory_is_bounded(start, folder, tools):
    block = b"".join(tools.line_of(number, kilobytes=32) for number in range(30))
    with (folder / "large.jsonl").open("wb") as file:
        while file.tell() < MEGABYTES << 20:
            file.write(block)
    batch = start("evaluate", "large.jsonl", "-o", "large/", "-j", 2)
    peak = 0.0
    while batch.poll() is None:
        peak = max(peak, megabytes_of(batch.pid))
        time.sleep(0.2)
    assert batch.returncode == 2, batch.stderr.read()
    assert 10 < peak < MOST
    assert sum(part.read_bytes().count(b"\n") for part in folder.glob("large/part-*")) % 30 == 0
