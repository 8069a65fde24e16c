import gzip
import json
import zlib

import attrs
import msgspec
import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, ReadError, evaluate_trace
from sentinel_core.errors import TraceDecodeError
from sentinel_core.testing import SAMPLES, BytesSource, honest_trace
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace, read_json_records
from sentinel_core.traces.problems import all_problems
from sentinel_core.traces.sources import FileSource

GOOD = {"trace_id": "t", "messages": [{"role": "user", "content": "hi"}]}


def problems(document: object, *, strict: bool = False) -> tuple[str, ...]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(TraceDecodeError) as caught:
        decode_trace(data, strict=strict)
    assert str(caught.value) == "; ".join(caught.value.problems)
    return caught.value.problems


@pytest.mark.parametrize("trace", SAMPLES, ids=range(len(SAMPLES)))
def test_there_and_back(trace):
    data = encode_trace(trace)
    assert b"\n" not in data
    assert decode_trace(data, strict=True) == attrs.evolve(trace, schema=2)


def test_the_source_documents_shape():
    data = json.dumps({**GOOD, "token_usage": None, "metadata": {"k": [1]}, "unheard_of": 1}).encode()
    trace = decode_trace(data)
    assert (trace.schema, trace.token_usage, trace.metadata, trace.messages[0].content) == (1, None, {"k": [1]}, "hi")


@pytest.mark.parametrize("schema", [1, 2])
def test_known_versions(schema):
    assert decode_trace(json.dumps({**GOOD, "schema": schema}).encode()).schema == schema


@pytest.mark.parametrize("schema", [0, 3, -1])
def test_unknown_versions_are_refused(schema):
    text = f"version {schema} of the trace format is unknown; expected 1 or 2 at $.schema"
    assert problems({**GOOD, "schema": schema}) == (text,)


def one_message(**message: object) -> dict[str, object]:
    return {"trace_id": "t", "messages": [{"role": "user", **message}]}


@each_row(
    ("document", "expected"),
    [
        ({"trace_id": "", "messages": []}, ("trace_id is empty; every trace needs one at $.trace_id",)),
        ({"messages": []}, ('required key "trace_id" is missing at $.trace_id',)),
        ([], ("expected an object, got a list at $",)),
        ("x", ("expected an object, got text at $",)),
        (None, ("expected an object, got null at $",)),
        ({**GOOD, "trace_id": None}, ("expected text, got null at $.trace_id",)),
        ({**GOOD, "trace_id": 5}, ("expected text, got a whole number at $.trace_id",)),
        ({**GOOD, "messages": {}}, ("expected a list, got an object at $.messages",)),
        ({**GOOD, "messages": None}, ("expected a list, got null at $.messages",)),
        ({**GOOD, "metadata": []}, ("expected an object, got a list at $.metadata",)),
        ({**GOOD, "messages": [3]}, ("expected an object, got a whole number at $.messages[0]",)),
        ({**GOOD, "details": "x"}, ("expected an object, got text at $.details",)),
        (one_message(role="robot"), ('"robot" is not one of system, user, assistant, tool at $.messages[0].role',)),
        (one_message(role=1), ("1 is not one of system, user, assistant, tool at $.messages[0].role",)),
        (
            one_message(tool_results=[{"tool_call_id": "c", "success": "false"}]),
            ("expected true or false, got text at $.messages[0].tool_results[0].success",),
        ),
        (
            one_message(tool_calls=[{"id": "c", "name": "n", "arguments": "{}"}]),
            ("expected an object, got text at $.messages[0].tool_calls[0].arguments",),
        ),
        (
            {**GOOD, "token_usage": {"prompt_tokens": 1.5}},
            ("expected a whole number, got a number at $.token_usage.prompt_tokens",),
        ),
        (
            {**GOOD, "token_usage": {"prompt_tokens": True}},
            ("expected a whole number, got true or false at $.token_usage.prompt_tokens",),
        ),
    ],
)
def test_problems_are_told_with_their_path(document, expected):
    assert problems(document) == expected


