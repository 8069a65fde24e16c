"""A provider that does odd things when it is told to, and how its commands are run."""

import json
import os
from pathlib import Path

from forked_commands import COMMAND, run_forked, run_to_end

__all__ = ["ODD", "RELEASES", "SENTINEL", "run_in", "the_run"]

SENTINEL = COMMAND
RELEASES = Path(__file__).parents[2] / "examples" / "releases"
# Files a report of low severity; in its Nth turn it does what SENTINEL_ODD says.
ODD = """
import os, pathlib, signal, time
from sentinel_core import Message, Provider, Reply, TokenUsage, ToolCall, hookimpl

def odd():
    what = os.environ.get("ODD")
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "chat":
        return True
    if what == "hang":
        pathlib.Path("hanging").touch()
        time.sleep(60)

class Odd:
    def complete(self, request, on_text=None):
        with open("asked", "a") as file:
            file.write("asked\\n")
        turn = sum(message.role == "assistant" for message in request.messages) + (os.environ.get("ODD") == "blind")
        if turn == 0:
            call = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v2.1.0"})
            usage = TokenUsage(prompt_tokens=9, completion_tokens=9, total_tokens=18) if os.environ.get("ODD") == "count" else None
            cost = 0.5 if os.environ.get("ODD") == "price" else None
            return Reply(content="I look it up.", tool_calls=(call,), stop_reason="tool_calls", usage=usage, cost_usd=cost)
        if turn == 1 and not odd():
            other = ToolCall(id="b", name="file_risk_report", arguments={"release_id": "v9", "severity": "low", "findings": ["x"]})
            findings = ["fine, says key " + os.environ.get("MY_API_KEY", "none")]
            call = ToolCall(id="c", name="file_risk_report", arguments={"release_id": "v2.1.0", "severity": "low", "findings": findings})
            return Reply(tool_calls=(other, call, ToolCall(id="d", name="rm")), stop_reason="tool_calls")
        return Reply(content="It is staged.")

    def estimate_tokens(self, messages):
        if os.environ.get("BURST") == "estimate":
            raise RuntimeError("burst")
        return 1

    def get_capabilities(self):
        raise RuntimeError("not today")

    def close(self):
        if os.environ.get("BURST") == "close":
            raise RuntimeError("burst")

@hookimpl
def sentinel_providers():
    return [Provider(name="odd", summary="odd", connect=Odd)]
"""
KEYS = ("ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY")


def run_in(folder, *arguments, **environ):
    """Run a command in a folder, without this process's settings and keys."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_") and name not in KEYS}
    done = run_to_end(*arguments, cwd=folder, timeout=120, env={**kept, **environ})
    assert "Traceback" not in done.stderr, done.stderr
    return done


def the_run(folder):
    """The only run that its journal has, as ``sentinel runs`` tells it."""
    done = run_forked("runs", "--json", cwd=folder, timeout=60)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    return row
