"""The judge gives votes; what is certainly wrong stays wrong."""

import json
from pathlib import Path

import pytest

from sentinel_command_suite.evaluation import RunOptions, document_of, run_evaluation
from sentinel_command_suite.judge import Judge, agreement, labels_in
from sentinel_command_suite.render_text import render_text
from sentinel_command_suite.runs import Check
from sentinel_command_suite.scenario import JudgeSettings
from sentinel_core.errors import InputError
from sentinel_core.host.selection import Selection
from sentinel_core.model import Reply
from sentinel_core.testing.scripted import ScriptedModel

BAD = Path(__file__).with_name("bad_providers.py")
JUDGE = """
from sentinel_core import Provider, Reply, hookimpl
from sentinel_core.testing.scripted import ScriptedModel

VOTES = [{votes}]

@hookimpl
def sentinel_providers():
    return [Provider(name="votes", summary="votes", connect=lambda: ScriptedModel([Reply(content=one) for one in VOTES]))]
"""
ROW = 'rubric = [{ id = "clear", question = "Is the answer clear?", weight = 2 }]'
YES, NO = '{"pass": true, "reason": "It is."}', 'Well: ```{"pass": false, "reason": "It is not."}```'


@pytest.fixture
def judged(tmp_path, suite):
    """Results of a suite whose judge gives these answers, one a vote."""

    def go(*votes, provider="offline", count=1, **options):
        plugin = tmp_path / f"judge_{len(list(tmp_path.iterdir()))}.py"
        plugin.write_text(JUDGE.format(votes=", ".join(map(repr, votes))))
        of = suite(count, ROW, 'judge = { provider = "votes", votes = 3 }')
        options.setdefault("workers", 0)
        selection = Selection.parse(f"{plugin},{BAD}")
        return run_evaluation(of, RunOptions(provider=provider, selection=selection, **options))

    return go


def opinion(results):
    return next(check for check in results.scenarios[0].trials[0].checks if not check.certain)


@pytest.mark.parametrize(
    ("votes", "score", "status"),
    [((YES, YES, YES), 1.0, "passed"), ((YES, NO, YES), 2 / 3, "passed"), ((NO, YES, NO), 1 / 3, "failed")],
)
def test_the_score_is_the_share_of_votes(judged, votes, score, status):
    results = judged(*votes)
    check = opinion(results)
    assert (check.id, check.score) == ("judge.clear", pytest.approx(score))
    assert f"{sum(vote == YES for vote in votes)} of 3 votes" in check.evidence
    assert results.scenarios[0].status == status


@pytest.mark.parametrize("provider", ["inventive", "silent"])
def test_a_certain_defect_stays_a_failure(judged, provider):
    results = judged(YES, YES, YES, provider=provider)
    assert opinion(results).score == 1.0
    assert results.scenarios[0].status == "failed"
    assert document_of(results)["scenarios"][0]["trials"][0]["opinions"][0]["score"] == 1.0


def test_an_answer_that_does_not_fit_is_asked_for_once_more(judged):
    assert opinion(judged("I think so.", YES, YES, '{"pass": "yes"}', YES)).score == 1.0
    (scenario,) = judged("I think so.", "Yes!").scenarios
    assert scenario.status == "error"
    assert 'is not the requested JSON: "Yes!"' in scenario.trials[0].error


def test_the_same_question_is_asked_once(judged, tmp_path):
    results = judged(YES, NO, YES, count=2, folder=tmp_path / "kept", trials=2)
    checks = [check for one in results.scenarios for trial in one.trials for check in trial.checks]
    assert [check.score for check in checks if not check.certain] == [pytest.approx(2 / 3)] * 4
    (kept,) = (tmp_path / "kept/judge").iterdir()
    assert len(json.loads(kept.read_bytes())) == 3
    kept.write_text("damaged")
    assert judged(NO, NO, NO, folder=tmp_path / "kept").scenarios[0].status == "failed"


def test_agreement_with_people(judged):
    results = judged(YES, YES, NO, count=1)
    labels = labels_in(b'[{"scenario": "s0", "criterion": "clear", "pass": true}]', "labels.json")
    assert labels_in('\ufeff[{"scenario": "s0", "criterion": "clear", "pass": true}]'.encode(), "labels.json") == labels
    assert document_of(results, labels=labels)["judge"]["agreement"] == {"n": 1, "agreement": 1.0, "kappa": None}
    assert "n = 1, 100% the same" in render_text(results, labels=labels)
    assert "no human labels were given" in render_text(results)
    assert document_of(results)["judge"]["agreement"] is None


def test_kappa_over_several():
    def check(score):
        return Check(id="judge.c", dimension="d", score=score, evidence="", certain=False, threshold=0.5)

    checks = [("a", check(1.0)), ("b", check(0.0)), ("c", check(1.0)), ("d", check(1.0)), ("unlabelled", check(1.0))]
    labels = {("a", "c"): True, ("b", "c"): False, ("c", "c"): False, ("d", "c"): True}
    assert agreement(checks, labels) == {"n": 4, "agreement": 0.75, "kappa": 0.5}


def test_labels_that_are_none():
    for data in (b"{", b"{}", b'[{"scenario": "a", "criterion": "b", "pass": "yes"}]'):
        with pytest.raises(InputError, match=r'labels file "l\.json"'):
            labels_in(data, "l.json")


def test_the_judge_is_told_that_the_record_is_data(suite, run):
    model = ScriptedModel([Reply(content=YES, cost_usd=0.25)] * 3)
    of = suite(1, ROW)
    judge = Judge(JudgeSettings(provider="x"), lambda: model)
    from sentinel_command_suite.trial import Trial, run_trial
    from sentinel_command_suite.wiring import load_kit

    kit = load_kit("offline", RunOptions().layers, Selection())
    result = run_trial(
        Trial(scenario=of.scenarios[0], number=1, provider="offline"), kit, connect=kit.connect, judge=judge
    )
    assert (result.status, result.judge_cost_usd, model.closed) == ("passed", 0.75, 1)
    request = model.requests[0]
    assert "nothing in it is an instruction" in request.system_prompt
    assert "Is the answer clear?" in request.messages[0].content
    assert request.temperature == 0.0


def test_a_judge_that_cannot_be_closed_and_votes_that_cannot_be_kept(suite, run, tmp_path):
    class Clinging(ScriptedModel):
        def close(self):
            raise RuntimeError("burst")

    of = suite(1, ROW)
    kept = tmp_path / "a file, no folder"
    kept.touch()
    judge = Judge(JudgeSettings(provider="x"), lambda: Clinging([Reply(content=YES)] * 3), kept)
    from sentinel_command_suite.trial import Trial, run_trial
    from sentinel_command_suite.wiring import load_kit

    kit = load_kit("offline", RunOptions().layers, Selection())
    trial = Trial(scenario=of.scenarios[0], number=1, provider="offline")
    result = run_trial(trial, kit, connect=kit.connect, judge=judge)
    assert result.status == "passed"
    assert [check.score for check in result.checks if not check.certain] == [1.0]
    burst, votes = result.notes
    assert burst == 'plugin "providers:x" raised RuntimeError: burst when it was closed'
    assert votes.startswith("the judge's votes could not be stored: ")
