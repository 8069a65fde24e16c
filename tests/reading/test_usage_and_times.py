from tables import each_row

from sentinel_core import TokenDetails, TokenUsage
from sentinel_core.traces.readers import add_usage, iso_time, usage_of


def usage(prompt, completion, total=None, **details):
    return TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        details=TokenDetails(**details) if details else None,
    )


@each_row(
    ("raw", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}, usage(10, 4, 14)),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 4,
                "total_tokens": 14,
                "prompt_tokens_details": {"cached_tokens": 8},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            usage(10, 4, 14, cached_tokens=8, reasoning_tokens=3),
        ),
        (
            {
                "input_tokens": 10,
                "output_tokens": 4,
                "cache_read_input_tokens": 80,
                "cache_creation_input_tokens": 5,
            },
            usage(95, 4, cached_tokens=80, cache_write_tokens=5),
        ),
        (
            {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14, "input_token_details": {"cache_read": 6}},
            usage(10, 4, 14, cached_tokens=6),
        ),
        ({"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 1}, usage(7, 2, reasoning_tokens=1)),
        (
            {"input": 9, "output": 1, "cached": 4, "thoughts": 2, "total": 12},
            usage(9, 1, 12, cached_tokens=4, reasoning_tokens=2),
        ),
        ({"total_tokens": 5}, usage(0, 0, 5)),
        ({"prompt_tokens": -4, "completion_tokens": 3}, usage(0, 3)),
        ({"prompt_tokens": 3.0, "completion_tokens": "7"}, usage(3, 0)),
        ({"prompt_tokens": True}, None),
        ({}, None),
        (None, None),
        ([1], None),
    ],
)
def test_usage_of(raw, expected):
    assert usage_of(raw) == expected


def test_adding_sums_every_part():
    one = usage(10, 2, cached_tokens=5)
    other = usage(1, 1, 9)
    assert add_usage([one, None, other]) == usage(11, 3, 21, cached_tokens=5)
    assert add_usage([usage(1, 1)]) == usage(1, 1, 2)
    assert add_usage([None]) is None


@each_row(
    ("value", "unit", "expected"),
    [
        (0.5, "s", "1970-01-01T00:00:00.500000Z"),
        (1734292270.899412, "s", "2024-12-15T19:51:10.899412Z"),
        (1771237534577907, "us", "2026-02-16T10:25:34.577907Z"),
        ("1777555053780274700", "ns", "2026-04-30T13:17:33.780274Z"),
        (1000, "ms", "1970-01-01T00:00:01Z"),
        ("2025-06-14T10:00:00Z", "s", "2025-06-14T10:00:00Z"),
        ("", "s", None),
        (0, "s", None),
        (-5, "s", None),
        (float("nan"), "s", None),
        (float("inf"), "s", None),
        (10**30, "s", None),
        (True, "s", None),
        (None, "s", None),
        ([], "s", None),
    ],
)
def test_numbers_and_texts_become_iso_times(value, unit, expected):
    assert iso_time(value, unit) == expected
