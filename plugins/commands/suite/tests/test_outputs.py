"""Text, JSON, JUnit XML and Markdown: what an agent says is neutral in each."""

import json
import xml.etree.ElementTree as ET

import attrs
import pytest

from sentinel_command_suite.baseline import Baseline, compare_to_baseline, load_baseline, load_results, save_baseline
from sentinel_command_suite.compare import Entry
from sentinel_command_suite.document import exit_code
from sentinel_command_suite.evaluation import compare, document_of
from sentinel_command_suite.render_ci import render_junit, render_markdown
from sentinel_command_suite.render_text import render_text
from sentinel_command_suite.results import EvaluationResults, TrialResult
from sentinel_command_suite.runs import Check
from sentinel_command_suite.summary import gather
from sentinel_core.errors import ConfigError, InputError

HOSTILE = "\x1b[31mred\x00 ]]> <script>x</script> &amp; | `a` [b](javascript:c) @user\n# head \u202e ![i](u) \ud800"


@pytest.fixture
def hostile(suite):
    check = Check(id=HOSTILE, dimension="decision_quality", score=0.0, evidence=HOSTILE)
    lost = TrialResult(scenario="s1", trial=1, status="error", error=HOSTILE)
    weak = TrialResult(
        scenario="s2", trial=1, status="failed", reliability={"verdict": "FAIL", "overall": 0.9, "signals": {}}
    )
    trials = [TrialResult(scenario="s0", trial=1, status="failed", scores={"decision_quality": 0.0}, checks=(check,))]
    return gather(suite(3), HOSTILE, {HOSTILE: HOSTILE}, [*trials, lost, weak], incomplete=HOSTILE)


def test_a_terminal_gets_nothing_to_act_on(hostile):
    text = render_text(hostile, compare(hostile, hostile, name=HOSTILE))
    assert not set("\x1b\x00\u202e") & set(text)
    assert "\\x1b[31mred" in text
    assert "harness: " in text
    assert "the signals' verdict is FAIL" in text


def test_junit_is_xml_whatever_was_said(hostile, run, suite):
    root = ET.fromstring(render_junit(hostile, compare(hostile, run(suite(3)))))
    (junit,) = root
    assert (junit.attrib["tests"], junit.attrib["failures"], junit.attrib["errors"]) == ("4", "3", "1")
    assert [case.attrib["name"] for case in junit.iter("testcase")][:3] == ["s0", "s1", "s2"]
    assert "<script>" in junit.find("testcase/failure").text
    assert junit.find("testcase/error").attrib["type"] == "error"


def test_a_failure_by_any_text_is_counted_once(run, suite):
    good = run(suite(2))
    before = run(suite(2))
    junit = ET.fromstring(render_junit(good, compare(good, before, name="b")))[0]
    assert (junit.attrib["failures"], junit.attrib["tests"]) == ("0", "3")


def _entry(name, *, significant):
    return Entry(
        id=name,
        metric="pass_rate",
        before=1.0,
        after=0.5,
        delta=-0.5,
        n=20,
        p=0.01,
        p_adjusted=0.02,
        relative=-0.5,
        significant=significant,
    )


@pytest.mark.parametrize("less_covered", [(), ('scenario "gone" is gone',)])
def test_junit_fails_for_what_is_more_than_noise_only(run, suite, less_covered):
    results = run(suite(1))
    comparison = attrs.evolve(
        compare(results, results, name="b"),
        regressions=(_entry("sure", significant=True), _entry("unsure", significant=False)),
        less_covered=less_covered,
    )
    case = ET.fromstring(render_junit(results, comparison)).findall(".//testcase")[-1]
    told = case.find("failure").text.splitlines()
    assert len(told) == 1 + len(less_covered)
    assert "more than noise" in told[-1]
    assert case.find("system-out").text.startswith("unsure pass_rate 1.000 → 0.500 (n = 20, p = 0.01, may be noise)")
    sure = attrs.evolve(comparison, regressions=comparison.regressions[:1])
    assert ET.fromstring(render_junit(results, sure)).find(".//system-out") is None


