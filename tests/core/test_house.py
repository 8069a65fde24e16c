"""The order of the rooms: imports go down, nothing goes round, and the root holds nouns and doors only.

Every import counts: at the top of a file, inside a function, and what only the type checker sees.
"""

import ast
import functools
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import sentinel_agent
import sentinel_core
from sentinel_agent import telemetry as agent_telemetry
from sentinel_core import guardrails, providers, telemetry
from sentinel_core.traces import readers

CORE = Path(sentinel_core.__file__).parent
MODULES = {
    ".".join((package.__name__, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"): path
    for package in (sentinel_core, sentinel_agent)
    for folder in (Path(package.__file__).parent,)
    for path in folder.rglob("*.py")
}

# From the top down. A room imports rooms on lower lines only; those on one line do not see each other.
ORDER = (
    {"cli", "testing", "sentinel_agent"},
    {"judging"},
    {"telemetry"},
    {"guardrails", "providers"},
    {"host"},
    {"evaluate", "traces"},
    {"runtime"},
)
DOORS = {"sentinel_core", "sentinel_core.__main__"}
NOUNS = {"_fast", "_lazy", "_version", "errors", "hookspecs", "model", "offers", "profile", "report", "trace"}
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
BOTTOM = len(ORDER)
LAZY = {
    package.__name__: vars(package)["_MODULE_OF"]
    for package in (sentinel_core, sentinel_agent, agent_telemetry, guardrails, providers, telemetry, readers)
}


def floor(module):
    if module in DOORS:
        return -1
    package, *rest = module.split(".")
    if package == "sentinel_agent":
        return FLOOR[package]
    return BOTTOM if rest[0] in NOUNS else FLOOR[rest[0]]


def room(module):
    """Nouns are one room at the bottom."""
    package, _, rest = module.partition(".")
    if floor(module) == BOTTOM:
        return "nouns"
    return package if package == "sentinel_agent" or not rest else rest.split(".")[0]


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


@functools.cache
def graph():
    """What each module imports."""
    return {module: set(imports_of(path)) - {module} for module, path in MODULES.items()}


def test_every_room_has_its_place():
    rooms = {path.name for path in CORE.iterdir() if (path / "__init__.py").exists()}
    assert {"sentinel_agent", *rooms} == set(FLOOR)
    assert sum(len(found) for found in graph().values()) > 900


def test_the_root_holds_nouns_and_doors_only():
    root = {path.stem for path in CORE.glob("*.py")}
    assert root == NOUNS | {"__init__", "__main__"}
    assert len(root) <= 12


def test_imports_go_down():
    up = [
        f"{module} -> {found}"
        for module, all_found in graph().items()
        for found in sorted(all_found)
        if room(module) != room(found) and floor(module) >= floor(found)
    ]
    assert up == []


def test_imports_do_not_go_round():
    try:
        list(TopologicalSorter(graph()).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None
