"""D: ``sentinel run``, the whole command, killed at random moments and resumed: each run files one report, and none is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agent_counting import counting_service
from soaking import chance_of, seeds

pytestmark = pytest.mark.unmeasured

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
MOST_KILLS = 4
SENTINEL = Path(sys.executable).parent / "sentinel"
RELEASES = Path(__file__).parents[2] / "examples/releases"
killed = []


def command(folder, address, *words):
    options = ("--provider", "offline", "--releases", RELEASES, "--reports", address, "--no-config", "--yes")
    honors = ("--set", "tools.file_risk_report.honors_keys=true")
    return subprocess.Popen(
        [SENTINEL, "run", *words, *options, *honors],
        cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def begun(folder):
    """The run that the journal holds, as the words that go on with it; a new one where it holds none yet."""
    done = subprocess.run(
        [SENTINEL, "runs", "--json"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    runs = json.loads(done.stdout or "[]")
    return ("--resume", runs[0]["run_id"]) if runs else ("v2.1.0",)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """Seconds of a run that nobody kills: a kill is drawn from within it, however fast the machine is."""
    folder = tmp_path_factory.mktemp("whole")
    with counting_service(folder / "log") as address:
        begin = time.monotonic()
        command(folder, address, "v2.1.0").communicate(timeout=120)
    return time.monotonic() - begin


@pytest.mark.parametrize("seed", seeds(2, 330))
def test_a_command_that_is_killed_files_one_report(seed, tmp_path, whole_run):
    chance, log = chance_of(seed), tmp_path / "log"
    with counting_service(log) as address:
        for _ in range(chance.randint(1, MOST_KILLS)):
            process = command(tmp_path, address, *begun(tmp_path))
            time.sleep(chance.uniform(0.02, 0.9) * whole_run)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                killed.append(seed)
            process.communicate(timeout=60)
        _, said = command(tmp_path, address, *begun(tmp_path)).communicate(timeout=120)
    reports = [json.loads(line) for line in log.read_text().splitlines()]
    assert reports, said
    assert len({report["key"] for report in reports}) == 1, said
    assert {report["report"]["severity"] for report in reports} == {"high"}


@pytest.mark.skipif(not SOAK, reason="counts the kills of the test above: make soak")
def test_there_were_500_kills_of_the_command():
    print(f"{len(killed)} kills of sentinel run")  # noqa: T201 - a figure, shown with -s
    assert len(killed) >= 500
