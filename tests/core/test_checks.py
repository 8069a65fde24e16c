"""Calls that check something: what they run, and how it went. The endings are what the programs print."""

import json

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex
from sentinel_core.evaluate.checks import Check
from sentinel_core.evaluate.shell import command_of, parts_of


def call_of(output, success=None, name="Bash", metadata=None, **arguments):
    """The one call of a trace, with its result; none where the output is None."""
    asked = Message(role="assistant", tool_calls=(ToolCall(id="c", name=name, arguments=arguments),))
    result = ToolResult(tool_call_id="c", content=output or "", success=success, metadata=metadata)
    told = () if output is None else (Message(role="tool", tool_results=(result,)),)
    return TraceIndex(ExecutionTrace(trace_id="t", messages=(asked, *told))).calls[0]


def check_of(command, output, success=None):
    return call_of(output, success, command=command).check


# Command, how a run ends that failed, and one that passed (None where it then says nothing).
ENDINGS = [
    ("tests", "pytest", "..F\n=== 1 failed, 2 passed in 0.31s ===", "...\n=== 3 passed, 1 skipped in 0.31s ==="),
    ("tests", "pytest -q", "..F\nFAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 2 passed in 0.31s", "3 passed in 0.31s"),
    ("tests", "pytest", "=== 2 errors in 0.31s ===", "=== 3 passed, 2 warnings in 0.31s ==="),
    ("tests", "python -m unittest", "Ran 3 tests in 0.1s\n\nFAILED (failures=1)", "Ran 3 tests in 0.1s\n\nOK"),
    ("tests", "python manage.py test", "Ran 3 tests in 0.1s\n\nFAILED (errors=1)", "Ran 3 tests in 0.1s\n\nOK (skipped=1)"),
    ("tests", "npx jest", "Tests:       1 failed, 2 passed, 3 total\nTime: 1 s", "Tests:       3 passed, 3 total\nTime: 1 s"),
    ("tests", "npx vitest run", " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n   Start at 10:00", " Test Files  1 passed (1)\n      Tests  3 passed (3)"),
    ("tests", "npx mocha", "  2 passing (9ms)\n  1 failing\n\n  1) adds:", "  3 passing (9ms)"),
    ("tests", "node --test", "# tests 3\n# pass 2\n# fail 1\n# todo 0", "# tests 3\n# pass 3\n# fail 0\n# todo 0"),
    ("tests", "npm test", "ℹ pass 2\nℹ fail 1", "ℹ pass 3\nℹ fail 0"),
    ("tests", "go test ./...", "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample/a\t0.002s\nFAIL", "ok  \texample/a\t0.002s"),
    ("tests", "cargo test", "test result: FAILED. 2 passed; 1 failed; 0 ignored", "test result: ok. 3 passed; 0 failed; 0 ignored"),
    ("tests", "cargo nextest run", "     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped", "     Summary [   0.1s] 3 tests run: 3 passed, 0 skipped"),
    ("tests", "mvn -q test", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0", "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0"),
    ("tests", "./gradlew test", "3 tests completed, 1 failed", "BUILD SUCCESSFUL in 3s"),
    ("tests", "bundle exec rspec", "3 examples, 1 failure", "3 examples, 0 failures"),
    ("tests", "rails test", "3 runs, 4 assertions, 0 failures, 1 errors, 0 skips", "3 runs, 4 assertions, 0 failures, 0 errors, 0 skips"),
    ("tests", "vendor/bin/phpunit", "FAILURES!\nTests: 3, Assertions: 4, Failures: 1.", "OK (3 tests, 4 assertions)"),
    ("tests", "dotnet test", "Failed!  - Failed:     1, Passed:     2, Skipped:     0", "Passed!  - Failed:     0, Passed:     3, Skipped:     0"),
    ("tests", "ctest", "67% tests passed, 1 tests failed out of 3", "100% tests passed, 0 tests failed out of 3"),
    ("tests", "prove -r t", "Result: FAIL", "Result: PASS"),
    ("tests", "bun test", " 2 pass\n 1 fail\nRan 3 tests across 1 files.", " 3 pass\n 0 fail\nRan 3 tests across 1 files."),
    ("tests", "npx playwright test", "  1 failed\n    a.spec.ts:3:1 › adds\n  2 passed (1.2s)", "  3 passed (1.2s)"),
    ("tests", "deno test", "FAILED | 2 passed | 1 failed (9ms)", "ok | 3 passed | 0 failed (9ms)"),
    ("tests", "swift test", "Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds", "Executed 3 tests, with 0 failures (0 unexpected) in 0.1 seconds"),
    ("tests", "make test", "1 failed, 2 passed in 0.31s\nmake: *** [Makefile:3: test] Error 1", "3 passed in 0.31s"),
    ("types", "mypy src", "a.py:3: error: x  [misc]\nFound 2 errors in 1 file (checked 5 source files)", "Success: no issues found in 5 source files"),
    ("types", "npx pyright", "3 errors, 0 warnings, 0 informations", "0 errors, 0 warnings, 0 informations"),
    ("types", "pnpm typecheck", "web:typecheck: src/a.ts(4,19): error TS2304: x\n\n Tasks:    5 successful, 6 total", "web:typecheck: ok\n\n Tasks:    6 successful, 6 total"),
    ("lint", "pnpm lint", "✖ 4 problems (3 errors, 1 warning)\n Tasks:    1 successful, 2 total", " Tasks:    2 successful, 2 total"),
    ("types", "npx tsc --noEmit", "src/a.ts(4,19): error TS2304: Cannot find name 'x'.", None),
    ("types", "tsc -w", "src/a.ts:4:19 - error TS2304: Cannot find name 'x'.\n\nFound 4 errors in 2 files.", "Found 0 errors. Watching"),
    ("types", "cargo check", "error[E0308]: mismatched types\nerror: could not compile `a` (lib) due to 1 previous error", "    Finished `dev` profile"),
    ("lint", "black --check .", "would reformat a.py\n\n1 file would be reformatted, 2 files would be left unchanged.", "3 files would be left unchanged."),
    ("lint", "uv run ruff check", "a.py:1:8: F401 x\nFound 2 errors.", "All checks passed!"),
    ("lint", "ruff check --fix", "Found 3 errors (1 fixed, 2 remaining).", "Found 3 errors (3 fixed, 0 remaining)."),
    ("lint", "flake8 src", "./a.py:1:1: F401 'os' imported but unused", None),
    ("lint", "pylint src", "a.py:4:95: E0602: Undefined variable 'x' (undefined-variable)", "Your code has been rated at 10.00/10"),
    ("lint", "npx eslint .", "✖ 4 problems (3 errors, 1 warning)", "✖ 1 problem (0 errors, 1 warning)"),
    ("lint", "npx prettier --check .", "[warn] Code style issues found in 2 files.", "All matched files use Prettier code style!"),
    ("lint", "isort --check .", "ERROR: /a/b.py Imports are incorrectly sorted and/or formatted.", None),
    ("lint", "shellcheck a.sh", "In a.sh line 3:\ncd $x\n   ^-- SC2164 (warning): x", None),
    ("lint", "cargo clippy", "error: could not compile `a` (lib) due to 3 previous errors", "    Finished `dev` profile"),
    ("lint", "go vet ./...", "limiter/a.go:10:2: error: fmt.Printf format %d has arg", None),
    ("lint", "npm run lint", "✖ 4 problems (4 errors, 0 warnings)", "✔ No ESLint warnings or errors"),
    ("lint", "pre-commit run -a", "mypy....................Passed\nruff....................Failed", "ruff....................Passed"),
    ("lint", "rubocop", "3 files inspected, 1 offense detected", "3 files inspected, no offenses detected"),
    ("build", "python -m build", "× Failed to build a", "Successfully built a-1.0.tar.gz"),
    ("build", "cargo build", "error: could not compile `a` (lib) due to 1 previous error", "    Finished `dev` profile"),
    ("build", "make", "parser.c:11:17: error: x undeclared\nmake: *** [Makefile:3: parser.o] Error 1", "[100%] Built target a"),
    ("build", "gcc a.c", "a.c:11:17: error: x undeclared", None),
    ("build", "npm run build", "x Build failed in 69ms\nerror during build:", "✓ built in 1.2s"),
    ("build", "npx webpack", "webpack 5.9 compiled with 2 errors in 30 ms", "webpack 5.9 compiled successfully in 30 ms"),
    ("build", "yarn build", " ELIFECYCLE  Command failed with exit code 2.", "Compiled successfully."),
    ("build", "./gradlew assemble", "BUILD FAILED in 3s", "BUILD SUCCESSFUL in 3s"),
    ("build", "mvn -q package", "[INFO] BUILD FAILURE", "[INFO] BUILD SUCCESS"),
    ("build", "javac A.java", "A.java:3: error: x\n2 errors", None),
    ("build", "dotnet build", "Build FAILED.", "Build succeeded."),
    ("build", "docker build .", "ERROR: failed to solve: process x did not complete", "Successfully built 1a2b3c"),
    ("build", "bazel build //...", "ERROR: Build did NOT complete successfully", "INFO: Build completed successfully, 3 total actions"),
    ("build", "swift build", "a.swift:1:2: error: x", "Build complete! (1.2s)"),
    ("build", "sphinx-build docs out", "build finished with problems, 7 errors.", "build succeeded."),
]  # fmt: skip


@each_row(("kind", "command", "failed", "passed"), ENDINGS)
def test_how_a_run_ended_is_told_from_what_it_printed(kind, command, failed, passed):
    for output, expected in ((failed, False), (passed, True)):
        check = check_of(command, f"some output\n{output}\n") if output is not None else check_of(command, "")
        assert (check.kind, check.passed) == (kind, expected), output
        assert check.ending in (output or "")
        assert bool(check.ending) == bool(output)


@each_row(("kind", "command", "failed", "passed"), [row for row in ENDINGS if row[3] is not None])
def test_the_last_of_two_runs_counts(kind, command, failed, passed):
    if "  1 failed" not in failed:  # Playwright's is looked for above what passed
        assert check_of(command, f"{failed}\nagain:\n{passed}\n").passed is True
    assert check_of(command, f"{passed}\nagain:\n{failed}\n").passed is False


@each_row(
    ("command", "told"),
    [
        ("cd x && FOO=1 uv run pytest tests/test_a.py -k 'adds' -x | tail -5", ("tests", "pytest tests/test_a.py -k 'adds' -x", ("tests/test_a.py", "-k 'adds'"))),
        ("bash -lc 'cd x && npx tsc --noEmit -p web'", ("types", "tsc --noEmit -p web", ())),
        ("python3 -m pytest tests/a.py::test_b 2>&1 | tail -20", ("tests", "pytest tests/a.py::test_b", ("tests/a.py::test_b",))),
        ("!pytest -q", ("tests", "pytest -q", ())),
        ("docker compose exec -T app pytest .", ("tests", "pytest .", ())),
        ("pytest < in.txt tests/a.py", ("tests", "pytest < in.txt tests/a.py", ("tests/a.py",))),
        (".venv/bin/mypy src tests > log.txt", ("types", "mypy src tests > log.txt", ("src", "tests"))),
        ("timeout 60 go test ./pkg/...", ("tests", "go test ./pkg/...", ("./pkg/...",))),
        ("cat > run.py <<'EOF'\npytest\nEOF\nruff check run.py", ("lint", "ruff check run.py", ("run.py",))),
        ("./scripts/run_tests.sh unit", ("tests", "./scripts/run_tests.sh unit", ("unit",))),
        ("make -j4", ("build", "make -j4", ())),
        ("cat <<A\nA\n" * 20 + "cat <<A\nA\nmypy a", ("types", "mypy a", ("a",))),
        ("pytest -q \\\n tests", ("tests", "pytest -q  tests", ("tests",))),
    ],
)  # fmt: skip
def test_what_is_run_is_told_from_the_command(command, told):
    check = check_of(command, "nothing telling")
    assert (check.kind, check.command, check.covers) == told


@each_row(
    "command",
    [
        "ls tests",
        "cat pytest.log",
        "git commit -m 'make tests pass'",
        "pip install pytest mypy",
        "pytest --version",
        "black .",
        "ruff format src",
        "echo pytest",
        "make clean",
        "cat > run.sh <<'EOF'\npytest\nEOF\n",
        "SELECT * FROM tests",
        "pytest-benchmark compare",
        "x" * 30_000,
    ],
)
def test_what_runs_no_check(command):
    assert check_of(command, "fine") is None


@each_row(
    ("command", "output", "success", "passed"),
    [
        ("pytest", "", True, True),
        ("pytest", "", None, None),
        ("pytest", "ImportError: no", False, False),
        ("pytest | tail", "", True, None),
        ("pytest | tail", "", False, None),
        ("set -o pipefail && pytest | tail", "", True, True),
        ("pytest || true", "", True, None),
        ("pytest; ls", "a.py", True, None),
        ("pytest; echo code $?", "code 1", True, False),
        ("pytest; echo code $?", "code 0", True, True),
        ("pytest; echo code $?", "cut", True, None),
        ("cd x && pytest && git push", "", True, True),
        ("cd x && pytest && git push", "", False, None),
        ("cd x && pytest && echo ok", "", False, False),
        ("pytest && git push", "3 passed in 1s\nrejected", False, True),
        # Some frameworks set the flag for every answer that arrives.
        ("pytest", "1 failed in 1s", True, False),
        ("pytest", "bash: pytest: command not found", False, None),
        ("pytest", "Exit code: 1\nboom", None, False),
        ("pytest", "Traceback (most recent call last):\nKeyError: 'a'", None, False),
        ("mypy a > log", "", None, None),
        ("mypy a", "", None, True),
        ("npm run build", "odd", None, None),
    ],
)
def test_an_exit_code_counts_where_nothing_hides_it(command, output, success, passed):
    assert check_of(command, output, success).passed is passed


def test_a_call_that_runs_several_checks_has_each_of_them():
    call = call_of(
        "All checks passed!\nFound 2 errors in 1 file (checked 5 source files)", command="ruff check && mypy src"
    )
    assert [(check.kind, check.passed) for check in call.checks] == [("lint", None), ("types", False)]
    call = call_of("All checks passed!\n3 passed in 1s", True, command="ruff check && pytest")
    assert [(check.kind, check.passed) for check in call.checks] == [("lint", True), ("tests", True)]
    assert call.check is call.checks[-1]


@each_row(
    ("name", "kind"),
    [
        ("run_tests", "tests"),
        ("runTests", "tests"),
        ("execute_unit_tests", "tests"),
        ("pytest", "tests"),
        ("lint", "lint"),
        ("run_linter", "lint"),
        ("type_check", "types"),
        ("getDiagnostics", "types"),
        ("build_project", "build"),
        ("get_test_details", None),
        ("test_connection", None),
        ("list_builds", None),
        ("search", None),
    ],
)
def test_a_tool_that_checks_is_told_by_its_whole_name(name, kind):
    check = call_of("1 failed, 2 passed", name=name, path="src").check
    assert (check and check.kind) == kind


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("pytest", {"command": "tests/test_a.py"}, "pytest tests/test_a.py"),
        ("create", {"command": "tests/test_a.py"}, None),
        ("jupyter_cell", {"code": "x = 1\n!pytest -q\n%cd a"}, "pytest -q"),
        ("execute_code", {"code": "pytest -q"}, "pytest -q"),
        ("execute_code", {"code": "import pytest\npytest.main()"}, None),
        ("get_build", {"command": "pytest"}, None),
    ],
)
def test_a_command_is_one_only_where_the_tool_runs_what_it_is_given(name, arguments, command):
    check = call_of("nothing telling", name=name, **arguments).check
    assert (check and check.command) == command


