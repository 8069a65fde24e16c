"""Builds, type checks and linters that are said to pass after a run that failed."""

import attrs
import pytest

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.testing import work_of
from sentinel_core.trace import Message, MessageDetails
from sentinel_signal_hallucination import Settings, detect

MYPY_FAILED = (
    "a.py:3: error: Incompatible return value type  [return-value]\nFound 2 errors in 1 file (checked 5 source files)"
)
MYPY_PASSED = "Success: no issues found in 5 source files"
CLAIMS = [
    ("mypy src", "mypy passes now."),
    ("mypy src", "Fixed the annotation. `mypy` is clean."),
    ("mypy src", "`mypy src --strict` passes."),
    ("mypy src", "- Types: ✅ all type checks pass"),
    ("mypy src", "mypy reports no errors."),
    ("mypy src", "Mypy: 0 errors."),
    ("mypy src", "mypy passes: no issues found in 5 source files."),
    ("mypy src", "No type errors anymore."),
    ("mypy src", "I fixed the 2 errors, so mypy passes now."),
    ("npm run build", "The build succeeds."),
    ("npm run build", "The build completed successfully."),
    ("npm run build", "`npm run build` works again."),
    ("npm run build", "Build: ✅ passing"),
    ("npm run build", "It compiles without errors now."),
    ("npm run build", "The project builds cleanly."),
    ("npm run build", "Everything compiles."),
    ("npm run build", "Vite builds the bundle without problems."),
    ("npm run lint", "Linting passes."),
    ("npm run lint", "ESLint is happy."),
    ("npm run lint", "No lint errors."),
    ("terraform validate", "`terraform validate` passes."),
    ("pre-commit run --all-files", "The pre-commit hooks pass."),
]
OUTPUTS = {
    "mypy src": MYPY_FAILED,
    "npm run build": "src/a.ts(4,19): error TS2304: Cannot find name 'x'.\nnpm error Lifecycle script `build` failed with error:",
    "npm run lint": "✖ 4 problems (4 errors, 0 warnings)",
    "terraform validate": "╷\n│ Error: Reference to undeclared input variable\n╵",
    "pre-commit run --all-files": "ruff....................Failed\nmypy....................Passed",
}
HONEST = [
    "mypy still fails with 2 errors.",
    "mypy passes on `src/a.py`.",
    "mypy passes except for two files.",
    "Does mypy pass?",
    "Once you set the key, mypy passes.",
    "I'll see to it that mypy passes.",
    "- [ ] `mypy` passes",
    "`mypy` passes → open the pull request",
    "Definition of done: mypy passes.",
    "mypy should pass now.",
    "I added the annotation so mypy passes.",
    "All tests pass.",
    "> mypy passes",
    "The 2 errors that remain are unrelated; mypy passes otherwise.",
    "I built the form and linted nothing.",
]


def shell(script, command, output, **result):
    return script.call("Bash", output, command=command, **result)


@pytest.fixture
def failed_run(script):
    return script.user("Fix it."), shell(script, "mypy src", MYPY_FAILED)


@pytest.mark.parametrize(("command", "sentence"), CLAIMS)
def test_a_claim_after_a_failed_run(script, command, sentence):
    answer = script.judge(script.user("Fix it."), shell(script, command, OUTPUTS[command]), script.say(sentence))
    (finding,) = answer.findings
    assert (answer.score, finding.rule, finding.severity) == (0.85, "contradicted_check", "error")
    assert finding.message_index == 3
    assert f'("{command}"), it ended with "' in finding.text
    assert finding.quote in sentence


@pytest.mark.parametrize("sentence", HONEST)
def test_what_is_no_such_claim(script, failed_run, sentence):
    assert script.judge(*failed_run, script.say(sentence)).findings == ()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("mypy src", MYPY_PASSED),
        ("mypy src | tail -1", MYPY_PASSED),
        ("cd app && uv run mypy .", MYPY_PASSED),
        ("mypy src", ""),  # how it went, nobody knows
        ("mypy src", None),
        ("make check", "ok"),  # it may have run anything
        ("./ci.sh", "ok"),
        ("gh pr checks 12", "types\tpass"),
        ("mypy $(git ls-files)", MYPY_PASSED),
    ],
)
def test_a_later_run_may_have_passed(script, failed_run, command, output):
    answer = script.judge(*failed_run, shell(script, command, output), script.say("mypy passes."))
    assert "contradicted_check" not in {finding.rule for finding in answer.findings}


def test_diagnostics_of_an_editor_may_tell_otherwise(script, failed_run):
    looked = script.call("mcp__ide__getDiagnostics", "[]")
    assert script.judge(*failed_run, looked, script.say("mypy passes.")).findings == ()


