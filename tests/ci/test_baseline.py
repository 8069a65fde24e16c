"""A baseline: known findings are marked and do not count; new ones do."""

import json
from functools import partial

import pytest
from commanding import run_command
from lying import CLAIM, messages, run

from sentinel_core import encode_trace
from sentinel_core.judging.output.findings import identity_of
from sentinel_core.testing import honest_trace

pytestmark = pytest.mark.unmeasured

FILE = "sentinel-baseline.json"


@pytest.fixture
def sentinel(tmp_path):
    return partial(run_command, tmp_path, "evaluate", "runs.jsonl", "--baseline", FILE)


@pytest.fixture
def runs(tmp_path):
    def write(*texts):
        traces = [run(f"t{number}", text) for number, text in enumerate(texts)]
        (tmp_path / "runs.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in traces))

    return write


def entries(folder):
    return json.loads((folder / FILE).read_text())["findings"]


def test_what_is_known_is_quiet_and_what_is_new_is_told(sentinel, runs, tmp_path):
    runs("Hello.", CLAIM, "Good day.")
    made = sentinel("--update-baseline")
    assert (made.returncode, len(entries(tmp_path))) == (0, 1)
    quiet = sentinel()
    assert quiet.returncode == 0
    assert "baseline: 0 new findings, 1 known, 0 gone" in quiet.stderr
    assert "✗ FAIL" in quiet.stdout
    assert "(known) message 3: " in quiet.stdout
    runs("Hello.", CLAIM, f"Good day. {CLAIM}")
    told = sentinel("--format", "github")
    assert told.returncode == 2
    assert "baseline: 1 new finding, 1 known, 0 gone" in told.stderr
    assert told.stdout.count("::error") == 1
    assert "(t2 message 3)" in told.stdout


def test_one_lie_that_is_planted_is_the_one_new_finding(sentinel, tmp_path):
    """The runs with old findings and honest ones are known; ``sentinel mutate`` makes a lie of one honest run."""
    runs, honest = tmp_path / "runs.jsonl", json.loads(encode_trace(honest_trace("booked")))
    batch = [run("old-lie", CLAIM), honest, run("honest", "Hello.")]
    runs.write_text("".join(f"{json.dumps(one)}\n" for one in batch))
    assert sentinel("--update-baseline").returncode == 0
    assert sentinel().returncode == 0
    made = run_command(tmp_path, "mutate", "runs.jsonl", "--export", "lies.jsonl")
    assert made.returncode == 0, made.stderr
    lies = [json.loads(line) for line in (tmp_path / "lies.jsonl").read_text().splitlines()]
    (lie,) = [one for one in lies if one["trace_id"].endswith("booked#dropped_all")]
    runs.write_text("".join(f"{json.dumps(one)}\n" for one in [*batch, lie]))
    told = sentinel("--format", "github")
    assert told.returncode == 2
    assert "baseline: 1 new finding, 1 known, 0 gone" in told.stderr
    (new,) = [line for line in told.stdout.splitlines() if line.startswith("::error")]
    assert f"({lie['trace_id']} message " in new
    assert "I've booked the 9:40 train to Leeds." in new


def test_the_score_and_the_verdict_stay_what_they_are(sentinel, runs):
    runs(CLAIM)
    before = json.loads(sentinel("--update-baseline", "--json").stdout)
    after = json.loads(sentinel("--json").stdout)
    assert [one.pop("known") for one in before["findings"]] == [False]
    assert [one.pop("known") for one in after["findings"]] == [True]
    assert before == after


def test_what_is_gone_is_told_and_dropped_and_reasons_stay(sentinel, runs, tmp_path):
    runs(CLAIM, CLAIM)
    sentinel("--update-baseline")
    held = json.loads((tmp_path / FILE).read_text())
    held["findings"][0]["reason"] = "agreed with the team"
    (tmp_path / FILE).write_text(json.dumps(held))
    runs(CLAIM, "Hello.")
    assert "gone: hallucination.claim_without_call in t1" in sentinel().stderr
    sentinel("--update-baseline")
    (kept,) = entries(tmp_path)
    assert (kept["trace_id"], kept["reason"]) == ("t0", "agreed with the team")


@pytest.mark.parametrize("more", [(), ("-j", "2")])
def test_nothing_is_gone_where_not_everything_was_judged(sentinel, runs, tmp_path, more):
    runs(CLAIM)
    sentinel("--update-baseline")
    (tmp_path / "runs.jsonl").write_text("{")
    told = sentinel(*more)
    assert told.returncode == 3
    assert "baseline: 0 new findings, 0 known; not everything could be judged" in told.stderr
    assert "gone" not in told.stderr


def test_moved_messages_change_no_fingerprint(sentinel, runs, tmp_path):
    runs(CLAIM)
    sentinel("--update-baseline")
    said = [{"role": "user", "content": "Good day."}, {"role": "assistant", "content": "Hello."}, *messages(CLAIM)]
    (tmp_path / "runs.jsonl").write_text(json.dumps({"trace_id": "t0", "messages": said}))
    assert sentinel().returncode == 0


def test_marks_are_in_every_output(sentinel, runs, tmp_path):
    runs(CLAIM)
    sentinel("--update-baseline")
    done = sentinel("-o", "o.sarif", "-o", "o.html", "-o", "o.xml", "-o", "o.md")
    assert (done.returncode, done.stdout) == (0, "")
    (result,) = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    assert result["baselineState"] == "unchanged"
    assert '"known":[0]' in (tmp_path / "o.html").read_text()
    assert 'failures="0"' in (tmp_path / "o.xml").read_text()
    assert "1 known from the baseline." in (tmp_path / "o.md").read_text()


def test_what_cannot_be_judged_stays_a_3_and_changes_no_baseline(sentinel, runs, tmp_path):
    runs(CLAIM)
    sentinel("--update-baseline")
    held = (tmp_path / FILE).read_bytes()
    (tmp_path / "runs.jsonl").write_text("{\n")
    assert sentinel().returncode == 3
    done = sentinel("--update-baseline")
    assert done.returncode == 3
    assert "the baseline was not updated" in done.stderr
    assert (tmp_path / FILE).read_bytes() == held


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}'])
def test_a_file_that_is_no_baseline_is_refused(sentinel, runs, tmp_path, text):
    runs(CLAIM)
    (tmp_path / FILE).write_text(text)
    done = sentinel()
    assert done.returncode == 3
    assert f'baseline "{FILE}"' in done.stderr


