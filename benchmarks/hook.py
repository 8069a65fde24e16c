"""``sentinel hook run`` on sessions of 1 MB and 50 MB, as ratios to starting Python and importing what a plugin framework needs.

CPU time of whole processes. The long session is read the first time, then with what was kept of it and a turn more, as when the agent
stops again.
"""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

BOUNDS = {
    "1 MB, nothing claimed": 1.1,
    "1 MB, a claim": 2.6,
    "50 MB, the first time": 20.0,
    "50 MB, after that": 6.5,
}
ROUNDS = 9
MEGABYTE = 1_000_000
SAID = "I fixed the parser. All tests pass now."
ASKED = "Which of the two files do you mean?"
FLOOR = "import attrs, click, msgspec, pluggy"
_HOOK = (
    "import sys; sys.argv = ['sentinel', 'hook', 'run', 'claude-code']; from sentinel_core.__main__ import main; main()"
)
_WORDS = [
    "def",
    "return",
    "self",
    "value",
    "index",
    "trace",
    "message",
    "error",
    "test",
    "build",
    "path",
    "line",
    "None",
    "raise",
]
_SHARES = {"Read": 35, "Grep": 20, "Edit": 20, "Bash": 25}
_COMMANDS = ("git status", "ls -la src", "pytest -q", "cat setup.cfg | head", "git diff", "rg parser src")


def text(size: int, chance: random.Random) -> str:
    """Words and line breaks, about so many characters."""
    words = chance.choices(_WORDS, k=max(1, size // 6))
    return "\n".join(" ".join(words[start : start + 12]) for start in range(0, len(words), 12))


def call(chance: random.Random) -> tuple[str, dict[str, Any], str]:
    """A tool, its arguments and its result."""
    name = chance.choices(list(_SHARES), weights=list(_SHARES.values()))[0]
    result = text(min(30_000, int(chance.paretovariate(1.2) * 800)), chance)
    if name == "Bash":
        command = chance.choice(_COMMANDS)
        return name, {"command": command}, f"{result}\n12 passed in 0.3s" if "pytest" in command else result
    if name == "Edit":
        return (
            name,
            {"file_path": "/home/me/a.py", "old_string": text(200, chance), "new_string": text(300, chance)},
            "ok",
        )
    return name, {"file_path": f"/home/me/m{chance.randrange(50)}.py", "pattern": "parser"}, result


class Writer:
    """Writes a session as Claude Code does, turn by turn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chance = random.Random(3)
        self._lines, self._parent = 0, None

    def grow(self, size: int) -> int:
        """Add turns until the file has so many bytes, at least one; how many it has then."""
        with self.path.open("a", encoding="utf-8") as file:
            while True:
                for line in self._turn():
                    file.write(json.dumps(line) + "\n")
                if file.tell() >= size:
                    return file.tell()

    def _turn(self) -> Iterator[Mapping[str, Any]]:
        yield self._line("user", "Please fix the parser and run the tests.")
        for _ in range(self._chance.randrange(5, 40)):
            name, arguments, result = call(self._chance)
            own = f"toolu_{self._lines}"
            yield self._line("assistant", [{"type": "tool_use", "id": own, "name": name, "input": arguments}])
            block = [{"type": "tool_result", "tool_use_id": own, "content": result}]
            yield self._line("user", block, toolUseResult={"stdout": result, "stderr": ""})
        yield self._line("assistant", [{"type": "text", "text": SAID}])

    def _line(self, kind: str, content: object, **more: object) -> Mapping[str, Any]:
        self._lines += 1
        parent, self._parent = self._parent, f"5e551011-0000-4000-8000-{self._lines:012}"
        message = {"role": kind, "content": content}
        message |= {"id": f"msg_{self._lines}", "usage": {"output_tokens": 5}} if kind == "assistant" else {}
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "sessionId": "0b5e7a52-1111-4222-8333-9f0e6d2c1a00",
            "type": kind,
            "message": message,
            "uuid": self._parent,
            "timestamp": "2026-11-01T10:00:00.000Z",
            **more,
        }


class Bench:
    """Runs processes with a cache and bytecode of their own, and measures them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def cpu_seconds(self, script: str, transcript: Path | None = None, said: str = SAID) -> float:
        """User and system time of one process."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run(script, transcript, said)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def run(self, script: str, transcript: Path | None = None, said: str = SAID) -> subprocess.CompletedProcess[str]:
        """The process, to its end."""
        event = {"transcript_path": str(transcript), "last_assistant_message": said, "stop_hook_active": False}
        own = {"XDG_CACHE_HOME": "cache", "PYTHONPYCACHEPREFIX": "bytecode"}
        environ = {**os.environ, "SENTINEL_NO_CONFIG": "1"} | {name: str(self.folder / at) for name, at in own.items()}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed command is not compiled again each time
        command = [sys.executable, "-c", script]
        return subprocess.run(
            command, input=json.dumps(event), env=environ, cwd=self.folder, capture_output=True, text=True, check=True
        )

    def forget(self) -> None:
        """Remove what was kept."""
        for file in (self.folder / "cache").rglob("*.session"):
            file.unlink()


def main() -> int:
    """Print the ratios; 1 where one is above its bound."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        median, long = Writer(bench.folder / "median.jsonl"), Writer(bench.folder / "long.jsonl")
        median.grow(MEGABYTE)
        size = long.grow(50 * MEGABYTE)
        bench.run(FLOOR)
        bench.run(_HOOK, median.path, ASKED)
        told = bench.run(_HOOK, median.path)
        assert "not judged" not in told.stderr, told.stderr
        rows: dict[str, list[tuple[float, float]]] = {name: [] for name in BOUNDS}
        for _ in range(ROUNDS):
            base = bench.cpu_seconds(FLOOR)
            rows["1 MB, nothing claimed"].append((base, bench.cpu_seconds(_HOOK, median.path, ASKED)))
            rows["1 MB, a claim"].append((base, bench.cpu_seconds(_HOOK, median.path)))
            bench.forget()
            rows["50 MB, the first time"].append((base, bench.cpu_seconds(_HOOK, long.path)))
            size = long.grow(size + 1)
            rows["50 MB, after that"].append((base, bench.cpu_seconds(_HOOK, long.path)))
    print("hook: sentinel hook run claude-code, from the start of the process to its end")
    print(
        f"  {statistics.median(base for base, _ in rows['50 MB, after that']) * 1000:6.0f} ms CPU  python -c {FLOOR!r}"
    )
    broken = 0
    for what, bound in BOUNDS.items():
        ratio = statistics.median(seconds / base for base, seconds in rows[what])
        taken = statistics.median(seconds for _, seconds in rows[what]) * 1000
        broken += ratio > bound
        print(
            f"  {taken:6.0f} ms CPU  {what}: {ratio:.2f} x; bound {bound} x: {'holds' if ratio <= bound else 'BROKEN'}"
        )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
