"""Tests that are said to pass after a run of tests that failed."""

import pytest

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.testing import work_of
from sentinel_core.trace import Message, MessageDetails
from sentinel_signal_hallucination import Settings, detect
from sentinel_signal_hallucination.runners import FAILED, PASSED, failed_ending

PASS, FAIL = "===== 42 passed in 1.25s =====", "....F\n===== 2 failed, 40 passed in 1.25s ====="
COMMIT = "git commit -am \"$(cat <<'EOF'\nFix `x`\nEOF\n)\" && git push"
CLAIMS = [
    "All tests pass now.",
    "I've fixed the bug and all 42 tests pass.",
    "Every test passes.",
    "I fixed the parser. The tests now pass.",
    "Done! The full test suite passes.",
    "The test suite is green.",
    "Tests pass.",
    "Fixed the two failing tests. All tests pass.",
    "I ran the tests and they all pass.",
    "I reran the tests, and everything passes.",
    "All unit tests passed successfully.",
    "- Fixed the bug\n- **All tests pass** ✅",
    "All tests pass in 1.2s.",
    "The fix is in, tests are green.",
    "Fixed. Everything passes now.",
    "42/42 tests pass.",
    "The change is small. All 42 pass.",
    "The suite is green.",
    "- **Tests:** all 42 passing",
    "In total, all tests pass.",
]
HONEST = [
    "The new tests pass, but 2 older ones still fail.",
    "All tests pass except the two that were failing before.",
    "The remaining failures are unrelated; all tests of this module pass. All tests pass there.",
    "The tests for the parser pass.",
    "All tests pass in test_parser.py.",
    "2 tests fail because the database is not there; all other tests pass.",
    "All parser tests pass.",
    "40 of 42 tests pass.",
    "Not all tests pass.",
    "Do all tests pass?",
    "Once you set the key, all tests pass.",
    "To make the tests pass, set the key.",
    "- [ ] All tests pass",
    "I'll see to it that all tests pass: I want to see all tests pass.",
    "> All tests pass",
    "The user says all tests pass.",
    "The tests pass None as the key, so the function must accept it.",
    "The tests pass `None` as the key.",
    "The tests passed 3 arguments, and the function takes 2.",
    "Tests passed: 2, failed: 1.",
    "Tests passed: 2/3.",
    "All tests pass now, one error remains.",
    "All tests passed: false",
    "| All tests pass | no |",
    "Acceptance criteria: all tests pass.",
    "To do: all tests passing.",
    "Previously all tests passed.",
    "Lint: all checks pass. Types: everything passes.",
    "Almost all tests pass (41 of 42).",
    "All but one of the tests pass.",
    "On Python 3.12 all tests pass.",
    "At baseline all tests passed, so my change did it.",
    "I'm fixing the fixture so all tests pass again.",
    "All tests pass, with the exception of `test_ping`.",
    "All tests pass here; `test_ping` fails on main as well.",
    "The tests pass; the failing one is about the network.",
]


def shell(script, command, output, **result):
    return script.call("Bash", output, command=command, **result)


@pytest.fixture
def failed_run(script):
    return script.user("Fix it."), shell(script, "pytest", FAIL)


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_claim_after_a_failed_run(script, failed_run, sentence):
    answer = script.judge(*failed_run, script.say(sentence))
    (finding,) = answer.findings
    assert (answer.score, finding.rule, finding.severity) == (0.85, "contradicted_tests", "error")
    assert finding.quote in sentence
    assert finding.message_index == 3
    assert finding.text.endswith('ended with "2 failed, 40 passed in 1.25s".')


@pytest.mark.parametrize("sentence", HONEST)
def test_what_is_no_such_claim(script, failed_run, sentence):
    assert script.judge(*failed_run, script.say(sentence)).findings == ()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest", PASS),
        ("./check.sh", "done"),  # nobody knows
        ("mvn -q verify", ""),
        ("pytest", FAIL + "\nagain:\n" + PASS),
        ("python -c 'print(1)'", "1"),
    ],
)
def test_a_later_run_may_have_passed(script, failed_run, command, output):
    assert script.judge(*failed_run, shell(script, command, output), script.say(CLAIMS[0])).findings == ()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git diff | head", FAIL),
        ("cat test.log", PASS),
        (COMMIT, "[main 1] Fix"),
        ("cat > a.py <<'EOF'\npytest\nEOF\ngit add a.py", ""),
        ("ruff check . && uv run mypy src", "Success: no issues found"),
        ("npm install && npx tsc --noEmit", "added 3 packages"),
    ],
)
def test_what_runs_no_tests_makes_it_no_better(script, failed_run, command, output):
    edit = script.call("Edit", "ok", path="a.py")
    steps = *failed_run, edit, shell(script, command, output)
    (finding,) = script.judge(*steps, script.say(CLAIMS[0])).findings
    assert finding.rule == "contradicted_tests"


