"""``sentinel suite``, as users run it."""

import errno
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from commanding import drained, terminal_of
from forked_commands import run_forked

from sentinel_core.cli import main
from sentinel_core.errors import InputError

pytestmark = pytest.mark.unmeasured

BAD = Path(__file__).with_name("bad_providers.py")
COMMAND = Path(sys.executable).with_name("sentinel")


@pytest.fixture
def sentinel(tmp_path):
    def go(*arguments, code=0):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "FORCE_"))}
        done = run_forked("suite", *arguments, cwd=tmp_path, env=kept, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return go


@pytest.fixture
def inside(tmp_path, monkeypatch, capfd):
    """The same in this process: what needs no process of its own takes a tenth of the time."""
    for name in [name for name in os.environ if name.startswith(("SENTINEL_", "FORCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def go(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["suite", *map(str, arguments)])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err
        return subprocess.CompletedProcess(arguments, caught.value.code, captured.out, captured.err)

    return go


def test_from_a_baseline_to_a_failing_gate(sentinel, inside, tmp_path):
    first = sentinel("run", "release-risk", "--json")
    document = json.loads(first.stdout)
    assert document["summary"]["pass_rate"] == 1.0
    assert inside("run", "release-risk", "--json", "--workers", 1).stdout == first.stdout
    assert "64 scenarios" in inside("baseline", "save", "main").stdout
    worse = ("--provider", "careless", "--plugins", BAD, "--baseline", "main", "--fail-on", "regression")
    done = sentinel("run", "release-risk", *worse, "-o", "out.xml", "-o", "markdown:out.txt", code=2)
    assert "worse: all scenarios decision_quality" in done.stdout
    assert "worse: high-many-failed-tests pass_rate 1.000 → 0.000" in done.stdout
    assert ET.parse(tmp_path / "out.xml").getroot()[0].attrib["failures"] == "22"
    assert (tmp_path / "out.txt").read_text().startswith("## release-risk")
    again = inside("compare", "--baseline", "main", "--json")
    assert again.returncode == 2
    assert json.loads(again.stdout)["regression_analysis"]["more_than_noise"] is True
    assert "baseline main" in inside("list").stdout
    fewer = inside("run", "release-risk", "--only", "low", "--baseline", "main")
    assert fewer.returncode == 2
    assert 'less covered: scenario "high-many-failed-tests" is gone' in fewer.stdout


def test_without_a_key_one_line_says_so_and_the_run_before_stays(inside, tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    assert inside("run", "release-risk", "--only", "low-clean").returncode == 0
    kept = {path: path.read_bytes() for path in (tmp_path / ".sentinel").rglob("*") if path.is_file()}
    done = inside("run", "release-risk", "--provider", "anthropic", "--only", "low")
    assert (done.returncode, done.stdout) == (3, "")
    assert "needs a key: set ANTHROPIC_API_KEY" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in (tmp_path / ".sentinel").rglob("*") if path.is_file()} == kept


FAR = """
import attrs
from sentinel_core import Provider, hookimpl
from sentinel_core.errors import ProviderError
from sentinel_core.providers.settings import ProviderSettings


def connect(settings):
    raise ProviderError(f"asked {settings.model} at {settings.base_url}")


@hookimpl
def sentinel_providers():
    return [Provider(name="far", summary="away", connect=connect, settings=ProviderSettings)]
"""


def test_model_and_address_are_of_the_provider_that_is_evaluated(inside, tmp_path):
    (tmp_path / "far.py").write_text(FAR)
    (tmp_path / "small.toml").write_text('name = "small"\nprovider = "far"\n[[scenarios]]\nid = "one"\n')
    (tmp_path / "sentinel.toml").write_text(
        'plugins = ["./far.py"]\n[providers.far]\nmodel = "m0"\nbase_url = "http://a"\n'
    )
    flags = ("--model", "m1", "--base-url", "http://b")
    for suite in (("small.toml",), ("release-risk", "--only", "low-clean", "--provider", "far")):
        assert "asked m0 at http://a" in inside("run", *suite).stderr
        done = inside("run", *suite, *flags)
        assert (done.returncode, "asked m1 at http://b" in done.stderr) == (3, True)
    done = inside("run", "release-risk", "--only", "low-clean", "--provider", "offline", *flags)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == 'sentinel: error: --model: the provider "offline" has no such setting\n'


def test_the_flag_for_summaries_takes_the_place_of_a_repository(inside, tmp_path):
    releases = Path(__file__).parents[4] / "examples/releases"
    (tmp_path / "sentinel.toml").write_text('[tools.get_release_summary]\nrepo = "gone"\n')
    (tmp_path / "small.toml").write_text(
        'name = "small"\n[[scenarios]]\nid = "one"\nrelease_id = "v2.1.0"\ntoolset = "installed"\n'
        '[scenarios.expect.decision_quality]\nseverity = "high"\n'
    )
    done = inside("run", "small.toml", "--releases", releases, "--reports", tmp_path / "reports")
    assert (done.returncode, "1 of 1 scenarios passed" in done.stdout) == (0, True), done.stdout
    done = inside("run", "small.toml", "--releases", releases, "--set", "get_release_summary.repo=.")
    assert (done.returncode, done.stdout) == (3, "")
    assert "--releases cannot be combined with --set tools.get_release_summary.repo: a release is" in done.stderr


def test_stopped_it_says_how_to_go_on(inside, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sentinel_command_suite.evaluation.run_evaluation", stop)
    done = inside("run", "release-risk")
    assert done.returncode == 130
    assert "stopped after saving the finished trials; to continue, run the same command with --resume" in done.stderr


def test_help_keeps_its_lines_apart(inside):
    told = inside("run", "--help").stdout
    assert "\n  sentinel suite run mine.toml --replay cassette.json -o junit.xml\n" in told
    assert "RANGE" not in told


def test_looking_at_suites(inside):
    assert json.loads(inside("list", "--json").stdout)["suites"][0]["suite"] == "release-risk"
    assert "high-many-failed-tests [high]" in inside("show", "release-risk").stdout
    one = json.loads(inside("show", "release-risk", "low-clean").stdout)
    assert one["expect"]["decision_quality"]["severity"] == "low"
    assert 'did you mean "low-clean"' in inside("show", "release-risk", "low-claen").stderr


def test_a_trace_becomes_a_suite_that_runs(inside, tmp_path):
    mask = os.umask(0o022)
    os.umask(mask)
    bad = ("--provider", "silent", "--plugins", BAD)
    assert inside("run", "release-risk", "--only", "high-error-rate", *bad).returncode == 2
    (trace,) = (tmp_path / ".sentinel/suites/release-risk/runs").glob("*.trace.json")
    made = inside("from-trace", trace, "--severity", "high", "--id", "incident", "-o", "incident.toml")
    assert made.returncode == 0, made.stderr
    twice = inside("from-trace", trace, "-o", "incident.toml")
    assert (twice.returncode, '-o "incident.toml" already exists; replace it with --force' in twice.stderr) == (3, True)
    assert inside("from-trace", trace, "--severity", "high", "-o", "incident.toml", "--force").returncode == 0
    assert (tmp_path / "incident.toml").stat().st_mode & 0o777 == 0o666 & ~mask
    assert "1 of 1 scenarios passed" in inside("run", "incident.toml").stdout
    assert inside("run", "incident.toml", *bad).returncode == 2
    assert "[[scenarios]]" in inside("from-trace", trace).stdout
    gone = inside("from-trace", "gone.json")
    assert (gone.returncode, '"gone.json": no such file' in gone.stderr) == (3, True)


def test_a_trace_of_any_format_becomes_a_suite(inside, tmp_path):
    (tmp_path / "one.json").write_bytes(_atif("one"))
    assert 'id = "trace-one"' in inside("from-trace", "one.json").stdout
    (tmp_path / "both.jsonl").write_bytes(_atif("one") + b"\n" + _atif("two") + b"\n")
    several = inside("from-trace", "both.jsonl")
    assert (several.returncode, "choose one with --trace-id" in several.stderr) == (3, True), several.stderr
    assert 'id = "trace-two"' in inside("from-trace", "both.jsonl", "--trace-id", "two").stdout
    other = inside("from-trace", "both.jsonl", "--trace-id", "three")
    assert (other.returncode, 'contains no trace "three"' in other.stderr) == (3, True)


def _atif(trace_id):
    call = {"tool_call_id": "c", "function_name": "get_release_summary", "arguments": {"release_id": "v5"}}
    result = {"source_call_id": "c", "content": '{"version": "v5", "changes": []}'}
    step = {"step_id": 2, "source": "agent", "message": "", "tool_calls": [call], "observation": {"results": [result]}}
    steps = [{"step_id": 1, "source": "user", "message": "Look at v5."}, step]
    agent = {"name": "a", "version": "1"}
    return json.dumps({"schema_version": "ATIF-v1.4", "session_id": trace_id, "agent": agent, "steps": steps}).encode()


def test_record_once_replay_without_the_provider(inside):
    live = inside("run", "release-risk", "--only", "sweep", "--record", "c.json", "--json")
    assert live.returncode == 0, live.stderr
    again = inside("run", "release-risk", "--only", "sweep", "--replay", "c.json", "--json", "--plugins", "no:offline")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["scenarios"] == json.loads(live.stdout)["scenarios"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "relase-risk"), 'did you mean "release-risk"'),
        (("run", "release-risk", "--provider", "gone"), 'no provider "gone"'),
        (("run", "release-risk", "--baseline", "gone"), 'no baseline "gone"'),
        (("run", "release-risk", "-o", "report.pdf"), "add the format"),
        (
            ("compare", "--baseline", "x", "-o", "juint:a.xml"),
            'there is no format "juint"; the formats are text, json, ',
        ),
        (
            ("compare", "--baseline", "x", "-o", "juint:a.xml"),
            'did you mean "junit"? (for a file of that name, write "./juint:',
        ),
        (("compare", "--baseline", "x", "-o", "foo:a.xml"), 'there is no format "foo"'),
        (("compare", "--baseline", "x", "-o", "./foo:a.xml"), 'there is no baseline "x"'),
        (("compare", "--baseline", "x", "-o", "c:a.xml"), 'there is no baseline "x"'),
        (("run", "release-risk", "--resume"), "no run to resume"),
        (("run", "release-risk", "--labels", "gone.json"), "cannot be read"),
        (("compare", "--baseline", "gone"), 'no baseline "gone"'),
        (("baseline", "save", "x"), "there are no results"),
        (("baseline",), "Commands"),
        ((), "Commands"),
        (("run", "release-risk", "--trials", "0"), "--trials"),
    ],
)
def test_mistakes_exit_with_3(inside, arguments, told):
    done = inside(*arguments)
    assert done.returncode == 3
    assert told in done.stderr


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("nodir/x.xml", 'there is no folder "nodir"'),
        ("junit:file/x", 'there is no folder "file"'),
        ("folder.md", "it is a folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_runs(inside, tmp_path, output, told):
    (tmp_path / "file").touch()
    (tmp_path / "folder.md").mkdir()
    done = inside("run", "release-risk", "--only", "low-clean", "-o", output)
    path = output.removeprefix("junit:")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f'sentinel: error: -o "{path}" cannot be written: {told}\n'
    assert not (tmp_path / ".sentinel").exists()
    (tmp_path / "one.json").write_bytes(_atif("one"))
    made = inside("from-trace", "one.json", "-o", path)
    assert (made.returncode, made.stderr) == (3, done.stderr)


def test_what_failed_fits_a_narrow_terminal(inside, monkeypatch):
    failing = ("run", "release-risk", "--only", "high-error-rate", "--provider", "silent", "--plugins", BAD)
    whole = inside(*failing).stdout
    monkeypatch.setattr("sentinel_command_suite.cli.suite_output.terminal_width", lambda: 60)
    narrow = inside(*failing).stdout
    assert max(map(len, whole.splitlines())) > 60 >= max(map(len, narrow.splitlines()))
    assert narrow.split() == whole.split()
    assert json.loads(inside(*failing, "--json").stdout)


def test_the_line_of_progress_fits_a_narrow_terminal(tmp_path):
    reader, writer = terminal_of(20)
    command = [COMMAND, "suite", "run", "release-risk", "--only", "low-clean", "--trials", "2", "--workers", "1"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=writer, timeout=120, check=False)
    os.close(writer)
    assert done.returncode == 0
    first, second = drained(reader).removeprefix("\r\x1b[K").split("\r\x1b[K")
    assert (first, second) == ("1/2 trials  low-cle", "2/2 trials  low-cle\n")


def test_what_went_wrong_and_changed_nothing_is_a_warning(inside):
    done = inside(
        "run", "release-risk", "--only", "low-clean", "--provider", "clinging", "--plugins", BAD, "--trials", 2
    )
    told = 'plugin "providers:clinging" raised RuntimeError: burst when it was closed (in 2 trials)'
    assert (done.returncode, done.stderr) == (0, f"sentinel: warning: {told}\n")
    assert "1 of 1 scenarios passed" in done.stdout


def test_a_file_that_goes_wrong_at_the_end_takes_no_result_away(inside, monkeypatch):
    def full(_path):
        raise InputError('"x.xml" cannot be written: No space left on device')

    monkeypatch.setattr("sentinel_command_suite.cli.suite_output.open_output", full)
    done = inside("run", "release-risk", "--only", "low-clean", "-o", "x.xml")
    assert (done.returncode, done.stderr.count("No space left")) == (3, 1)
    assert "1 of 1 scenarios passed" in done.stdout


def test_a_reader_that_goes_away_takes_no_file_away(inside, tmp_path, monkeypatch):
    def gone(*_, **__):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("sentinel_command_suite.cli.suite_output.click.echo", gone)
    assert inside("run", "release-risk", "--only", "low-clean", "-o", "x.xml").returncode == 141
    assert ET.parse(tmp_path / "x.xml").getroot()[0].attrib["tests"] == "1"


def test_a_baseline_belongs_to_its_suite(inside, tmp_path):
    (tmp_path / "other.toml").write_text('name = "other"\n[[scenarios]]\nid = "a"\nrelease = { version = "v1" }\n')
    inside("run", "release-risk", "--only", "low-clean")
    assert inside("baseline", "save", "main").returncode == 0
    before = sorted((tmp_path / ".sentinel").rglob("*"))
    done = inside("run", "other.toml", "--baseline", "main")
    assert (done.returncode, done.stdout) == (3, "")
    assert 'baseline "main" belongs to suite "release-risk" and cannot be compared with suite "other"' in done.stderr
    assert sorted((tmp_path / ".sentinel").rglob("*")) == before
    inside("run", "other.toml")
    refused = inside("baseline", "save", "main")
    assert (refused.returncode, refused.stdout) == (3, "")
    wrong = 'for suite "release-risk", but these results are from suite "other"; choose another name, or replace it with --force'
    assert wrong in refused.stderr
    assert "main.json, replaced: other" in inside("baseline", "save", "main", "--force").stdout


def test_a_cost_that_nobody_knows_limits_nothing(inside):
    done = inside("run", "release-risk", "--only", "low-clean", "--max-cost", "1", "--workers", "1")
    assert done.returncode == 0
    assert "the provider reported no cost" in done.stderr


def test_installed_tools_and_labels(inside, tmp_path):
    (tmp_path / "v3.0.0.json").write_text('{"version": "v3.0.0"}')
    (tmp_path / "labels.json").write_text('[{"scenario": "a", "criterion": "b", "pass": true}]')
    places = (
        "--toolset",
        "installed",
        "--releases",
        tmp_path,
        "--reports",
        tmp_path / "out",
        "--labels",
        "labels.json",
    )
    done = inside("run", "release-risk", "--only", "edge-empty-summary", *places, "--format", "junit")
    assert done.returncode == 0, done.stdout
    assert ET.fromstring(done.stdout)[0].attrib["tests"] == "1"
    assert "replaced" not in inside("baseline", "save", "b").stdout
    assert "b.json, replaced: release-risk" in inside("baseline", "save", "b").stdout
    assert inside("compare", "--baseline", "b", "--format", "markdown").stdout.startswith("## release-risk")
