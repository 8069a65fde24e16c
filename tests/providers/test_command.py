"""A tenth of the faults through the whole command: its exit code, one line of error, reports, and no key anywhere.

``make soak`` tries all of that tenth, other runs a third of it; ``test_agent_faults.py`` tries each fault without the command.
"""

import gc
import importlib
import json
import os
import time
from pathlib import Path

import attrs
import pytest

from sentinel_core.cli import main
from sentinel_core.host.plugins import installed, load
from sentinel_faults import DIALECTS, FAULTS, Asked, Turn

pytestmark = pytest.mark.unmeasured

RELEASES = Path(__file__).parents[2] / "examples" / "releases"
RELEASE = "v2.1.0"
REPORT = {"release_id": RELEASE, "severity": "high", "findings": ["2 of 144 tests failed"]}
SCRIPT = (
    Turn(calls=(Asked(name="get_release_summary", arguments={"release_id": RELEASE}),)),
    Turn(calls=(Asked(name="file_risk_report", arguments=REPORT),)),
    Turn(text="The release is risky: 2 of 144 tests failed."),
)
EVERY = [
    (dialect, fault, place)
    for dialect in sorted(DIALECTS)
    for fault in FAULTS.values()
    if fault.fits(dialect) and not fault.slow
    for place in range(3)
]
TENTH = EVERY[::20]  # of 40 faults, 3 places and 3 plugins; not a multiple of the places
TENTH_CASES = [
    pytest.param(
        *(dialect, fault, place),
        id=f"{dialect}-{fault.name}-{place}",
        marks=pytest.mark.exhaustive if number % 3 else (),
    )
    for number, (dialect, fault, place) in enumerate(TENTH)
]


@attrs.frozen
class Done:
    code: int
    out: str
    err: str
    reports: list[dict]
    seconds: float


@pytest.fixture(scope="module", autouse=True)
def _warm():
    """Children of this process find plugins, tools' and SDKs loaded, and little for the garbage collector to look through."""
    load(installed())
    for sdk in ("anthropic", "openai", "httpx2"):
        importlib.import_module(sdk)
    importlib.import_module("sentinel_core.runtime.http_guard")
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def command(connection, tmp_path, monkeypatch, capfd):
    """Runs ``sentinel run`` in this process, in an empty folder; its children are real."""
    for name in [name for name in os.environ if name.startswith("SENTINEL_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    connection.server.script = SCRIPT

    def run(*options: str, model: tuple[str, ...] = ("--model", "test-model")) -> Done:
        asked = ("--provider", connection.name, "--base-url", connection.server.base_url, *model)
        places = ("--releases", str(RELEASES), "--reports", "reports", "--initial-delay", "0.01")
        start = time.monotonic()
        with pytest.raises(SystemExit) as caught:
            main(["run", RELEASE, *asked, *places, *options])
        seconds = time.monotonic() - start
        captured = capfd.readouterr()
        reports = [json.loads(path.read_bytes()) for path in (tmp_path / "reports").glob("*.json")]
        for text in (captured.out, captured.err):
            assert "Traceback" not in text
            assert connection.key not in text
        for path in tmp_path.rglob("*"):
            assert path.is_dir() or connection.key.encode() not in path.read_bytes(), path
        return Done(caught.value.code or 0, captured.out, captured.err, reports, seconds)

    return run


def errors_in(err: str) -> list[str]:
    return [line for line in err.splitlines() if line.startswith("sentinel: error")]


@pytest.mark.parametrize(("connection", "fault", "place"), TENTH_CASES, indirect=["connection"])
def test_a_tenth_of_the_faults(connection, command, fault, place):
    survives = fault.retryable and (fault.retry_after or 0) < 60
    connection.server.play(fault, position=place, times=1 if survives or fault.outcome == "reply" else 99)
    done = command()
    assert done.code in (0, 1, 2, 3)
    assert len(done.reports) <= 1
    if survives:
        assert (done.code, len(done.reports), connection.server.asked) == (0, 1, 4), done.err
    elif fault.outcome == "reply":
        assert len(errors_in(done.err)) == (not done.reports)
    else:
        again = fault.outcome == "ContextLengthError"
        assert (done.code, done.reports, connection.server.asked) == (3, [], place + 1 + again)
        (line,) = errors_in(done.err)
        assert f'provider "{connection.name}"' in line


def test_a_tenth_is_a_tenth():
    assert len(TENTH) >= 36
    assert {place for _dialect, _fault, place in TENTH} == {0, 1, 2}
    assert {dialect for dialect, _fault, _place in TENTH} == set(DIALECTS)


@pytest.mark.parametrize("connection", ["openai"], indirect=True)
def test_a_server_that_hangs_meets_the_deadline(connection, command):
    connection.server.play(FAULTS["hang"], times=99)
    done = command("--deadline", "1")
    assert (done.code, done.reports) == (3, [])
    assert len(errors_in(done.err)) == 1
    assert done.seconds < 1 + 60  # the start and the judging come on top; the server would hang for ever


@pytest.mark.parametrize("connection", ["ollama"], indirect=True)
def test_when_to_come_back_is_told(connection, command):
    connection.server.play(FAULTS["wait_hour"], times=99)
    done = command()
    assert (done.code, connection.server.asked) == (3, 1)
    (line,) = errors_in(done.err)
    assert "resume" in line


@pytest.mark.parametrize("connection", ["anthropic", "openrouter"], indirect=True)
def test_without_a_key_the_variable_is_named(connection, command, monkeypatch):
    monkeypatch.delenv(connection.variable)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    done = command()
    assert (done.code, connection.server.asked) == (3, 0)
    (line,) = errors_in(done.err)
    assert f"set {connection.variable} in the environment" in line


@pytest.mark.parametrize("connection", ["anthropic", "ollama"], indirect=True)
def test_a_wrong_key_is_told_and_never_shown(connection, command):
    connection.server.play(FAULTS["status_401"], times=99)
    done = command()
    assert done.code == 3
    (line,) = errors_in(done.err)
    assert "answered 401" in line
    assert f"check the key in {connection.variable}" in line


def test_the_model_that_a_provider_chose_is_told_and_kept(connection, command, tmp_path):
    done = command("--record", "record.jsonl", model=())
    assert done.code == 0
    assert f'sentinel: warning: no --model: provider "{connection.name}"' in done.err
    assert all(line.startswith("sentinel: warning: ") for line in done.err.splitlines())
    started = json.loads((tmp_path / "record.jsonl").read_text().splitlines()[1])
    assert (started["event"], started["model"]) == ("RunStarted", "test-model")
