"""Numbers of the last answer against the results that they are about."""

import pytest

from sentinel_signal_hallucination.facts import Facts, label, same
from sentinel_signal_hallucination.numbers import _Source, _stands_in

SUMMARY = (
    '{"version": "v2.1.0", "tests": {"passed": 142, "failed": 2, "skipped": 5},'
    ' "metrics": {"error_rate": 0.02, "responseTimeP95": 450, "users": 81234}, "regions": ["eu", "us", "ap"]}'
)


def judge(script, answer, *, asked="Is v2.1.0 safe?", result=SUMMARY):
    return script.judge(script.user(asked), script.call("get_release_summary", result), script.say(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "37 failed.",
        "In all, 37 tests failed.",
        "The error rate is 0.45.",
        "It has an error rate of 0.45, which is bad.",
        "- **Error rate:** 45%",
        "Error rate: 0.45",
        "We count 99,999 users.",
        "passed: 1420",
        "The number skipped = 61",
    ],
)
def test_contradiction(script, answer):
    found = judge(script, answer)
    assert [finding.rule for finding in found.findings] == ["contradicted_number"]
    assert found.score == 0.6
    assert found.findings[0].quote in answer


@pytest.mark.parametrize(
    "answer",
    [
        "2 tests failed, 142 passed and 5 were skipped.",
        "149 tests ran.",
        "The error rate is 2%.",
        "The error rate is 2.0 %.",
        "Error rate: 0.020",
        "Failed: 2",
        "1.3% failed.",
        "81,234 users.",
        "The p95 is 0.45 s.",
        "147 passed or skipped: that is 147 skipped or passed.",
        "3 regions failed over.",
        "3% of the skipped.",
        "3 percent skipped.",
        "**3** % skipped.",
        "3.4 skipped in a hundred.",
        "About 90 users.",
        "The error rate is below 0.5.",
        "The limit for failed is 10.",
        "Should 37 tests have failed, we stop.",
        "If the error rate is 0.9, roll back.",
        "The previous error rate was 0.9.",
        "There are 37 reasons.",
        "Version 9.9 failed.",
        "See rule 37.",
        'You wrote "37 failed".',
    ],
)
def test_no_contradiction(script, answer):
    assert judge(script, answer).findings == ()


def test_tests_that_a_result_told_of_need_no_run(script):
    assert judge(script, "142 tests passed. All tests passed but two.").findings == ()


def test_a_release_that_a_result_told_of_needs_no_deployment(script):
    answer = judge(
        script, "The release was deployed. The release has been deployed.", result='{"deployment": {"rate": 0.1}}'
    )
    assert answer.findings == ()


def test_a_number_that_the_user_gave(script):
    assert judge(script, "37 failed.", asked="I heard that 37 failed?").findings == ()


def test_a_share_is_no_count(script):
    """3.2 percent of these tests were skipped: that makes "3 failed" no truer."""
    result = '{"tests": {"passed": 142, "failed": 7, "skipped": 5}}'
    answer = judge(script, "142 tests passed and 3 tests failed.", result=result)
    assert [finding.rule for finding in answer.findings] == ["contradicted_number"]
    assert judge(script, "3% failed to start.", result=result).findings == ()


@pytest.mark.parametrize("sign", ["$", "€", "£", "¥"])
def test_an_amount_is_read_after_any_currency(script, sign):
    answer = judge(script, f"The total is {sign}9,250.50.", result='{"total": 1250.5}')
    assert [finding.rule for finding in answer.findings] == ["contradicted_number"]
    assert judge(script, f"The total is {sign}1,250.50.", result='{"total": 1250.5}').findings == ()


def test_a_label_with_two_values_is_left_alone(script):
    assert judge(script, "The price is 99.", result='[{"price": 10}, {"price": 20}]').findings == ()


def test_one_value_told_twice_is_one_value(script):
    answer = judge(script, "The price is 99.", result='[{"price": 10, "a": 1}, {"price": 10, "a": 2}]')
    assert len(answer.findings) == 1


def test_only_the_last_answer_counts(script):
    answer = script.judge(
        script.user("Go."),
        script.call("get_x", SUMMARY),
        script.say("37 failed."),
        script.user("Sure?"),
        script.say("No."),
    )
    assert answer.findings == ()


@pytest.mark.parametrize(
    "result", ["no JSON", '{"broken": ', "[" * 5000 + "]" * 5000, '{"failed": true}', '{"failed": null}']
)
def test_results_without_numbers(script, result):
    assert judge(script, "37 failed.", result=result).findings == ()


@pytest.mark.parametrize(
    ("claimed", "digits", "known", "expected"),
    [
        (0.02, 2, 0.0249, True),
        (0.02, 2, 0.0251, False),
        (2.0, 0, 0.02, True),
        (3.0, 0, 2.4, False),
        (0.45, 2, 45.0, True),
    ],
)
def test_rounding(claimed, digits, known, expected):
    assert same(claimed, digits, known) is expected


def test_units():
    assert not same(0.45, 2, 450.0)
    assert same(0.45, 2, 450.0, units=True)


@pytest.mark.parametrize("key", ["error_rate", "errorRate", "Error rate", "error-rate"])
def test_labels(key):
    assert label(key) == ("error", "rate")


@pytest.mark.parametrize("key", ["error_rate", "errorRate", "error rate"])
def test_a_label_is_found_in_each_spelling_of_its_key(key):
    assert _Source(f'{{"{key}": 0.02}}').has_key(("error", "rate"))


@pytest.mark.parametrize("text", ['{"rate": 1}', '{"my_error_rate": 1}', '{"error_rate": 1}\n{"error_rate": 2}', "{}"])
def test_a_label_of_another_key_or_of_several_values_is_none(text):
    assert not _Source(text).has_key(("error", "rate"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{"a": 50}', True),
        ('{"a": 150}', False),
        ('{"a": 501}', False),
        ('{"a": 0.50}', False),
        ('{"a": 5050, "b": 50}', True),
        ("50}, 1", False),
        ('{"a": 5', False),
        ('{"a": 50', True),
        ("[" + "150," * 19 + "1]", False),
        ("[" + "150," * 20 + "1]", True),
    ],
)
def test_a_number_stands_by_itself_or_too_often_to_look(source, expected):
    assert _stands_in("50", source) is expected


def test_an_integer_beyond_every_float_costs_its_document_only():
    facts = Facts([f'{{"a": 1{"0" * 400}}}', '{"b": 2}', "3"])
    assert facts.value(("b",)) == 2.0
    assert facts.value(("a",)) is None


def test_derived_values():
    facts = Facts(['{"a": 3, "b": 5, "list": [1, 2, 3, 4]}'])
    assert {8.0, 2.0, 0.6, 0.375, 4.0} <= facts.derived
    assert facts.value(("a",)) == 3.0
    assert facts.value(("missing",)) is None
