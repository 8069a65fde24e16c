"""Wrong uses are told on one line, with the argument's name and a suggestion."""

import pytest

pytestmark = pytest.mark.unmeasured

WRONG = {
    ("schema",): "Missing argument 'WHAT'. Choose from: trace, report",
    ("schema", "repot"): "Invalid value for 'WHAT': 'repot' is not one of 'trace', 'report'; did you mean \"report\"?",
    ("schema", "xyz"): "Invalid value for 'WHAT': 'xyz' is not one of 'trace', 'report' (see",
    (
        "hook",
        "install",
    ): "Missing argument 'TOOL'. Choose from: claude-code, codex, gemini-cli, copilot, cursor, auto, pre-push",
    ("hook", "install", "claude"): '; did you mean "claude-code"?',
    ("plugins", "new", "signals", "x"): '; did you mean "signal"?',
    ("evaluate", "x", "--format", "githib"): '; did you mean "github"?',
    ("evaluate", "x", "--fail-on", "nevr"): '; did you mean "never"?',
    ("help",): 'there is no command "help"; did you mean "--help"?',
    ("version",): 'there is no command "version"; did you mean "--version"?',
    ("evalaute",): 'there is no command "evalaute"; did you mean "evaluate"?',
    ("run", "v1", "--provider", "nobody"): 'no provider "nobody" is installed (installed: ',
}


@pytest.mark.parametrize("arguments", list(WRONG), ids=" ".join)
def test_a_wrong_use_is_told_on_one_line(sentinel, arguments):
    done = sentinel(*arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert WRONG[arguments] in done.stderr
    assert done.stderr.count("\n") == 1
    assert "\\n" not in done.stderr


def test_the_annotation_says_the_same(sentinel):
    done = sentinel("evaluate", "x", "--format", "github", "--fail-on", "nevr")
    assert done.stdout.startswith("::error title=Sentinel::Invalid value for '--fail-on': 'nevr' is not one of")
    assert '; did you mean "never"?' in done.stdout
