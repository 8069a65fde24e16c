import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core.traces.readers import elements
from sentinel_core.traces.readers.elements import end_of_text, list_elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\,[]{}: é\n', max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='k"\\]', max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def taken_apart(data, limit=1 << 20, held=1):
    """The elements; ``held`` bytes stand in memory already."""
    return [
        None if one is None else bytes(one)
        for one in list_elements(bytearray(data[:held]), io.BytesIO(data[held:]), limit)
    ]


@given(st.lists(VALUES, max_size=4), st.integers(1, 40), st.integers(1, 7), st.sampled_from((None, 1)))
def test_every_list_is_taken_apart_wherever_its_blocks_end(values, held, block, indent):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(elements, "MEGABYTE", block)
        found = taken_apart(json.dumps(values, indent=indent).encode() + b" \n", held=held)
    assert [json.loads(one) for one in found] == values


def test_the_bytes_stay_as_they_stand():
    assert taken_apart(b'[ {"a":1, "a":1.50},1e400 , ] ') == [b' {"a":1, "a":1.50}', b"1e400 ", b" "]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[", "the list is not closed"),
        (b'[1, "2]', "the list is not closed"),
        (b'[1, "2\\"]', "the list is not closed"),
        (b"[1}", r'the list begins with "\[", but ends with "}"'),
        (b"[1] [2]", "the list is followed by something else"),
        (b"[" * 202, "lists and objects are nested more than 200 levels deep"),
    ],
)
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_what_is_no_list_is_refused(data, message, block, monkeypatch):
    monkeypatch.setattr(elements, "MEGABYTE", block)
    with pytest.raises(ValueError, match=f"^{message}$"):
        taken_apart(data)


def test_depth_up_to_the_limit_is_taken():
    assert taken_apart(b"[" * 201 + b"]" * 201) == [b"[" * 200 + b"]" * 200]


@pytest.mark.parametrize(("limit", "kept"), [(5, b'"xyz"'), (4, None)])
def test_an_element_beyond_the_limit_costs_no_other(limit, kept, monkeypatch):
    monkeypatch.setattr(elements, "MEGABYTE", 2)
    assert taken_apart(b'[1,"xyz",2]', limit) == [b"1", kept, b"2"]


@given(st.text(alphabet='a"\\\n', max_size=40), st.integers(0, 3))
def test_the_end_of_a_text_is_where_json_sees_it(text, more):
    written = json.dumps(text).encode()
    assert end_of_text(written + b'"x' * more, 1) == len(written) - 1
    assert end_of_text(written[:-1], 1) == len(written) - 1


@pytest.mark.parametrize("text", ["x" * 9_000, "\n" * 9_000, '"\\' * 5_000, "x" * 300 + "\n" + "y" * 300, "\n" * 65])
@pytest.mark.parametrize("block", [1 << 20, 1_000, 7])
def test_long_texts_are_taken_apart(text, block, monkeypatch):
    monkeypatch.setattr(elements, "MEGABYTE", block)
    values = [text, {"k": text, "l": [1, text]}, "", text]
    assert [json.loads(one) for one in taken_apart(json.dumps(values).encode())] == values
