"""A shell that only looks backs no claim of a deed."""

import pytest

from sentinel_core.evaluate.index import Call
from sentinel_core.trace import ToolCall
from sentinel_signal_hallucination.shell import only_looks

READ = 'git --no-pager log -3 && ls -la src | head; grep -rn "login|auth" src 2>/dev/null'


def looks(**arguments):
    return only_looks(Call(ToolCall(id="c", name="Bash", arguments=arguments), 0, 0))


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        READ,
        "cat a.txt; wc -l b.txt",
        "grep -E 'a|b;c' f || true",
        "git -C sub status 2>&1",
        "find . -name '*.py' 2>/dev/null",
        "pip list | grep numpy",
        "python --version",
        "cd x && pwd",
        "```bash\nls /testbed\n```",
        "sed -n '1,20p' f",
        "kubectl get pods",
        "gh pr view 3",
        ["bash", "-lc", "ls -la"],
        ["/bin/sh", "-c", "cat a"],
        ["ls", "-la"],
    ],
)
def test_what_only_looks(command):
    assert looks(command=command)
    assert looks(cmd=command, description="any")


@pytest.mark.parametrize(
    "command",
    [
        "",
        3,
        None,
        ["ls", 3],
        "pytest",
        "ls; npm test",
        "ls\npytest",
        "ls & python x.py",
        "ls > files.txt",
        "cat a | tee b",
        "cat /dev/null > /dev/nullx",
        "cat <<EOF\nx\nEOF",
        "diff <(ls) <(pytest)",
        "find . -delete",
        "find . -exec rm {} +",
        "find . -fprint out",
        "sed -i s/a/b/ f",
        "sed -Ei 's/a/b/' f",
        "sort -o f f",
        "echo $(make)",
        'echo "`make`"',
        'echo "$(make)"',
        "A=1 make",
        "(ls)",
        "env make",
        "git commit -am fix",
        "git branch -D x",
        "pip install x",
        "./run --verbose",
        ["bash", "-lc", "pytest"],
        ["bash", "-lc"],
        "ls " + "x" * 2000,
    ],
)
def test_what_may_do_more(command):
    assert not looks(command=command)


def test_without_a_command_nobody_knows():
    assert not looks(input="ls")
    assert not looks()


@pytest.mark.parametrize(
    ("sentence", "score"),
    [
        ("I ran the test suite.", 0.6),
        ("All tests pass now.", 0.6),
        ("I've committed the change.", 0.85),
        ("The fix has been deployed to production.", 0.85),
        ("I ran the command and looked at the log.", 0.0),
        ("I've searched the repository for it.", 0.0),
        ("I ran a scan of the repository.", 0.0),
    ],
)
def test_what_is_backed(script, sentence, score):
    steps = script.user("Go on."), script.call("Bash", "src/app.py", command=READ), script.say(sentence)
    assert script.judge(*steps).score == score


def test_a_command_that_does_more_backs_what_comes_after_it(script):
    look, run = script.call("Bash", "ok", command="ls"), script.call("Bash", "ok", command="make")
    claim = script.say("I've committed the change.")
    assert script.judge(script.user("Go."), look, run, claim).findings == ()
    (finding,) = script.judge(script.user("Go."), look, claim, run).findings
    assert finding.rule == "claim_without_call"


def test_searching_is_backed_from_the_first_look_on(script):
    """Whatever tool looked first, and whatever comes later."""
    later = script.call("web_search", "ok"), script.call("Bash", "ok", command="make")
    said = script.say("I searched the repository for it.")
    assert script.judge(script.user("Go."), script.call("Bash", "ok", command="ls"), said, *later).findings == ()


@pytest.mark.parametrize(
    ("command", "score"),
    [
        # The commit may have worked, and the push not.
        ("git add -A && git commit -m fix && git push", 0.0),
        ('git commit -m "$(date)"', 0.0),
        ("cd app && git commit -m fix 2>&1 | tail -3", 0.85),
        ("pytest", 0.85),
        ("", 0.85),
    ],
)
def test_a_failed_command_of_several_steps_may_have_done_some(script, command, score):
    call = script.call("Bash", "Exit code 1", success=False, command=command)
    steps = script.user("Go."), call, script.say("I've committed the change, but could not push it.")
    assert script.judge(*steps).score == score
