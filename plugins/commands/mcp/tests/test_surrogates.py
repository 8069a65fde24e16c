"""Every call is answered, with a result or an error, also where its text holds half of a surrogate pair."""

import json
import os
import subprocess

import pytest
from commanding import COMMAND

pytestmark = [pytest.mark.process, pytest.mark.unmeasured]

HALVES = [r"\ud800", r"\uDFFF", r"a\udc00\ud83db", r"\\\ud800", r"\ud83d\ud83d\ude00"]
WHOLE = [r"\ud83d\ude00", r"\\ud800", "😀"]
PLACES = [
    '"name": "explain_rule", "arguments": {{"rule": "{0}"}}',
    '"name": "judge_session", "arguments": {{"path": "{0}"}}',
    '"name": "judge_session", "arguments": {{"tool": "{0}"}}',
    '"name": "list_runs", "arguments": {{"tool": "{0}"}}',
    '"name": "list_runs", "arguments": {{"{0}": 1}}',
    '"name": "{0}", "arguments": {{}}',
]
CLIENT = '"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}'
HELLO = [
    f'{{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{{CLIENT}}}}}',
    '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
]


def test_each_call_is_answered(tmp_path):
    texts = [place.format(text) for place in PLACES for text in (*HALVES, *WHOLE)]
    calls = [
        f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", "params": {{{text}}}}}'
        for number, text in enumerate(texts, 1)
    ]
    with subprocess.Popen(
        [COMMAND, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
    ) as server:
        server.stdin.write("".join(f"{line}\n" for line in (*HELLO, *calls)).encode())
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(len(calls) + 1)]
        server.stdin.close()
    assert sorted(answer["id"] for answer in answers) == list(range(len(calls) + 1))
    assert all("result" in answer or "error" in answer for answer in answers)
