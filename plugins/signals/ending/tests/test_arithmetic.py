import time

import pytest
from tables import each_row

from sentinel_signal_ending.arithmetic import wrong_sums


@each_row(
    "text",
    [
        "1 + 1 = 3",
        "2 * 3 = 4",
        "(20 - 8) x 2 = 42",
        "$1,000 + $200 = $1,300",
        "29.05 - 18.02 - 3.03 = 7.00",
        "961000 × 1961 = 1863199001",
        "10 ÷ 4 = 3.5",
        "So 7 + 5 = 13.",
    ],
)
def test_wrong_sums_are_quoted(text):
    [found] = wrong_sums(text)
    assert found in text


@each_row(
    "text",
    [
        "1 + 1 = 2, and 2 + 2 = 4",
        "10 / 3 = 3.33 and 10 / 3 = 3",
        "100/3 = 33.3333",
        "2 * (3 + 4) = 14",
        "x + 2 + 3 = 10",
        "2(3 + 4) = 20",
        "30% of 20 + 5 = 11",
        "8 + 5 = 1 (mod 12)",
        "2 + 3 = 5 + 1 = 6",
        "1/2 = 50%",
        "2 + 3 = 5x",
        "10:30 + 2 = 12:30",
        "5 + (3 = 2",
        "4 / 0 = 7",
        "C = 2 + 3i = 9",
        "log 2 + 3 = 7",
        "v1.2 + 3 = 9",
    ],
)
def test_right_sums_and_what_is_no_plain_sum(text):
    assert list(wrong_sums(text)) == []


@pytest.mark.parametrize(
    "hostile", ["1+" * 30_000, "1," * 30_000, "9" * 60_000 + "=", "1 + 1 = " * 8_000, "((((1" * 10_000]
)
def test_long_texts_take_no_time(hostile):
    """Twice the text takes at most about twice as long; four times leaves room for a busy machine."""

    def took(text):
        start = time.process_time()
        list(wrong_sums(text))
        return time.process_time() - start

    half = min(took(hostile[: len(hostile) // 2]) for _ in range(3))
    assert min(took(hostile) for _ in range(3)) < 4 * half + 0.05
