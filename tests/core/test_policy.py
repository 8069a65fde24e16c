import itertools

import attrs
import pytest
from tables import each_row

from sentinel_core.evaluate.policy import Reason, combine, explain, judge, share
from sentinel_core.profile import RS1, STANDARD, CriticalRule
from sentinel_core.report import Finding

NAMES = ("hallucination", "loop", "tool_misuse", "cost")
TWENTIETHS = (7, 5, 5, 3)  # the weights 0.35, 0.25, 0.25, 0.15


def exact_verdict(scores: tuple[int, ...]) -> str:
    """In whole numbers: scores in twentieths, the overall risk in four-hundredths."""
    overall = sum(weight * score for weight, score in zip(TWENTIETHS, scores, strict=True))
    hallucination, loop, misuse, cost = scores
    if overall >= 280 or hallucination >= 16 or loop >= 16:
        return "FAIL"
    return "WARN" if overall >= 160 or misuse >= 14 or cost >= 18 else "PASS"


COMBINATIONS = list(itertools.product(range(21), repeat=4))


def overall_risks(order: tuple[int, ...]) -> list[float]:
    weights = {NAMES[place]: RS1.weights[NAMES[place]] for place in order}
    steps = [twentieth / 20 for twentieth in range(21)]
    ordered = [(NAMES[place], place) for place in order]
    return [combine({name: steps[one[place]] for name, place in ordered}, weights) for one in COMBINATIONS]


@pytest.fixture(scope="module")
def usual():
    return overall_risks((0, 1, 2, 3))


@pytest.mark.unmeasured
def test_every_combination_is_judged_as_exact_arithmetic_does(usual):
    wrong = 0
    for combination, overall in zip(COMBINATIONS, usual, strict=True):
        scores = {name: twentieth / 20 for name, twentieth in zip(NAMES, combination, strict=True)}
        wrong += judge(overall, scores, RS1)[0] != exact_verdict(combination)
    assert (len(COMBINATIONS), wrong) == (194_481, 0)


ORDERS = list(itertools.permutations(range(4)))
ORDERS[:-1] = [pytest.param(order, marks=pytest.mark.exhaustive) for order in ORDERS[:-1]]


@pytest.mark.unmeasured
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join(map(str, order)))
def test_the_order_of_signals_does_not_count(order, usual):
    assert overall_risks(order) == usual


@each_row(
    ("scores", "verdict"),
    [
        ({"hallucination": 0.8}, "FAIL"),
        ({"hallucination": 0.79}, "PASS"),
        ({"loop": 0.8}, "FAIL"),
        ({"loop": 0.7999}, "PASS"),
        ({"tool_misuse": 0.7}, "WARN"),
        ({"tool_misuse": 0.69}, "PASS"),
        ({"cost": 0.9}, "WARN"),
        ({"cost": 0.89}, "PASS"),
        ({"tool_misuse": 0.9, "loop": 0.9}, "FAIL"),
        ({"hallucination": 0.79, "loop": 0.49}, "PASS"),
        ({"hallucination": 0.79, "loop": 0.5}, "WARN"),
        (dict.fromkeys(NAMES, 0.7), "FAIL"),
        (dict.fromkeys(NAMES, 0.699999), "WARN"),
        (dict.fromkeys(NAMES, 0.4), "WARN"),
        (dict.fromkeys(NAMES, 0.399999), "PASS"),
    ],
)
def test_thresholds(scores, verdict):
    assert judge(combine(scores, RS1.weights), scores, RS1)[0] == verdict


def test_reasons_name_what_fired():
    scores = {"hallucination": 0.85, "tool_misuse": 0.7}
    verdict, reasons = judge(combine(scores, RS1.weights), scores, RS1)
    assert verdict == "FAIL"
    assert reasons == (Reason("FAIL", "hallucination", "hallucination 0.85, critical at 0.8"),)
    scores["loop"] = 0.8
    assert judge(combine(scores, RS1.weights), scores, RS1)[1] == (
        Reason("FAIL", "hallucination", "hallucination 0.85, critical at 0.8"),
        Reason("FAIL", "loop", "loop 0.8, critical at 0.8"),
    )


ERROR, WARNING, NOTE = "error", "warning", "note"


def ruled(scores, worst, lowered=(), profile=STANDARD):
    weighted = {name: score for name, score in scores.items() if name in profile.weights}
    verdict, reasons = judge(combine(weighted, profile.weights), scores, profile, worst, lowered)
    assert {reason.verdict for reason in reasons} == {verdict}
    return verdict, [reason.text or reason.signal_name for reason in reasons]


