"""Which files a call can have written, and what changes code that a check covers."""

import pytest
from tables import each_row

from sentinel_core.evaluate.facts.counts import can_be_sum, counts_in, is_selected
from sentinel_core.evaluate.facts.edits import Writers, changes_code, is_named_in, reach_of

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch"


@each_row(
    ("name", "arguments", "expected"),
    [
        ("Edit", {"file_path": "/p/docs/a.md", "new_string": "x"}, True),
        ("Edit", {"file_path": "/p/docs/b.md", "new_string": "x"}, False),
        ("Edit", {"id": 1}, True),
        ("apply_patch", {"input": PATCH.replace("src/a.py", "docs/a.md")}, True),
        ("apply_patch", {"input": PATCH}, False),
        ("Read", {"file_path": "/p/docs/a.md"}, False),
        ("Bash", {"command": "cat docs/a.md"}, False),
        ("Bash", {"command": "cat > docs/a.md <<'E'\nx\nE"}, True),
        ("Bash", {"command": "echo x >> docs/b.md"}, False),
        ("Bash", {"command": "sed -i s/a/b/ docs/*.md"}, True),
        ("Bash", {"command": "git checkout main"}, True),
        ("Bash", {"command": "rm docs/a.md"}, True),
        ("Bash", {"command": "./generate.sh"}, True),
        ("Bash", {"command": "./deploy.sh"}, False),
        ("Bash", {"command": "bin/rails g model Comment body:text"}, True),
        ("Bash", {"command": "mkdir -p docs"}, False),
        ("Bash", {"command": "prettier --write ."}, True),
        ("Bash", {"command": "npm install x"}, False),
    ],
)
def test_a_call_can_write_the_files_that_it_names_or_may_reach(name, arguments, expected):
    assert reach_of(name, arguments).has("docs/a.md") is expected
    assert (Writers([(3, name, arguments)]).first("docs/a.md") == 3) is expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("roles/ntp/tasks/main.yml", "handlers/main.yml", False),
        ("roles/ntp/handlers/main.yml", "handlers/main.yml", True),
        ("roles/ntp/tasks/main.yml and main.yml", "handlers/main.yml", True),
        ("sed -i s/a/b/ ./main.yml", "handlers/main.yml", True),
        ("roles/ntp/tasks/main.yml", "main.yml", True),
        ("src/other.py", "../a.py", False),
        ("src/other.py", "src/a.py", False),
    ],
)
def test_a_file_of_the_same_name_in_another_folder_is_another(text, path, expected):
    assert is_named_in(text, path) is expected


def test_what_installs_writes_manifests():
    writers = Writers([(1, "Bash", {"command": "ls"}), (2, "Bash", {"command": "npm install x"})])
    assert (writers.first("package.json"), writers.first("a.md"), writers.first("a.md")) == (2, None, None)


@each_row(
    ("name", "arguments", "expected"),
    [
        ("Edit", {"file_path": "/p/src/a.py"}, True),
        ("Edit", {"file_path": "/p/README.md"}, False),
        ("Edit", {"id": 1}, True),
        ("apply_patch", {"input": PATCH}, True),
        ("TodoWrite", {"todos": []}, False),
        ("Read", {"file_path": "a.py"}, False),
        ("Bash", {"command": "sed -i s/a/b/ src/a.py"}, True),
        ("Bash", {"command": "sed -i s/a/b/ README.md"}, False),
        ("Bash", {"command": "ruff format ."}, True),
        ("Bash", {"command": "git checkout src/a.py"}, True),
        ("Bash", {"command": "git checkout README.md"}, False),
        ("Bash", {"command": "git add -A"}, False),
        ("Bash", {"command": "echo x > src/a.py"}, True),
        ("Bash", {"command": "echo x > notes.txt"}, False),
        ("Bash", {"command": "ls"}, False),
    ],
)
def test_prose_and_lists_are_no_change_of_code(name, arguments, expected):
    assert changes_code(name, arguments) is expected


@each_row(
    ("text", "counts"),
    [
        ("3 passed, 2 skipped in 0.1s", (3,)),
        ("Tests:       1 failed, 13 passed, 14 total", (1, 13, 14)),
        ("Ran 3 tests in 0.1s\n\nOK", (3,)),
        ("[INFO] Tests run: 187, Failures: 0", (187,)),
        ("test result: ok. 22 passed; 0 failed", (22,)),
        ("8 examples, 0 failures", (8,)),
        ("      Tests  3 passed (3)", (3,)),
        ("1,204 passed", (1204,)),
        ("FAILED:\n 19 - lu", ()),
        ("ok  \tshop/cart\t0.012s", ()),
    ],
)
def test_counts_of_a_run_are_what_it_printed(text, counts):
    assert counts_in(text) == counts


def test_several_runs_may_make_up_a_count():
    assert can_be_sum(57, [40, 17])
    assert not can_be_sum(86, [42, 2])
    assert can_be_sum(86, [1] * 30)


@pytest.mark.parametrize(
    ("command", "shown", "expected"),
    [
        ("pytest -q", "3 passed", False),
        ("pytest -k european", "2 passed", True),
        ("pytest tests/test_a.py::test_b", "", True),
        ("pytest tests/unit", "", False),
        ("pytest", "2 passed, 12 deselected", True),
        ("npx jest -t comma", "", True),
    ],
)
def test_a_run_may_be_of_a_part_only(command, shown, expected):
    assert is_selected(command, shown) is expected