def test_markdown_is_text(hostile):
    text = render_markdown(hostile, compare(hostile, hostile, name=HOSTILE))
    assert "<script>" not in text
    assert "](" not in text
    assert "@user" not in text
    rows = [line for line in text.splitlines() if line.startswith("| s0")]
    assert rows[0].replace("\\|", "").count("|") == 4


def test_markdown_fits_a_job_summary(run, suite):
    results = run(suite(1))
    (scenario,) = results.scenarios
    failing = attrs.evolve(scenario, status="failed", trials=(attrs.evolve(scenario.trials[0], error="x" * 300),))
    many = attrs.evolve(results, scenarios=tuple(attrs.evolve(failing, id=f"s{n}") for n in range(4000)))
    text = render_markdown(many)
    assert len(text.encode()) <= 901 << 10
    assert text.endswith("The rest is left out.\n")


def test_the_document_has_the_promised_shape(run, run_bad, suite):
    of = suite(2, "trials = 3")
    results = run_bad(of, "silent")
    document = json.loads(json.dumps(document_of(results, compare(results, run(of), name="main"))))
    summary = document["summary"]
    assert (summary["pass_rate"], summary["total_scenarios"]) == (0.0, 2)
    assert sorted(summary["avg_scores"]) == ["decision_quality", "error_handling", "tool_usage"]
    assert summary["figures"]["trial_pass_rate"]["n"] == 6
    assert summary["pass@k"]["3"] == summary["pass^k"]["3"] == {"value": 0.0, "n": 2, "interval": [0.0, 0.0]}
    assert {"id", "status", "scores", "n", "interval", "pass@k", "pass^k", "trials"} <= set(document["scenarios"][0])
    entry = document["regression_analysis"]["regressions"][0]
    assert {"id", "metric", "before", "after", "delta", "n", "p"} <= set(entry)
    assert document_of(results)["regression_analysis"] == {"regressions": [], "improvements": []}


def test_nothing_evaluated_is_no_pass(suite):
    empty = gather(suite(1), "p", {}, [])
    assert document_of(empty)["summary"]["pass_rate"] is None
    assert "1 could not be evaluated" in render_text(empty)
    ET.fromstring(render_junit(empty))
    assert "could not be evaluated" in render_markdown(empty)


@pytest.mark.parametrize(("trials", "told"), [(1, "1 trial lost"), (2, "2 trials lost")])
def test_lost_trials_are_counted_in_words(suite, trials, told):
    lost = [TrialResult(scenario="s0", trial=number, status="error", error="no key") for number in range(trials)]
    assert f", {told} to harness errors" in render_text(gather(suite(1), "p", {}, lost))


def test_baselines(run, suite, tmp_path):
    results = run(suite(2))
    path = save_baseline(results, "main", folder=tmp_path / "kept")
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_baseline("main", folder=tmp_path / "kept") == Baseline(name="main", results=results)
    assert EvaluationResults.from_json(results.to_json()) == results
    assert not compare_to_baseline(results, "main", folder=tmp_path / "kept").is_regression
    for call, told in (
        (lambda: load_baseline("man", folder=tmp_path / "kept"), 'did you mean "main"'),
        (lambda: load_baseline("x", folder=tmp_path / "gone"), "there is no baseline"),
        (lambda: load_results(tmp_path), "cannot be read"),
        (lambda: load_results(tmp_path / "gone"), "there are no results"),
    ):
        with pytest.raises(InputError, match=told):
            call()


