"""What calls changed in files that were there before."""

import pytest
from tables import each_row

from sentinel_core.evaluate.facts.changes import Change, changes_of, is_test_file, restores

PATCH = """*** Begin Patch
*** Update File: tests/test_a.py
@@
 def test_a():
-    assert 1 == 1.0
+    assert 1 == 1.1
*** Delete File: tests/test_b.py
*** Add File: c.py
+x = 1
*** End Patch
"""
PATCHED = [
    Change("tests/test_a.py", "def test_a():\n    assert 1 == 1.0", "def test_a():\n    assert 1 == 1.1"),
    Change("tests/test_b.py", None, ""),
]


@each_row(
    ("name", "arguments", "expected"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2"}, [Change("a.py", "1", "2")]),
        ("str_replace_editor", {"path": "a.py", "old_str": "1"}, [Change("a.py", "1", "")]),
        (
            "MultiEdit",
            {"file_path": "a.py", "edits": [{"old_string": "1", "new_string": "2"}, "odd", {"old_string": "3"}]},
            [Change("a.py", "1", "2"), Change("a.py", "3", "")],
        ),
        ("Edit", {"old_string": "1", "new_string": "2"}, []),
        ("Write", {"file_path": "a.py", "content": "1"}, []),
        ("apply_patch", {"input": PATCH}, PATCHED),
        ("shell", {"command": ["apply_patch", PATCH, 3]}, PATCHED),
        (
            "Bash",
            {"command": "git rm -q src/a.py && rm b.txt"},
            [Change("src/a.py", None, ""), Change("b.txt", None, "")],
        ),
        ("Bash", {"command": "sed -i 's/a/b/' src/a.py"}, [Change("src/a.py", None, None)]),
        ("Bash", {"command": "sed 's/a/b/' src/a.py"}, []),
        ("Bash", {"command": "rm 'src/a.py"}, []),
        ("Bash", {"command": "rm -rf /tmp/x.d build/"}, []),
        ("Bash", {"command": "pytest -q"}, []),
    ],
)
def test_a_call_says_what_it_changed(name, arguments, expected):
    assert list(changes_of(name, arguments)) == expected


@pytest.mark.parametrize(
    ("change", "takes_away", "is_deletion"),
    [
        (Change("a", "x", "x\ny"), False, False),
        (Change("a", "x", "y"), True, False),
        (Change("a", None, None), True, False),
        (Change("a", None, ""), True, True),
        (Change("a", "x", None), True, False),
    ],
)
def test_what_only_adds_takes_nothing_away(change, takes_away, is_deletion):
    assert (change.takes_away, change.is_deletion) == (takes_away, is_deletion)


@each_row(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("src/queue_test.go", True),
        ("web/cart.spec.ts", True),
        ("LedgerTests.cs", True),
        ("spec/round_spec.rb", True),
        ("test_a.py", True),
        ("src/a.py", False),
        ("latest.py", False),
        ("src/testing.md", False),
    ],
)
def test_files_of_tests_are_known_by_their_names(path, expected):
    assert is_test_file(path) is expected


@each_row(
    ("name", "arguments", "expected"),
    [
        ("Bash", {"command": "git checkout -- a.py"}, True),
        ("Bash", {"command": "cd x && git stash pop"}, True),
        ("Bash", {"command": "git status"}, False),
        ("Edit", {"file_path": "git checkout"}, False),
    ],
)
def test_git_may_bring_files_back(name, arguments, expected):
    assert restores(name, arguments) is expected