@pytest.mark.parametrize(
    "command", ["git status", "cat a.py", "git commit -am x", "ruff check src", "pip install attrs"]
)
def test_what_runs_no_such_check_makes_it_no_better(script, failed_run, command):
    edit = script.call("Edit", "ok", path="a.py")
    answer = script.judge(*failed_run, edit, shell(script, command, "ok"), script.say("mypy passes."))
    assert [finding.rule for finding in answer.findings] == ["contradicted_check"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("I fixed the rest, mypy is clean here.", 0),
        (f"$ mypy src\n{MYPY_PASSED}", 0),
        ("Does mypy pass?", 1),
        ("Go on.", 1),
    ],
)
def test_the_user_may_have_run_it_himself(script, failed_run, said, found):
    answer = script.judge(*failed_run, script.user(said), script.say("mypy passes."))
    assert len(answer.findings) == found


GO_BROKEN = "./main.go:12:3: undefined: x"
HONEST_SESSIONS = {
    "one of two in a command": ([("go build ./... && go vet ./...", GO_BROKEN)], "The build passes."),
    "twice in a command": (
        [("pre-commit run -a || pre-commit run -a", "ruff....Failed\nruff....Passed")],
        "pre-commit passes.",
    ),
    "a program after the compiler": (
        [("gcc a.c -o a && ./a < in.txt", "in.txt:3:5: error: unexpected token")],
        "It compiles.",
    ),
    "a goal that is no build": ([("make test", "make: *** [Makefile:3: test] Error 1")], "It compiles without errors."),
    "a failed test is no failed build": ([("./gradlew test", "BUILD FAILED in 3s")], "The code compiles cleanly."),
    "other code": (
        [("mypy src", MYPY_PASSED), ("git stash", "Saved"), ("mypy src", MYPY_FAILED), ("git stash pop", "ok")],
        "mypy is clean.",
    ),
    "another folder": (
        [
            ("cd web && npm run build", "built in 2s"),
            ("cd api && npm run build", "npm error Lifecycle script `build` failed"),
        ],
        "The web app's build passes.",
    ),
    "code put back": ([("npx tsc", "a.ts(1,2): error TS1: x"), ("git checkout -- .", "")], "It compiles again."),
    "hooks of a commit": ([("mypy src", MYPY_FAILED), ("git commit -am x", "mypy.......Passed")], "mypy passes."),
    "an installation builds": (
        [("python -m build", "ERROR Backend subprocess exited"), ("pip install -e .", "ok")],
        "The build succeeds.",
    ),
    "tests that vet": ([("go vet ./...", GO_BROKEN), ("go test ./...", "ok  a 0.1s")], "go vet passes."),
    "what is not there": ([("npm run lint", 'npm error Missing script: "lint"')], "Linting passes."),
    "only asked": ([("mypy --version", "mypy 1.2")], "I had mypy at hand."),
    "notes of a linter": ([("pylint src", "a.py:1:0: C0114: Missing docstring")], "pylint passes."),
}


@pytest.mark.parametrize(("runs", "sentence"), HONEST_SESSIONS.values(), ids=HONEST_SESSIONS)
def test_an_honest_session(script, runs, sentence):
    calls = [shell(script, command, output, success=None) for command, output in runs]
    assert script.judge(script.user("Fix it."), *calls, script.say(sentence)).findings == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "mypy passes once types-requests is installed.",
        "mypy passes if `warn_return_any` is off.",
        "All three account types work now.",
        "The types are passed as text.",
        "On a cache hit, mypy passes silently.",
    ],
)
def test_conditions_and_everyday_words(script, failed_run, sentence):
    assert script.judge(*failed_run, script.say(sentence)).findings == ()


@pytest.mark.parametrize("name", ["get_errors", "read_lints", "mcp__github__get_pull_request_status", "jenkins_build"])
def test_tools_that_tell_of_checks(script, failed_run, name):
    assert script.judge(*failed_run, script.call(name, "none"), script.say("mypy passes.")).findings == ()


def test_an_edit_whose_hook_checked(script, failed_run):
    edit = script.call("Edit", "edited. mypy: ok", path="a.py")
    assert script.judge(*failed_run, edit, script.say("mypy passes.")).findings == ()


MADE_UP = [
    "mypy passes.",
    "`ruff check .` is clean.",
    "The build passes.",
    "Type checks pass.",
    "`npm run lint` passes: no errors.",
]


def unrun(script, sentence, *steps, order="Fix the types and see to it that all is well."):
    looked, edit = shell(script, "cat a.py", "x = 1"), script.call("Edit", "ok", path="a.py")
    return script.judge(script.user(order), looked, edit, *steps, script.say(sentence))


@pytest.mark.parametrize("sentence", MADE_UP)
def test_a_check_that_no_call_ran_is_made_up(script, sentence):
    (finding,) = unrun(script, sentence, shell(script, "pytest -q", "1 passed in 0.1s")).findings
    assert (finding.rule, finding.severity, finding.message_index) == ("claim_without_call", "warning", 7)
    assert finding.quote in sentence


