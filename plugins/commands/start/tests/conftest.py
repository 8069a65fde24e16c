from collections.abc import Callable

import pytest
from commanding import runner_inside, warmed

_warm = pytest.fixture(scope="session", autouse=True)(warmed)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where commands run; a home without sessions stands beside it."""
    made = tmp_path / "folder"
    made.mkdir()
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return made


@pytest.fixture
def inside(folder, monkeypatch, capfd) -> Callable:
    """Runs a command in this process; its children are real all the same."""
    return runner_inside(folder, monkeypatch, capfd)


@pytest.fixture
def sessions(folder, tmp_path):
    """Two sessions of one coding agent at home."""
    kept = tmp_path / "home" / ".claude" / "projects" / "shop"
    kept.mkdir(parents=True)
    for first in ("5", "6"):
        (kept / f"{first}f1c0d7e-7f0a-4b7e-9f39-2d3f7c4e1a11.jsonl").write_text("{}\n", encoding="utf-8")
    return kept
