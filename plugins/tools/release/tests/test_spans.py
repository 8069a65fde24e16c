import json

import pytest

from sentinel_core.errors import InputError
from sentinel_tools_release import TraceSettings, get_observability_traces


def span(name, milliseconds, code=None, message="", **more):
    start = 1_700_000_000_000_000_000
    status = {} if code is None else {"status": {"code": code, "message": message}}
    end = str(start + int(milliseconds * 1_000_000))
    return {"name": name, "startTimeUnixNano": str(start), "endTimeUnixNano": end, "traceId": "t1", **status, **more}


def exported(*spans, service="shop", version=None):
    attributes = {"service.name": service, **({"service.version": version} if version else {})}
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"resourceSpans": [{"resource": {"attributes": listed}, "scopeSpans": [{"spans": list(spans)}]}]}


@pytest.fixture
def traces(tmp_path):
    """``traces(release, documents...)``: what the tool says of a file with one document a line."""

    def asked(release_id, *documents, **arguments):
        path = tmp_path / "traces.jsonl"
        path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in documents))
        return get_observability_traces(TraceSettings(traces=str(path)), release_id, **arguments)

    return asked


def test_operations_errors_first_then_the_slowest(traces):
    found = traces(
        "v1",
        exported(*(span("GET /", number) for number in range(1, 101)), span("POST /pay", 10, 2, "card refused")),
        exported(span("POST /pay", 30, "STATUS_CODE_OK"), span("sweep", 500)),
    )
    assert (found["spans"], found["versions_are_known"], found["left_out"]) == (103, False, 0)
    assert [one["operation"] for one in found["operations"]] == ["POST /pay", "sweep", "GET /"]
    assert found["operations"][0] == {
        "service": "shop",
        "operation": "POST /pay",
        "calls": 2,
        "errors": 1,
        "error_rate": 0.5,
        "p50_ms": 10.0,
        "p95_ms": 30.0,
        "failures": [{"trace_id": "t1", "message": "card refused"}],
    }
    assert (found["operations"][2]["p50_ms"], found["operations"][2]["p95_ms"]) == (50.0, 95.0)


@pytest.mark.parametrize("release_id", ["v2", "v1..v2"])
def test_only_spans_of_the_release(traces, release_id):
    found = traces(
        release_id, exported(span("a", 1), version="v1"), exported(span("b", 1), version="v2"), exported(span("c", 1))
    )
    assert [one["operation"] for one in found["operations"]] == ["b"]
    assert (found["spans"], found["spans_of_other_versions"], found["versions_are_known"]) == (1, 2, True)


def test_a_byte_order_mark_is_no_part_of_a_file(traces):
    one = json.dumps(exported(span("GET /", 1)))
    assert [traces("v1", *lines)["spans"] for lines in ((f"\ufeff{one}",), (f"\ufeff{one}", one))] == [1, 2]


def test_only_so_many_operations(traces):
    found = traces("v1", exported(*(span(f"op{number}", number) for number in range(5))), limit=2)
    assert ([one["operation"] for one in found["operations"]], found["left_out"]) == (["op4", "op3"], 3)


def test_odd_spans_are_counted_without_times(traces):
    odd = [
        span("x", 5, startTimeUnixNano="soon"),
        span("x", -5),
        {"name": "x"},
        {"name": "x", "status": "bad", "startTimeUnixNano": 1, "endTimeUnixNano": 1_000_001},
    ]
    document = exported(*odd, 7)
    document["resourceSpans"] += [3, {"resource": 3, "scopeSpans": [{"spans": "x"}, 3]}, {"scopeSpans": None}]
    (operation,) = traces("v1", document)["operations"]
    assert (operation["calls"], operation["errors"], operation["p95_ms"]) == (4, 0, 1.0)
    assert traces("v1", exported({"name": "x"}))["operations"][0]["p50_ms"] is None


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        (["{}"], 'has no "resourceSpans" list at line 1'),
        (["[]"], 'has no "resourceSpans" list at line 1'),
        (['{"resourceSpans": []}', "{"], "is not JSON: .* at line 2"),
        (['{"resourceSpans": []}', "{}"], "at line 2"),
    ],
)
def test_files_that_are_no_traces(traces, documents, said):
    with pytest.raises(InputError, match=said):
        traces("v1", *documents)


def test_limits_and_places(tmp_path):
    path = tmp_path / "traces.json"
    with pytest.raises(InputError, match=r'traces\.json" cannot be read'):
        get_observability_traces(TraceSettings(traces=str(path)), "v1")
    path.write_text('{"resourceSpans": []}')
    assert get_observability_traces(TraceSettings(traces=str(path)), "v1")["spans"] == 0
    with pytest.raises(InputError, match="larger than 5 bytes"):
        get_observability_traces(TraceSettings(traces=str(path), max_bytes=5), "v1")
