import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _load(name):
    """Test folders are no packages: a module that tests share is loaded by its path, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_service = _load("release_service")


@pytest.fixture
def service():
    with _service.running() as server:
        yield server


class GitRepository:
    """A real repository, whose commits have fixed times."""

    def __init__(self, path):
        self.path = path
        self._tick = 0
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments, author="Ada Byron"):
        self._tick += 1
        when = f"2026-01-01T00:{self._tick // 60:02}:{self._tick % 60:02}Z"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), author),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "someone@example.org"),
            **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), when),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout.strip()

    def commit(self, message, files=None, author="Ada Byron"):
        for name, text in (files or {f"file-{self._tick}.txt": "one\n"}).items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            self.git("add", "--", name)
        self.git("commit", "--quiet", "--message", message, author=author)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    if shutil.which("git") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("git is not installed")
        pytest.skip("git is not installed")
    return GitRepository(tmp_path / "repository")
