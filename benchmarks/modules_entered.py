"""How many of Sentinel's modules a command enters, in the parent and in every child: a measure of how far a reader has to go.

A module counts once one of its functions or class bodies runs, in whichever process. A comprehension is neither: from Python
3.12 it runs as a part of what it stands in, and a module's own statements run when it is imported.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from sentinel_core.testing import honest_trace
from sentinel_core.traces.codec import encode_trace

REPOSITORY = Path(__file__).parents[1]
SENTINEL = Path(sys.executable).parent / "sentinel"
BOUNDS = {"evaluate": 85, "run": 160}

SPY = """
import os, sys, threading
_STATEMENTS = ("<module>", "<dictcomp>", "<genexpr>", "<listcomp>", "<setcomp>")
_seen, _out = set(), os.open(os.environ["ENTERED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def _enter(frame, event, _):
    name = frame.f_code.co_filename
    if name not in _seen and frame.f_code.co_name not in _STATEMENTS:
        _seen.add(name)
        os.write(_out, name.encode() + b"\\n")
threading.setprofile(_enter)
sys.setprofile(_enter)
"""


def entered(arguments: list[str], folder: Path) -> list[str]:
    """The files of ours that a command enters, from the repository's root."""
    (folder / "sitecustomize.py").write_text(SPY)
    log = folder / "entered.txt"
    environment = {"PYTHONPATH": str(folder), "ENTERED": str(log), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    subprocess.run([str(SENTINEL), *arguments], check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    names = {Path(line) for line in log.read_text().splitlines() if line.endswith(".py")}
    places = (REPOSITORY / "src", REPOSITORY / "agent", REPOSITORY / "plugins")
    return sorted(
        str(name.relative_to(REPOSITORY)) for name in names if any(name.is_relative_to(one) for one in places)
    )


def main() -> int:
    """Print the counts; 1 where one is above its bound. With ``--list`` the modules too."""
    broken = False
    for command, bound in BOUNDS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "trace.json").write_bytes(encode_trace(honest_trace()))
            releases = ["v2.1.0", "--provider", "offline", "--releases", str(REPOSITORY / "examples" / "releases")]
            found = entered(["evaluate", "trace.json"] if command == "evaluate" else ["run", *releases], folder)
        print(f"sentinel {command} enters {len(found)} modules (bound {bound})")
        if "--list" in sys.argv:
            print(*found, sep="\n")
        broken |= len(found) > bound
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
