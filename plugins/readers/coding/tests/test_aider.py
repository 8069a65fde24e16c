import pytest
from coding_samples import AIDER, EDIT, START, answered, asked, notices, read, shape
from tables import each_row

from sentinel_core import ExecutionTrace, ReadError, evaluate_trace

LIMIT = "an Aider history contains neither what commands printed nor tests that passed"
TESTS_FAILED = ("Added 9 lines of output to the chat.", "Attempt to fix test errors? (Y)es/(N)o [Yes]: y")
REFUSED = ("The LLM did not conform to the edit format.", "https://aider.chat/docs/troubleshooting/edit-errors.html", "# 1 SEARCH/REPLACE block failed to match!")  # fmt: skip


def trace_of(*parts):
    (trace,) = read("aider", START + "".join(parts))
    assert isinstance(trace, ExecutionTrace)
    return trace


def deeds(*lines, said="So."):
    """Each call after an answer: name, arguments, success, and whether it ran."""
    trace = trace_of(asked("Go."), answered(said), notices(*lines))
    results = {result.tool_call_id: result for message in trace.messages for result in message.tool_results}
    calls = [call for message in trace.messages for call in message.tool_calls]
    return [
        (
            call.name,
            call.arguments,
            *((found.success, found.metadata is None) if (found := results.get(call.id)) else ("no result",)),
        )
        for call in calls
    ]


def rules(*parts):
    report = evaluate_trace(trace_of(*parts))
    return report.verdict, {finding.rule for finding in report.findings if finding.severity == "error"}


def test_a_chat_field_by_field():
    (trace,) = read("aider", AIDER)
    answer = f"So:\n\n{EDIT}\n\n#### How\n> quoted\n\n```bash\npython a.py\n```"
    calls = [("edit_file", {"path": "a.py"}), ("git_commit", {"message": "refactor: x is y"})]
    assert shape(trace) == [
        ("user", "Change x to y\nand run it", [], []),
        ("assistant", answer, [*calls, ("run_command", {"command": "python a.py"})], []),
        ("tool", None, [], [("Applied edit to a.py", True), ("Commit 1a2b3c4 refactor: x is y", True)]),
        ("user", "Thanks.", [], []),
        ("assistant", "You are welcome.", [], []),
    ]
    assert trace.trace_id == "x:2"
    details = trace.messages[1].details
    assert (details.model, details.usage.prompt_tokens, details.usage.completion_tokens) == ("test-model", 2300, 139)
    assert (details.cost_usd, details.origin) == (0.0073, "line 10")
    assert not trace.messages[1].tool_calls[2].details.result_expected
    assert trace.metadata == {
        "started": "2026-01-02T03:04:05",
        "version": "0.86.2",
        "reading_gaps": [f"{LIMIT} (3 calls)"],
    }


def test_each_chat_is_a_trace_and_an_empty_one_is_none():
    first, second = read("aider", AIDER + START + notices("Aider v0.86.2") + START + asked("Hi.") + answered("Hello."))
    assert (first.trace_id, second.trace_id) == ("x:2", "x:46")
    assert "reading_gaps" not in second.metadata
    assert read("aider", START) == [ReadError(message="is not an Aider chat history: nobody says anything in it")]
    assert read("aider", b"# aider\xff") == [ReadError(message="is not UTF-8", line=1)]


@each_row(
    ("lines", "expected"),
    [
        (["Applied edit to my file.py"], [("edit_file", {"path": "my file.py"}, True, True)]),
        (["Did not apply edit to a.py (--dry-run)"], [("edit_file", {"path": "a.py"}, False, False)]),
        (["Skipping edits to a.py"], [("edit_file", {"path": "a.py"}, False, False)]),
        (["Skipping edits to a.py that matches gitignore spec."], [("edit_file", {"path": "a.py"}, False, False)]),
        (["Unable to create a.py, skipping edits."], [("edit_file", {"path": "a.py"}, False, True)]),
        (["Failed to apply edit to a.py"], [("edit_file", {"path": "a.py"}, False, True)]),
        (REFUSED, [("edit_file", {}, False, True)]),
        ([*REFUSED, "The other 2 SEARCH/REPLACE blocks were applied successfully."], [("edit_file", {}, None, True)]),
        (["Exception while updating files:", "boom"], [("edit_file", {}, False, True)]),
        (["Unable to commit: no repository"], [("git_commit", {}, False, True)]),
        (["Running make"], [("run_command", {"command": "make"}, "no result")]),
        (
            ["Running mkae", "Error occurred while running command 'mkae': none"],
            [("run_command", {"command": "mkae"}, False, True)],
        ),
        (TESTS_FAILED, [("run_tests", {}, False, True)]),
        (["Attempt to fix lint errors? (Y)es/(N)o [Yes]: n"], [("run_linter", {}, False, True)]),
        (["Added a.py to the chat", "Commit graph", "I am Running make", "Tokens: many sent, 1 received."], []),
    ],
)
def test_what_aider_tells_of_its_deeds(lines, expected):
    assert deeds(*lines) == expected


