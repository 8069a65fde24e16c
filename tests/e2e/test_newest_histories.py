"""A history that the newest version of its own tool writes, in an environment of its own. It asks the package index."""

import os
import subprocess
import sys

import pytest

from sentinel_core.testing import BytesSource

pytestmark = pytest.mark.skipif(
    not os.environ.get("SENTINEL_E2E_NEWEST"), reason='SENTINEL_E2E_NEWEST is not set ("make e2e" sets it)'
)

WRITE = """
import sys
from pathlib import Path

from aider.io import InputOutput

io = InputOutput(pretty=False, yes=True, chat_history_file=Path(sys.argv[1]), input_history_file=None)
io.tool_output("Model: test-model with diff edit format")
io.user_input("Change x to y\\nand say so")
io.ai_output("So:\\n\\na.py\\n```python\\n<<<<<<< SEARCH\\nx\\n=======\\ny\\n>>>>>>> REPLACE\\n```\\n\\n#### How\\n> quoted")
io.tool_output("Tokens: 2.3k sent, 139 received.")
io.tool_output("Applied edit to a.py")
io.tool_output("Commit 1a2b3c4 refactor: x is y", bold=True)
io.user_input("/run make")
io.tool_error("The LLM did not conform to the edit format.")
"""


def test_aider(tmp_path):
    from sentinel_readers_coding import sentinel_trace_readers

    python, path = tmp_path / "venv/bin/python", tmp_path / ".aider.chat.history.md"
    for arguments in (
        ("venv", "--quiet", "--python", sys.executable, str(python.parents[1])),
        ("pip", "install", "--quiet", "--python", str(python), "aider-chat"),
    ):
        done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    subprocess.run([python, "-c", WRITE, path], cwd=tmp_path, capture_output=True, check=True)
    reader = next(reader for reader in sentinel_trace_readers() if reader.name == "aider")
    assert reader.sniff(path.read_bytes(), path.name) > 90
    (trace,) = reader.read(BytesSource(data=path.read_bytes(), name=path.name))
    assert [(message.role, [call.name for call in message.tool_calls]) for message in trace.messages] == [
        ("user", []),
        ("assistant", ["edit_file", "git_commit"]),
        ("tool", []),
        ("user", ["run_command", "edit_file"]),
        ("tool", []),
    ]
    assert trace.messages[0].content == "Change x to y\nand say so"
    assert trace.messages[1].content.endswith("#### How\n> quoted")
    assert trace.messages[1].details.usage.total == 2439