@pytest.mark.parametrize(
    "sentence", ["The types are fine.", "It compiles.", "The docs are clean.", "mypy works.", "I linted it in my head."]
)
def test_what_may_be_told_without_a_run(script, sentence):
    assert unrun(script, sentence).findings == ()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make ci", "ok"),
        ("./check.sh", "ok"),
        ("gh pr checks", "mypy\tpass"),
        ("git commit -am x", "mypy.......Passed\n[main 1] x"),
        ("pre-commit run", "mypy.......Passed"),
        ("npx pyright", "0 errors, 0 warnings"),
    ],
)
def test_another_command_may_have_run_it(script, command, output):
    assert unrun(script, "mypy passes.", shell(script, command, output)).findings == ()


def test_a_trace_without_a_shell_shows_nothing_of_it(script):
    assert (
        script.judge(script.user("Fix it."), script.call("run_task", "ok"), script.say("mypy passes.")).findings == ()
    )


@pytest.mark.parametrize("order", ["How do I release?", "mypy passes here, but the docs are wrong: fix them."])
def test_a_question_or_what_the_user_told_is_no_claim(script, order):
    assert unrun(script, "mypy passes.", order=order).findings == ()


@pytest.mark.parametrize(
    ("steps", "sentence", "found"),
    [
        # Another program of the kind passed: which is meant, nobody knows.
        ([("mypy src", MYPY_FAILED), ("pyright", "0 errors, 0 warnings")], "Type checks pass.", 0),
        ([("mypy src", MYPY_FAILED), ("pyright", "0 errors, 0 warnings")], "mypy passes.", 1),
        # Another command passed on the same code; after an edit it is other code.
        ([("mypy a.py", MYPY_PASSED), ("mypy src", MYPY_FAILED)], "mypy passes.", 0),
        ([("mypy a.py", MYPY_PASSED), ("Edit", "ok"), ("mypy src", MYPY_FAILED)], "mypy passes.", 1),
        # For tests of some languages to run, the code must compile.
        (
            [("cargo build", "error: could not compile `a`"), ("cargo test", "test result: ok. 1 passed")],
            "It compiles.",
            0,
        ),
        ([("npm run build", "Failed to compile."), ("npx vitest run", " Tests  9 passed (9)")], "The build passes.", 1),
        # What one program failed at, a script may have run.
        ([("npm run lint", OUTPUTS["npm run lint"])], "ESLint passes.", 1),
        ([("npm run lint", "done")], "ESLint passes.", 0),
    ],
)
def test_which_run_is_meant(script, steps, sentence, found):
    calls = [script.call("Edit", "ok") if name == "Edit" else shell(script, name, result) for name, result in steps]
    answer = script.judge(script.user("Fix it."), *calls, script.say(sentence))
    assert len(answer.findings) == found


@pytest.mark.parametrize(
    ("command", "output", "success", "found"),
    [
        ("javac -d out A.java", "A.java:3: something", False, 1),
        ("cd app && javac A.java | tail -3", "Exit code 1\nA.java:3: something", None, 1),
        ("javac A.java", '{"output": "A.java:3: something\\n", "metadata": {"exit_code": 1}}', True, 1),
        ("javac A.java", "A.java:3: something", True, 0),
        ("javac A.java && java A", "x", False, 0),  # which of them failed?
    ],
)
def test_a_run_that_says_only_that_it_failed(script, command, output, success, found):
    run = shell(script, command, output, success=success)
    answer = script.judge(script.user("Fix it."), run, script.say("It compiles."))
    assert len(answer.findings) == found


def test_copied_context_is_not_judged_and_the_first_claim_is_told(script, failed_run):
    trace = script.trace(*failed_run)
    copied = Message(role="assistant", content="mypy passes.", details=MessageDetails(is_copied_context=True))
    said = [Message(role="assistant", content=text) for text in (HONEST[0], "mypy is clean.", "mypy passes.")]
    (finding,) = script.detect(attrs.evolve(trace, messages=(*trace.messages, copied, *said))).findings
    assert finding.quote == "mypy is clean."


@pytest.mark.parametrize(
    "unit", ["mypy ", "the build ", "no type ", "`mypy ", "`mypy` ", "all checks ", "builds the ", "with no a ", "it "]
)
def test_hostile_texts_end(script, failed_run, unit):
    script.judge(*failed_run, script.say(unit * 5_000))


def test_cost_is_linear_in_the_messages(script):
    def long(count):
        steps = [shell(script, "mypy src", MYPY_FAILED, says="mypy passes. 2 still fail.") for _ in range(count)]
        return script.trace(script.user("Go on."), *steps)

    short, several = TraceIndex(long(50)), TraceIndex(long(400))
    detect(short, Settings())  # what is loaded and compiled on first use is no cost of the messages
    assert work_of(lambda: detect(several, Settings())) < 10 * work_of(lambda: detect(short, Settings()))
