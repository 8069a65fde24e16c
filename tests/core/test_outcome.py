import time

import pytest

from sentinel_core import ToolResult
from sentinel_signal_tool_misuse.outcome import _JSON_KEYS, FAILURES, NO_MATCH, UNKNOWN_TOOL, outcomes, told_by

# One example at least for each row of the tables, in the tables' order.
FAILED = [
    "Error: the order 4711 is closed",
    "Internal server error: try later",
    "Error executing query: no column 'price'",
    "Unexpected error while reading data/a.csv:\nempty",
    "ValueError: 3 is too small",
    "requests.exceptions.ReadTimeout: no answer from the host",
    "RuntimeException: boom",
    "failed",
    "Failed to open the ticket.",
    "Unable to reach the printer",
    "Could not parse the action that you gave",
    "config.yaml: cannot read it",
    "Exit code: 2\nnothing was built",
    "fatal: not a repository",
    "Traceback (most recent call last):\n  File 'a.py', line 1\nZeroDivisionError: division by zero",
    "╭──────────── Traceback (most recent call last) ────────────╮\n│ a.py:3 in main │\n╰───╯\nKeyError: 'name'",
    "-------------------------\nKeyError                  Traceback (most recent call last)",
    "Cell In[3], line 2\n    print('a'\n         ^\nSyntaxError: '(' was never closed\n2 steps are left.",
    '  File "/srv/a.py", line 167\n    size=3\n    ^^^^\nSyntaxError: invalid syntax. Perhaps you forgot a comma?\n2 left.',
    "Invalid parameter 'size': give a number",
    "Permission denied",
    "Connection refused by the server",
    "Tool timed out after 30 s",
    "404 Not Found",
    "HTTP error: 503 Service Unavailable",
    "bash: line 3: serch: command not found",
    "/bin/sh: 1: unexpected end of file",
    "cat: /srv/log.txt: No such file or directory",
    "-r: -c: line 1: unexpected EOF while looking for matching ``'\n-r: -c: line 3: syntax error: unexpected end of file",
    "+%H:%M): -c: line 1: syntax error near unexpected token `)'\nnothing was run",
    "Could not find the following lines to replace in the file content:\n```\nsize = 3\n```",
    "Did not find 'size = 3' to delete",
    "Syntax error near line 4",
    "The change has introduced a new syntax error. It was not saved.",
    "Your answer is not in the expected format. Try again.",
    "starting\nreading\nKeyError: 'name'",
    "usage: main.py [-h] [--size SIZE]\nmain.py: error: argument --size: invalid int value: 'False'",
    "loading\nready\nERROR: ERROR: Failed to build the wheels",
    "20 % done\ntrain.sh: line 76: --workers: command not found",
    "make: *** [all] stopped\nProcess finished with exit code 2",
    "Command returned non-zero exit status 1.",
    "401 Unauthorized",
    "403 Forbidden",
    "400 Bad Request",
    "502 Bad Gateway",
    "504 Gateway Time-out",
    "405 Method Not Allowed",
    "500: Internal Server Error",
    "Too many requests, slow down",
    "Rate limit exceeded",
    "Rate limit. Please retry in 3 s",
    "The model is rate-limited",
    "You have exceeded your rate limit",
    "Service unavailable",
    "Request to api.example.com timed out.",
    '{"error": "no such order"}',
    '{"success": false, "reason": "closed"}',
    '{"ok": false}',
    '{"status": "error", "data": null}',
    '{"status":"failed"}',
    '{"status": "FAILED"}',
    '{"status": "Failed", "message": "closed"}',
    '{"status":"ERROR","code":17}',
    '{"status": "Error", "detail": "closed", "id": null}',
    '{"isError": true, "content": []}',
    '{"errors": true}',
    '{"errors": ["closed"]}',
]
UNKNOWN = [
    "Unknown tool: serch",
    "Error: no such function 'serch'",
    "Invalid action.",
    "The tool 'serch' does not exist",
    "Tool serch not found",
    "Error: tool serch is not available",
]
NOTHING = [
    "Could not find that page.",
    "Cannot find the file a.txt",
    "No results",
    "No matching documents found",
    "No matches found for 'abc'",
    "Nothing found",
    "0 results found",
    "Page not found",
    "File django/db/router.py not found",
    "Directory *.py not found.",
    "Could not find [How to change a tyre]. Similar: ['Tyre', 'Ways to change']",
    "Could not find a page about how to remove paint",
    "Could not find a way to replace it",
    "Could not find a hotel. Change the dates to search again.",
]
WORKED = [
    "",
    "42",
    "[]",
    "0 errors, 12 warnings",
    "All 12 tests passed, none failed",
    "Human error in aviation: causes and remedies",
    "Error analysis of two polynomial methods",
    "Fatal Vision is a book of 1983",
    "The pilot failed to land the plane",
    "How to cope with a syntax error in your mail",
    "He could not open the door. It was locked.",
    "Unable to win a sponsor, they paid for the award themselves. It was made in 2011.",
    "Failed to win a seat in May, she left the party.",
    'File "minutes.txt", line 3\nThe board met in May.\nNo error: all were there.',
    'File "a.py", line 3\n' + "text\n" * 7 + "ValueError: this is far below\nthe end",
    "In [3], line 4 of the poem, he speaks of an error: love",
    "main.py: errors: none",
    "The log has the words main.py: error: at its end",
    "Chapter 3, line 4: a syntax error is explained",
    "Directory listing was not found to be slow",
    "Path and file not found are two errors",
    "The function returns exit code 1 when there is no match; see chapter 3.",
    "No smoking was allowed on the train",
    "404 people came to the opening",
    "Basic fares: a change is not allowed",
    "The default rate limit is 100 requests per minute and key.",
    "This plan is rate limited to 100 requests per minute.",
    "Ticket 88: the customer's checkout timed out twice.",
    "Ticket 88: login timed out",
    "403 forbears are listed",
    '{"requests":1000,"errors":12}',
    '{"build":12,"status":"failed","stage":"lint"}',
    '{"build":12,"status":"FAILED"}',
    '{"error": null, "data": 1}',
    '{"errors": [], "data": 1}',
    '{"status": "available", "note": "error"}',
    '{"jobs": [{"status": "failed"}], "ok": true}',
    '[{"error": "this row could not be read"}]',
    '{"error": not JSON',
    "def f():\n    raise ValueError('Error: x')\n\nprint(f)",
    "line\n" * 200 + "an error was logged here\n" + "line\n" * 200,
    '{"log": "' + "x" * 400 + '", "error": "' + "x" * 400 + '"}',
]


