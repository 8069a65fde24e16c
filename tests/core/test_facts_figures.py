import pytest

from sentinel_core.evaluate.facts.figures import facts_of, names_in, numbers_in, read_number

SUMMARY = '{"version": "v2.1.0", "changes": ["a", "b"], "tests": {"passed": 142, "failed": 2, "skipped": 5}, "m": {"error_rate": 0.02}}'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 of 144 tests failed (1.39%)", [2, 144, 1.39]),
        ("the p95 of v2.1.0 on 2026-01-31 is the 95th percentile", []),
        ("1. one\n2) two\n- 7 left", [7]),
        ("450ms, 1,234 calls and 0.5 s", [450, 1234, 0.5]),
        ('a change says "99 problems"', []),
        ("10 percent of 1.5x", [10, 1.5]),
        ("changes: 1, and 2, of them", [1, 2]),
        ('between "v1" and "v2" are "42" of 7', [42, 7]),
    ],
)
def test_quantities(text, values):
    assert [number.value for number in numbers_in(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "2 failed, 142 passed, 5 skipped",
        "2 of 144 tests failed (1.39%)",
        "98.6% of the tests passed",
        "149 tests in all; 3.36% were skipped",
        "the error rate is 0.02 (2%)",
        "2 changes, of which 0 are risky",
    ],
)
def test_what_follows_from_the_data_is_given(text):
    facts = facts_of([SUMMARY])
    assert all(map(facts.gives, numbers_in(text)))


@pytest.mark.parametrize("text", ["3 tests failed", "4711 users", "an error rate of 37.4%", "the rate is 0.021"])
def test_what_does_not_is_not(text):
    facts = facts_of([SUMMARY])
    assert not all(map(facts.gives, numbers_in(text)))


def test_numbers_may_be_known_beforehand():
    assert all(map(facts_of([], [500]).gives, numbers_in("below 500 ms")))


def test_names():
    facts = facts_of([SUMMARY, 'It says "Added payment processing" for v2.1.0'])
    assert list(names_in("“Added pay...” in v2.1.0, see CVE-2026-1234")) == ["Added pay...", "v2.1.0", "CVE-2026-1234"]
    assert list(names_in('from "v1" to "v2" by "", "ab" and “x” it says "Added payment"')) == ["Added payment"]
    assert facts.names("Added pay...")
    assert facts.names("V2.1.0")
    assert not facts.names("CVE-2026-1234")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("2%", 0.02),
        ("1.2 s", 1200),
        ("450 ms", 450),
        ("1,200", 1200),
        (7, 7),
        (True, None),
        ("two", None),
        (1e16, None),
    ],
)
def test_a_number_may_be_written_with_its_unit(value, number):
    assert read_number(value) == number
