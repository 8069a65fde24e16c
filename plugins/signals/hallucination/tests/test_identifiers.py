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


def test_each_text_is_told_of_the_first_that_is_new(script):
    look = script.call("list_reports", '["RR-2024A"]')
    told = [script.say(f"It is {name}.") for name in ("RR-7781A", "RR-7781A", "RR-5512B")]
    steps = (step for one in told for step in (script.user("Which?"), look, one))
    assert [finding.message_index for finding in script.judge(*steps).findings] == [3, 11]