@each_row(
    ("scores", "worst", "verdict", "reasons"),
    [
        ({}, {}, "PASS", ["no error or warning was found"]),
        ({"loop": 0.3}, {"loop": NOTE}, "PASS", ["no error or warning was found"]),
        ({"loop": 0.3}, {"loop": WARNING}, "WARN", ["loop"]),
        ({"loop": 0.3}, {"loop": ERROR}, "FAIL", ["loop"]),
        ({"loop": 0.3, "cost": 0.1}, {"loop": WARNING, "cost": ERROR}, "FAIL", ["cost"]),
        (
            {"cost": 0.3, "hallucination": 0.3},
            {"cost": WARNING, "hallucination": WARNING},
            "WARN",
            ["hallucination", "cost"],
        ),
        ({"mine": 1.0}, {"mine": ERROR}, "PASS", ["no error or warning is from a signal that has a weight"]),
        ({"ending": 0.6}, {"ending": WARNING}, "PASS", ["no error or warning is from a signal that has a weight"]),
        ({"ending": 1.0}, {"ending": WARNING}, "FAIL", ["ending 1, critical at 0.95"]),
        ({"ending": 1.0}, {"ending": NOTE}, "PASS", ["no error or warning was found"]),
        ({"loop": 0.9}, {"loop": NOTE}, "PASS", ["no error or warning was found"]),
        ({"loop": 0.9}, {"loop": WARNING}, "FAIL", ["loop 0.9, critical at 0.8"]),
        ({"loop": 0.9}, {"loop": ERROR}, "FAIL", ["loop"]),
        ({"loop": 0.9}, {}, "FAIL", ["loop 0.9, critical at 0.8"]),
        ({"tool_misuse": 0.75}, {"tool_misuse": NOTE}, "PASS", ["no error or warning was found"]),
        (dict.fromkeys(NAMES, 0.45), dict.fromkeys(NAMES, NOTE), "PASS", ["no error or warning was found"]),
        (
            dict.fromkeys(NAMES, 0.45),
            {**dict.fromkeys(NAMES, NOTE), "loop": WARNING},
            "WARN",
            ["loop", "overall risk 0.45, WARN from 0.4"],
        ),
    ],
)
def test_findings_decide_and_scores_can_only_make_it_worse(scores, worst, verdict, reasons):
    assert ruled(scores, worst) == (verdict, reasons)


@pytest.mark.parametrize(("worst", "verdict"), [(ERROR, "FAIL"), (WARNING, "WARN"), (NOTE, "PASS")])
def test_a_signal_whose_rules_were_made_milder_says_no_more_than_its_findings(worst, verdict):
    assert ruled({"loop": 0.9}, {"loop": worst}, lowered=("loop",))[0] == verdict
    assert ruled({"loop": 0.9}, {"loop": WARNING}, lowered=("cost",))[0] == "FAIL"


@pytest.mark.parametrize("worst", [ERROR, WARNING, NOTE])
def test_rs1_is_scores_alone(worst):
    for scores, verdict in (({"loop": 0.9}, "FAIL"), ({"loop": 0.3}, "PASS"), ({"cost": 0.9}, "WARN")):
        assert ruled(scores, dict.fromkeys(NAMES, worst), lowered=NAMES, profile=RS1)[0] == verdict


def test_findings_are_explained_by_the_worst_of_each_signal_that_decided():
    findings = [
        Finding(rule="hallucination.figure", severity="warning", text="A figure."),
        Finding(rule="hallucination.claim", severity="error", text="Unquoted."),
        Finding(rule="hallucination.claim", severity="error", text="A lie.", quote="Done."),
        Finding(rule="loop.again", severity="error", text="Nine times."),
    ]
    reasons = [Reason("FAIL", name, "") for name in ("hallucination", "loop")]
    reasons += [Reason("FAIL", "loop", "overall risk 0.7, FAIL from 0.7")]
    told = "A lie (hallucination.claim); Nine times (loop.again); overall risk 0.7, FAIL from 0.7"
    assert explain(reasons, findings) == told
    assert explain([Reason("PASS", None, "no error or warning was found")], findings) == "no error or warning was found"


def test_an_overall_score_that_decides_speaks_for_the_signal_with_the_largest_share():
    scores = {"cost": 0.8, "loop": 0.79, "hallucination": 0.6}
    assert judge(combine(scores, RS1.weights), scores, RS1)[1] == (
        Reason("WARN", "hallucination", "overall risk 0.5275, WARN from 0.4"),
    )
    lenient = attrs.evolve(RS1, critical=())
    scores = dict.fromkeys(RS1.weights, 0.9)
    (reason,) = judge(combine(scores, lenient.weights), scores, lenient)[1]
    assert reason.text == f"overall risk 0.9, FAIL from {lenient.fail_at:g}"


def test_an_explanation_leads_with_the_worst_finding_of_the_signal_that_decided():
    reasons = (Reason("FAIL", "loop", "loop 0.9, critical at 0.8"),)
    findings = [
        Finding(rule="cost.much", severity="error", text="Dear."),
        Finding(rule="loop.some", severity="note", text="Once."),
        Finding(rule="loop.again", severity="error", text="The same call 9 times."),
    ]
    assert explain(reasons, findings) == "The same call 9 times (loop 0.9, critical at 0.8)"
    assert explain(reasons, findings[:1]) == "loop 0.9, critical at 0.8"


def test_a_critical_rule_never_lowers_a_verdict():
    profile = attrs.evolve(RS1, critical=(CriticalRule(signal_name="loop", threshold=0.1, verdict="WARN"),))
    assert judge(0.9, {"loop": 0.9}, profile)[0] == "FAIL"


def test_an_unmeasured_signal_counts_nothing_and_keeps_its_weight():
    assert combine({"loop": 1.0}, RS1.weights) == 0.25
    assert combine({}, RS1.weights) == 0.0


def test_weights_are_relative():
    assert combine({"a": 1.0, "b": 0.5}, {"a": 3.0, "b": 1.0}) == 0.875
    assert share([3.0], {"a": 3.0, "b": 1.0}) == 0.75


def test_the_standard_profile_is_rs1_and_warns_of_claims():
    scores = dict.fromkeys(RS1.weights, 0.0)
    for score, verdicts in ((0.39, ("PASS", "PASS")), (0.4, ("PASS", "WARN")), (0.8, ("FAIL", "FAIL"))):
        judged = [judge(0.1, {**scores, "hallucination": score}, profile) for profile in (RS1, STANDARD)]
        assert tuple(verdict for verdict, _ in judged) == verdicts
    assert sum("hallucination" in reason for reason in judged[1][1]) == 1  # the graver rule speaks for both
    assert (
        attrs.evolve(STANDARD, name=RS1.name, critical=RS1.critical, findings_decide=False, settings=RS1.settings)
        == RS1
    )
