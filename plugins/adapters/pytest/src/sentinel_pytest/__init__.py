"""Assert in a test that an agent did what it said it did.

from sentinel_pytest import assert_reliable


def test_the_agent():
    assert_reliable(agent.run("Cancel order 17."), expect=["called:cancel_order"])
"""

from sentinel_pytest.assertion import assert_reliable

__all__ = ["assert_reliable"]
