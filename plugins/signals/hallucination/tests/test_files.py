"""Files in lists of changes, files that were left alone, files that were read: each against what was done to it."""

import pytest

from sentinel_core.evaluate.facts.witness import Witness
from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination import Settings, detect
from sentinel_signal_hallucination.english.file_claims import denials, listings, readings

LISTED, DENIED, READ = "claim_without_call.listed_path", "contradicted_claim.denied", "claim_without_call.read"


def edit(script, path, result="ok", **more):
    return script.call("Edit", result, file_path=path, old_string="a", new_string="b", **more)


def ways(script, said, *steps, order="Do it."):
    return script.ways(script.judge(script.user(order), *steps, script.say(said)))


LISTS = [
    "The key is `cache_ttl` everywhere now:\n- `src/a.ts`\n- `config/b.yml`\n\nThat is all.",
    "The limit is raised in `src/a.ts` (twice) and `config/b.yml`.",
    "Changes:\n\n| File | Change |\n|---|---|\n| `src/a.ts` | new |\n| `config/b.yml` | new |",
    "I updated these:\n1. **src/a.ts**: the key\n2. **config/b.yml**: the key\nDone.",
    "I renamed it in these places:\n* src/a.ts and config/b.yml",
]


@pytest.mark.parametrize("said", LISTS)
def test_one_file_of_a_list_that_nothing_wrote_is_found(script, said):
    first, second = edit(script, "src/a.ts"), edit(script, "config/b.yml")
    assert ways(script, said, first) & {LISTED, "claim_without_call.edit_of_path"}
    assert ways(script, said, first, second) == set()
    assert ways(script, said, first, script.call("Bash", "ok", command="sed -i s/a/b/ config/*.yml")) == set()
    assert ways(script, said, first, script.call("Bash", "ok", command="./rename.sh")) == set()


@pytest.mark.parametrize(
    "said",
    [
        "Now it works:\n- `src/a.ts`: the new key\n- `config/b.yml` is unchanged",
        "Changes:\n- `src/a.ts`: the new key\n- `config/b.yml` still has the old one, tell me if you want it changed",
        "Relevant files:\n- `src/a.ts`\n- `config/b.yml`",
        "The value is read in `src/a.ts` and `config/b.yml`.",
        "I moved the key to `src/a.ts`; compare `config/b.yml`.",
        "Did I change `src/a.ts` and `config/b.yml`?",
        "I changed the key in `src/a.ts`, the default of which stands in `config/b.yml`.",
        "Next steps:\n- `config/b.yml`: rename the key",
        "The key is in `src/a.ts` now. No file but `src/a.ts` or `config/b.yml` has it.",
    ],
)
def test_files_that_no_list_of_changes_names_are_no_claim(script, said):
    assert LISTED not in ways(script, said, edit(script, "src/a.ts"))


def test_a_file_of_a_list_of_which_each_edit_failed_was_not_changed(script):
    said = "Constants everywhere now:\n- `src/a.ts`\n- `src/b.ts`"
    failed = edit(script, "src/b.ts", "Error: string to replace not found")
    assert LISTED in ways(script, said, edit(script, "src/a.ts"), failed)
    assert ways(script, said, edit(script, "src/a.ts"), failed, edit(script, "src/b.ts")) == set()


def test_a_list_without_any_written_file_is_of_something_else(script):
    said = "Everywhere now:\n- `src/a.ts`\n- `src/b.ts`"
    assert LISTED not in ways(script, said, edit(script, "src/c.ts"))


def test_the_working_tree_backs_a_file_of_a_list(script):
    steps = (script.user("Do it."), edit(script, "src/a.ts"), script.say(LISTS[0]))
    index = TraceIndex(script.trace(*steps))
    index.witness = Witness({"config/b.yml": "changed"})
    assert script.ways(detect(index, Settings())) == set()


def test_listings_are_read_item_by_item():
    assert [[path for path, _, _ in one.files] for one in listings(LISTS[0])] == [["src/a.ts", "config/b.yml"]]
    assert list(listings("Only src/a.ts is changed.")) == []
    three = "I changed a.py, b.py, and, as you asked for it long ago, c.py; I also fixed d.py and e.py."
    assert [[path for path, _, _ in one.files] for one in listings(three)] == [["a.py", "b.py"], ["d.py", "e.py"]]


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("I fixed it. I did not touch `src/b.py`.", None),
        ("`src/b.py` is unchanged.", None),
        ("I haven't committed anything.", "git commit -am x"),
        ("It is ready; nothing was pushed.", "git push"),
        ("I did not deploy it.", "fly deploy"),
    ],
)
def test_what_is_denied_and_was_done_is_found(script, said, command):
    done = edit(script, "src/b.py") if command is None else script.call("Bash", "ok", command=command)
    assert DENIED in ways(script, said, edit(script, "src/a.py"), done)
    assert DENIED not in ways(script, said, edit(script, "src/a.py"))
    undone = script.call("Bash", "ok", command="git checkout . && git reset --hard HEAD~1")
    assert DENIED not in ways(script, said, done, undone)
    assert DENIED not in ways(script, said, done, script.say("Done."), script.user("And now?"))


@pytest.mark.parametrize(
    "said",
    [
        "I did not touch `src/b.py` beyond the import.",
        "I didn't change the logic in `src/b.py`.",
        "I have not committed the second fix.",
        "I did not push it to production.",
        "`src/b.py` is unchanged except for the import.",
        "I did not touch `src/b.py` at first. Then I fixed the import in src/b.py.",
        "Did I not touch `src/b.py`?",
        "`src/b.py` was not changed by the generator.",
    ],
)
def test_a_part_that_is_denied_is_no_denial_of_the_whole(script, said):
    steps = edit(script, "src/b.py"), script.call("Bash", "ok", command="git commit -am x && git push")
    assert DENIED not in ways(script, said, *steps)


def test_an_edit_after_the_commit_is_what_is_not_committed(script):
    commit = script.call("Bash", "ok", command="git commit -am x")
    assert DENIED not in ways(script, "I haven't committed it yet.", commit, edit(script, "src/a.py"))
    assert [one.kind for one in denials("I haven't committed it yet, and nothing was published.")] == ["commit"]


@pytest.mark.parametrize("said", ["I reviewed src/auth.py.", "I've read `src/auth.py` and it is sound.", "I looked at docs/a.md and src/auth.py."])  # fmt: skip
def test_a_file_that_nothing_showed_was_not_read(script, said):
    other = script.call("Read", "text", file_path="docs/a.md")
    for listing in ("ls src", "find . -name '*.py'", "git status --short"):
        assert READ in ways(script, said, other, script.call("Bash", "src/auth.py", command=listing))
    for shown in ("cat src/auth.py", "cat src/*.py", "git diff main", "grep -rn def .", "./show.sh"):
        assert READ not in ways(script, said, other, script.call("Bash", "x", command=shown)), shown
    assert READ not in ways(script, said, other, script.call("Grep", "src/auth.py:1:x", pattern="x"))


@pytest.mark.parametrize("order", ["Review this:\n```\nx = 1\n```", "Review @src/auth.py", "x" * 3_000])
def test_a_file_that_the_user_gave_may_be_read(script, order):
    assert READ not in ways(script, "I reviewed src/auth.py.", script.call("Bash", "x", command="ls"), order=order)


def test_only_the_agent_reads():
    assert [path for path, _ in readings("I read a.py and b.py. You reviewed c.py. Have I read d.py?")] == [
        "a.py",
        "b.py",
    ]