def test_a_baseline_of_another_suite_is_replaced_on_demand_only(run, suite, tmp_path):
    ours = run(suite(1))
    theirs = attrs.evolve(ours, suite="incident")
    path = save_baseline(ours, "main", folder=tmp_path)
    kept = path.read_bytes()
    with pytest.raises(
        ConfigError, match=r'"main" already exists for suite "small", .* from suite "incident".*--force'
    ):
        save_baseline(theirs, "main", folder=tmp_path)
    assert path.read_bytes() == kept
    save_baseline(theirs, "main", folder=tmp_path, force=True)
    assert load_baseline("main", folder=tmp_path).results == theirs
    path.write_text("{")
    with pytest.raises(ConfigError, match=r'"main" already exists and cannot be read .*--force'):
        save_baseline(ours, "main", folder=tmp_path)
    assert path.read_text() == "{"
    save_baseline(ours, "main", folder=tmp_path, force=True)
    assert save_baseline(ours, "main", folder=tmp_path) == path
    assert load_baseline("main", folder=tmp_path, suite="small").results == ours
    with pytest.raises(
        ConfigError, match='"main" belongs to suite "small" and cannot be compared with suite "incident"'
    ):
        load_baseline("main", folder=tmp_path, suite="incident")


@pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden"])
def test_a_baseline_is_a_plain_name(run, suite, tmp_path, name):
    with pytest.raises(ConfigError, match="baseline name"):
        save_baseline(run(suite(1)), name, folder=tmp_path)


def test_what_cannot_be_a_baseline(run, suite, tmp_path):
    results = run(suite(1))
    with pytest.raises(ConfigError, match="nothing was evaluated"):
        save_baseline(gather(suite(1), "p", {}, []), "b", folder=tmp_path)
    with pytest.raises(ConfigError, match="not complete"):
        save_baseline(attrs.evolve(results, incomplete="stopped"), "b", folder=tmp_path)
    with pytest.raises(ConfigError, match='belongs to suite "other"'):
        compare_to_baseline(results, Baseline(name="b", results=attrs.evolve(results, suite="other")))
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be used"):
        load_baseline("b", folder=tmp_path)
    (tmp_path / "b.json").write_bytes(attrs.evolve(results, schema=9).to_json())
    with pytest.raises(InputError, match="version 9"):
        load_baseline("b", folder=tmp_path)


def _twice(document):
    document["scenarios"] *= 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda document: document.update(scenarios=[]), "they contain no scenario"),
        (_twice, 'scenario "s0" occurs twice'),
        (lambda document: document["scenarios"][0].update(n=10**12), 'the figures of scenario "s0" do not match'),
        (lambda document: document["scenarios"][0].update(passed=-1), 'the figures of scenario "s0" do not match'),
        (lambda document: document["scenarios"][0].update(trials=[]), 'the figures of scenario "s0" do not match'),
        (
            lambda document: document["scenarios"][0]["trials"][0].update(reliability={"overall": "low"}),
            'scenario "s0": Expected float',
        ),
    ],
)
def test_results_that_somebody_changed_are_refused(suite, tmp_path, change, told):
    results = gather(suite(1), "p", {}, [TrialResult(scenario="s0", trial=1, status="passed")])
    document = json.loads(results.to_json())
    change(document)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=told):
        load_results(path)


def test_nothing_evaluated_is_never_0(suite):
    results = attrs.evolve(gather(suite(1), "p", {}, []), scenarios=())
    assert {exit_code(results, None, fail_on) for fail_on in ("failure", "regression", "never")} == {3}


def test_trials_that_came_to_something_else_are_named(suite):
    keys = {1: "a", 2: "a", 3: "b", 4: "", 5: None}
    trials = [TrialResult(scenario="s0", trial=at, status="passed", came_to=key) for at, key in keys.items()]
    results = gather(suite(1), "p", {}, trials)
    assert results.scenarios[0].disagreements == {1: 0.666666667, 2: 0.666666667, 3: 1.0, 4: 1.0}
    text = render_text(results, verbose=True)
    assert "      trial 3 came to a different result from 100% of the other trials\n" in text
    assert "trial 5" not in text
    assert document_of(results)["scenarios"][0]["disagreements"]["3"] == 1.0
    assert EvaluationResults.from_json(results.to_json()) == results


def test_trials_of_one_agent_come_to_the_same(run, suite):
    results = run(suite(1), trials=3)
    assert all(trial.came_to for trial in results.scenarios[0].trials)
    assert results.scenarios[0].disagreements == {}
