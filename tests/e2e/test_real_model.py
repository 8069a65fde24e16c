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
FORMATS = {"openai": (f"{BASE_URL}/v1", "OPENAI_API_KEY"), "anthropic": (BASE_URL, "ANTHROPIC_API_KEY")}

pytestmark = pytest.mark.skipif(
    not (BASE_URL and KEY), reason="no real model: SENTINEL_E2E_BASE_URL and SENTINEL_E2E_KEY are not both set"
)


@pytest.mark.parametrize("provider", sorted(FORMATS))
def test_a_real_model_finishes_the_scenario(provider, tmp_path):
    base_url, variable = FORMATS[provider]
    chosen = os.environ.get("SENTINEL_E2E_MODEL")
    done = subprocess.run(
        [
            *(COMMAND, "run", "v2.1.0", "--json", "--provider", provider, "--base-url", base_url),
            *(("--model", chosen) if chosen else ()),
            *("--tool-mode", "guided", "--call-timeout", "300", "--deadline", "800"),
            *("--releases", RELEASES, "--reports", "reports"),
        ],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        cwd=tmp_path,
        env={**os.environ, variable: KEY},
    )
    assert done.returncode in (0, 1, 2), done.stderr
    told = json.loads(done.stdout)
    sys.stdout.write(f"{provider}: {json.dumps(told, indent=1)}\n")
    assert told["severity"] in ("high", "medium", "low")
    (report,) = (tmp_path / "reports").glob("*.json")
    assert json.loads(report.read_text())["release_id"] == "v2.1.0"
    assert told["agent"]["verdict"] in ("PASS", "WARN", "FAIL")
    assert KEY not in done.stdout + done.stderr
