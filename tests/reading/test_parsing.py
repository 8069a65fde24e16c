import pytest

from sentinel_core.trace import MOST_DEPTH
from sentinel_core.traces.parsing import TooDeepError, parse_json

LARGE = 1 << 20


def nested(depth, beside=b"0"):
    """A list within a list, ``depth`` of them, the outermost with something beside the next."""
    return b"[" + beside + b"," + b"[" * (depth - 1) + b"]" * (depth - 1) + b"]"


@pytest.mark.parametrize(
    "beside",
    [
        b"0",
        b'"' + b"[{" * MOST_DEPTH + b'"',
        b"[" + b",".join([b'{"a":[1]}'] * 5000) + b"]",
        b'"' + b"x" * LARGE + b'"',
    ],
    ids=["alone", "brackets in a text", "beside much that is shallow", "beyond the size where brackets are counted"],
)
def test_the_deepest_value_that_is_taken(beside):
    assert parse_json(nested(MOST_DEPTH, beside))[1] is not None
    with pytest.raises(TooDeepError, match="lists and objects are nested more than 200 levels deep"):
        parse_json(nested(MOST_DEPTH + 1, beside))


def test_objects_count_as_lists_do():
    half = MOST_DEPTH // 2
    assert parse_json(b'[{"a":' * half + b"1" + b"}]" * half)
    with pytest.raises(TooDeepError):
        parse_json(b'[{"a":' * half + b"[]" + b"}]" * half)


def test_the_size_around_which_brackets_are_counted():
    for size in (LARGE - 1, LARGE, LARGE + 1):
        for depth, fits in ((MOST_DEPTH, True), (MOST_DEPTH + 1, False)):
            data = nested(depth, b'"' + b"x" * (size - 2 * depth - 3) + b'"')
            assert len(data) == size
            if fits:
                parse_json(data)
                continue
            with pytest.raises(TooDeepError):
                parse_json(data)
