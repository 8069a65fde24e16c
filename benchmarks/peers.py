"""Traces a second of other tools that judge traces, beside ours, on the same traces in the same run.

Each peer is installed with uv into an environment that is thrown away; one that cannot be installed is named with the reason.
Ours takes bytes through all four signals to report bytes; each peer does one rule or metric on traces that are read
already, but for a command line, which reads files and starts Python. It only informs: it always ends with 0.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import attrs
from pipeline import DATA, read_lines

from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.job import tune_gc
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import decode_trace, encode_report

TRACES = 200
PATIENCE = 300
"""Seconds for installing a peer, and again for running it."""

_HEAD = """
import json, sys, time
chats = [json.load(open(path)) for path in sys.argv[1:]]
"""
_TAIL = """
best = float("inf")
for _ in range(3):
    start = time.process_time()
    for chat in chats:
        judge(chat)
    best = min(best, time.process_time() - start)
print(len(chats) / best)
"""
INVARIANT = """
from invariant.analyzer import LocalPolicy
rule = 'raise "found" if:\\n    (call: ToolCall)\\n    call is tool:cancel_reservation\\n'
judge = LocalPolicy.from_string(rule).analyze
"""
AGENTEVALS = """
from agentevals.trajectory.match import create_trajectory_match_evaluator
match = create_trajectory_match_evaluator(trajectory_match_mode="superset")
judge = lambda chat: match(outputs=chat, reference_outputs=chat)
"""


@attrs.frozen
class Peer:
    """A distribution, what it does, and a script that defines ``judge(chat)``; without one its command runs on the files."""

    requirement: str
    does: str
    script: str | None = None
    command: tuple[str, ...] = ()


PEERS = (
    Peer("invariant-ai==0.3.5", "one rule: is a tool called", INVARIANT),
    Peer("agentevals", "one metric: trajectory match", AGENTEVALS),
    Peer("tracelint", "command line, all rules", None, ("tracelint", "check", "--format", "openai", "--quiet")),
)


def chat(trace: ExecutionTrace) -> list[dict[str, Any]]:
    """The trace in the shape that all of them read: OpenAI's chat messages."""
    return [entry for message in trace.messages for entry in _entries(message)]


def _entries(message: Message) -> list[dict[str, Any]]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in message.tool_calls
    ]
    results = [
        {"role": "tool", "tool_call_id": result.tool_call_id, "content": result.content}
        for result in message.tool_results
    ]
    if results:
        return results
    spoken: dict[str, Any] = {"role": message.role, "content": message.content or ""}
    return [spoken | {"tool_calls": calls} if calls else spoken]


def run(command: list[str], *, accepted: tuple[int, ...] = (0,)) -> str:
    """What the command printed. Raises ``RuntimeError`` with its last line where it ended otherwise than accepted."""
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment)
    if done.returncode not in accepted:
        raise RuntimeError((done.stderr or done.stdout).strip().rpartition("\n")[2][:200])
    return done.stdout


def measure(peer: Peer, folder: Path, files: list[str]) -> float:
    """Traces a second of one peer, in an environment of its own."""
    uv = [sys.executable, "-m", "uv"]
    home = folder / peer.requirement.partition("=")[0]
    python = str(home / "bin" / "python")
    run([*uv, "venv", "--quiet", str(home)])
    run([*uv, "pip", "install", "--quiet", "--python", python, peer.requirement])
    if peer.script is not None:
        return float(run([python, "-c", _HEAD + peer.script + _TAIL, *files]).split()[-1])
    start = time.perf_counter()
    run([str(home / "bin" / peer.command[0]), *peer.command[1:], *files], accepted=(0, 1, 2))
    return len(files) / (time.perf_counter() - start)


def ours(lines: list[bytes]) -> float:
    """Traces a second from bytes to report bytes, four signals, one core."""
    tune_gc()
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for line in lines:
            encode_report(evaluate_trace(decode_trace(line)))
        best = min(best, time.process_time() - start)
    return len(lines) / best


def main() -> int:
    """Print the table."""
    name, lines = read_lines(DATA)
    lines = [lines[number % len(lines)] for number in range(TRACES)]
    print(f"peers: {TRACES} traces of {name}, traces a second on one core")
    print(f"  {ours(lines):8,.0f}  sentinel: four signals, from bytes to report bytes")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = [str(folder / f"{number}.json") for number in range(TRACES)]
        for file, line in zip(files, lines, strict=True):
            Path(file).write_text(json.dumps(chat(decode_trace(line))), encoding="utf-8")
        for peer in PEERS:
            try:
                print(f"  {measure(peer, folder, files):8,.0f}  {peer.requirement}: {peer.does}")
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"  not installed: {peer.requirement}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
