"""What every trace reader must keep, how sure each is of which file, and that no bytes make one raise."""

import json
import random

import pytest
import telemetry_layouts as layouts
import telemetry_samples as samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import each_row

import sentinel_readers_telemetry as plugin
from sentinel_core import ExecutionTrace, ReadError, TraceReader
from sentinel_core.testing import BytesSource, TraceReaderContract

READERS = {reader.name: reader for reader in plugin.sentinel_trace_readers()}
FILES = {
    "otlp": layouts.otlp(samples.run()),
    "jaeger": layouts.jaeger(samples.run("indexed")),
    "phoenix": layouts.PHOENIX_LAYOUTS["list"](samples.run("openinference", "openinference")),
    "mlflow": layouts.mlflow_v3(samples.run("mlflow", "mlflow")),
}


class TestOtlp(TraceReaderContract):
    def make(self) -> TraceReader:
        return READERS["otlp"]

    def sample(self) -> bytes:
        return FILES["otlp"]


class TestJaeger(TraceReaderContract):
    def make(self) -> TraceReader:
        return READERS["jaeger"]

    def sample(self) -> bytes:
        return FILES["jaeger"]


class TestPhoenix(TraceReaderContract):
    def make(self) -> TraceReader:
        return READERS["phoenix"]

    def sample(self) -> bytes:
        return FILES["phoenix"]


class TestMlflow(TraceReaderContract):
    def make(self) -> TraceReader:
        return READERS["mlflow"]

    def sample(self) -> bytes:
        return FILES["mlflow"]


FLAT = samples.dumps({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weigh", "output": "5 kg"}).encode()
LAYOUTS = (
    [("otlp", layout(samples.run()), 95) for layout in layouts.OTLP_LAYOUTS.values()]
    + [("otlp", layout(samples.run("mlflow", "mlflow")), 95) for layout in layouts.OTLP_LAYOUTS.values()]
    + [("phoenix", layout(samples.run("openinference")), 95) for layout in layouts.PHOENIX_LAYOUTS.values()]
    + [("jaeger", FILES["jaeger"], 95), ("otlp", FLAT, 65)]
    + [("mlflow", layout(samples.run("mlflow", "mlflow")), 95) for layout in (layouts.mlflow_v3, layouts.mlflow_v2)]
)


@each_row(("name", "data", "sure"), LAYOUTS)
def test_one_reader_is_sure(name, data, sure):
    told = {reader.name: reader.sniff(data[:65536], "any.json") for reader in READERS.values()}
    assert told.pop(name) == sure
    assert max(told.values()) == 0


@pytest.mark.parametrize(
    "head",
    [
        b'{"trace_id": "t", "messages": [{"role": "user", "content": "gen_ai.prompt"}]}',
        b'{"sessionId": "s", "uuid": "u", "parentUuid": null, "type": "user"}',
        b'{"traceId": "t", "startTime": "2026-01-01", "type": "GENERATION"}',
        b'{"run_type": "llm", "trace_id": "t", "dotted_order": "x"}',
        b'"resourceSpans"',
    ],
)
def test_files_of_others_are_left_alone(head):
    assert [reader.sniff(head, "any.jsonl") for reader in READERS.values()] == [0, 0, 0, 0]


def test_bare_attributes_are_a_trace_named_after_the_file():
    [trace] = READERS["otlp"].read(BytesSource(data=FLAT, name="span.json"))
    assert trace.trace_id == "span.json"
    [call] = trace.messages[0].tool_calls
    [result] = trace.messages[1].tool_results
    assert (call.name, call.arguments, result.content) == ("weigh", {}, "5 kg")


_WORDS = st.sampled_from(
    [
        b"null",
        b"[]",
        b"{}",
        b'""',
        b"-1",
        b"1e999",
        b"true",
        b'"0"',
        b"[[[[",
        b'{"a":',
        b"\xff",
        b'"\\ud800"',
        b",",
        b":",
    ]
)


@st.composite
def _mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A good file with some of its bytes replaced by other JSON, doubled, or cut away."""
    name = draw(st.sampled_from(sorted(FILES)))
    generation = draw(st.sampled_from(sorted(samples.GENERATIONS)))
    data = layouts.otlp(samples.run(generation)) if name == "otlp" else FILES[name]
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        size = draw(st.integers(0, 60))
        data = data[:at] + draw(_WORDS) + data[at + size :]
    return name, data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


_ODD = (None, 0, -1, True, 1.5, "", "x", [], {}, [None], [[]], {"a": None}, ["a", 1], 10**30)


def _replaced(value: object, chance: random.Random) -> object:
    """The same document with some values of another type in places."""
    if chance.random() < 0.025:
        return chance.choice(_ODD)
    if isinstance(value, list):
        return [_replaced(item, chance) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, chance) for key, item in value.items()}
    return value


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(_mutated())
def test_no_bytes_make_a_reader_raise(case):
    name, data = case
    for outcome in READERS[name].read(BytesSource(data=data)):
        assert isinstance(outcome, ExecutionTrace) or (isinstance(outcome, ReadError) and outcome.message)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(FILES)), st.sampled_from(sorted(samples.GENERATIONS)), st.integers(0, 2**32))
def test_no_types_make_a_reader_raise(name, generation, seed):
    whole = layouts.otlp(samples.run(generation)) if name == "otlp" else FILES[name]
    document = _replaced(json.loads(whole), random.Random(seed))
    for outcome in READERS[name].read(BytesSource(data=json.dumps(document).encode())):
        assert isinstance(outcome, (ExecutionTrace, ReadError))


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(samples.GENERATIONS)), st.integers(0, 2**32))
def test_no_message_makes_a_reader_raise(generation, seed):
    """What stands as JSON inside an attribute is as hostile as the file around it."""
    chance = random.Random(seed)
    spans = samples.run(generation)
    for span in spans:
        for key, value in span["attributes"].items():
            if isinstance(value, str) and value[:1] in ("[", "{"):
                span["attributes"][key] = json.dumps(_replaced(json.loads(value), chance))
            elif isinstance(value, (dict, list)):
                span["attributes"][key] = _replaced(value, chance)
    lines = b"\n".join(
        json.dumps(
            {
                "traceId": "t",
                "spanId": span["id"],
                "attributes": span["attributes"],
                "events": [{"name": name, "attributes": _replaced(told, chance)} for name, told in span["events"]],
            }
        ).encode()
        for span in spans
    )
    for outcome in READERS["otlp"].read(BytesSource(data=lines)):
        assert isinstance(outcome, (ExecutionTrace, ReadError))
