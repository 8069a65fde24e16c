"""Sub-agents in a session's own file and beside it; chains that go round, and bytes that were tampered with."""

import json

import pytest
from claude_samples import (
    CLEAN,
    SESSION,
    agent_lines,
    jsonl,
    origins,
    parent_lines,
    read,
    result,
    said,
    shape,
    side,
    trace_of,
    use,
    user,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import sentinel_readers_claude as claude
from sentinel_core import ExecutionTrace
from sentinel_core.testing import work_of
from sentinel_core.traces.sources import FileSource


def test_sidechains_in_the_file_are_children_found_by_their_prompt():
    trace = trace_of(*parent_lines(), *agent_lines())
    (child,) = trace.details.children
    assert len(trace.messages) == 4
    assert (child.trace_id, child.details.parent_call_id) == (f"{SESSION}-sidechain-1", "toolu_t")
    assert shape(child)[1:3] == [
        ("assistant", None, ["toolu_s"], []),
        ("tool", None, [], [("toolu_s", "a.txt", True)]),
    ]
    assert origins(child) == ["line 5", "line 6", "line 7", "line 8"]
    assert (trace.token_usage.total, child.token_usage.total) == (30, 15 + 73)


@pytest.mark.parametrize("name", [["Task"], {"name": "Task"}, None])
def test_a_call_whose_name_is_no_text_starts_nothing(name):
    odd = said(
        "a1", "u1", "msg_1", {"type": "tool_use", "id": "toolu_t", "name": name, "input": {"prompt": "Look around"}}
    )
    (outcome,) = read(jsonl(user("u1", None, "explore"), odd, *agent_lines()))
    assert [child.details.parent_call_id for child in outcome.details.children] == [None]


def test_sidechains_with_an_agents_id_are_one_child():
    trace = trace_of(*parent_lines("ab12"), *agent_lines("other words", agentId="ab12"))
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("agent-ab12", "toolu_t")
    assert "reading_gaps" not in trace.metadata


def saved(folder, name, *records):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl(*records))
    return path


def read_file(path):
    return list(claude.read_claude_code(FileSource(path=path, label=str(path))))


@pytest.mark.parametrize("place", ["agent-ab12.jsonl", f"{SESSION}/subagents/agent-ab12.jsonl"])
def test_sub_agents_files_are_children(tmp_path, place):
    path = saved(tmp_path, f"{SESSION}.jsonl", *parent_lines("ab12"))
    saved(tmp_path, place, *agent_lines(agentId="ab12"))
    saved(tmp_path, "agent-zz99.jsonl", *agent_lines())
    (trace,) = read_file(path)
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id, len(child.messages)) == ("agent-ab12", "toolu_t", 4)
    assert "reading_gaps" not in trace.metadata


def test_sub_agents_of_one_name_are_each_read(tmp_path):
    path = saved(tmp_path, f"{SESSION}.jsonl", *parent_lines("x"))
    for folder in ("a", "b", "c"):
        saved(tmp_path, f"{SESSION}/subagents/{folder}/agent-x.jsonl", *agent_lines(agentId="x"))
    (trace,) = read_file(path)
    assert [child.trace_id for child in trace.details.children] == ["agent-x", "agent-x/2", "agent-x/3"]


def test_a_sidecar_tells_the_call_and_the_parent(tmp_path):
    path = saved(tmp_path, f"{SESSION}.jsonl", *parent_lines())
    below = tmp_path / SESSION / "subagents"
    for agent, told in (("aa", {"toolUseId": "toolu_t"}), ("bb", {"toolUseId": "toolu_s", "parentAgentId": "aa"})):
        saved(below, f"agent-{agent}.jsonl", *agent_lines(agentId=agent))
        saved(below, f"agent-{agent}.meta.json", told)
    (trace,) = read_file(path)
    (child,) = trace.details.children
    (grandchild,) = child.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("agent-aa", "toolu_t")
    assert (grandchild.trace_id, grandchild.details.parent_call_id) == ("agent-bb", "toolu_s")


