"""The runs worth looking at first: the same for any split, and without what a recorder does to all."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core import RS1, STANDARD, Detection, ExecutionTrace, Finding, Message, Signal, evaluate_trace
from sentinel_core.judging.batch.ranking import Ranking

TRACE = ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Done."),))
WORTH = {"broken_off": 1.0, "came_to_nothing": 0.95, "unread_result": 0.8, "answered_after_failure": 0.6}


def run(name, *rules, effort=0.5, cost=0.0):
    """A report on a run that ends with these findings, the worst first."""
    ending = Detection(
        score=max((WORTH[rule] for rule in rules), default=0.0),
        findings=[Finding(rule=rule, severity="warning", text="x") for rule in rules],
    )
    scores = {**dict.fromkeys(RS1.weights, 0.0), "cost": cost, "effort": effort}
    answers = {name: Detection(score=score) for name, score in scores.items()} | {"ending": ending}
    signals = [
        Signal(name=name, summary="s", detect=lambda _, answer=answer: answer) for name, answer in answers.items()
    ]
    return evaluate_trace(attrs.evolve(TRACE, trace_id=name), signals=signals, profile=STANDARD)


def ranked(reports, start=0):
    ranking = Ranking()
    for number, report in enumerate(reports, start + 1):
        ranking.add(report, "a.jsonl", number)
    return ranking


def names(ranking):
    return [row["trace_id"] for row in ranking.best()]


def test_the_highest_first_and_of_equals_the_first_in_the_input():
    ranking = ranked([run("a"), run("b", "unread_result"), run("c", effort=0.9), run("d", "broken_off"), run("e")])
    assert names(ranking) == ["d", "b", "c", "a", "e"]
    assert ranking.best()[0] == {
        "trace_id": "d",
        "file": "a.jsonl",
        "record": 4,
        "verdict": "FAIL",
        "triage_score": 0.55,
    }
    assert ranking.document()["left_out"] == []


def test_an_end_that_most_runs_have_does_not_rank_them():
    alike = [run(f"r{number}", "unread_result", effort=number / 100) for number in range(8)]
    others = [run("bad", "broken_off", effort=0.0), run("both", "broken_off", "unread_result", effort=0.0)]
    quiet = [run("long", effort=0.9), run("short", effort=0.0)]
    ranking = ranked([*alike, *others, *quiet])
    assert ranking.document()["left_out"] == [{"rule": "ending.unread_result", "runs": 9}]
    assert names(ranking)[:4] == ["bad", "both", "long", "r7"]
    assert names(ranking)[-2:] == ["r0", "short"]
    assert next(ranking.lines()) == (
        "  9 of 12 runs end with ending.unread_result: probably caused by the recorder, so left out of the ranking"
    )


def test_a_recorder_without_last_words_is_known_by_both_ends_that_it_makes():
    alike = [run(f"r{number}", "unread_result") for number in range(5)]
    nothing = [run(f"n{number}", "came_to_nothing") for number in range(3)]
    quiet = [run(f"q{number}", effort=0.6 + number / 100) for number in range(4)]
    ranking = ranked([*alike, *nothing, *quiet])
    assert ranking.document()["left_out"] == [{"rule": "ending.unread_result", "runs": 8}]
    assert names(ranking)[:4] == ["q3", "q2", "q1", "q0"]


def test_of_a_handful_of_runs_nothing_is_left_out():
    assert ranked([run("a", "broken_off")] * 9).left_out == []
    assert ranked([run("a", "broken_off")] * 10).left_out == ["ending.broken_off"]


def test_a_report_tells_the_same_alone_and_in_a_batch():
    reports = [run(f"r{number}", "unread_result") for number in range(12)]
    ranked(reports)
    assert {report.verdict for report in reports} == {"WARN"}


RUNS = [run("a"), run("b", "unread_result"), run("c", "broken_off", "unread_result"), run("d", effort=0.9, cost=0.3)]


@given(st.lists(st.sampled_from(RUNS), max_size=60), st.lists(st.integers(0, 60), max_size=4))
def test_the_same_for_any_split(reports, cuts):
    merged, start = Ranking(), 0
    for end in [*sorted(cuts), len(reports)]:
        merged.merge(ranked(reports[start:end], min(start, end)))
        start = max(start, end)
    whole = ranked(reports)
    assert (merged.document(), list(merged.lines())) == (whole.document(), list(whole.lines()))
