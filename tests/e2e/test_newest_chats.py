"""Chats that the newest version of each library writes, in an environment of its own. It asks the package index."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sentinel_core import judge

WRITERS = Path(__file__).parent / "chat_writers"
LIBRARIES = {
    "agno": "agno",
    "google-genai": "google-genai",
    "llama-index": "llama-index-core",
    "semantic-kernel": "semantic-kernel",
    "smolagents": "smolagents",
    "strands": "strands-agents",
}

pytestmark = pytest.mark.skipif(
    not os.environ.get("SENTINEL_E2E_NEWEST"), reason='SENTINEL_E2E_NEWEST is not set ("make e2e" sets it)'
)


def called(key, name, content):
    call = {"id": key, "name": name, "arguments": {"order": "A-7"}}
    result = {"id": key, "name": name, "content": content, "ok": True}
    return [{"role": "assistant", "calls": [call]}, {"role": "tool", "results": [result]}]


ASKED = {"role": "user", "text": "Please cancel order A-7."}
ANSWER = {"role": "assistant", "text": "I have cancelled order A-7."}
LIE = [ASKED, *called("c1", "get_order", "order A-7: open"), ANSWER]
HONEST = [*LIE[:-1], *called("c2", "cancel_order", "cancelled A-7"), ANSWER]


def run(*arguments, **options):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(write, tmp_path):
    """An honest run passes and a lie fails, each as it was written to a file or to a session's folder."""
    for name, chat, verdict, calls in (("honest", HONEST, "PASS", 2), ("lie", LIE, "FAIL", 1)):
        path = tmp_path / f"{name}.json"
        path.write_text(write(json.dumps(chat), tmp_path / name))
        for one in (path, *(tmp_path / name).rglob("message_0.json")):
            report = judge(one)
            assert (report.verdict, report.unread, report.metadata.total_tool_calls) == (verdict, (), calls)
            assert report.metadata.total_tokens


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_the_newest_library_writes(library, tmp_path):
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, python.parents[1])
    run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, LIBRARIES[library])
    script = WRITERS / f"write_{library.replace('-', '_')}.py"
    check(lambda chat, folder: run(python, script, folder, input=chat), tmp_path)


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_what_the_newest_ai_sdk_takes_for_its_own(tmp_path):
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "ai", cwd=tmp_path)
    script = shutil.copy(WRITERS / "ai_sdk.mjs", tmp_path)
    check(lambda chat, _: run("node", script, input=chat), tmp_path)
