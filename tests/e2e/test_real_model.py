"""A real model behind a real server, through two wire formats: ``make e2e``.

``SENTINEL_E2E_BASE_URL`` is the server's address without ``/v1``, ``SENTINEL_E2E_KEY`` its key, ``SENTINEL_E2E_MODEL`` a
model where it has several.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "sentinel"
RELEASES = Path(__file__).parents[2] / "examples" / "releases"
TIMEOUT = 900  # seconds; a small model on a small machine takes about twenty
BASE_URL, KEY = os.environ.get("SENTINEL_E2E_BASE_URL", "").rstrip("/"), os.environ.get("SENTINEL_E2E_KEY", "")
SMALL = {"SENTINEL_AGENT__MAX_TOKENS": "512", "SENTINEL_AGENT__TEMPERATURE": "0"}  # small models ramble and wander
FORMATS = {"openai": (f"{BASE_URL}/v1", "OPENAI_API_KEY"), "anthropic": (BASE_URL, "ANTHROPIC_API_KEY")}

pytestmark = pytest.mark.skipif(
    not (BASE_URL and KEY), reason="no real model: SENTINEL_E2E_BASE_URL and SENTINEL_E2E_KEY are not both set"
)


def json_output(*arguments, folder, variable):
    """What the command says as JSON; the key, which is in that variable, stands nowhere in it."""
    done = subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        cwd=folder,
        env={**os.environ, variable: KEY, **SMALL},
    )
    assert done.returncode in (0, 1, 2), done.stderr
    assert KEY not in done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("provider", sorted(FORMATS))
def test_a_real_model_finishes_the_scenario(provider, tmp_path):
    base_url, variable = FORMATS[provider]
    chosen = os.environ.get("SENTINEL_E2E_MODEL")
    output = json_output(
        *("run", "v2.1.0", "--json", "--provider", provider, "--base-url", base_url),
        *(("--model", chosen) if chosen else ()),
        *("--tool-mode", "guided", "--max-reruns", "1", "--call-timeout", "300", "--deadline", "800"),
        *("--releases", RELEASES, "--reports", "reports"),
        folder=tmp_path,
        variable=variable,
    )
    sys.stdout.write(f"{provider}: {json.dumps(output, indent=1)}\n")
    assert output["severity"] in ("high", "medium", "low")
    (report,) = (tmp_path / "reports").glob("*.json")
    assert json.loads(report.read_text())["release_id"] == "v2.1.0"
    assert output["agent"]["verdict"] in ("PASS", "WARN", "FAIL")


SUITE = """
name = "judged"
judge = {{ provider = "openai", votes = 3, settings = {{ base_url = "{base_url}"{model}, call_timeout = 300 }} }}

[[scenarios]]
id = "clear"
release = {{ version = "v3.0.0", changes = ["New icon"], tests = {{ passed = 9, failed = 0, skipped = 0 }} }}
rubric = [{{ id = "clear", question = "Does the answer name a severity?", required = false }}]
"""


def test_a_real_model_judges(tmp_path):
    chosen = os.environ.get("SENTINEL_E2E_MODEL")
    base_url, variable = FORMATS["openai"]
    text = SUITE.format(base_url=base_url, model=f', model = "{chosen}"' if chosen else "")
    (tmp_path / "judged.toml").write_text(text)
    output = json_output(
        "suite", "run", "judged.toml", "--json", "--timeout", "800", folder=tmp_path, variable=variable
    )
    (opinion,) = output["scenarios"][0]["trials"][0]["opinions"]
    sys.stdout.write(f"judge: {opinion}\n")
    assert round(opinion["score"] * 3, 3) in (0, 1, 2, 3)
    assert "of 3 votes" in opinion["evidence"]