def test_a_script_is_told_by_what_the_call_says_of_itself():
    check = call_of("1 failed", command="./ci.sh", description="Run the unit tests").check
    assert check == Check("tests", False, "1 failed", "./ci.sh", ())
    assert call_of("1 failed", command="./ci.sh", description=3).check is None
    assert call_of("1 failed", command="./ci.sh", description="Show the tests").check is None


def test_a_run_of_tests_is_told_by_what_it_prints_whatever_ran_it():
    ran = "......\n----\nRan 6 tests in 0.000s\n\nOK\n"
    assert call_of(ran, name="execute_code", code="import a\na.main()").check == Check(
        "tests", True, "OK", "execute_code", ()
    )
    assert call_of(ran, command="cat log.txt").check is None
    assert call_of(None, command="python a.py").check is None
    assert call_of("6 passed", command="python a.py").check is None
    assert call_of(ran, command="#").check is None
    assert call_of(ran, command="./run").check is not None


def test_what_is_wrapped_in_json_or_coloured_is_read_and_quoted_as_it_stands():
    wrapped = json.dumps({"stdout": 'x\n  "a" 1 failed\n', "exit_code": 1})
    assert check_of("npx jest", wrapped).ending == '\\"a\\" 1 failed'
    assert check_of("npx jest", wrapped).ending in wrapped
    assert check_of("npx jest", '{"no JSON\n1 failed').ending == "1 failed"
    assert check_of("npx jest", '{"a": 1}').passed is None
    coloured = "\x1b[31m1 failed\x1b[0m, 2 passed"
    assert check_of("npx jest", coloured).ending in coloured
    assert check_of("npx jest", coloured).passed is False


