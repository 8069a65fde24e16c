import json

import pytest
from tables import each_row

from sentinel_core import ReadError
from sentinel_core.testing import BytesSource
from sentinel_core.traces.readers import BadRecord, Record, json_document, json_lines, json_records, layout, refusals
from sentinel_core.traces.readers.layout import RawRecord, RefusedRecord, raw_records


def records(data, **more):
    return list(raw_records(BytesSource(data=data, **more)))


def shape(data, **more):
    return [
        (json.loads(bytes(one.data)), one.line, one.path) if isinstance(one, RawRecord) else (one.message, one.line)
        for one in records(data, **more)
    ]


@each_row(
    ("data", "expected"),
    [
        (b"", []),
        (b" \n\n", []),
        (b'{"a": 1}', [({"a": 1}, 1, "$")]),
        (b'{\n"a": 1\n}\n', [({"a": 1}, None, "$")]),
        (b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}', [({"a": 1}, 1, "$"), ({"a": 2}, 3, "$")]),
        (b'[{"a": 1}, {"a": 2}]', [({"a": 1}, None, "$[0]"), ({"a": 2}, None, "$[1]")]),
        (b'\xef\xbb\xbf \n[\n{"a": 1}\n]\n', [({"a": 1}, None, "$[0]")]),
        (b"[]", []),
    ],
)
def test_one_value_a_list_and_lines_are_told_apart(data, expected):
    assert shape(data) == expected


def test_a_broken_first_line_does_not_hide_the_others():
    first, second, third = records(b'{"a": \n{"a": 2}\n{"a": 3}\n')
    assert (first.line, second.line, third.line) == (1, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        '{"messages":[\n{"role": "user"},\n{"role": "assistant"}\n]}\n',
        '{"messages":[\n{"role": "user"}\n]}',
        '\n{"messages":\n\n{"role": "user"}}',
        '{"messages":[\n' + '{"role": "user", "content": "' + "x" * 3_000_000 + '"},\n{"role": "user"}]}',
    ],
    ids=("many", "one", "blank lines", "long"),
)
def test_one_object_whose_second_line_begins_an_object_is_one_record(text):
    assert shape(text.encode()) == [(json.loads(text), None, "$")]
    assert not layout.is_json_lines(BytesSource(data=text.encode()))


def test_where_the_whole_is_no_value_the_lines_keep_their_numbers():
    data = b'\n{"a": [\n\n{"a": 2}\n' + b'{"a": 3}\n' * 300_000
    found = records(data)
    assert [one.line for one in found[:3]] == [2, 4, 5]
    assert (len(found), found[-1].line) == (300_002, 300_004)
    assert layout.is_json_lines(BytesSource(data=data))


def test_a_broken_list_is_told_once_with_its_place():
    (refused,) = records(b'[{"a": 1}, {"a": NaN}]')
    assert refused == RefusedRecord(message="NaN is not a JSON number at $[1].a")


def test_records_beyond_the_limit_are_passed_over():
    long = b'{"a": "' + b"x" * (3 << 20) + b'"}\n'
    told = shape(long + b'{"a": 1}\n' + long, max_record=2 << 20)
    assert told == [
        ("is larger than 2 MB (max_record_mb)", 1),
        ({"a": 1}, 2, "$"),
        ("is larger than 2 MB (max_record_mb)", 3),
    ]


def test_a_long_line_within_the_limit_is_whole():
    (record,) = records(b'{"a": "' + b"x" * (3 << 20) + b'"}')
    assert len(json.loads(bytes(record.data))["a"]) == 3 << 20


def test_a_large_object_over_many_lines_is_refused():
    data = b"{\n" + b'"a": 1,\n' * (1 << 18) + b'"b": 1}'
    assert shape(data, max_record=1 << 20) == [("is larger than 1 MB (max_record_mb)", None)]


@pytest.fixture
def small_steps(monkeypatch):
    monkeypatch.setattr(layout, "_STREAMED_FROM", 1)


