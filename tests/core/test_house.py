"""The order of the rooms: imports go down, nothing goes round, and the root holds nouns and doors only.

Every import counts: at the top of a file, inside a function, and what only the type checker sees.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import sentinel_core
from sentinel_core import agent, guardrails, telemetry
from sentinel_core.traces import readers

CORE = Path(sentinel_core.__file__).parent
MODULES = {
    ".".join(("sentinel_core", *path.relative_to(CORE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in CORE.rglob("*.py")
}

# From the top down. A room imports rooms on lower lines only; those on one line do not see each other.
ORDER = (
    {"cli", "testing"},
    {"judging"},
    {"telemetry"},
    {"agent"},
    {"guardrails"},
    {"host"},
    {"evaluate", "traces"},
    {"runtime"},
)
DOORS = {"sentinel_core", "sentinel_core.__main__"}
NOUNS = {"_fast", "_lazy", "_version", "errors", "hookspecs", "model", "offers", "profile", "report", "trace"}
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
BOTTOM = len(ORDER)
LAZY = {
    package.__name__: vars(package)["_MODULE_OF"] for package in (sentinel_core, agent, guardrails, telemetry, readers)
}


def floor(module):
    if module in DOORS:
        return -1
    room = module.split(".")[1]
    return BOTTOM if room in NOUNS else FLOOR[room]


def room(module):
    """Nouns are one room at the bottom."""
    return "nouns" if floor(module) == BOTTOM else module.split(".")[1] if "." in module else module


def home(module, name):
    """The module that an import of a name leads to; a lazy package hands on where the name lives."""
    if f"{module}.{name}" in MODULES:
        return f"{module}.{name}"
    return LAZY[module].get(name, module) if module in LAZY else module


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            # ``import sentinel_core`` for annotations is not an import of anything: its names are looked up by who asks.
            yield from (alias.name for alias in node.names if alias.name in MODULES and alias.name != "sentinel_core")
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from (home(node.module, alias.name) for alias in node.names)


GRAPH = {module: set(imports_of(path)) - {module} for module, path in MODULES.items()}


def test_every_room_has_its_place():
    rooms = {path.name for path in CORE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(FLOOR)
    assert sum(len(found) for found in GRAPH.values()) > 900


def test_the_root_holds_nouns_and_doors_only():
    root = {path.stem for path in CORE.glob("*.py")}
    assert root == NOUNS | {"__init__", "__main__"}
    assert len(root) <= 12


def test_imports_go_down():
    up = [
        f"{module} -> {found}"
        for module, all_found in GRAPH.items()
        for found in sorted(all_found)
        if room(module) != room(found) and floor(module) >= floor(found)
    ]
    assert up == []


def test_imports_do_not_go_round():
    try:
        list(TopologicalSorter(GRAPH).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
