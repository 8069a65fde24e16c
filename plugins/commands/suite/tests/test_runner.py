import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest

from sentinel_command_suite.document import exit_code
from sentinel_command_suite.evaluation import RunOptions, document_of, run_evaluation
from sentinel_command_suite.journal import Journal
from sentinel_core.errors import ConfigError, InputError, PluginError, ProviderError
from sentinel_core.host.selection import Selection
from sentinel_core.model import Reply
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_provider_offline import OfflineModel

SLOW = """
import os, pathlib, time
from sentinel_core import Provider, hookimpl
from sentinel_provider_offline import OfflineModel

class Slow(OfflineModel):
    def complete(self, request, on_text=None):
        if len(request.messages) == 1:
            with open("tried", "a") as file:
                file.write("x")
            deadline = time.monotonic() + 60
            while not os.path.exists("go") and os.path.getsize("tried") > 3 and time.monotonic() < deadline:
                time.sleep(0.01)
        return OfflineModel.complete(self, request, on_text)

@hookimpl
def sentinel_providers():
    return [Provider(name="slow", summary="waits", connect=Slow)]
"""


@attrs.frozen
class Deadly(OfflineModel):
    """Ends its process in one scenario."""

    how: str = ""

    def complete(self, request, on_text=None):
        if self.how == "exit":
            os._exit(7)
        if self.how == "hang":
            time.sleep(60)
        return OfflineModel.complete(self, request, on_text)


