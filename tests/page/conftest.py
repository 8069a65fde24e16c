"""A real Chromium, driven by playwright-core; axe-core looks at the page. ``make test`` installs both where npm is."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MODULES = Path(sys.prefix) / "browser"
SCRIPT = Path(__file__).with_name("browse.mjs")
DEADLINE = 300

Browse = Callable[..., dict[str, Any]]


def _missing() -> str | None:
    if not any(map(shutil.which, BROWSERS)) and not os.environ.get("SENTINEL_CHROMIUM"):
        return f"no Chromium: none of {', '.join(BROWSERS)} is installed, and SENTINEL_CHROMIUM names none"
    if shutil.which("node") is None:
        return "node is not installed"
    missing = [name for name in ("playwright-core", "axe-core") if not (MODULES / "node_modules" / name).is_dir()]
    return f"{' and '.join(missing)} not installed (make test does it where npm is)" if missing else None


@pytest.fixture(scope="session")
def browse() -> Browse:
    """Opens a page and tells what was said on the console, asked of the network, and seen."""
    reason = _missing()
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    chromium = os.environ.get("SENTINEL_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))

    def open_page(page: Path, **wishes: Any) -> dict[str, Any]:
        wish = {"modules": str(MODULES), "chromium": chromium, "page": str(page), **wishes}
        done = subprocess.run(
            ["node", SCRIPT], input=json.dumps(wish), capture_output=True, text=True, timeout=DEADLINE, check=False
        )
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return open_page
