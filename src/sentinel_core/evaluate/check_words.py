"""Programs that check something, and the lines with which their runs end: tables for ``checks``.

General endings come before particular ones: a row that one program alone prints is here only where its run ends with nothing else.
"""

__all__ = [
    "DESCRIBED",
    "FAILED",
    "HINTS",
    "NAMES",
    "PASSED",
    "PROGRAMS",
    "RUNNERS",
    "SHOWN",
    "VALUED",
    "VIEWERS",
]

HINTS = (
    "test", "build", "lint", "check", "terraform", "detekt", "spell", "vale", "bandit", "semgrep", "credo", "sqlfluff", "make", "mypy", "pyright", "tsc", "ruff", "flake8", "pycodestyle", "black", "isort", "prettier", "jest",
    "mocha", "spec", "tox", "nox", "grad", "mvn", "cargo", "go ", "cc ", "g++", "clang", "rustc", "javac", "ninja", "pack", "phpunit",
    "prove", "fmt", "compile", "pre-commit", "rubocop", "types", "npm t", "stan", "pyflakes", "rollup", "phpcs",
)  # fmt: skip
"""A command without any of these runs no known check."""

NAMES: tuple[tuple[str, str], ...] = (
    (
        "tests",
        r"(?:(?:run|execute|start) )?(?:all |the |unit |integration |e2e |project |python )*(?:py)?tests?(?: (?:suite|cases?|files?|all|project|code))?",
    ),
    (
        "lint",
        r"(?:(?:run|execute|check) )?(?:the |code )*(?:lint|linter|linting|eslint|ruff|flake8|pylint|code style)(?: (?:project|code|files?|all))?",
    ),
    (
        "types",
        r"(?:(?:run|execute) )?(?:the )?(?:type ?checks?|type ?checker|check types|mypy|pyright|tsc|diagnostics|get diagnostics)(?: (?:project|code|files?|all))?",
    ),
    ("build", r"(?:(?:run|execute) )?(?:the )?(?:build|compile|compilation)(?: (?:project|code|app|application|all))?"),
)
"""Names of tools that check, as lower-case words, by kind; the whole name must fit."""

RUNNERS = frozenset((
    "bash", "cell", "cmd", "code", "command", "console", "container", "exec", "execute", "interpreter", "ipython",
    "jupyter", "notebook", "powershell", "process", "python", "repl", "run", "sandbox", "sh", "shell", "terminal",
    "tests", "zsh",
))  # fmt: skip
"""Words of the names of tools that run what they are given."""

PROGRAMS = frozenset(
    ("cargo", "go", "make", "mypy", "node", "npm", "npx", "pnpm", "pytest", "python", "python3", "ruff", "tox", "yarn")
)
"""Tools that are programs: what they are given are their arguments."""

DESCRIBED: tuple[tuple[str, str], ...] = (
    ("tests", r"(?:re-?)?(?:run|runs|running|execute)\b[^.\n]{0,60}\btests?\b"),
    ("types", r"(?:re-?)?(?:run|runs|running)\b[^.\n]{0,60}\btype.?check"),
    ("lint", r"(?:re-?)?(?:run|runs|running)\b[^.\n]{0,60}\b(?:lint|linter)\b"),
    ("build", r"(?:re-?)?(?:build|compile|rebuild)s? the (?:app|application|code|package|project)\b"),
)
"""What a call says of itself where its command is a script of the project's own."""

VIEWERS = frozenset((
    "awk", "cat", "cut", "diff", "echo", "egrep", "fgrep", "find", "grep", "head", "jq", "less", "ls", "more", "nl",
    "printf", "rg", "sed", "sort", "tail", "tee", "wc", "xargs",
))  # fmt: skip
"""What these show may be the end of another run."""

VALUED = frozenset((
    "-k", "-m", "-n", "-p", "-c", "-o", "-W", "-t", "-f", "-j", "-r", "-C", "--config", "--maxfail", "--timeout",
    "--project", "--testNamePattern",
))  # fmt: skip
"""Options that take the next word; of these ``-k``, ``-m``, ``-t`` narrow what is covered."""

_AT = r"[^\s:]{1,200}:\d+:(?:\d+:)? "
_SOME = r"[1-9]\d{0,6}"

