"""Cold ``sentinel evaluate trace.json`` with all built-ins, as a ratio to importing what a plugin framework needs.

CPU time of whole processes, children included. Also says which heavy modules the command loaded: none is allowed.
"""

import compileall
import importlib.util
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from sentinel_core.host.plugins import installed
from sentinel_core.testing import honest_trace
from sentinel_core.traces.codec import encode_trace

BOUND = 2.25
ROUNDS = 15
FLOOR = "import attrs, msgspec, pluggy, click"
HEAVY = ("anthropic", "openai", "rich", "opentelemetry", "httpx", "httpx2")

SPY = f"""
import sys
from sentinel_core import Signal, hookimpl

def detect(index):
    loaded = [name for name in {HEAVY!r} if name in sys.modules]
    if loaded:
        raise RuntimeError(" ".join(loaded))
    return 0.0

@hookimpl
def sentinel_signals():
    return [Signal(name="spy", summary="which heavy modules are loaded", detect=detect)]
"""


def cpu_seconds(command: list[str], folder: str) -> float:
    """User and system time of one process and its children, in a folder without settings."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compile_everything() -> None:
    """All that both sides import: where the environment forbids to write bytecode, either would be compiled each time."""
    compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2)
    for name in ("sentinel_core", *(one.target for one in installed())):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            compileall.compile_dir(str(Path(spec.origin).parent), quiet=2)


def main() -> int:
    """Print the ratio; 1 where it is above its bound or something heavy was loaded."""
    compile_everything()
    sentinel = str(Path(sys.executable).parent / "sentinel")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        trace.write_bytes(encode_trace(honest_trace()))
        spy = Path(folder) / "spy.py"
        spy.write_text(SPY, encoding="utf-8")
        evaluate = [sentinel, "evaluate", str(trace)]
        floor = [sys.executable, "-c", FLOOR]
        rounds = [(cpu_seconds(floor, folder), cpu_seconds(evaluate, folder)) for _ in range(ROUNDS + 1)][1:]
        subprocess.run([*evaluate, "--plugins", str(spy), "--weight", "spy=0.1"], check=True, stdout=subprocess.DEVNULL)
    ratio = statistics.median(command / base for base, command in rounds)
    print("cold start: sentinel evaluate trace.json, all built-ins")
    print(f"  {statistics.median(base for base, _ in rounds) * 1000:6.0f} ms CPU  python -c {FLOOR!r}")
    print(f"  {statistics.median(command for _, command in rounds) * 1000:6.0f} ms CPU  sentinel evaluate")
    print(f"  {ratio:6.2f} x; none of {', '.join(HEAVY)} loaded")
    print(f"  bound {BOUND} x: {'holds' if ratio <= BOUND else 'BROKEN'}")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