@pytest.mark.parametrize("number", [1.5, 2.0])
def test_a_count_is_a_whole_number(number):
    told = problems({**GOOD, "token_usage": {"prompt_tokens": number}})
    assert told == ("expected a whole number, got a number at $.token_usage.prompt_tokens",)


def test_a_negative_count_is_refused():
    (problem,) = problems({**GOOD, "token_usage": {"prompt_tokens": -1}})
    assert problem.startswith("'prompt_tokens' must be >= 0: -1 at $.token_usage")


def test_all_problems_are_told_at_once():
    document = {"messages": [{"role": "x"}, {"role": "user", "content": 3, "tool_calls": None}]}
    assert set(problems(document)) == {
        'required key "trace_id" is missing at $.trace_id',
        '"x" is not one of system, user, assistant, tool at $.messages[0].role',
        "expected text, got a whole number at $.messages[1].content",
        "expected a list, got null at $.messages[1].tool_calls",
    }


def test_at_most_twenty_problems_are_told():
    twenty = problems({"trace_id": "t", "messages": [{"role": "x"}] * 20})
    assert len(twenty) == 20
    more = problems({"trace_id": "t", "messages": [{"role": "x"}] * 23})
    assert (len(more), more[-1]) == (21, "and 3 more at $")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"nonsense", "is not JSON"),
        (b'{"a": {"b": [1, {"cut', "is not JSON: Input data was truncated at $.a.b[1]"),
        (b'{"trace_id": "\xff", "messages": []}', "is not UTF-8: byte 14 is 0xff"),
        (b'{"trace_id": "\\ud800", "messages": []}', ""),
        (
            b'{"trace_id": "t", "metadata": {"a": ' + b"[" * 100_000,
            "lists and objects are nested more than 200 levels deep at $.metadata.a",
        ),
    ],
)
def test_what_is_not_json(data, words):
    (problem,) = problems(data)
    assert words in problem
    assert " at $" in problem


def test_strict_refuses_unknown_and_duplicate_keys():
    data = b'{"trace_id": "t", "messages": [{"role": "user", "contents": 1, "role": "user"}], "b": 1, "a": 2, "a": 3}'
    assert decode_trace(data).trace_id == "t"
    told = problems(data, strict=True)
    assert set(told) == {
        'key "a" is given more than once at $',
        'key "role" is given more than once at $.messages[0]',
        'unknown key "contents" at $.messages[0]',
        'unknown key "a", "b" at $',
    }
    assert all_problems(data) == ()
    assert all_problems(json.dumps(GOOD).encode(), strict=True) == ()


def test_what_is_no_document_has_no_paths():
    assert all_problems(b"{") == ()


def test_strict_tells_wrong_types_too():
    assert problems({**GOOD, "x": 1, "metadata": 5}, strict=True) == (
        "expected an object, got a whole number at $.metadata",
        'unknown key "x" at $',
    )


def read(data: bytes) -> list[str]:
    return [
        record.trace_id if isinstance(record, ExecutionTrace) else f"{record.line}: {record.message}"
        for record in read_json_records(BytesSource(data=data))
    ]


LINE = json.dumps(GOOD).encode()


@each_row(
    ("data", "expected"),
    [
        (b"\n \n  " + LINE + b"\r\n\r\n" + LINE, ["t", "t"]),
        (b"  [" + LINE + b"]", ["t"]),
        (b"\xef\xbb\xbf[\n" + LINE + b"\n]", ["t"]),
        (b"[\n\n]", []),
        (b"{\n" + LINE[1:], ["t"]),
        (b"3\n" + LINE, ["1: expected an object, got a whole number at $", "t"]),
        (LINE + b"\n[" + LINE + b"]", ["t", "2: expected an object, got a list at $"]),
        (b"[" + LINE + b",", ["None: is not JSON: Input data was truncated at $[1]"]),
    ],
)
def test_each_layout_of_the_format_is_read(data, expected):
    assert read(data) == expected


