"""How programs that check code are called, and how they end."""

import re

import pytest

from sentinel_signal_hallucination.checkers import CHECKERS, KINDS, SCRIPTS, passes
from sentinel_signal_hallucination.printed import printed

MYPY_FAILED = (
    "a.py:3: error: Incompatible return value type  [return-value]\nFound 2 errors in 1 file (checked 5 source files)"
)
MYPY_PASSED = "Success: no issues found in 5 source files"

# As the programs print them: how a run ends that failed, and one that passed where its output says so.
ENDINGS = [
    ("mypy", MYPY_FAILED, MYPY_PASSED),
    ("pyright", "  a.py:3:5 - error: x\n3 errors, 0 warnings, 0 informations", "0 errors, 0 warnings, 0 informations"),
    ("tsc", "src/a.ts(4,19): error TS2304: Cannot find name 'x'.", ""),
    (
        "tsc",
        "src/a.ts:4:19 - error TS2304: Cannot find name 'x'.\n\nFound 4 errors in 2 files.",
        "Found 0 errors. Watching",
    ),
    (
        "black",
        "would reformat a.py\n\n1 file would be reformatted, 2 files would be left unchanged.",
        "2 files would be left unchanged.",
    ),
    ("black", "error: cannot format a.py: Cannot parse: 1:4: x", "All done! ✨ 🍰 ✨"),
    ("ruff", "a.py:1:8: F401 x\nFound 2 errors.", "All checks passed!"),
    ("ruff", "Found 3 errors (1 fixed, 2 remaining).", "Found 3 errors (3 fixed, 0 remaining)."),
    ("flake8", "./a.py:1:1: F401 'os' imported but unused", ""),
    ("pylint", "a.py:4:95: E0602: Undefined variable 'x' (undefined-variable)", "Your code has been rated at 10.00/10"),
    ("eslint", "✖ 4 problems (3 errors, 1 warning)", "✖ 1 problem (0 errors, 1 warning)"),
    (
        "prettier",
        "[warn] Code style issues found in 2 files. Run Prettier with --write to fix.",
        "All matched files use Prettier code style!",
    ),
    ("isort", "ERROR: /a/b.py Imports are incorrectly sorted and/or formatted.", ""),
    ("formatter", "Diff in /a/src/lib.rs:1:", ""),
    ("shellcheck", "In a.sh line 3:\ncd $x\n   ^-- SC2164 (warning): x", ""),
    ("yamllint", "  5:10      error    syntax error: mapping values (syntax)", ""),
    ("syntax", "    if x\n        ^\nSyntaxError: expected ':'", ""),
    ("syntax", "run.sh: line 3: syntax error: unexpected end of file", ""),
    ("package", "ERROR Backend subprocess exited when trying to invoke build_wheel", "Successfully built a-1.0.tar.gz"),
    (
        "cargo",
        "error[E0308]: mismatched types\nerror: could not compile `a` (lib) due to 1 previous error",
        "    Finished `dev` profile",
    ),
    ("clippy", "error: could not compile `a` (lib) due to 3 previous errors", "    Finished `dev` profile"),
    ("go", "./main.go:12:3: undefined: x", ""),
    ("go vet", "limiter/limiter.go:10:2: fmt.Printf format %d has arg", ""),
    ("C", "parser.c:11:17: error: x undeclared\nmake: *** [Makefile:3: parser.o] Error 1", "[100%] Built target a"),
    ("script", "x Build failed in 69ms\nerror during build:", "✓ built in 1.2s"),
    ("script", "webpack 5.9 compiled with 2 errors in 30 ms", "webpack 5.9 compiled successfully in 30 ms"),
    ("script", " ELIFECYCLE  Command failed with exit code 2.", ""),
    ("script, lint", "✖ 4 problems (4 errors, 0 warnings)", "✔ No ESLint warnings or errors"),
    ("script, types", "a.ts(1,2): error TS1: x", ""),
    ("gradle", "BUILD FAILED in 3s", "BUILD SUCCESSFUL in 3s"),
    ("maven", "[INFO] BUILD FAILURE", "[INFO] BUILD SUCCESS"),
    ("javac", "A.java:3: error: x\n2 errors", ""),
    ("dotnet", "Build FAILED.", "Build succeeded."),
    ("docker", "ERROR: failed to solve: process x did not complete", "Successfully built 1a2b3c"),
    ("terraform", "│ Error: Reference to undeclared input variable", "Success! The configuration is valid."),
    ("helm", "Error: 1 chart(s) linted, 1 chart(s) failed", "1 chart(s) linted, 0 chart(s) failed"),
    ("kubectl", 'The Service "api" is invalid: spec.ports[0]', "service/api created (dry run)"),
    ("bazel", "ERROR: Build did NOT complete successfully", "INFO: Build completed successfully, 3 total actions"),
    ("swift", "a.swift:1:2: error: x\nerror: fatalError", "Build complete! (1.2s)"),
    ("docs", "build finished with problems, 7 warnings.", "build succeeded."),
    ("docs", "Aborted with 2 warnings in strict mode!", "INFO    -  Documentation built in 0.2 seconds"),
    ("pre-commit", "ruff....................Failed\nmypy....................Passed", ""),
]


@pytest.mark.parametrize(("program", "failed", "passed"), ENDINGS)
def test_how_runs_end(program, failed, passed):
    ending = CHECKERS[program].ending(f"some output\n{failed}\nmore\n")
    assert ending
    assert ending.split()[0] in failed
    if passed:
        assert CHECKERS[program].ending(f"{failed}\n{passed}\n") == ""
        assert passes(passed)


def test_every_row_has_an_ending_and_a_kind_that_texts_name():
    assert CHECKERS.keys() == {program for program, _, _ in ENDINGS}
    assert frozenset[str]().union(*(row.kinds for row in CHECKERS.values())) == KINDS.keys()
    assert CHECKERS.keys() >= SCRIPTS


@pytest.mark.parametrize("said", ["", "done", "2 errors were in the log", "It failed."])
def test_what_is_no_ending(said):
    assert all(row.ending(said) is None for row in CHECKERS.values())
    assert not passes(said)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ('{"output": "a\\nb", "metadata": {"exit_code": 0}}', "a\nb"),
        ('{"stdout": "a", "stderr": "b"}', "a\nb"),
        ('{"rows": 3}', '{"rows": 3}'),
        ('{"output": 3', '{"output": 3'),
        ("x" * 30_000, "x" * 20_000),
    ],
)
def test_what_was_printed(result, text):
    assert printed(result) == text


@pytest.mark.parametrize(
    "unit", ["a:1:1: ", "(1,1", "error ", "✖ 1 problems ", "a.", "Found 1 ", " ", "\n", "make[", "E1", "a: *** "]
)
def test_hostile_outputs_end(unit):
    for row in CHECKERS.values():
        row.ending(unit * 5_000)


def test_names_of_programs_are_whole_words():
    assert not any(re.fullmatch(row.names, "", re.IGNORECASE) for row in CHECKERS.values())