@pytest.mark.parametrize("content", FAILED)
def test_failures_are_told(content):
    assert told_by(content) == "failed"


@pytest.mark.parametrize("content", UNKNOWN)
def test_unknown_tools_are_told(content):
    assert told_by(content) == "unknown_tool"


@pytest.mark.parametrize("content", NOTHING)
def test_empty_lookups_are_told(content):
    assert told_by(content) == "no_match"


@pytest.mark.parametrize("content", WORKED)
def test_everything_else_worked(content):
    assert told_by(content) == "worked"


@pytest.mark.parametrize(
    ("table", "examples", "told"),
    [(FAILURES, FAILED, "failed"), (UNKNOWN_TOOL, UNKNOWN, "unknown_tool"), (NO_MATCH, NOTHING, "no_match")],
    ids=["failed", "unknown", "none"],
)
def test_each_row_of_the_tables_has_an_example_that_passes_the_gates(table, examples, told):
    import re

    for part, pattern in table:
        anchored = re.compile(rf"\A(?:{pattern})" if part == "start" else pattern)
        lowered = [example.lower() for example in examples]
        parts = {
            "start": lowered,
            "short": lowered,
            "line": [example.partition("\n")[0] for example in lowered],
            "last": [example.rpartition("\n")[2] for example in lowered],
        }
        found = [text for text, looked_at in zip(examples, parts[part], strict=True) if anchored.search(looked_at)]
        assert found, pattern
        assert {told_by(text) for text in found} == {told}


def test_only_the_ends_of_a_text_are_read():
    assert told_by("x" * 290 + "\n" + "y" * 300 + "\nKeyError: 'name'") == "failed"
    assert told_by("x\n" * 300 + "KeyError: 'name'\n" + "y\n" * 300) == "worked"


def test_the_limit_for_short_texts():
    notice = "The upstream service is temporarily unavailable".ljust(200, ".")
    assert told_by(notice) == "failed"
    assert told_by(notice + ".") == "worked"


@pytest.mark.parametrize("word", ["error", "failed", "failure"])
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title], ids=["lower", "upper", "title"])
def test_a_status_passes_the_gates_however_it_is_written(word, spell):
    assert told_by(f'{{"status":"{spell(word)}"}}') == "failed"


@pytest.mark.parametrize("key", sorted(_JSON_KEYS))
def test_each_key_that_tells_a_failure_passes_the_gates(key):
    assert {told_by(f'{{"{key}": {value}}}') for value in ("false", "true")} == {"worked", "failed"}


@pytest.mark.parametrize("key", ["error", "errors", "exception", "isError", "is_error"])
def test_keys_that_tell_a_failure_are_seen_at_both_ends_of_a_long_json_text(key):
    long = "x" * 400
    assert told_by(f'{{"{key}": "closed", "log": "{long}"}}') == "failed"
    assert told_by(f'{{"log": "{long}", "{key}": "closed"}}') == "failed"


def test_a_json_text_nested_without_end_is_no_failure():
    assert told_by('{"error":' * 20_000) == "worked"


@pytest.mark.parametrize(
    ("success", "content", "expected"),
    [
        (True, "Error: this is what was asked for", "worked"),
        (False, "fine", "failed"),
        (False, "Unknown tool: serch", "unknown_tool"),
        (False, "No results", "failed"),
        (None, "fine", "worked"),
        (None, "Error: closed", "failed"),
    ],
)
def test_the_flag_of_the_source_goes_before_the_text(success, content, expected):
    assert outcomes([ToolResult(tool_call_id="c", content=content, success=success)]) == [expected]


def test_no_result_is_unrecorded():
    assert outcomes([None]) == ["unrecorded"]


def test_a_line_of_python_and_its_error_lie_close_together():
    assert told_by('File "a.py", line 3\n' + "text\n" * 6 + "TabError: mixed\nthe end") == "failed"
    assert told_by('File "a.py", line 3\n' + "text\n" * 7 + "TabError: mixed\nthe end") == "worked"


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("before", ["", "could not find ", "file ", 'file "a", line 1\n', "in [1], line 1\n", "a: "])
def test_hostile_texts_take_no_time(piece, before):
    started = time.perf_counter()
    for length in (100, 200, 500, 100_000):
        told_by((before + piece * length)[:length] + "\nerror")
        told_by((before + piece * length)[:length] + "\n" + before + piece * 9)
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    "text", ["Did not find any order to update for this user", "Could not find items to remove from cart"]
)
def test_a_lookup_that_found_nothing_to_change_is_a_lookup(text):
    assert told_by(text) == "no_match"