FAILED: dict[str, str] = {
    "tests": (
        rf"(?:[^\n]{{0,90}}?[\s,|(])?{_SOME} (?:tests? |specs? )?(?:failed|failing|failures?|errors?|fail|FAILED)(?=[\s,.|)]|$)(?! as expected)"
        rf"|[^\n]{{0,90}}?\b(?:[Ff]ail(?:ed|ures?|s)?|[Ee]rrors?)\b(?:[:=]\s{{0,8}}| ){_SOME}(?![\d.:])"
        r"|=* ?no tests ran\b|--- FAIL: |FAIL(?:\t|$)|FAILED(?: |$)|FAILURES!|Result: FAIL|test result: FAILED|Failed!|BUILD FAIL|FAILURE: |error: could not compile"
    ),
    "build": (
        rf"{_AT}(?:fatal )?error: |\S{{0,80}}make(?:\[\d+\])?: \*\*\* |[^\n]{{0,60}}\bBUILD FAIL|[^\n]{{0,60}}\b[Bb]uild (?:failed|FAILED|did NOT complete|stopped)|(?:FAILURE|FAILED): |error\b[^\n]{{0,40}}: |Error: |ERROR(?: in|:) "
        rf"|error TS\d|[^\n(]{{1,200}}\(\d+,\d+\): error |[^\n]{{0,80}}\b{_SOME} errors?(?=[\s,.)]|$)|[^\n]{{0,40}}[Ff]ailed to (?:build|compile|solve|resolve)|Failed to compile|collect2: error|ld: |CMake Error|-- Configuring incomplete"
        r"|npm (?:ERR!|error) |[^\n]{0,60}ELIFECYCLE|[^\n]{0,120}\b(?:exited with|failed with exit|returned a non-zero) code(?! 0\b)|Traceback \(|× "
    ),
    "types": (
        rf"(?:Found )?{_SOME} errors?\b|[^\n]{{0,200}}\berror TS\d|{_AT}error: |[^\n(]{{1,200}}\(\d+,\d+\): error |error(?:\[E\d+\])?: |npm (?:ERR!|error) |\S+ - error "
    ),
    "lint": (
        rf"Found {_SOME} (?:errors?|issues?|problems?|violations?)\b(?! \(\d+ fixed, 0)|[^\w\n]{{0,3}}{_SOME} (?:problems?|errors?|issues?|warnings?) \({_SOME} errors?|{_SOME} (?:errors?|issues?|problems?|offenses?|violations?)\b"
        rf"|(?:[Ww]ould reformat |{_SOME} files? would (?:be reformatted|fail))|error: |ERROR: |\[warn\] Code style|Code style issues|\[error\] |{_AT}(?:[A-Z]{{1,4}}\d{{1,5}}\b|(?:fatal )?error:)|[^\n]{{0,120}}\.{{3,}}Failed$"
        r"|\s*\d+:\d+\s+error\s|\s*\^-+ SC\d+|npm (?:ERR!|error) |Diff in |[^\n]{0,80}, [1-9]\d* offenses? detected"
    ),
}
"""A line with which a run ends that failed, from its first letter, by kind."""

_ALL_TASKS = (
    r"\s{0,3}Tasks: {1,9}(?P<tasks>[1-9]\d{0,3}) successful, (?P=tasks) total"  # of a monorepo, whatever they check
)
PASSED: dict[str, str] = {
    "tests": (
        r"(?:[^\n]{0,90}?[\s,|(:])?\d+ (?:tests? |specs? )?pass(?:ed|ing)?\b|[^\n]{0,90}?\b0 (?:tests? )?(?:failed|failures|fail)\b|[^\n]{0,60}\bFailures: 0, Errors: 0|[#ℹ] fail 0"
        r"|OK(?: \(|$)|ok\s+\S+\s|PASS$|test result: ok|[Aa]ll (?:\d+ )?tests (?:have )?passed|Result: PASS|Passed!|BUILD SUCCESS|100% tests passed|[^\n]{0,80}: SUCCESS$"
        rf"|{_ALL_TASKS}"
    ),
    "build": (
        r"[^\n]{0,40}\bBUILD SUCC|[^\n]{0,40}\b[Bb]uild (?:succeeded|complete[d!]?|successful)|[^\n]{0,60}Successfully (?:built|tagged|compiled)|[^\w\n]{0,4}built in \d|[^\n]{0,80}\b[Cc]ompiled (?:successfully|with \d+ warnings?)"
        r"|\s{0,9}Finished |\[100%\]|[^\n]{0,40}naming to |-- Build files have been written|0 [Ee]rror|INFO +-  Documentation built|build succeeded"
        rf"|{_ALL_TASKS}"
    ),
    "types": rf"Success: no issues found|0 errors\b|Found 0 errors|No errors|\s{{0,9}}Finished |[^\n]{{0,80}}found 0 errors|{_ALL_TASKS}",
    "lint": (
        r"All checks passed|[^\w\n]{0,3}\d+ problems? \(0 errors|(?:Found )?0 (?:errors?|issues|problems)|[^\n]{0,20}No (?:ESLint warnings or errors|issues|problems|errors)|Found \d+ errors? \(\d+ fixed, 0"
        r"|(?:\d+ files? reformatted, )?\d+ files? (?:would be )?(?:left unchanged|already formatted)|All done!|All matched files use Prettier|Your code has been rated at 10|[^\n]{0,120}\.{3,}Passed$|\s{0,9}Finished |[^\n]{0,80}no offenses"
        rf"|{_ALL_TASKS}"
    ),
}
"""The same of a run that passed. Of lines that fit both tables, the run failed."""

SHOWN = (
    r"=+ (?:\d+ \w+, ){0,9}\d+ (?:passed|failed|errors?)\b[^\n]{0,80} in \d|Ran \d+ tests? in \d|test result: (?:ok|FAILED)\.|Tests:\s+(?:\d+ \w+, )*\d+ (?:passed|failed)"
    r"|[^\n]{0,20}Tests run: \d+, Failures: |\d+ examples?, \d+ failures?|--- (?:FAIL|PASS): |\s{0,9}Test Files  \d"
)
"""Lines that only a run of tests prints, whatever ran it."""