def test_a_large_list_is_taken_apart_as_it_is_read(small_steps):
    data = b'[{"a": 1.5, "b": [1, {"c": null}]}, 7, [], "text", {"a": 12345678901234567890}]' + b" " * (2 << 20)
    values = [json.loads(bytes(one.data)) for one in records(data)]
    assert values == [{"a": 1.5, "b": [1, {"c": None}]}, 7, [], "text", {"a": 12345678901234567890}]
    assert [one.path for one in records(data)] == [f"$[{position}]" for position in range(5)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'[{"a": 1}, {"a": }]', "at $[1]"),
        (b'[{"a": 1}, {"a": 1', "at $[1]"),
        (b"[" * 500, "lists and objects are nested more than 200 levels deep at $[0]"),
    ],
)
def test_a_large_list_that_breaks_off(small_steps, data, words):
    outcomes = records(data + b" " * (2 << 20))
    assert isinstance(outcomes[-1], RefusedRecord)
    assert words in outcomes[-1].message


@each_row(
    ("data", "message"),
    [
        (b'{"a": [1, {"b": NaN}]}', "NaN is not a JSON number at $.a[1].b"),
        (b'{"a": -Infinity}', "Infinity is not a JSON number at $.a"),
        (b'{"a": {"b": "\xff"}}', "is not UTF-8: byte 13 is 0xff at $.a.b"),
        (b'{"a": "x\\ud800"}', "is not JSON: a string contains half of a surrogate pair at $.a"),
        (b'{"a": ' + b"9" * 4301 + b"}", "contains a number with more than 4300 digits at $.a"),
        (
            b'{"a": ' + b"[" * 5000,
            "lists and objects are nested more than 200 levels deep at $.a[0][0][0][0][0][0][0]...",
        ),
        (
            b'{"a": ' + b"[" * 201 + b"]" * 201 + b"}",
            "lists and objects are nested more than 200 levels deep at $.a[0][0][0][0][0][0][0]...",
        ),
        (b'{"a": 1', "is not JSON: Input data was truncated at $.a"),
        (b'{"a": 1, "b": ]}', "is not JSON: JSON is malformed: invalid character (byte 14) at $.b"),
    ],
)
def test_hostile_values_are_refused_with_their_place(data, message):
    assert list(json_lines(BytesSource(data=b"{}\n" + data))) == [
        Record(value={}, line=1),
        BadRecord(message=message, line=2),
    ]
    assert json_document(BytesSource(data=data)).message == message


def test_depth_up_to_the_limit_is_taken():
    value = json_document(BytesSource(data=b"[" * 200 + b"]" * 200))
    assert isinstance(value, list)


def test_a_document_beyond_the_limit_is_refused():
    told = json_document(BytesSource(data=b"[" + b" " * (2 << 20) + b"]", max_record=1 << 20))
    assert told.message == "is larger than 1 MB (max_record_mb)"


DOUBLED = {
    b'{"a": 1, "a": 1}': 'key "a" is given more than once at $',
    b'{"a": [1, {"b": {"c": 1, "d": 2, "c": 3}}]}': 'key "c" is given more than once at $.a[1].b',
    b'{"a": 1' + b"0" * 4299 + b', "a": 1}': 'key "a" is given more than once at $',
    b'[{"a": {}}, {"a": {}}]': None,
}


@pytest.mark.parametrize(("data", "message"), DOUBLED.items())
def test_a_key_written_twice_is_refused_where_strict(data, message):
    strict = BytesSource(data=data, strict=True)
    (line,) = json_lines(strict)
    document = json_document(strict)
    if message is None:
        assert (line.value, document) == (json.loads(data), json.loads(data))
    else:
        assert (line.message, document.message) == (message, message)
    assert json_document(BytesSource(data=data)) == json.loads(data)


@pytest.mark.parametrize("streamed", [False, True])
def test_of_a_list_the_element_is_named(streamed, monkeypatch):
    if streamed:
        monkeypatch.setattr(layout, "_STREAMED_FROM", 1)
    data = b'[{"a": 1}, {"a": {"b": 1, "b": 2}}]' + b" " * (2 << 20)
    first, second = json_records(BytesSource(data=data, strict=True))
    assert first == Record(value={"a": 1}, line=1, path="$[0]")
    assert second.error() == ReadError(message='key "b" is given more than once at $[1].a')


def test_what_refuses_a_trace_that_its_records_make_up_together():
    line, element = ReadError(message="bad", line=3), ReadError(message="bad at $[3]")
    assert refusals([line], strict=False) == []
    assert refusals([line], strict=True) == [line]
    assert refusals([line, element], strict=False) == [element]
