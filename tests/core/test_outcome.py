"""Whether a call failed, told by the source's flag or by the result's text. ``outcome_labels.jsonl`` has 400 real results, read and
labelled by hand: half of them the tables were tuned on, half were looked at only at the end. Where the source's licence allows,
an excerpt of the result stands beside the label; ``benchmarks/outcomes.py`` finds the whole results by their ids."""

import json
import re
from pathlib import Path

import pytest
from outcome_examples import FAILED, NOTHING, UNKNOWN, WORKED
from tables import each_row

from sentinel_core import Call, ExecutionTrace, Message, Outcome, ToolCall, ToolResult, TraceIndex
from sentinel_core.evaluate.outcome import judge_result, judge_text
from sentinel_core.evaluate.outcome_json import _KEYS
from sentinel_core.evaluate.outcome_words import ROWS

LABELS = [
    json.loads(line)
    for line in Path(__file__).with_name("outcome_labels.jsonl").read_text(encoding="utf-8").splitlines()
]


def told(content: str) -> str:
    """The state, or the reason where that says more."""
    outcome = judge_text(content)
    return outcome.reason if outcome.reason in {"unknown_tool", "no_match"} else outcome.state


@each_row("content", FAILED)
def test_a_failure_is_told_and_quoted(content):
    outcome = judge_text(content)
    assert outcome.state == "failed"
    assert outcome.words in content


@pytest.mark.parametrize("content", UNKNOWN)
def test_an_unknown_tool_is_told(content):
    assert judge_text(content)[:2] == ("failed", "unknown_tool")


@each_row("content", NOTHING)
def test_a_lookup_that_found_nothing_worked(content):
    assert judge_text(content)[:2] == ("worked", "no_match")


@each_row("content", WORKED)
def test_everything_else_worked(content):
    assert told(content) == "worked"


def test_the_labels_are_as_many_as_they_say():
    by_source = {source: sum(row["source"] == source for row in LABELS) for source in {row["source"] for row in LABELS}}
    assert len({row["id"] for row in LABELS}) == 400
    assert min(by_source.values()) == 40
    assert all(len(row.get("text", "")) <= 150 for row in LABELS)
    assert not [row for row in LABELS if "text" in row and row["licence"] not in {"MIT", "Apache-2.0"}]


@pytest.mark.parametrize("half", ["tune", "held"])
def test_labelled_results_are_judged_as_a_reader_judges_them(half):
    rows = [row for row in LABELS if row["half"] == half and "text" in row and row["label"] != "unclear"]
    judged = {row["id"]: judge_text(row["text"]).state == "failed" for row in rows}
    failed = {row["id"] for row in rows if row["label"] == "failed"}
    caught = {name for name, is_failed in judged.items() if is_failed}
    assert len(rows) > 100
    assert len(caught & failed) >= 0.98 * len(caught)
    assert len(caught & failed) >= 0.90 * len(failed)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Could not send: mailbox full", "Could not send: mailbox full"),
        ("loading\nready\nKeyError: 'name'", "KeyError: 'name'"),
        (
            "Traceback (most recent call last):\n  File 'a.py'\nZeroDivisionError: by zero\n",
            "ZeroDivisionError: by zero",
        ),
        ("Traceback (most recent call last):\ncut", "Traceback (most recent call last):"),
        ('{"success": false, "message": "closed"}', "closed"),
        ('{"success": false}', "success"),
        ('{"error": "a \\u00e4"}', ""),
    ],
)
def test_a_failure_is_told_in_the_words_that_say_most(content, words):
    assert judge_text(content).words == words


def test_each_row_of_the_tables_has_an_example():
    texts = [
        text.lower().strip()
        for text in (*FAILED, *UNKNOWN, *NOTHING, *WORKED, *(row.get("text", "") for row in LABELS))
    ]
    lasts = [text.rpartition("\n")[2] for text in texts]
    parts = {
        "start": texts,
        "opening": [text[:160] for text in texts],
        "last": lasts,
        "end": [last[-60:] for last in lasts],
    }
    for row in ROWS:
        for pattern in row.patterns:
            assert any(map(re.compile(pattern).match, parts.get(row.part, texts))), pattern


def test_only_the_ends_of_a_text_are_read():
    assert told("x" * 290 + "\n" + "y" * 300 + "\nKeyError: 'name'") == "failed"
    assert told("x\n" * 300 + "KeyError: 'name'\n" + "y\n" * 300) == "worked"


def test_a_warning_before_the_work_is_no_failure():
    warning = "Warning: _curses.error: setupterm: could not find the terminal\nFeatures will not be available.\n"
    assert told(warning + "[0] got the number 4\n") == "worked"
    assert told(warning + "ValueError: no number") == "failed"


def test_the_limit_for_short_texts():
    notice = "The upstream service is temporarily unavailable".ljust(200, ".")
    assert told(notice) == "failed"
    assert told(notice + ".") == "worked"


@each_row("word", ["error", "failed", "failure"])
@each_row("spell", [str.lower, str.upper, str.title])
def test_a_status_is_seen_however_it_is_written(word, spell):
    assert told(f'{{"status":"{spell(word)}"}}') == "failed"


