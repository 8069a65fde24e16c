import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core.traces.readers import pieces_of
from sentinel_readers_claude.plain import plain_piece

ODD = (
    st.none()
    | st.just("")
    | st.just(" id ")
    | st.just("x")
    | st.just({"a": 1})
    | st.booleans()
    | st.just([{"type": "text"}])
)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(("text", "tool_use", "tool_result", "thinking", "image", None))},
    optional=dict.fromkeys(("text", "id", "name", "input", "tool_use_id", "content", "is_error", "error", "function"), ODD),
)  # fmt: skip


@given(st.sampled_from(("assistant", "user")), st.lists(BLOCK | st.just("text"), max_size=3))
def test_the_short_way_gives_what_the_long_way_gives(role, blocks):
    piece = plain_piece(role, blocks)
    assert piece is None or [piece] == pieces_of({"role": role, "content": blocks})


@pytest.mark.parametrize(
    ("role", "block"),
    [
        ("user", {"type": "text", "text": "hello"}),
        ("assistant", {"type": "tool_use", "id": "c", "name": "read", "input": {"a": 1}, "caller": {"type": "direct"}}),
        ("user", {"type": "tool_result", "tool_use_id": "c", "content": "x"}),
        ("user", {"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": True}),
    ],
)
def test_common_blocks_take_the_short_way(role, block):
    assert [plain_piece(role, [block])] == pieces_of({"role": role, "content": [block]})