@pytest.mark.parametrize(("depth", "fits"), [(200, True), (201, False)])
def test_the_deepest_nesting(depth, fits):
    data = b'{"trace_id": "t", "messages": [], "metadata": {"a": ' + b"[" * depth + b"]" * depth + b"}}"
    if fits:
        assert decode_trace(data).trace_id == "t"
    else:
        assert problems(data)[0].startswith("lists and objects are nested more than 200 levels deep at $.metadata.a[0]")


@pytest.mark.parametrize(
    "message",
    [
        '{"role": "user", "metadata": {"a": %s}}',
        '{"role": "assistant", "tool_calls": [{"id": "1", "name": "t", "arguments": {"a": %s}}]}',
        '{"role": "tool", "tool_results": [{"tool_call_id": "1", "metadata": {"a": %s}}]}',
    ],
)
def test_nesting_counts_wherever_values_nest(message):
    def record(depth):
        nested = "[" * depth + "]" * depth
        return f'{{"trace_id": "t", "messages": [{message % nested}]}}'.encode()

    assert decode_trace(record(200)).trace_id == "t"
    assert problems(record(201))[0].startswith(
        "lists and objects are nested more than 200 levels deep at $.messages[0]"
    )


def test_a_path_leads_into_a_list():
    assert read(b"[" + LINE + b', {"trace_id": 1}]')[1] == "None: expected text, got a whole number at $[1].trace_id"


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:20] + b"\xff" * 20])
def test_bytes_that_cannot_be_unpacked_raise(tmp_path, damage):
    path = tmp_path / "packed.json"
    path.write_bytes(gzip.compress(LINE))
    source = FileSource(path=path, label="packed.json")
    assert [one.trace_id for one in read_json_records(source)] == ["t"]
    path.write_bytes(damage(gzip.compress(LINE * 10)))
    with pytest.raises((EOFError, OSError, zlib.error)):
        list(read_json_records(source))


def test_read_errors_are_frozen():
    with pytest.raises(AttributeError):
        ReadError(message="m").line = 3


def test_a_report_is_one_line_of_json():
    report = evaluate_trace(honest_trace())
    data = encode_report(report)
    assert b"\n" not in data
    assert list(json.loads(data)) == [field.name for field in attrs.fields(type(report))]


def test_each_report_has_its_own_settings_and_profile_however_many_there_are():
    report = evaluate_trace(honest_trace())
    others = [attrs.evolve(report, settings={"mine": {"n": n}}, profile={"name": str(n)}) for n in range(40)]
    for n, other in [*enumerate(others), *enumerate(others)]:
        made = json.loads(encode_report(other))
        assert (made["settings"], made["profile"]) == ({"mine": {"n": n}}, {"name": str(n)})


def test_a_report_with_what_json_cannot_hold():
    report = attrs.evolve(evaluate_trace(honest_trace()), settings={"mine": {"path": 1j}}, reasoning="half \ud800 é")
    made = json.loads(encode_report(report))
    assert made["settings"] == {"mine": {"path": "1j"}}
    assert made["reasoning"] == "half ? é"
    assert made["signal_scores"] == list(msgspec.to_builtins(report.signal_scores))


def test_a_sub_agent_of_an_unknown_version_is_refused_too():
    inner = {"trace_id": "b", "details": {"children": [{"trace_id": "c", "schema": 3}]}}
    text = json.dumps({"trace_id": "a", "schema": 2, "details": {"children": [{"trace_id": "x"}, inner]}})
    with pytest.raises(
        TraceDecodeError, match=r"version 3 .* at \$\.details\.children\[1\]\.details\.children\[0\]\.schema"
    ):
        decode_trace(text.encode())
