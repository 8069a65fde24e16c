"""Commands that are plugins import what docs/write-a-plugin.md lists, and what judges a session compiles nothing on import."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tables import each_row

REPOSITORY = Path(__file__).parents[2]
GUIDE = (REPOSITORY / "docs" / "write-a-plugin.md").read_text(encoding="utf-8")
COMMANDS = sorted(path.parent for path in REPOSITORY.glob("plugins/commands/*/pyproject.toml"))


def listed() -> set[str]:
    _, _, section = GUIDE.partition("### What a command may import\n")
    rows = re.findall(r"^\| (`sentinel_core.*?) \| ", section.partition("\n## ")[0], re.MULTILINE)
    return {module for row in rows for module in re.findall(r"`([\w.]+)`", row)}


def imported(folder: Path) -> set[tuple[str, str]]:
    """Module and name of each import of the core, inside functions and for the type checker, too."""
    found = set()
    for path in (folder / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {(alias.name, "") for alias in node.names if alias.name.partition(".")[0] == "sentinel_core"}
            elif isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "sentinel_core":
                found |= {(node.module, alias.name) for alias in node.names}
    return found


def test_the_built_in_commands_are_looked_at():
    assert [folder.name for folder in COMMANDS] == [
        "hook",
        "mcp",
        "mutate",
        "receive",
        "run",
        "serve",
        "start",
        "suite",
    ]
    assert all(("sentinel_core", "Command") in imported(folder) for folder in COMMANDS)


@each_row("folder", COMMANDS)
def test_a_command_imports_what_is_listed(folder):
    modules = listed()
    assert {f"{module}.{name}" for module, name in imported(folder) if module not in modules} == set()
    hidden = {
        f"{module}.{name}"
        for module, name in imported(folder)
        if name and name not in importlib.import_module(module).__all__
    }
    assert hidden == set()


def test_the_list_has_nothing_that_nobody_needs():
    used = {module for folder in COMMANDS for module, _ in imported(folder)}
    assert listed() - used == set()
    assert all(part[0] != "_" for module in listed() for part in module.split("."))


def compiled_on_import(tree: ast.Module) -> list[str]:
    """The names that get a compiled expression of text when the module is imported."""
    values = [
        (ast.unparse(statement), value)
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for value in (statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value])
    ]
    return [
        text.partition(" = ")[0]
        for text, value in values
        if isinstance(value, ast.Call)
        and ast.unparse(value.func) == "re.compile"
        and not ast.unparse(value.args[0]).startswith("b")
    ]


def test_a_compiled_expression_is_seen():
    source = "a = re.compile('x')\nb, c = regex('x'), re.compile(f'{a}')\nd = re.compile(b'x')\ne = regex('x')"
    assert len(compiled_on_import(ast.parse(source))) == 2


@pytest.mark.process
def test_what_judges_compiles_expressions_when_they_are_first_used():
    code = (
        "import sys, sentinel_signal_hallucination.judging, sentinel_core.evaluate.checks; "
        "own = ('sentinel_signal_hallucination.', 'sentinel_core.evaluate.'); "
        "print(*(module.__file__ for name, module in sys.modules.items() if name.startswith(own)), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = [Path(line) for line in done.stdout.splitlines()]
    assert {"judging.py", "outcome.py", "languages.py"} <= {file.name for file in files}
    found = {file.name: compiled_on_import(ast.parse(file.read_text(encoding="utf-8"))) for file in files}
    assert {name: names for name, names in found.items() if names} == {}
