"""What the tests of the hook share."""

import pytest
from claude_sessions import ClaudeSession

FAILED = "FAILED tests/test_cart.py::test_total - assert 1 == 3\n1 failed, 2 passed in 0.12s"


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """A home and a cache of the test's own."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def failing():
    """A session in which the last run of tests failed."""
    session = ClaudeSession()
    session.user("Fix the total of the cart and run the tests.")
    return session.edit().run("pytest -q", FAILED, code=1)
