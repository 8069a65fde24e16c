import re
import stat
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_agent import run_progress
from sentinel_agent.events import ContextFitted, Event
from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY, SYSTEM_PROMPT, release_in, task_text
from sentinel_agent.run_summary import save_run
from sentinel_core.errors import ProviderError
from sentinel_core.model import Reply, Request, estimate_tokens
from sentinel_core.runtime.clock import Clock, new_run_id, utc_now
from sentinel_core.testing.scripted import ScriptedModel, scripted_provider
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_release_is_read_back_from_its_task(release_id):
    assert release_in(task_text(release_id)) == release_id
    assert release_in(task_text(release_id) + "\nThis is another attempt.") == release_id


@pytest.mark.parametrize(
    "text",
    ["", "Investigate the release v1 and file its risk report.", "Hello", task_text("v1")[:-1], "x" + task_text("v1")],
)
def test_other_texts_name_no_release(text):
    assert release_in(text) is None


def test_prompt_names_both_tools():
    assert GET_SUMMARY in SYSTEM_PROMPT
    assert FILE_REPORT in SYSTEM_PROMPT


def test_run_is_saved_whole_and_for_the_owner_only(tmp_path):
    trace = ExecutionTrace(trace_id="20260101T000000-ab", messages=(Message(role="user", content="é"),), schema=2)
    path = save_run(trace, tmp_path / "state")
    assert path == tmp_path / "state" / "runs" / "20260101T000000-ab.trace.json"
    assert msgspec.json.decode(path.read_bytes(), type=ExecutionTrace) == trace
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
    assert list(path.parent.iterdir()) == [path]


def test_saving_again_replaces(tmp_path):
    first = ExecutionTrace(trace_id="a", messages=(Message(role="user", content="long" * 99),))
    save_run(first, tmp_path)
    path = save_run(ExecutionTrace(trace_id="a"), tmp_path)
    assert msgspec.json.decode(path.read_bytes(), type=ExecutionTrace).messages == ()


@pytest.mark.parametrize("run_id", ["", ".", "..", "../x", "a/b", ".hidden", "a" * 129, "a\n"])
def test_run_id_that_is_no_plain_name_is_refused(tmp_path, run_id):
    with pytest.raises(ValueError, match="cannot be a file name"):
        save_run(ExecutionTrace(trace_id=run_id), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_failed_save_leaves_nothing(tmp_path):
    (tmp_path / "runs" / "a.trace.json").mkdir(parents=True)
    with pytest.raises(OSError, match=r"a\.trace\.json"):
        save_run(ExecutionTrace(trace_id="a"), tmp_path)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["a.trace.json"]


def test_longest_run_id_is_saved(tmp_path):
    assert save_run(ExecutionTrace(trace_id="a" * 128), tmp_path).exists()


def test_clock_as_it_is():
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", utc_now())
    assert re.fullmatch(r"\d{8}T\d{6}-[0-9a-f]{8}", new_run_id())
    assert new_run_id() != new_run_id()
    clock = Clock()
    assert clock.timed_since(clock.stopwatch()) >= 0


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (Message(role="user"), 4),
        (Message(role="user", content="x" * 36), 14),
        (Message(role="user", content="x" * 37), 15),
        (Message(role="user", content="é" * 18), 14),
        (Message(role="assistant", tool_calls=(ToolCall(id="1", name="x" * 28),)), 14),
        (Message(role="tool", tool_results=(ToolResult(tool_call_id="1", content="x" * 36),)), 14),
        (Message(role="user", content="\ud800" * 36), 14),
    ],
)
def test_token_estimate(message, tokens):
    assert estimate_tokens([message]) == tokens
    assert estimate_tokens([message, message]) == 2 * tokens


def test_script_is_played_in_order_and_ends_clearly():
    model = ScriptedModel([Reply(content="one"), ValueError("two")])
    request = Request(system_prompt="", messages=())
    pieces = []
    assert model.complete(request, pieces.append).content == "one"
    with pytest.raises(ValueError, match="two"):
        model.complete(request)
    with pytest.raises(ProviderError, match="the script has ended: it has 2 entries"):
        model.complete(request)
    assert (len(model.requests), pieces) == (3, ["one"])


def test_every_event_can_be_told():
    assert set(run_progress._DESCRIBE) == set(get_args(Event))
    fitted = ContextFitted(turn=1, messages=1, left_out=0, estimated_tokens=3)
    assert run_progress.describe_event(fitted).split(maxsplit=1) == ["ContextFitted", "1 message"]


def test_scripted_provider_plays_from_the_start_each_time():
    provider = scripted_provider(Reply(content="one"), name="mine")
    assert provider.name == "mine"
    for _ in range(2):
        assert provider.connect().complete(Request(system_prompt="", messages=())).content == "one"
