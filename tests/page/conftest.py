"""A real Chromium, driven by playwright-core; axe-core looks at the page. ``make test`` installs both where npm is."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
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
def browse() -> Iterator[Browse]:
    """Opens a page and tells what was said on the console, asked of the network, and seen. All pages are in one browser."""
    reason = _missing()
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    chromium = os.environ.get("SENTINEL_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    with subprocess.Popen(
        ["node", SCRIPT, MODULES, str(chromium)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as browser:

        def open_page(page: Path, **wishes: Any) -> dict[str, Any]:
            watch = threading.Timer(DEADLINE, browser.kill)
            watch.start()
            try:
                print(json.dumps({"page": str(page), **wishes}), file=browser.stdin, flush=True)
                line = browser.stdout.readline()
            finally:
                watch.cancel()
            assert line, f"the browser ended, or took longer than {DEADLINE} s"
            told: dict[str, Any] = json.loads(line)
            assert "error" not in told, told["error"]
            return told

        yield open_page
        browser.stdin.close()  # it ends by itself
