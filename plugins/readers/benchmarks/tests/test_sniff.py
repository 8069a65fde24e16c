import pytest
from tables import each_row

from sentinel_readers_benchmarks import (
    sniff_atif,
    sniff_inspect,
    sniff_mini_swe_agent,
    sniff_openhands,
    sniff_swe_agent,
)

HEADS = {
    "atif": [b'{"schema_version": "ATIF-v1.6", "steps": []}', b'\xef\xbb\xbf\n{\n  "schema_version": "ATIF-v1.0"'],
    "inspect": [
        b'{"version": 2, "status": "success", "eval": {"run_id": "r", "task": "t"',
        b"PK\x03\x04....header.json...",
    ],
    "mini-swe-agent": [
        b'{"trajectory_format": "mini-swe-agent-1", "messages": [',
        b'[{"role": "user", "content": "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT',
    ],
    "openhands": [
        b'{"instance_id": "x", "instruction": "", "history": [{"action": "run", "observation": "run"',
        b'[{"id": 0, "source": "agent", "action": "system", "args": {}}',
    ],
    "swe-agent": [
        b'{"trajectory": [{"action": "ls", "observation": ""}]',
        b'{"history": [{"role": "user", "agent": "main", "message_type": "observation"}',
    ],
}
SNIFFS = {
    "atif": sniff_atif,
    "inspect": sniff_inspect,
    "mini-swe-agent": sniff_mini_swe_agent,
    "openhands": sniff_openhands,
    "swe-agent": sniff_swe_agent,
}
OTHERS = [
    b'{"trace_id": "t", "messages": [{"role": "user", "content": "ATIF-v1.6"}]}',
    b'[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]',
    b'{"resourceSpans": []}',
    b'{"type": "user", "sessionId": "s", "uuid": "u", "parentUuid": null}',
    b'{"trace": {"id": "x"}, "history": [{"name": "a", "content": "b"}], "question": "q"}',
    b"PK\x03\x04....word/document.xml",
    b"PK",
]


@each_row(("name", "head"), [(name, head) for name, heads in HEADS.items() for head in heads])
def test_each_knows_its_own_and_no_other_does(name, head):
    sure = {other: sniff(head, "file") for other, sniff in SNIFFS.items()}
    assert sure.pop(name) >= 70
    assert set(sure.values()) == {0}


@pytest.mark.parametrize("head", OTHERS)
def test_other_formats_are_left_alone(head):
    assert {sniff(head, "file.json") for sniff in SNIFFS.values()} == {0}


@pytest.mark.parametrize(
    ("sniff", "head", "filename", "sure"),
    [
        (sniff_inspect, b"PK\x03\x04", "x.eval", 95),
        (sniff_mini_swe_agent, b'[{"role": "user"}]', "x.traj.json", 60),
        (sniff_mini_swe_agent, b'[{"role": "user"}]', "x.json", 0),
        (sniff_swe_agent, b'{"environment": "x"', "x.traj", 50),
        (sniff_openhands, b'{"instance_id": "x", "history": []', "output.jsonl", 80),
        (sniff_openhands, b'{"instance_id": "x", "history": [], "trajectory": []', "output.jsonl", 0),
    ],
)
def test_suffixes_and_weak_signs(sniff, head, filename, sure):
    assert sniff(head, filename) == sure