def test_files_of_one_name_in_two_folders_are_two(tmp_path):
    """A trace without an id is named after its file, wherever that stands."""
    for folder in "ab":
        (tmp_path / "runs" / folder).mkdir(parents=True)
    chat = json.dumps([{"role": one["role"], "content": one.get("content", "")} for one in messages(CLAIM)])
    (tmp_path / "runs" / "a" / "run.json").write_text(chat)
    judge = partial(run_command, tmp_path, "evaluate", "--baseline", FILE)
    assert judge("runs/", "--update-baseline").returncode == 0
    (tmp_path / "runs" / "b" / "run.json").write_text(chat)
    told = judge("runs/", "--format", "github")
    assert told.returncode == 1
    assert "baseline: 1 new finding, 1 known, 0 gone" in told.stderr
    assert told.stdout.count("file=runs/b/run.json") == 1
    assert judge("runs/", "--update-baseline").returncode == 0
    assert {one["trace_id"] for one in entries(tmp_path)} == {"runs/a/run.json", "runs/b/run.json"}
    for same in (["runs/a/run.json", "./runs/b/run.json"], [tmp_path / "runs"], ["runs/*/run.json"]):
        done = judge(*same)
        assert (done.returncode, "0 new findings, 2 known" in done.stderr) == (0, True), done.stderr
        assert "(known)" in done.stdout


def test_an_identity_is_relative_and_has_a_folder_only_for_a_name_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert identity_of("order-17", "a/run.json", "a/run.json") == "order-17"
    assert identity_of("runner", "a/run.json", "run.json") == "runner"
    assert identity_of("run.json", "run.json", "run.json") == "run.json"
    assert identity_of("run.json line 2", "a/run.json", "run.json") == "a/run.json line 2"
    assert identity_of("run", str(tmp_path / "a" / "run.json"), "run.json") == "a/run"
    assert identity_of("run", "/elsewhere/runs/a/run.json", "a/run.json") == "runs/a/run"
    assert not identity_of("run", "/elsewhere/run.json", "run.json").startswith("/")