@pytest.mark.parametrize("key", sorted(_KEYS))
def test_each_key_that_tells_a_failure_is_seen(key):
    assert {told(f'{{"{key}": {value}}}') for value in ("false", "true")} == {"worked", "failed"}


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ('[{"message": "no such field"}]', "failed"),
        ('["no such field"]', "failed"),
        ('[{"word": "recieved", "suggest": "received"}]', "worked"),
        ("[]", "worked"),
        ("3", "worked"),
    ],
)
def test_errors_of_what_was_asked_about_are_no_failure(errors, expected):
    assert told(f'{{"errors": {errors}}}') == expected


@pytest.mark.parametrize("key", ["error", "errors", "exception", "isError", "is_error"])
def test_a_key_is_seen_at_both_ends_of_a_long_json_text(key):
    long = "x" * 400
    assert told(f'{{"{key}": "closed", "log": "{long}"}}') == "failed"
    assert told(f'{{"log": "{long}", "{key}": "closed"}}') == "failed"


def test_a_json_text_nested_without_end_is_no_failure():
    assert told('{"error":' * 20_000) == "worked"


@each_row(
    ("success", "content", "expected"),
    [
        (True, "Error: this is what was asked for", Outcome("worked", "flag")),
        (True, '{"error": null}', Outcome("worked", "flag")),
        # Some frameworks set the flag for every answer that arrives.
        (True, '{"error": "closed"}', Outcome("failed", "error_text", "closed")),
        (False, "fine\nso far", Outcome("failed", "flag", "fine")),
        (False, "", Outcome("failed", "flag", "")),
        (False, "Unknown tool: serch", Outcome("failed", "unknown_tool", "Unknown tool: serch")),
        (False, "Exit code: 3\nno", Outcome("failed", "flag", "no")),
        (
            False,
            "Exit code 1\n ! [rejected] main\nerror: failed to push\nhint: pull first",
            Outcome("failed", "flag", "error: failed to push"),
        ),
        (False, "Exit code 1", Outcome("failed", "flag", "Exit code 1")),
        (None, "", Outcome("worked", "empty")),
        (None, "fine", Outcome("worked", "no_sign")),
        (None, "Error: closed", Outcome("failed", "error_text", "Error: closed")),
    ],
)
def test_the_flag_of_the_source_goes_before_the_text(success, content, expected):
    assert judge_result(ToolResult(tool_call_id="c", content=content, success=success)) == expected


def test_a_call_that_the_host_did_not_run_neither_worked_nor_failed():
    result = ToolResult(tool_call_id="c", content="limit", success=False, metadata={"not_run": True})
    assert judge_result(result) == Outcome("unknown", "not_run")


def asked(name: str) -> Message:
    return Message(role="assistant", tool_calls=(ToolCall(id=name, name="run"),))


def answered(name: str, content: str) -> Message:
    return Message(role="tool", tool_results=(ToolResult(tool_call_id=name, content=content),))


def test_a_call_has_one_outcome_that_follows_its_result():
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=(asked("a"),)))
    [call] = index.calls
    assert isinstance(call, Call)
    assert call.outcome == Outcome("unknown", "unrecorded")
    index.add(answered("a", "Error: closed"))
    assert call.outcome.state == "failed"
    assert call.outcome is call.outcome
    index.add(answered("a", "open again"))
    assert call.outcome == Outcome("worked", "no_sign")


def test_a_line_of_python_and_its_error_lie_close_together():
    assert told('File "a.py", line 3\n' + "text\n" * 6 + "TabError: mixed\nthe end") == "failed"
    assert told('File "a.py", line 3\n' + "text\n" * 7 + "TabError: mixed\nthe end") == "worked"


@each_row(
    "piece",
    [
        'file "a", line 1\n',
        'file "a", line 1\nerror',
        "in [1], line 1\nx",
        "─ ",
        "-r: -c: line 1: ",
        ": line 1: x",
        "a: error: ",
        "could not find x to replac ",
        "could not find how to change ",
        "unable to x, the",
        "file a not foun ",
        "directory not",
    ],
)
@each_row("before", ["", "could not find ", "file ", 'file "a", line 1\n', "in [1], line 1\n", "a: "])
def test_a_hostile_text_is_judged_by_its_ends_however_long_it_is(piece, before):
    hostile = [before + piece * count + "\nerror: closed" for count in (1_000, 100_000)]
    assert told(hostile[0]) == told(hostile[1])
    assert told((before + piece * 9)[:200]) in {"worked", "failed", "no_match"}


@pytest.mark.parametrize(
    "text", ["Did not find any order to update for this user", "Could not find items to remove from cart"]
)
def test_a_lookup_that_found_nothing_to_change_is_a_lookup(text):
    assert told(text) == "no_match"


HEADS = "Chunk ID: 1f2e3d\nWall time: 0.6000 seconds\nProcess exited with code {}\nOriginal token count: 4\nOutput:\nsome lines"
FEET = [
    "Command: npm test\nDirectory: (root)\nStdout: x\nStderr: (empty)\nError: (none)\nExit Code: {}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 34969",
    "1 thing\n[The command completed with exit code {}.]\n[Current working directory: /repo]",
    '{{"output": "x", "metadata": {{"exit_code": {}, "duration_seconds": 1.8}}}}',
]  # fmt: skip


@pytest.mark.parametrize("content", [HEADS, HEADS.partition("\n")[2], *FEET])
def test_an_exit_code_outranks_a_flag_that_says_that_the_tool_itself_worked(content):
    for success in (True, None):
        assert judge_result(ToolResult(tool_call_id="c", content=content.format(1), success=success)).state == "failed"
        assert judge_result(ToolResult(tool_call_id="c", content=content.format(0), success=success)).state == "worked"
