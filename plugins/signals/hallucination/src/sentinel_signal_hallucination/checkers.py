"""Programs that check code without running its tests: how they are called, what is said of them, and how they end.

Each row is tried against what its program really prints.
"""

import re
from functools import lru_cache

from sentinel_signal_hallucination.printed import last_ending, printed
from sentinel_signal_hallucination.shell import BEGINNING
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["CHECKERS", "KINDS", "SCRIPTS", "Checker", "passes", "program_of"]

KINDS = {
    "build": "builds?|compilation",
    "types": "type[- ]?check(?:s|ing|er)?|types",
    "lint": "lint(?:ing|er|ers|s)?|static analysis",
    "format": "formatting|format checks?",
    "hooks": "(?:pre-commit|git) hooks?",
    "validate": "dry[- ]run",
    "syntax": "syntax",
    "docs": "docs(?: build)?|documentation(?: build)?",
}
"""What programs check, and how texts call it."""


_AT = r"[^\s:]{1,200}:\d+:\d+: "
_SCRIPT_FAILED = (
    r"npm ERR! (?:code|Lifecycle)|npm error (?:code|Lifecycle)|[^\n]{0,40}ELIFECYCLE|error Command failed with exit code"
    r"|error: script \S+ exited with code|[^\n]{0,80}\bfailed with exit code [1-9]|Command failed with exit code [1-9]"
)
_COMPILE_FAILED = (
    rf"{_AT}(?:fatal )?error: |\S{{0,80}}make(?:\[\d+\])?: \*\*\* |collect2: error|ld: |ninja: build stopped|CMake Error"
    r"|-- Configuring incomplete"
)
_BUNDLE_FAILED = (
    r"error during build:|[^\w\n]{0,4}Build failed (?:in|with)|ERROR in |[^\n]{0,80}\bcompiled with [1-9]\d* errors?|Failed to compile"
    r"|> Build failed|Type error: |[^\n(]{1,200}\(\d+,\d+\): error TS\d"
)
_BUNDLE_PASSED = r"[^\w\n]{0,4}built in \d|[^\n]{0,80}\bcompiled (?:successfully|with \d+ warnings?)|[^\w\n]{0,4}Compiled successfully"


class Checker:
    """One program. ``kinds`` are what it checks, ``names`` how texts call it, ``calls`` how a command begins that runs it.

    ``failed`` and ``passed`` are the first words of a line with which a run ends.
    """

    __slots__ = ("_failed", "_passed", "calls", "kinds", "names", "passed")

    def __init__(self, *, kinds: str, names: str, calls: str, failed: str, passed: str = "") -> None:
        self.kinds = words(kinds)
        self.names = names
        self.calls = calls
        self.passed = passed
        self._failed = regex(rf"^(?:{failed})", re.MULTILINE)
        self._passed = regex(rf"^(?:{passed or '(?!)'})", re.MULTILINE)

    def ending(self, output: str) -> str | None:
        """The line with which the output tells that the check failed; empty where it passed, None where that is not told."""
        return last_ending(self._failed, self._passed, printed(output))


