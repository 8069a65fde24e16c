"""Commands that are plugins import what docs/write-a-plugin.md lists, and nothing else of the core."""

import ast
import importlib
import re
from pathlib import Path

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
