import subprocess
import sys
import tomllib

import pytest

from sentinel_command_start.new import KINDS

SOURCES = "line-length = 120\nsrc = ['sentinel-*/src']"


def test_every_kind_is_a_project_that_ruff_finds_nothing_in(inside, folder):
    for kind in KINDS:
        done = inside("plugins", "new", kind, "My-First")
        assert (done.returncode, done.stderr) == (0, "")
        made = folder / f"sentinel-{kind}-my-first"
        project = tomllib.loads((made / "pyproject.toml").read_text(encoding="utf-8"))
        name = "my_first" if kind in ("guardrail", "signal", "tool") else "my-first"
        module = f"sentinel_{kind}_my_first"
        assert project["project"]["entry-points"] == {f"sentinel.{KINDS[kind].group}": {name: module}}
        assert {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()} == {
            "README.md",
            "pyproject.toml",
            f"src/{module}/__init__.py",
            f"src/{module}/py.typed",
            f"tests/test_{module}.py",
        }
        assert done.stdout.endswith(
            f"pip install -e './{made.name}[test]' && pytest {made.name}\nsentinel plugins show {name}\n"
        )
        assert "$" not in (made / "src" / module / "__init__.py").read_text(encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    for check in (["check"], ["format", "--check"]):
        done = subprocess.run(  # first-party is what lies in src/, seen from each project
            [*ruff, *check, "--isolated", "--config", SOURCES, str(folder)],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
        assert done.returncode == 0, done.stdout


def test_it_is_written_where_it_is_told_to(inside, folder):
    (folder / "empty").mkdir()
    assert inside("plugins", "new", "tool", "adder", "--into", "empty").returncode == 0
    assert (folder / "empty" / "pyproject.toml").exists()
    for place in ("empty", "empty/pyproject.toml"):
        done = inside("plugins", "new", "tool", "adder", "--into", place)
        assert (done.returncode, done.stdout) == (3, "")
        assert (
            done.stderr
            == f'sentinel: error: "{place}" already exists and is not empty: choose another folder with --into\n'
        )


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("signal", "../up", "a name must consist of lower-case words (letters and digits)"),
        ("signal", "class", "a name must consist of lower-case words (letters and digits)"),
        ("reader", "", "a name must consist of lower-case words (letters and digits)"),
        ("tool", "a" * 41, "a name must consist of lower-case words (letters and digits)"),
        ("signal", "loop", '"loop" is taken by reliability-sentinel-signal-loop '),
        ("command", "evaluate", '"evaluate" is taken: it is a command of Sentinel'),
        ("plugin", "mine", "is not one of"),
    ],
)
def test_a_name_that_it_cannot_have(inside, folder, kind, name, told):
    done = inside("plugins", "new", kind, name)
    assert (done.returncode, told in done.stderr) == (3, True), done.stderr
    assert not list(folder.iterdir())
