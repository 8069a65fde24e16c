"""Values that stand for any other."""

import pytest

from sentinel_signal_hallucination.rules.identifiers import is_example


@pytest.mark.parametrize(
    ("written", "before"), [("AB-XX12", ""), ("AB-1111", ""), ("#12345", ""), ("AB-7391", "e.g. ")]
)
def test_an_example_is_masked_regular_or_announced(written, before):
    assert is_example(written, before)


def test_any_other_value_is_none():
    assert not is_example("AB-7391", "order ")
