"""The schemas are of what is written and read."""

import json
from functools import partial
from pathlib import Path

import jsonschema_rs
import pytest
from commanding import run_command

from sentinel_core.traces.schemas import schema_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "traces"


@pytest.fixture
def sentinel(tmp_path):
    return partial(run_command, tmp_path)


def validator(what):
    return jsonschema_rs.validator_for(schema_of(what))


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_what_is_written_fits(sentinel, path):
    for line in sentinel("evaluate", path, "--jsonl").stdout.splitlines():
        validator("report").validate(json.loads(line))
    for line in sentinel("convert", path).stdout.splitlines():
        validator("trace").validate(json.loads(line))


@pytest.mark.parametrize(
    "trace",
    [
        {"messages": []},
        {"trace_id": ""},
        {"trace_id": "t", "messages": [{"role": "robot"}]},
        {"trace_id": "t", "schema": 3},
    ],
)
def test_what_is_refused_does_not_fit(trace):
    assert not validator("trace").is_valid(trace)


@pytest.mark.parametrize("what", ["trace", "report"])
def test_the_command_prints_a_schema(sentinel, what):
    printed = json.loads(sentinel("schema", what).stdout)
    assert printed == json.loads(json.dumps(schema_of(what)))
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert jsonschema_rs.meta.is_valid(printed)