def wait_for(condition, seconds=30.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def slow(tmp_path):
    """The command for a suite of eight trials; the fourth waits until there is a file "go"."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "small.toml").write_text(
        'name = "small"\ntrials = 8\n[[scenarios]]\nid = "s0"\nrelease = { version = "v1" }\n'
    )
    command = [str(Path(sys.executable).with_name("sentinel")), "suite", "run", "small.toml"]
    return [*command, "--provider", "slow", "--plugins", "./slow.py", "--workers", "1", "--fail-on", "never"]


def waits_in_the_fourth_trial(folder):
    tried, journal = folder / "tried", folder / ".sentinel/suites/small/journal.jsonl"
    return lambda: tried.exists() and len(tried.read_text()) == 4 and len(journal.read_text().splitlines()) == 4


@pytest.mark.unmeasured
def test_killed_in_the_middle_and_resumed(tmp_path, slow):
    journal = tmp_path / ".sentinel/suites/small/journal.jsonl"
    tried = tmp_path / "tried"
    with subprocess.Popen(slow, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(waits_in_the_fourth_trial(tmp_path))
        process.send_signal(signal.SIGKILL)
    with journal.open("a") as file:
        file.write('{"result": {"scenario": "s0", "tr')
    (tmp_path / "go").touch()
    done = subprocess.run([*slow, "--resume"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert len(tried.read_text()) == 4 + 5
    assert len(journal.read_text().splitlines()) == 9
    again = subprocess.run([*slow, "--resume"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert len(tried.read_text()) == 9


@pytest.mark.unmeasured
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_two_in_one_folder(tmp_path, slow, resume):
    journal = tmp_path / ".sentinel/suites/small/journal.jsonl"
    with subprocess.Popen(slow, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(waits_in_the_fourth_trial(tmp_path))
        before = journal.read_bytes()
        other = subprocess.run([*slow, *resume], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (other.returncode, journal.read_bytes()) == (3, before)
        assert 'another "sentinel suite run" is writing ".sentinel/suites/small/journal.jsonl"; wait' in other.stderr
        (tmp_path / "go").touch()
        assert process.wait(60) == 0
    assert len((tmp_path / "tried").read_text()) == 8, "the refused one tried nothing"
    assert len(journal.read_text().splitlines()) == 9


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP])
def test_without_locks_it_goes_on(tmp_path, suite, run, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "lockf", refuse)
    run(suite(1), folder=tmp_path)
    assert len(run(suite(1), folder=tmp_path, resume=True).evaluated) == 1


def test_two_that_begin_at_once(tmp_path):
    """Neither sees a file of the other when it starts."""
    late = Journal(tmp_path / "new" / "journal.jsonl", {"suite": "small"}, resume=False)
    held = "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.lockf(file, fcntl.LOCK_EX); print(1, flush=True); input()"
    (tmp_path / "new").mkdir()
    command = [sys.executable, "-c", held, str(tmp_path / "new" / "journal.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(InputError, match='another "sentinel suite run" is writing'), late:
            late.begin()
        process.stdin.close()


def test_resume_refuses_another_run(tmp_path, suite, run):
    with pytest.raises(InputError, match="no run to resume"):
        run(suite(1), folder=tmp_path, resume=True)
    run(suite(1), folder=tmp_path)
    with pytest.raises(InputError, match="its digest was"):
        run(suite(2), folder=tmp_path, resume=True)
    journal = tmp_path / "journal.jsonl"
    assert journal.stat().st_mode & 0o777 == 0o600
    assert len(run(suite(1), folder=tmp_path, resume=True).evaluated) == 1
    journal.write_bytes(journal.read_bytes().replace(b'"passed"', b'"pas'))
    with pytest.raises(InputError, match=r'line 2 of journal ".*journal\.jsonl" is damaged'):
        run(suite(1), folder=tmp_path, resume=True)


def test_errors_are_tried_again_when_a_run_is_resumed(tmp_path, suite, run, broken):
    lost = run(suite(2), folder=tmp_path, connect=broken)
    assert [one.status for one in lost.scenarios] == ["error", "error"]
    assert "the server is gone" in lost.scenarios[0].trials[0].error
    assert exit_code(lost, None, "never") == 3
    assert [one.status for one in run(suite(2), folder=tmp_path, resume=True).scenarios] == ["passed", "passed"]


def test_a_worker_that_dies_costs_its_trial_alone(suite):
    connect = lambda scenario, _number: Deadly(how="exit" if scenario == "s1" else "")  # noqa: E731 - three words
    results = run_evaluation(suite(5), RunOptions(workers=2, connect=connect))
    assert [one.status for one in results.scenarios] == ["passed", "error", "passed", "passed", "passed"]
    assert results.scenarios[1].trials[0].error == "the trial ended the process with exit code 7"
    assert exit_code(results, None, "failure") == 3


def test_a_trial_that_hangs_is_ended(suite):
    connect = lambda scenario, _number: Deadly(how="hang" if scenario == "s0" else "")  # noqa: E731 - three words
    results = run_evaluation(suite(2), RunOptions(workers=2, connect=connect, timeout=2.0))
    assert [one.status for one in results.scenarios] == ["error", "passed"]
    assert "did not finish within 2 s" in results.scenarios[0].trials[0].error


@pytest.mark.parametrize("workers", [0, 2])
def test_what_cannot_be_loaded(suite, workers):
    with pytest.raises(PluginError, match='no provider "ofline" is installed; did you mean "offline"'):
        run_evaluation(suite(1), RunOptions(provider="ofline", workers=workers))


def test_choices_that_make_no_sense(suite, run, tmp_path):
    with pytest.raises(ConfigError, match='no scenario and no tag "s9"'):
        run(suite(1), only=("s9",))
    with pytest.raises(ConfigError, match="cannot be combined"):
        run(suite(1), record=tmp_path / "a", replay=tmp_path / "b")


@attrs.frozen
class Dear(OfflineModel):
    def complete(self, request, on_text=None):
        return attrs.evolve(OfflineModel.complete(self, request, on_text), cost_usd=0.01)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_cost_that_nobody_knows_is_told_at_the_first_trial(suite, workers):
    told, heard = [], []
    options = RunOptions(workers=workers, max_cost=1, warn=told.append, progress=lambda *_: heard.append(len(told)))
    run_evaluation(suite(3), options)
    assert (told, heard) == (["the provider reported no cost, so --max-cost has no effect"], [1, 1, 1])
    run_evaluation(suite(1), RunOptions(workers=workers, warn=told.append))
    run_evaluation(suite(1), RunOptions(workers=workers, max_cost=1, warn=told.append, connect=lambda *_: Dear()))
    assert len(told) == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_no_trial_is_begun_once_the_budget_is_spent(suite, workers, tmp_path):
    options = RunOptions(workers=workers, connect=lambda *_: Dear(), max_cost=0.05, folder=tmp_path)
    results = run_evaluation(suite(6), options)
    assert 2 <= len(results.evaluated) < 6
    assert results.incomplete.startswith("stopped after $0.0")
    assert exit_code(results, None, "never") == 3
    assert document_of(results)["summary"]["cost_usd"] >= 0.05
    resumed = run_evaluation(suite(6), attrs.evolve(options, resume=True, max_cost=None))
    assert (resumed.incomplete, len(resumed.evaluated)) == ("", 6)


def test_a_cassette_stands_in_for_the_model(suite, run, tmp_path, unsteady, broken):
    of, cassette = suite(2, "trials = 3"), tmp_path / "cassette.json"
    live = run(of, connect=unsteady(5, 0.5), record=cassette)
    assert len({one.status for one in live.scenarios} | {"flaky"}) >= 1
    replayed = run(of, connect=broken, replay=cassette)
    assert document_of(replayed)["scenarios"] == document_of(live)["scenarios"]
    assert b"Investigate" not in cassette.read_bytes()


def test_what_a_cassette_does_not_hold(suite, run, tmp_path):
    cassette = tmp_path / "cassette.json"
    run(suite(1), record=cassette)
    more = run(suite(2), replay=cassette)
    assert 'the cassette has no trial "s1#1"' in more.scenarios[1].trials[0].error
    other = run(suite(1, 'release_id = "v9"'), replay=cassette)
    assert "differs from the one on the cassette" in other.scenarios[0].trials[0].error
    for data, told in ((b"{}", "cannot be used"), (None, "cannot be read")):
        cassette.write_bytes(data) if data else cassette.unlink()
        with pytest.raises(InputError, match=told):
            run(suite(1), replay=cassette)


def test_errors_are_on_the_cassette_too(suite, run, tmp_path, broken):
    run(suite(1), connect=broken, record=tmp_path / "c.json")
    (scenario,) = run(suite(1), replay=tmp_path / "c.json").scenarios
    assert "the server is gone" in scenario.trials[0].error


def test_a_trial_that_asks_more_than_was_recorded(suite, run, tmp_path, scripted):
    cassette = tmp_path / "c.json"
    run(suite(1), connect=scripted(Reply(content="Nothing.")), record=cassette)
    document = json.loads(cassette.read_bytes())
    document["trials"][0]["exchanges"] = []
    cassette.write_text(json.dumps(document))
    (scenario,) = run(suite(1), replay=cassette).scenarios
    assert "has no more replies" in scenario.trials[0].error


def test_what_failed_can_be_looked_at(suite, run_bad, tmp_path):
    run_bad(suite(2), "inventive", folder=tmp_path)
    assert len(list((tmp_path / "runs").glob("*.trace.json"))) == 2


def test_installed_tools_with_settings(suite, tmp_path):
    from sentinel_core.host.settings import Layers, Setting

    (tmp_path / "v3.0.0.json").write_text(
        '{"version": "v3.0.0", "changes": ["New icon"], "tests": {"passed": 9, "failed": 0, "skipped": 0},'
        ' "deployment_metrics": {"error_rate": 0.001, "response_time_p95": 300}}'
    )
    keys = {
        "tools.get_release_summary.releases": str(tmp_path),
        "tools.file_risk_report.reports": str(tmp_path / "reports"),
    }
    layers = Layers(values={key: Setting(key=key, value=value, origin="--test") for key, value in keys.items()})
    results = run_evaluation(suite(1), RunOptions(workers=1, toolset="installed", layers=layers, selection=Selection()))
    assert [one.status for one in results.scenarios] == ["passed"], results.scenarios[0].trials
    assert len(list((tmp_path / "reports").glob("RR-*.json"))) == 1


def test_without_a_verdict_of_the_signals_nothing_was_evaluated(suite, run):
    (scenario,) = run(suite(1), selection=Selection.parse("")).scenarios
    assert scenario.trials[0].error == "the reliability signals gave no verdict"


def test_a_signal_that_breaks_is_the_harness_at_fault(suite, run, tmp_path):
    (tmp_path / "broken.py").write_text(
        "from sentinel_core import Signal, hookimpl\n"
        "@hookimpl\n"
        "def sentinel_signals():\n"
        '    return [Signal(name="broken", summary="breaks", detect=lambda index: 1 / 0)]\n'
    )
    from sentinel_core.host.settings import Layers, Setting

    layers = Layers(values={"weights.broken": Setting(key="weights.broken", value="0.5", origin="--weight")})
    (scenario,) = run(suite(1), selection=Selection.parse(str(tmp_path / "broken.py")), layers=layers).scenarios
    assert scenario.status == "error"
    assert scenario.trials[0].error.startswith('signal "broken"')


BURST = 'plugin "providers:clinging" raised RuntimeError: burst when it was closed'


@pytest.mark.parametrize("workers", [0, 2])
def test_a_model_that_cannot_be_closed_takes_no_trial_away(suite, run_bad, tmp_path, workers):
    results = run_bad(suite(3), "clinging", folder=tmp_path, workers=workers)
    assert [one.status for one in results.scenarios] == ["passed"] * 3
    assert [trial.notes for one in results.scenarios for trial in one.trials] == [(BURST,)] * 3
    assert document_of(results)["scenarios"][0]["trials"][0]["notes"] == [BURST]
    again = run_bad(suite(3), "clinging", folder=tmp_path, workers=workers, resume=True)
    assert document_of(again) == document_of(results)


def test_what_closing_raises_hides_no_error_before_it(suite, run):
    class Gone(ScriptedModel):
        def close(self):
            raise ProviderError("the key is sk-abcdef0123456789abcdef0123456789")

    (scenario,) = run(suite(1), connect=lambda *_: Gone([ProviderError("the server is gone")])).scenarios
    assert (scenario.status, scenario.trials[0].error) == ("error", "the server is gone")
    (note,) = scenario.trials[0].notes
    assert "ProviderError: the key is" in note
    assert "abcdef" not in note


def test_a_trace_that_cannot_be_kept_takes_no_result_away(suite, run_bad, tmp_path):
    (tmp_path / "runs").touch()
    results = run_bad(suite(2), "inventive", folder=tmp_path)
    assert [one.status for one in results.scenarios] == ["failed", "failed"]
    (note,) = results.scenarios[0].trials[0].notes
    assert note.startswith("the trace could not be stored: ")