def test_agents_that_start_each_other_end(tmp_path):
    path = saved(tmp_path, f"{SESSION}.jsonl", *parent_lines("a0"))
    for number in range(12):
        records = side(*parent_lines(f"a{(number + 1) % 12}"), agentId=f"a{number}")
        saved(tmp_path, f"{SESSION}/subagents/agent-a{number}.jsonl", *records)
    (trace,) = read_file(path)
    levels, level = [], [trace]
    while level := [child for one in level for child in one.details.children]:
        levels.append([child.trace_id for child in level])
    assert len(levels) == 8
    assert sorted(name for names in levels for name in names) == sorted(f"agent-a{number}" for number in range(12))


def test_a_missing_or_unreadable_agents_file_is_told(tmp_path):
    path = saved(tmp_path, f"{SESSION}.jsonl", *parent_lines("../ab12"))
    saved(tmp_path, f"{SESSION}/subagents/agent-broken.jsonl").write_bytes(b"\x1f\x8b\x08 no gzip")
    (trace,) = read_file(path)
    assert trace.details.children == ()
    assert trace.metadata["reading_gaps"] == [
        'sub-agent "../ab12" is missing from the trace: its file was not found',
        'sub-agent "broken" is missing from the trace: its file cannot be read',
    ]


def test_an_agents_own_file_is_a_trace():
    (trace,) = read(jsonl(*agent_lines()), "agent-ab12.jsonl")
    assert (trace.trace_id, len(trace.messages), trace.details.children) == ("agent-ab12", 4, ())
    assert read(jsonl(*agent_lines(agentId="cd34")), "stdin")[0].trace_id == "agent-cd34"
    assert read(jsonl(*agent_lines()), "stdin")[0].trace_id == SESSION


@pytest.mark.parametrize("order", [1, -1])
def test_deep_chains_and_circles_are_followed_once(order):
    def deep(length):
        return [user(f"u{number}", f"u{number - 1}", f"word {number}") for number in range(length)][::order]

    assert len(trace_of(*deep(4_000)).messages) == 4_000
    assert work_of(lambda: read(jsonl(*deep(800)))) < 10 * work_of(lambda: read(jsonl(*deep(100))))

    def circle(length):
        records = [user(f"u{number}", f"u{(number + 1) % length}", f"word {number}") for number in range(length)]
        return jsonl(*records[::order])

    (error,) = read(circle(4_000))
    assert error.message == "the session contains no messages"
    assert work_of(lambda: read(circle(800))) < 10 * work_of(lambda: read(circle(100)))


def test_a_circle_with_a_tail_ends():
    trace = trace_of(user("u1", "u2", "one"), user("u2", "u1", "two"), user("u3", "u2", "three"))
    assert [message.content for message in trace.messages] == ["one", "two", "three"]


def test_many_answers_to_one_id_are_linear():
    def log(length):
        many = [said(f"a{number}", None, f"msg_{number}", use("same")) for number in range(length)]
        return [*many, *(user(f"u{number}", "a1", [result("same", "x")]) for number in range(length))]

    assert len(trace_of(*log(800)).messages) >= 800
    assert work_of(lambda: read(jsonl(*log(800)))) < 10 * work_of(lambda: read(jsonl(*log(100))))


@settings(max_examples=100)
@given(st.integers(0, 3000), st.binary(max_size=12), st.integers(0, 200))
def test_mutated_bytes_never_raise(at, inserted, removed):
    data = jsonl(*CLEAN, *parent_lines("ab12"), *agent_lines(agentId="ab12"))
    mutated = data[:at] + inserted + data[at + removed :]
    claude.sniff_claude_code(mutated, "any")
    for outcome in read(mutated):
        assert isinstance(outcome, ExecutionTrace) or outcome.message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("type", "uuid", "parentUuid", "message", "isSidechain", "agentId", "toolUseResult", "timestamp", "sessionId")


@settings(max_examples=100)
@given(st.integers(0, 6), st.sampled_from(KEYS), VALUES, st.sampled_from(("role", "content", "id", "usage", "model")))
def test_any_value_anywhere_is_read_or_refused(position, key, value, inner):
    records = [json.loads(json.dumps(record)) for record in CLEAN]
    records[position][key] = value
    changed = records[-1].get("message")
    if isinstance(changed, dict):
        changed[inner] = json.loads(json.dumps(value))
    for outcome in read(jsonl(*records)):
        assert isinstance(outcome, ExecutionTrace) or outcome.message
