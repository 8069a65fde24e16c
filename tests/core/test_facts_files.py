"""Which files a call names as those that it changes."""

from tables import each_row

from sentinel_core.evaluate.facts.files import changes_unnamed, files_of

PATCH = """*** Begin Patch
*** Update File: tests/test_a.py
@@
-assert 1 > 2
+assert 1 > 1
*** Delete File: b.py
*** Add File: c.py
+x > y
*** End Patch
"""
PATCHED = {"tests/test_a.py": "edited", "b.py": "deleted", "c.py": "created"}
DIFF = "cat <<'EOF' | git apply\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-1\n+2\nEOF"


@each_row(
    ("name", "arguments", "expected"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2"}, {"a.py": "edited"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "1"}]}, {"a.py": "edited"}),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "1"}, {"a.ipynb": "edited"}),
        ("Write", {"file_path": "a.md", "content": "+++ b/other.py\n*** Delete File: c.py"}, {"a.md": "written"}),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": "x"}, {"a": "created"}),
        ("str_replace_editor", {"command": "insert", "path": "a", "new_str": "x"}, {"a": "edited"}),
        ("str_replace_editor", {"command": "view", "path": "a"}, {}),
        ("create", {"path": "a", "file_text": "x"}, {"a": "created"}),
        ("delete_file", {"target_file": "a"}, {"a": "deleted"}),
        ("delete_order", {"path": "/orders/3"}, {}),
        ("update_record", {"path": "/orders/3"}, {}),
        ("Read", {"file_path": "a.py"}, {}),
        ("TodoWrite", {"path": "a.py"}, {}),
        ("Edit", {"old_string": "1", "new_string": "2"}, {}),
        ("apply_patch", {"input": PATCH}, PATCHED),
        ("apply_patch", {"changes": [{"path": "z", "kind": "add"}, {"path": "y", "kind": 3}, 7, {}]}, {"z": "created", "y": "edited"}),
        ("shell", {"command": ["apply_patch", PATCH]}, PATCHED),
        (
            "shell",
            {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\ntouch d"], "workdir": "/w"},
            {**{f"/w/{path}": how for path, how in PATCHED.items()}, "/w/d": "written"},
        ),
        ("Bash", {"command": DIFF}, {"src/a.py": "edited"}),
    ],
)  # fmt: skip
def test_a_tool_or_a_patch_names_its_files(name, arguments, expected):
    assert files_of(name, arguments) == expected


@each_row(
    ("command", "expected"),
    [
        ("sed -i 's/a.b/c.d/g' x.py && rm old.py", {"x.py": "edited", "old.py": "deleted"}),
        ("cd src && rm old.py && cd ../lib && touch new.py", {"src/old.py": "deleted", "src/../lib/new.py": "written"}),
        ("cat > notes.txt <<'EOF'\nhi > there\nEOF", {"notes.txt": "written"}),
        ("touch 'my notes.txt'", {"my notes.txt": "written"}),
        ("echo a >> log.txt 2>&1", {"log.txt": "written"}),
        ("> a.txt", {"a.txt": "written"}),
        ("mv a.py b.py", {"a.py": "deleted", "b.py": "written"}),
        ("git mv a.py b.py lib", {"a.py": "deleted", "b.py": "deleted", "lib/a.py": "written", "lib/b.py": "written"}),
        ("cp -r a.py lib/ > /dev/null", {"lib/a.py": "written"}),
        ("cp a.txt b.txt 2>/dev/null || true", {"b.txt": "written"}),
        ("(cd x && touch y)", {"x/y": "written"}),
        ("rm *.pyc $HOME/a.py kept.py", {"kept.py": "deleted"}),
        ('echo "x > y" | tee -a k', {"k": "written"}),
        ("git commit -m 'a > b.py'", {}),
        ("grep -n 'a->b' x.c", {}),
        ("pytest -q > /dev/null", {}),
        ("touch 'a", {}),
        (f"touch {'a' * 1001}", {}),
        (
            "sed -i 3,4s,a.b,c,g s/a/b/c.d && mv s/a/b/c ..",
            {"s/a/b/c.d": "edited", "s/a/b/c": "deleted", "../c": "written"},
        ),
    ],
)
def test_a_command_names_its_files(command, expected):
    assert files_of("Bash", {"command": command}) == expected


@each_row(
    ("command", "expected"),
    [("ruff format .", True), ("git checkout -- .", True), ("git stash", True), ("rm -rf build", True), ("git mv a b", False),
     ("git checkout -b new", False), ("git add -A", False), ("pytest -q", False)],
)  # fmt: skip
def test_a_formatter_or_a_checkout_names_no_files(command, expected):
    assert changes_unnamed("Bash", {"command": command}) is expected
    assert not changes_unnamed("Edit", {"command": command})