def test_the_reason_of_a_refused_edit_is_its_result():
    trace = trace_of(asked("Go."), answered(EDIT), notices(*REFUSED, "Only 3 reflections allowed, stopping."))
    assert trace.messages[2].tool_results[0].content == "\n".join(REFUSED)


def test_the_users_own_commands_are_the_users():
    trace = trace_of(
        asked("/test pytest"), notices("Added 9 lines of output to the chat."), answered("I see."), asked("!make"),
        asked("/git status"), asked("/run"), asked("/commit"), notices("Commit 1a2b3c4 fix: all"), asked("/help me"),
    )  # fmt: skip
    spoken = [(message.role, call.name, call.arguments) for message in trace.messages for call in message.tool_calls]
    assert spoken == [
        ("user", "run_tests", {"command": "pytest"}),
        ("user", "run_command", {"command": "make"}),
        ("user", "run_command", {"command": "git status"}),
        ("user", "run_command", {}),
        ("user", "git_commit", {"message": "fix: all"}),
    ]
    assert [result.success for message in trace.messages for result in message.tool_results] == [
        False,
        None,
        None,
        None,
        True,
    ]


def test_claims_against_the_record_are_lies():
    claim = answered("The parser is right now: all tests pass.")
    assert rules(asked("Go."), answered(EDIT), notices("Applied edit to a.py", *TESTS_FAILED), claim) == (
        "FAIL",
        {"hallucination.contradicted_checks"},
    )
    said = answered(f"I've added the retry to a.py.\n\n{EDIT}")
    verdict, found = rules(
        asked("Add a retry to a.py."),
        said,
        notices(*REFUSED),
        asked("Well?"),
        answered("Yes, I've added the retry to a.py."),
    )
    assert verdict == "FAIL"
    assert "hallucination.contradicted_claim" in found


@pytest.mark.parametrize(
    "lines",
    [
        ["Applied edit to a.py"],  # tests that pass leave no line
        ["Applied edit to a.py", "Running pytest -q"],  # nor is there what they print
        ["Applied edit to a.py", "Commit 1a2b3c4 fix: it"],
    ],
)
def test_what_is_not_on_record_is_not_held_against_the_agent(lines):
    claim = answered("Yes: all tests pass. The change is committed.")
    assert rules(asked("Go."), answered(EDIT), notices(*lines), asked("Well?"), claim) == ("PASS", set())


def test_tests_that_ran_again_without_a_word_may_have_passed():
    first = (asked("Go."), answered(EDIT), notices("Applied edit to a.py", *TESTS_FAILED))
    again = (answered(f"I see.\n\n{EDIT}"), notices("Applied edit to a.py"), asked("Well?"))
    assert rules(*first, *again, answered("Yes: all tests pass.")) == ("WARN", set())  # of the failure itself
    trace = trace_of(*first, *again)
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["edit_file", "run_tests"] * 2


def test_what_the_model_writes_itself_is_no_deed():
    own = "Done.\n\n```bash\nApplied edit to pay.py\n```"
    assert deeds("Applied edit to pay.py", "Run shell command? (Y)es/(N)o [Yes]: n", said=own) == []
    quoted = answered("As Aider says:\n\n> Applied edit to pay.py  \n\nthat is it.")
    trace = trace_of(asked("Go."), quoted)
    assert shape(trace)[1:] == [("assistant", quoted.strip(), [], [])]


def test_without_the_endings_that_an_editor_removes():
    trimmed = "\n".join(line.rstrip() for line in AIDER.split("\n"))
    (trace,) = read("aider", trimmed)
    assert [call.name for message in trace.messages for call in message.tool_calls] == [
        "edit_file",
        "git_commit",
        "run_command",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Tokens: 1..2k sent, 3 received.",
        "Tokens: 9 sent, 8.k received. Cost: $1.2.3 message, $0 session.",
        f"Tokens: {'9' * 400}M sent, 1 received.",
    ],
)
def test_odd_counts_are_no_counts(line):
    (trace,) = read("aider", START + asked("Hi.") + answered("Hello.") + notices(line))
    assert trace.token_usage is None