CHECKERS: dict[str, Checker] = {
    "mypy": Checker(
        kinds="types",
        names="mypy",
        calls="mypy|dmypy run",
        failed=r"Found [1-9]\d* errors? in ",
        passed="Success: no issues found",
    ),
    "pyright": Checker(
        kinds="types",
        names="(?:based)?pyright",
        calls="(?:based)?pyright",
        failed=r"[1-9]\d* errors?, ",
        passed=r"0 errors?, ",
    ),
    "tsc": Checker(
        kinds="types build",
        names="tsc(?: --noEmit)?|typescript|npx tsc(?: --noEmit)?|vue-tsc",
        calls="(?:vue-)?tsc",
        failed=r"Found [1-9]\d* errors?|[^\n(]{1,200}\(\d+,\d+\): error TS\d|[^\s:]{1,200}:\d+:\d+ - error TS\d|error TS\d",
        passed="Found 0 errors",
    ),
    "black": Checker(
        kinds="format",
        names="black(?: --check)?|ruff format(?: --check)?",
        calls="black|ruff format",
        failed=r"(?i:would reformat )|[1-9]\d* files? would (?:be reformatted|fail to reformat)|error: cannot format",
        passed=r"(?:\d+ files? reformatted, )?\d+ files? (?:would be )?(?:left unchanged|already formatted)|All done!",
    ),
    "ruff": Checker(
        kinds="lint",
        names="ruff(?: check)?",
        calls="ruff(?: check)?(?! format)",
        failed=r"Found [1-9]\d* errors?(?:\.| \(\d+ fixed, [1-9])",
        passed=r"All checks passed!|Found \d+ errors? \(\d+ fixed, 0 remaining\)",
    ),
    "flake8": Checker(
        kinds="lint",
        names="flake8|pycodestyle|pyflakes",
        calls="flake8|pycodestyle|pyflakes",
        failed=rf"{_AT}[A-Z]+\d+ ",
    ),
    "pylint": Checker(
        kinds="lint",
        names="pylint",
        calls="pylint",
        failed=rf"{_AT}[EF]\d{{4}}: ",
        passed=r"Your code has been rated at 10",
    ),
    "eslint": Checker(
        kinds="lint",
        names="eslint",
        calls="eslint",
        failed=r"[^\w\n]{1,3}[1-9]\d* problems? \([1-9]\d* errors?",
        passed=r"[^\w\n]{1,3}\d+ problems? \(0 errors",
    ),
    "prettier": Checker(
        kinds="format",
        names="prettier(?: --check)?",
        calls="prettier",
        failed=r"\[warn\] Code style issues|Code style issues found|\[error\] ",
        passed="All matched files use Prettier",
    ),
    "isort": Checker(kinds="format", names="isort", calls="isort", failed=r"ERROR: \S+ Imports are incorrectly sorted"),
    "formatter": Checker(
        kinds="format",
        names="cargo fmt|gofmt|rustfmt|terraform fmt|(?:npm|yarn|pnpm)(?: run)? format[\\w:-]*",
        calls=r"cargo fmt|gofmt|rustfmt|terraform fmt|(?:npm|yarn|pnpm)(?: run)? (?:format|fmt)[\w:]*",
        failed=r"Diff in |\[warn\] Code style issues",
        passed="All matched files use Prettier",
    ),
    "shellcheck": Checker(
        kinds="lint",
        names="shellcheck",
        calls="shellcheck",
        failed=r" *\^-+ SC\d+ \((?:error|warning)\)|\S+:\d+:\d+: (?:error|warning): ",
    ),
    "yamllint": Checker(kinds="lint", names="yamllint", calls="yamllint", failed=r" +\d+:\d+ +error "),
    "syntax": Checker(
        kinds="syntax",
        names="(?:python3? -m )?py_compile|node --check|bash -n",
        calls=r"py_compile|node (?:--check|-c)|bash -n",
        failed=r"(?:\w*Error: )?SyntaxError: |\S+: line \d+: syntax error|Sorry: \w+Error:",
    ),
    "package": Checker(
        kinds="build",
        names="(?:python3? -m |uv |poetry )build",
        calls="build|uv build|poetry build",
        failed=r"ERROR |× Failed to build|Traceback ",
        passed="Successfully built",
    ),
    "cargo": Checker(
        kinds="build types",
        names="cargo(?: (?:build|check))?|rustc",
        calls=r"cargo (?:\+\S+ )?(?:build|check)|rustc",
        failed=r"error: could not compile |error(?:\[E\d+\])?: aborting due to|error: build failed",
        passed=r" *Finished ",
    ),
    "clippy": Checker(
        kinds="lint",
        names="(?:cargo )?clippy",
        calls=r"cargo (?:\+\S+ )?clippy",
        failed=r"error: could not compile |error: aborting due to",
        passed=r" *Finished ",
    ),
    "go": Checker(
        kinds="build types",
        names="go build|go code",
        calls="go (?:build|install)",
        failed=r"\S{1,200}\.go:\d+:\d+: |go: (?:build failed|cannot )",
    ),
    "go vet": Checker(
        kinds="lint",
        names="go vet|vet|golangci-lint",
        calls="go vet|golangci-lint run",
        failed=r"(?:vet: )?\S{1,200}\.go:\d+:\d+: ",
    ),
    "C": Checker(
        kinds="build",
        names="make(?: \\w+)?|cmake|gcc|g\\+\\+|clang",
        calls=r"\S{0,80}(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+)|make|gmake|ninja|cmake|meson compile",
        failed=_COMPILE_FAILED,
        passed=r"\[100%\] Built target|\[\d+%\] Built target|-- Build files have been written",
    ),
    "script": Checker(
        kinds="build",
        names=r"(?:(?:npm|yarn|pnpm|bun)(?: run)? build|vite(?: build)?|webpack|next build)(?:[\w:-]*)",
        calls=r"(?:npm|yarn|pnpm|bun)(?: --?\S+(?: \S+)?)?(?: run)? build[\w:]*|(?:vite|next|parcel|ng|astro|nuxt|turbo)(?: run)? build|webpack|rollup|esbuild",
        failed=f"{_SCRIPT_FAILED}|{_BUNDLE_FAILED}",
        passed=_BUNDLE_PASSED,
    ),
    "script, lint": Checker(
        kinds="lint",
        names=r"(?:npm|yarn|pnpm|bun)(?: run)? lint[\w:-]*",
        calls=r"(?:npm|yarn|pnpm|bun)(?: run)? lint[\w:]*",
        failed=rf"{_SCRIPT_FAILED}|[^\w\n]{{1,3}}[1-9]\d* problems? \([1-9]\d* errors?",
        passed=r"[^\w\n]{1,3}\d+ problems? \(0 errors|[^\w\n]{0,3}No ESLint warnings or errors",
    ),
    "script, types": Checker(
        kinds="types",
        names=r"(?:npm|yarn|pnpm|bun)(?: run)? (?:type-?check|tsc|types)[\w:-]*",
        calls=r"(?:npm|yarn|pnpm|bun)(?: run)? (?:type-?check|check-types|tsc|types)[\w:]*",
        failed=rf"{_SCRIPT_FAILED}|Found [1-9]\d* errors?|[^\n(]{{1,200}}\(\d+,\d+\): error TS\d",
        passed="Found 0 errors",
    ),
    "gradle": Checker(
        kinds="build",
        names=r"(?:\./)?gradlew?(?: \w+)?",
        calls=r"(?:\S{0,80}/)?gradlew? (?:\S{1,80} ){0,9}(?:assemble\w*|build|classes|compile\w*)",
        failed=r"BUILD FAILED|FAILURE: Build failed",
        passed="BUILD SUCCESSFUL",
    ),
    "maven": Checker(
        kinds="build",
        names=r"(?:mvn|maven)(?: \w+)*",
        calls=r"(?:\S{0,80}/)?mvnw? (?:\S{1,80} ){0,9}(?:compile|package|install)",
        failed=r"(?:\[\w+\] )?BUILD FAILURE",
        passed=r"(?:\[\w+\] )?BUILD SUCCESS",
    ),
    "javac": Checker(kinds="build", names="javac", calls="javac", failed=r"[1-9]\d* errors?$|error: "),
    "dotnet": Checker(
        kinds="build",
        names="dotnet(?: build)?",
        calls="dotnet (?:build|publish)",
        failed=r"Build FAILED|The build failed",
        passed=r"Build succeeded",
    ),
    "docker": Checker(
        kinds="build",
        names="docker(?: build)?|(?:docker )image",
        calls=r"docker (?:buildx |compose )?(?:build|bake)|docker-compose build",
        failed=r"(?:ERROR: )?failed to (?:solve|build)|The command '[^\n]{1,400}' returned a non-zero code|ERROR: ",
        passed=r"Successfully (?:built|tagged)|[^\n]{0,40}naming to |[^\n]{0,40}(?:Built|DONE \d)$",
    ),
    "terraform": Checker(
        kinds="validate",
        names=r"(?:terraform|tofu) (?:plan|validate|validation)",
        calls=r"(?:terraform|tofu)(?: -chdir=\S+)? (?:validate|plan)",
        failed=r"(?:│ |╷ )?Error: ",
        passed=r"Success! The configuration is valid|Plan: \d|No changes\.",
    ),
    "helm": Checker(
        kinds="lint validate",
        names="helm(?: lint| template)?|helm chart",
        calls="helm (?:lint|template)",
        failed=r"Error: |\d+ chart\(s\) linted, [1-9]",
        passed=r"\d+ chart\(s\) linted, 0 ",
    ),
    "kubectl": Checker(
        kinds="validate",
        names=r"(?:kubectl )?dry[- ]run",
        calls=r"kubectl [^|;&]{0,200}--dry-run\S*",
        failed=r"error: |Error from server|The \w+ \"[^\"\n]*\" is invalid",
        passed=r"\S+ (?:created|configured|unchanged) \((?:server )?dry run\)",
    ),
    "bazel": Checker(
        kinds="build",
        names="bazel(?: build)?",
        calls="(?:bazel|bazelisk) build",
        failed=r"ERROR: Build did NOT complete|FAILED: Build did NOT|Target \S+ failed to build",
        passed="INFO: Build completed successfully",
    ),
    "swift": Checker(
        kinds="build",
        names="swift(?: build)?|xcodebuild",
        calls="swift build|xcodebuild",
        failed=rf"{_AT}error: |error: |\*\* BUILD FAILED",
        passed=r"Build complete!|\*\* BUILD SUCCEEDED",
    ),
    "docs": Checker(
        kinds="docs",
        names="(?:sphinx|mkdocs|docs?|documentation)(?:[ -]build)?",
        calls=r"sphinx-build|mkdocs build",
        failed=r"Aborted with |build finished with problems|Warning, treated as error|ERROR +-  ",
        passed=r"build succeeded|INFO +-  Documentation built",
    ),
    "pre-commit": Checker(
        kinds="hooks lint",
        names="pre-commit(?: hooks?)?",
        calls="pre-commit run",
        failed=r"[^\n]{1,100}\.{3,}Failed$",
    ),
}

_CALLS = regex(
    rf"{BEGINNING}(?:{'|'.join(f'(?P<p{row}>{checker.calls})' for row, checker in enumerate(CHECKERS.values()))})(?![\w.-])"
)
_PROGRAMS = tuple(CHECKERS)
_ANY_PASSED = regex(
    rf"^(?:{'|'.join(checker.passed for checker in CHECKERS.values() if checker.passed)}|[^\n]{{1,100}}\.{{3,}}Passed$)",
    re.MULTILINE,
)


@lru_cache(maxsize=1024)
def program_of(part: str) -> str | None:
    """The program that a part of a command runs."""
    match = _CALLS.match(part)
    return None if match is None else _PROGRAMS[int(str(match.lastgroup)[1:])]


SCRIPTS = frozenset(("script", "script, lint", "script, types", "pre-commit"))
"""Those that run other programs."""


def passes(output: str) -> bool:
    """True where some program tells in the output that its check passed."""
    return _ANY_PASSED.search(printed(output)) is not None
