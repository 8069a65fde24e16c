"""A third party's reading of each wire format: aimock, which ``make e2e`` installs with npm. No real model is behind it.

``SENTINEL_E2E_AIMOCK`` is the script that starts it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "sentinel"
RELEASES = Path(__file__).parents[2] / "examples" / "releases"
SERVER = Path(os.environ.get("SENTINEL_E2E_AIMOCK") or "no/server")
KEY = "aimock-key-0123456789"
RELEASE = "v2.1.0"
REPORT = {"release_id": RELEASE, "severity": "high", "findings": ["2 of 144 tests failed"]}
ANSWER = "The release is risky: 2 of 144 tests failed."
# The path behind the server's address, and the variable of the key.
WIRES = {
    "anthropic": ("", "ANTHROPIC_API_KEY"),
    "ollama": ("", "OLLAMA_API_KEY"),
    "openai": ("/v1", "OPENAI_API_KEY"),
    "openrouter": ("/api/v1", "OPENROUTER_API_KEY"),
}

pytestmark = pytest.mark.skipif(
    not SERVER.is_file() or shutil.which("node") is None,
    reason='no aimock: SENTINEL_E2E_AIMOCK does not name it ("make e2e" installs it where npm is)',
)


def asks(turn, name, arguments):
    call = {"name": name, "arguments": json.dumps(arguments)}
    return {"match": {"turnIndex": turn}, "response": {"toolCalls": [call]}}


FIXTURES = [
    asks(0, "get_release_summary", {"release_id": RELEASE}),
    asks(1, "file_risk_report", REPORT),
    {"match": {"turnIndex": 2}, "response": {"content": ANSWER}},
]
FAULTS = {
    "401": ({"error": {"message": "wrong key", "type": "authentication_error"}, "status": 401}, "answered 401"),
    "404": ({"error": {"message": "no such model", "type": "not_found_error"}, "status": 404}, "answered 404"),
    "429": ({"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}, "answered 429"),
    "500": ({"error": {"message": "broken", "type": "api_error"}, "status": 500}, "answered 500"),
    "529": ({"error": {"message": "overloaded", "type": "overloaded_error"}, "status": 529}, "answered 529"),
}


@pytest.fixture
def server(tmp_path):
    """Starts the server with fixtures, on a port that it chooses; gives its address."""
    started = []

    def start(fixtures, *options):
        file = tmp_path / "fixtures.json"
        file.write_text(json.dumps({"fixtures": fixtures}))
        process = subprocess.Popen(
            ["node", SERVER, "--port", "0", "--fixtures", file, "--strict", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                return found.group()
        pytest.fail("aimock ended before it told its address")

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run(tmp_path):
    """Runs the agent against an address."""

    def go(provider, address):
        path, variable = WIRES[provider]
        asked = ("--provider", provider, "--base-url", address + path, "--model", "test-model")
        places = ("--releases", RELEASES, "--reports", "reports", "--initial-delay", "0.01")
        done = subprocess.run(
            [COMMAND, "run", RELEASE, "--json", "--no-reflect", *asked, *places],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env={**os.environ, variable: KEY},
        )
        assert KEY not in done.stdout + done.stderr
        reports = [json.loads(path.read_bytes()) for path in (tmp_path / "reports").glob("*.json")]
        return done, reports

    return go


@pytest.mark.parametrize("provider", sorted(WIRES))
def test_the_scenario_is_finished(server, run, provider):
    done, reports = run(provider, server(FIXTURES))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["outcome"], told["severity"], told["answer"]) == ("completed", "high", ANSWER)
    assert [report["findings"] for report in reports] == [REPORT["findings"]]


@pytest.mark.parametrize("provider", sorted(WIRES))
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_an_error_is_told_in_one_line(server, run, provider, fault):
    response, wanted = FAULTS[fault]
    done, reports = run(provider, server([{"match": {"turnIndex": 0}, "response": response}]))
    assert (done.returncode, reports) == (3, [])
    (line,) = done.stderr.splitlines()
    assert wanted in line


@pytest.mark.parametrize("provider", sorted(WIRES))
@pytest.mark.parametrize("chaos", ["drop", "malformed", "disconnect", "ratelimit"])
def test_chaos_files_nothing(server, run, provider, chaos):
    done, reports = run(provider, server(FIXTURES, f"--chaos-{chaos}", "1"))
    assert (done.returncode, reports) == (3, [])
    (line,) = done.stderr.splitlines()
    assert f'provider "{provider}"' in line