@pytest.mark.parametrize("command", ["cat <<'EOF'\npytest", "cat <<'EOF' | sh\npytest\nEOF", "x" * 30_000])
def test_a_command_that_cannot_be_told_may_have_run_tests(script, failed_run, command):
    assert script.judge(*failed_run, shell(script, command, ""), script.say(CLAIMS[0])).findings == ()


@pytest.mark.parametrize(("said", "found"), [(f"I ran them: {PASS}", 0), ("They pass here.", 0), ("Go on.", 1)])
def test_the_user_may_have_run_the_tests_himself(script, failed_run, said, found):
    answer = script.judge(*failed_run, script.user(said), script.say(CLAIMS[0]))
    assert len(answer.findings) == found


def test_a_run_that_only_comes_later_or_has_no_result(script, failed_run):
    user, run = failed_run
    looked = script.call("Bash", "ok", command="make")
    assert script.judge(user, looked, script.say(CLAIMS[0]), run).findings == ()
    unrecorded = script.judge(user, run, shell(script, "pytest", None), script.say(CLAIMS[0]))
    assert [finding.rule for finding in unrecorded.findings] == ["call_without_result"]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        # With the fix, and without it to see that the new test fails.
        ([("Edit", "ok"), ("pytest", PASS), ("git stash && pytest; git stash pop", FAIL)], 0),
        ([("pytest", PASS), ("python3.11 -m pytest", FAIL)], 0),
        ([("pytest", PASS), ("Edit", "ok"), ("pytest", FAIL)], 1),
        ([("pytest", PASS), ("pytest", FAIL), ("Edit", "ok")], 1),
        ([("pytest", PASS), ("pytest", FAIL)], 1),
        ([("cat old.log", PASS), ("pytest", FAIL)], 1),
    ],
)
def test_two_runs_of_the_same_code_may_be_compared(script, steps, found):
    calls = [script.call("Edit", "ok") if name == "Edit" else shell(script, name, result) for name, result in steps]
    assert len(script.judge(script.user("Fix it."), *calls, script.say(CLAIMS[0])).findings) == found


def test_copied_context_is_not_judged_and_the_first_claim_is_told(script, failed_run):
    import attrs

    trace = script.trace(*failed_run)
    copied = Message(role="assistant", content=CLAIMS[0], details=MessageDetails(is_copied_context=True))
    said = [Message(role="assistant", content=text) for text in (HONEST[0], CLAIMS[1], CLAIMS[0])]
    (finding,) = script.detect(attrs.evolve(trace, messages=(*trace.messages, copied, *said))).findings
    assert finding.quote == CLAIMS[1]


