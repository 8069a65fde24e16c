"""Takes the pictures of the page in a real Chromium: ``python docs/pictures.py``, after ``make .venv/browser``.

They show a session and two runs that are examples, and a night of invented runs: the examples of all rules among honest ones.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import attrs

from sentinel_core import ExecutionTrace, Message, TokenUsage, encode_trace
from sentinel_core.host.plugins import installed, load
from sentinel_core.testing import exchange

ROOT = Path(__file__).resolve().parent.parent
RUNS = 240
PAGES = (
    ("session.html", ("coding-session.jsonl",)),
    ("night.html", ("night.jsonl",)),
    ("both.html", ("fabricated.json", "honest.json", "--compare")),
)
PICTURES = (
    ("page-light.png", "session.html", {"height": 860}),
    ("page-dark.png", "session.html", {"height": 860, "theme": "dark", "hash": "#f2"}),
    ("page-phone.png", "session.html", {"height": 844, "width": 390}),
    ("page-batch.png", "night.html", {"height": 860}),
    ("page-compare.png", "both.html", {"height": 760}),
)


def honest(random_: random.Random) -> ExecutionTrace:
    """An agent that looks some trains up, books one, and says so."""
    messages = [Message(role="user", content="Please book the 9:40 train to Leeds.")]
    for day in range(random_.randint(1, 14)):
        trains = f'{{"departures": ["9:40", "10:{random_.randint(10, 59)}"]}}'
        messages += exchange(f"s{day}", "search_trains", {"to": "Leeds", "day": day}, trains)
    messages += exchange("b", "book_train", {"to": "Leeds", "departure": "9:40"}, '{"booking": "LD-7"}')
    messages.append(Message(role="assistant", content="I've booked the 9:40 train to Leeds. The booking is LD-7."))
    prompt = random_.randint(2_000, 150_000)
    usage = TokenUsage(prompt_tokens=prompt, completion_tokens=prompt // 9, total_tokens=prompt + prompt // 9)
    return ExecutionTrace(trace_id="honest", messages=tuple(messages), token_usage=usage)


def night() -> Iterator[ExecutionTrace]:
    """Every fourth run is the example of a rule."""
    signals = [plugin.offer for plugin in load(installed(("signals",)))[0]]
    bad = [explained.trace for signal in signals for explained in signal.explain().values()]
    random_ = random.Random(4)
    for number in range(RUNS):
        trace = bad[number * 7 % len(bad)] if number % 4 == 1 else honest(random_)
        yield attrs.evolve(trace, trace_id=f"run-{number:04}")


def main() -> int:
    """Judge, open, and take each picture."""
    chromium = os.environ.get("SENTINEL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.stderr.write("there is no Chromium; SENTINEL_CHROMIUM names one\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder, "night.jsonl")
        runs.write_bytes(b"".join(encode_trace(trace) + b"\n" for trace in night()))
        for name in ("coding-session.jsonl", "fabricated.json", "honest.json"):
            shutil.copy(ROOT / "examples/traces" / name, folder)
        for page, sources in PAGES:
            command = [Path(sys.prefix, "bin", "sentinel"), "evaluate", *sources, "--fail-on", "never", "-o", page]
            subprocess.run(command, cwd=folder, check=True)
        wishes = "".join(
            f"{json.dumps({'page': f'{folder}/{page}', 'shot': str(ROOT / 'docs/images' / picture), **how})}\n"
            for picture, page, how in PICTURES
        )
        browse = ["node", str(ROOT / "tests/page/browse.mjs"), str(Path(sys.prefix, "browser")), chromium]
        subprocess.run(browse, input=wishes, text=True, check=True, stdout=subprocess.DEVNULL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