def test_a_check_without_a_result_is_not_known_and_follows_its_result():
    index = TraceIndex(
        ExecutionTrace(
            trace_id="t", messages=(Message(role="assistant", tool_calls=(ToolCall(id="c", name="run_tests"),)),)
        )
    )
    assert index.calls[0].check == Check("tests", None, "", "run_tests", ())
    index.add(Message(role="tool", tool_results=(ToolResult(tool_call_id="c", content="1 failed"),)))
    assert index.calls[0].check.passed is False
    assert index.calls[0].checks is index.calls[0].checks


def test_the_command_is_found_in_the_arguments():
    assert command_of({"cmd": ["bash", "-lc", "ls -la"]}) == "ls -la"
    assert command_of({"command": ["ls", "-la"]}) == "ls -la"
    assert command_of({"path": "ls"}) is None
    assert command_of({"command": [1]}) is None


@each_row("piece", ["'", '"', "\\", "a 'b", "<<EOF\n", "& ", "A=1 ", "cd x && ", "docker exec ", "uv run --with a "])
def test_a_hostile_command_has_its_parts(piece):
    command = (piece * 20_000)[:19_990] + "\npytest -q"
    assert len(parts_of(command)) < 20_000
    assert parts_of(command + "x" * 100) == ()


@pytest.mark.parametrize("line", ["1 ", "a:1:", "error ", "= 1 passed, ", "x" * 300, " 1 failed", "FAILED"])
def test_a_hostile_output_is_read(line):
    check = check_of("pytest", line * 10_000 + "\n" + (line + "\n") * 2_000 + "1 failed")
    assert (check.passed, check.ending) == (False, "1 failed")


