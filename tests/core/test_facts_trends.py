"""Numbers before and after, and what a sentence says of their way."""

import pytest

from sentinel_core.evaluate.facts.trends import Trend, against_trends, differences, trends_in

SUMMARY = {
    "error_rate": {"before": 0.004, "after": 0.011},
    "latency": {"p50_ms": {"before": 120, "after": 120}, "p95": "61ms", "p95_prev": "48ms"},
    "jobs": [{"late_before": 1, "late_after": 4}],
    "coverage": {"before": "unknown", "after": 70},
    "queue_previous": 9,
    "queue": 7,
    "old": {"x": 1},
}
TRENDS = tuple(trends_in(SUMMARY))


def test_pairs_are_found_by_their_keys():
    assert (
        Trend("queue", "queue", 9.0, 7.0),
        Trend("error_rate", "error rate", 0.004, 0.011),
        Trend("latency.p95", "p95", 48.0, 61.0),
        Trend("latency.p50_ms", "p50", 120.0, 120.0),
        Trend("jobs[0].late", "late", 1.0, 4.0),
    ) == TRENDS
    assert list(trends_in({"before": 1, "after": 2})) == [Trend("after", "", 1.0, 2.0)]


def test_differences_are_given_in_points_and_in_seconds():
    assert [round(way, 6) for way in differences(TRENDS[1:3])] == [0.007, 0.7, 13.0, 0.013]


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The error rate improved from 1.1% to 0.4%", "error_rate went from 0.004 to 0.011"),
        ("Fehlerrate von 1.1 % auf 0.4 %", "error_rate went from 0.004 to 0.011"),
        ("p95 61 ms → 48 ms", "latency.p95 went from 48 to 61"),
        ("p95 0.061 s -> 0.048 s", "latency.p95 went from 48 to 61"),
        ("The p95 latency fell", "latency.p95 went from 48 to 61"),
        ("The queue has grown", "queue went from 9 to 7"),
        ("The error rate rose from 0.4% to 1.1%", ""),
        ("p95 went up to 61 ms", ""),
        ("p95 rose", ""),
        ("p95 has not dropped", ""),
        ("p50 went from 120 to 120 ms", ""),
        ("It went from 3 to 5", ""),
        ("the queue fell from 9 to 7, from 7 to 9 it did not", "queue went from 9 to 7"),
    ],
)
def test_a_sentence_is_held_against_the_way(sentence, told):
    assert next(against_trends(sentence, TRENDS), "") == told


def test_a_way_back_is_no_contradiction_where_another_number_went_it():
    ways = (Trend("a", "a", 1.0, 2.0), Trend("b", "b", 2.0, 1.0))
    assert list(against_trends("from 2 to 1", ways)) == []