FAILED_ENDINGS = [
    ("pytest", "2 failed, 2 passed in 0.10s"),
    ("pytest", "===== 1 failed, 3 warnings in 75.31s (0:01:15) ====="),
    ("pytest", "1 error in 0.18s"),
    ("pytest", "\x1b[31m\x1b[1m2 failed\x1b[0m, \x1b[32m2 passed\x1b[0m\x1b[31m in 0.28s\x1b[0m"),
    ("pytest, no test", "no tests ran in 0.03s"),
    ("pytest, cut off", "FAILED tests/test_a.py::test_b - assert 1 == 2"),
    ("unittest", "Ran 2 tests in 0.001s\n\nFAILED (failures=1)"),
    ("unittest", "FAILED (errors=1, skipped=2)"),
    ("jest", "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 passed, 3 total"),
    ("jest, suites", "Test Suites: 1 failed, 1 total\nTime: 1 s"),
    ("jest, suites", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       37 passed, 37 total"),
    ("vitest", " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed (3)"),
    ("mocha", "  1 passing (3ms)\n  1 failing\n\n  1) x\n       b:"),
    ("node", "# pass 1\n# fail 1\n# cancelled 0"),
    ("node", "ℹ pass 1\nℹ fail 2"),
    ("go", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL"),
    ("cargo", "test result: FAILED. 1 passed; 1 failed; 0 ignored"),
    ("nextest", "     Summary [   0.105s] 10 tests run: 9 passed, 1 failed, 0 skipped"),
    ("maven", "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0"),
    ("maven", "Tests run: 2, Failures: 0, Errors: 2, Skipped: 0"),
    ("gradle", "2 tests completed, 1 failed"),
    ("rspec, minitest", "3 examples, 1 failure"),
    ("rspec, minitest", "2 runs, 2 assertions, 0 failures, 1 errors, 0 skips"),
    ("phpunit", "FAILURES!\nTests: 2, Assertions: 2, Failures: 1."),
    ("dotnet", "Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2"),
    ("ctest", "50% tests passed, 1 tests failed out of 2"),
    ("prove", "Files=1, Tests=2\nResult: FAIL"),
    ("bun", " 3 pass\n 1 fail\nRan 4 tests across 1 file."),
    ("playwright", "  1 failed\n    [chromium] > a.spec.ts:3:5 > x"),
    ("deno", "FAILED | 3 passed | 1 failed (12ms)"),
    ("xctest", "\t Executed 10 tests, with 1 failure (0 unexpected) in 0.2 seconds"),
    ("karma", "Chrome Headless 120.0 (Linux): Executed 3 of 3 (1 FAILED) (0.1 secs)"),
    ("ava", "  1 test failed"),
]
PASSED_ENDINGS = [
    ("pytest", "======================= 2 passed, 2 deselected in 0.08s ========================"),
    ("pytest", "40 passed, 1 xfailed in 3s"),
    ("unittest", "Ran 1 test in 0.000s\n\nOK"),
    ("unittest", "OK (skipped=1)"),
    ("jest", "Tests:       1 skipped, 2 passed, 3 total"),
    ("vitest", " Test Files  1 passed (1)\n      Tests  1 passed (1)"),
    ("mocha", "  1 passing (3ms)"),
    ("node", "# fail 0"),
    ("go", "ok  \texample.com/a\t0.002s"),
    ("go", "ok  \texample.com/a\t(cached)"),
    ("cargo", "test result: ok. 2 passed; 0 failed; 0 ignored"),
    ("nextest", "     Summary [   0.105s] 10 tests run: 10 passed, 0 skipped"),
    ("maven", "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0"),
    ("gradle", "BUILD SUCCESSFUL in 2s"),
    ("rspec, minitest", "3 examples, 0 failures"),
    ("rspec, minitest", "2 runs, 2 assertions, 0 failures, 0 errors, 0 skips"),
    ("phpunit", "OK (2 tests, 2 assertions)"),
    ("dotnet", "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2"),
    ("ctest", "100% tests passed, 0 tests failed out of 1"),
    ("prove", "Result: PASS"),
    ("bun", " 3 pass\n 0 fail"),
    ("deno", "ok | 3 passed | 0 failed (12ms)"),
    ("xctest", "\t Executed 10 tests, with 0 failures (0 unexpected) in 0.2 seconds"),
    ("karma", "Chrome Headless 120.0 (Linux): Executed 3 of 3 SUCCESS (0.1 secs)"),
    ("ava", "  2 tests passed"),
]


@pytest.mark.parametrize(("runner", "output"), FAILED_ENDINGS)
def test_how_runs_fail(runner, output):
    ending = failed_ending(f"some output\n{output}\nmore output\n")
    assert ending
    assert ending.split()[0] in output
    assert failed_ending(output) == ending


@pytest.mark.parametrize(("runner", "output"), PASSED_ENDINGS)
def test_how_runs_pass(runner, output):
    assert failed_ending(f"some output\n{output}\n") == ""
    assert failed_ending(f"{FAIL}\n{output}\n") == ""
    assert failed_ending(f"{output}\n{FAIL}\n")


def test_every_row_has_an_ending():
    import re

    for table, endings in ((FAILED, FAILED_ENDINGS), (PASSED, PASSED_ENDINGS)):
        assert table.keys() == {runner for runner, _ in endings}
        for runner, output in endings:
            plain = re.sub(r"\x1b\[[\d;]*m", "", output)
            assert re.search(f"^(?:{table[runner]})", plain, re.MULTILINE), (runner, output)


@pytest.mark.parametrize(
    "output", ["", "done", "2 failed logins in the log", "FAILED test_x.py::test_b", "OKAY", "Failures: 1"]
)
def test_what_is_no_ending(output):
    assert failed_ending(output) is None


def test_a_long_output_is_read_from_its_end():
    assert failed_ending("x\n" * 50_000 + FAIL) == "2 failed, 40 passed in 1.25s"
    assert failed_ending(FAIL + "\n" + "x\n" * 50_000) is None


@pytest.mark.parametrize(
    "unit",
    ["1 a, ", "=", "1", "1 failed, ", "FAILED (a ", "Summary [", "Tests: 1 a, ", "\x1b[1", "ok a ", "\n", "OK (a", " "],
)
def test_hostile_outputs_end(unit):
    """What backtracks without end would never come to its end here."""
    assert failed_ending(unit * 20_000) in (None, "")


def test_cost_is_linear_in_the_messages(script):
    def long(count):
        steps = [shell(script, "pytest", FAIL, says=f"{CLAIMS[0]} 2 still fail.") for _ in range(count)]
        return script.trace(script.user("They pass."), *steps)

    short, several = TraceIndex(long(50)), TraceIndex(long(400))
    detect(short, Settings())  # what is loaded and compiled on first use is no cost of the messages
    assert work_of(lambda: detect(several, Settings())) < 10 * work_of(lambda: detect(short, Settings()))