@pytest.mark.parametrize(
    ("report", "ending"),
    [
        ("I ran the suite: 2 failed, 12 passed.", "2 failed, 12 passed"),
        ("12 passed, 2 failed", "12 passed, 2 failed"),
        ("At first 2 failed, 12 passed. Now all 14 pass.", None),
        ("I fixed the 2 failed tests.", None),
        ("All 14 passed.", None),
    ],
)
def test_a_sub_agent_reports_a_failed_run_with_its_counts(report, ending):
    check = call_of(report, name="Task", prompt="Run the tests").check
    assert check == (None if ending is None else Check("tests", False, ending, "Task", ()))
    assert call_of(report, name="Read", file_path="a").check is None


@pytest.mark.parametrize(
    ("command", "output", "passed"),
    [
        ('hadolint Dockerfile && echo "rc 0" && docker build . | tail -2', "rc 0\nERROR: failed to solve: x", True),
        ("ruff check && echo clean && pytest -q", "clean\n1 failed, 2 passed", True),
        ("ruff check && echo clean && pytest -q", "a.py:1:1 E501 x\nFound 3 errors.", False),
        ("ruff check; echo clean", "a.py:1:1 E501 x\nFound 3 errors.\nclean", False),
        ("ruff check && echo $PWD && pytest -q", "$PWD\nFound 3 errors.", False),
    ],
)
def test_what_a_later_step_printed_shows_that_an_earlier_one_worked(command, output, passed):
    found = [check for check in call_of(output, None, command=command).checks if check.kind == "lint"]
    assert [check.passed for check in found] == [passed]


def test_a_call_without_a_result_printed_no_mark():
    message = Message(
        role="assistant",
        tool_calls=(ToolCall(id="a", name="Bash", arguments={"command": "ruff check && echo ok && ls"}),),
    )
    (call,) = TraceIndex(ExecutionTrace(trace_id="t", messages=(message,))).calls
    assert [check.passed for check in call.checks] == [None]
