"""For tests of loops: stores of every kind, a PostgreSQL server of our own, and the service as users start it."""

import functools
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest
from forked_commands import run_forked

from sentinel_core.guardrails.bound import BoundGuardrail, bind_guardrails
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import Store, open_store
from sentinel_core.host.plugins import LoadFailure, Plugin, installed, load
from sentinel_core.host.settings import Layers, Setting

COMMAND = Path(sys.executable).parent / "sentinel"
DEADLINE = 60
TOKENS = {
    "agent": ("agent-token-of-twenty-or-more", ("complete", "read")),
    "operator": ("operator-token-of-twenty-or-more", ("override", "read")),
    "chief": ("chief-token-of-twenty-or-more", ("complete", "override", "read")),
    "reader": ("reader-token-of-twenty-or-more", ("read",)),
}


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def guardrails(**settings: object) -> tuple[BoundGuardrail, ...]:
    """The installed ones, with settings such as ``rerun_limit__max_reruns=5``."""
    layers = Layers(
        values={
            (key := "guardrails." + name.replace("__", ".")): Setting(key=key, value=value, origin="test.toml")
            for name, value in settings.items()
        }
    )
    return bind_guardrails(*_plugins(), layers)


@functools.cache
def _plugins() -> tuple[list[Plugin], list[LoadFailure]]:
    return load(
        one for one in installed(("guardrails",)) if (one.distribution or "").startswith("reliability-sentinel-")
    )


@pytest.fixture
def make(clock) -> Callable[..., Orchestrator]:
    """An orchestrator, on a store in memory where none is given."""

    def orchestrator(store: Store | None = None, **settings: object) -> Orchestrator:
        return Orchestrator(store=store or open_store("memory:"), guardrails=guardrails(**settings), now=clock)

    return orchestrator


@pytest.fixture
def walk() -> Callable[..., list[dict]]:
    """Hands in and completes one attempt after the other, each with the next pair of scores, until the family ends."""

    def go(orchestrator: Orchestrator, scores: list[tuple[float, float]], root: str = "loop", tags=()) -> list[dict]:
        answers, loop_id = [], root
        for alignment, drift in scores:
            orchestrator.submit(
                loop_id, Reflection(alignment_score=alignment, drift_score=drift, bias_tags=tuple(tags))
            )
            answers.append(orchestrator.complete(loop_id))
            loop_id = answers[-1]["decision_result"]["new_loop_id"]
            if loop_id is None:
                break
        return answers

    return go


@attrs.frozen
class Postgres:
    """A server of our own on a socket in its folder."""

    folder: Path
    binaries: Path
    user: str | None

    def run(self, *command: object) -> None:
        done = subprocess.run(
            [str(one) for one in command],
            user=self.user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=DEADLINE,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def control(self, *arguments: str) -> None:
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        log = self.folder / "log"
        self.run(self.binaries / "pg_ctl", "-D", self.folder / "data", "-l", log, "-o", options, "-w", *arguments)

    def database(self, name: str) -> str:
        """The address of a new, empty database."""
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.address(name)

    def address(self, name: str) -> str:
        return f"postgresql://sentinel@/{name}?host={self.folder}"


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _somebody() -> str | None:
    """PostgreSQL does not run as root: its own user, or nobody."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    binaries = _binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed: no initdb")
    user = _somebody()
    folder = Path(tempfile.mkdtemp(prefix="sentinel-pg-"))
    if user is not None:
        shutil.chown(folder, user)
    server = Postgres(folder, binaries, user)
    try:
        server.run(
            binaries / "initdb", "-D", folder / "data", "-U", "sentinel", "-A", "trust", "-E", "UTF8", "--no-sync"
        )
        server.control("start")
        yield server
        server.control("stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def address(request, tmp_path) -> Callable[[str], str]:
    """A new, empty place for loops: ``sqlite`` or ``postgres``."""

    def new(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path / "loops.sqlite3")
        return request.getfixturevalue("postgres").database(tmp_path.name)

    return new


@pytest.fixture
def tokens(tmp_path) -> Path:
    path = tmp_path / "tokens.toml"
    path.touch(0o600)
    path.write_text(
        "".join(
            f'[tokens.{name}]\ntoken = "{token}"\nscopes = {list(scopes)}\n' for name, (token, scopes) in TOKENS.items()
        )
    )
    return path


@pytest.fixture
def bearer() -> Callable[[str], dict[str, str]]:
    """The header of a caller by name."""
    return lambda name: {"Authorization": f"Bearer {TOKENS[name][0]}"}


@pytest.fixture
def sentinel(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command to its end, in an empty folder."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        done = run_forked(*arguments, timeout=DEADLINE, cwd=tmp_path, env=_environment())
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture
def service(tmp_path, tokens) -> Iterator[Callable[..., str]]:
    """Starts ``sentinel serve`` on a free port and gives its address."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> str:
        log = tmp_path / f"serve-{len(started)}.log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [COMMAND, "serve", "--port", "0", "--rate", "100000", "--tokens", tokens, *map(str, arguments)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=tmp_path,
                env=_environment(),
            )
        started.append(process)
        line = process.stdout.readline()
        assert line.startswith("Listening on http://127.0.0.1:"), log.read_text()
        return line.removeprefix("Listening on http://").strip()

    start.started = started
    yield start
    for process in started:
        process.terminate()
    for number, process in enumerate(started):
        process.wait(DEADLINE)
        process.stdout.close()
        assert "Traceback" not in (tmp_path / f"serve-{number}.log").read_text()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "FORCE_", "NO_"))}
    return {**kept, "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for a condition, with a deadline."""

    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + DEADLINE
        while not holds():
            assert time.monotonic() < deadline, "it never came to be"
            time.sleep(0.01)

    return wait
