import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core.traces.readers.element_lines import element_lines

TEXTS = st.text(alphabet='ab"\\,[]{}: é\n', max_size=6)
NAMES = st.text(alphabet='ab"\\,]{}: é\n', max_size=6)  # without what separates the steps of a path
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)


def laid_out(value, path="$", line=1, depth=0):
    """Written as ``json.dumps(indent=1)`` does: the text, and the line of each container in a list, by its path."""
    if not isinstance(value, (list, dict)) or not value:
        return json.dumps(value), {}
    is_list = isinstance(value, list)
    parts, found = [], {}
    for place, entry in enumerate(value if is_list else value.items()):
        at = line + 1 + sum(part.count("\n") + 1 for part in parts)
        name, inner = (f"[{place}]", entry) if is_list else (f".{entry[0]}", entry[1])
        text, below = laid_out(inner, path + name, at, depth + 1)
        if is_list and isinstance(inner, (list, dict)):
            found[path + name] = at
        found |= below
        parts.append(" " * (depth + 1) + (text if is_list else f"{json.dumps(entry[0])}: {text}"))
    opening, closing = "[]" if is_list else "{}"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{' ' * depth}{closing}", found


@given(VALUES)
def test_each_element_has_the_line_on_which_it_begins(value):
    text, expected = laid_out(value)
    assert text == json.dumps(value, indent=1)
    found = element_lines(text.encode())
    assert {path: found.get(path) for path in expected} == expected


def test_what_follows_an_error_is_left_out():
    assert element_lines(b"[{},\n{}]}]\n[{}]") == {"$[0]": 1, "$[1]": 2}
    assert element_lines(b"") == element_lines(b"]") == element_lines(b"nonsense") == {}


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"' + b"k" * 100_000 + b'":[' + b"{}," * 50_000 + b"]}",
        b'"' + b"\\" * 300_000,
        b'{"a":' * 100_000,
    ],
)
def test_hostile_documents_take_little_memory(data):
    found = element_lines(data)
    assert sum(map(len, found)) < 200 * 50_001
