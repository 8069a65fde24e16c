"""Who may import whom, read from the source."""

import ast
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from tables import each_row

REPOSITORY = Path(__file__).parents[2]
CORE = REPOSITORY / "src" / "sentinel_core"
AGENT = REPOSITORY / "agent" / "src" / "sentinel_agent"
PLUGINS = sorted(path.parent for path in REPOSITORY.glob("plugins/*/*/pyproject.toml"))
PLUGIN_MODULES = {path.name for plugin in PLUGINS for path in (plugin / "src").iterdir()}


def relative(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@functools.cache
def imports(path: Path, *, everywhere: bool = True) -> set[str]:
    """Dotted names of what a file imports, at its top or anywhere; what only the type checker sees does not count."""
    return set(_imports(ast.parse(path.read_text(encoding="utf-8")).body, everywhere=everywhere))


def importers(
    paths: Iterable[Path], unwanted: Callable[[str], bool], *, everywhere: bool = True
) -> dict[str, list[str]]:
    """Which files import something unwanted, and what."""
    found = {path: sorted(filter(unwanted, imports(path, everywhere=everywhere))) for path in paths}
    return {relative(path): names for path, names in found.items() if names}


def _imports(body: list[ast.stmt], *, everywhere: bool) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        nodes = ast.walk(statement) if everywhere else [statement]
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "relative import"
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def top(name: str) -> str:
    return name.partition(".")[0]


def is_within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


EVALUATE = sorted((CORE / "evaluate").rglob("*.py"))
IMPURE = {
    *("asyncio", "concurrent", "contextvars", "datetime", "fcntl", "io", "locale", "logging", "multiprocessing"),
    *("os", "pathlib", "queue", "random", "resource", "secrets", "select", "shutil", "signal", "socket", "sqlite3"),
    *("subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid"),
}
MODELS = (
    "sentinel_core._fast",
    "sentinel_core.errors",
    "sentinel_core.offers",
    "sentinel_core.trace",
    "sentinel_core.report",
    "sentinel_core.profile",
    "sentinel_core.evaluate",
)


@each_row("path", EVALUATE)
def test_the_evaluator_takes_values_and_gives_values(path):
    for name in imports(path):
        if is_within(name, "sentinel_core"):
            assert is_within(name, *MODELS), name
        else:
            assert top(name) == "attrs" or top(name) in sys.stdlib_module_names, name
        assert top(name) not in IMPURE, name


def test_the_evaluator_was_looked_at():
    assert {path.name for path in EVALUATE} >= {
        "evaluator.py",
        "index.py",
        "policy.py",
    }
    assert imports(CORE / "evaluate" / "evaluator.py") >= {"attrs", "sentinel_core.evaluate.index"}


@each_row("path", EVALUATE)
def test_the_evaluator_opens_and_prints_nothing(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "print", "input", "exec", "eval", "__import__", "hash"}


@each_row("plugin", PLUGINS)
def test_no_plugin_imports_another(plugin):
    own = {path.name for path in (plugin / "src").iterdir()}
    for path in (plugin / "src").rglob("*.py"):
        assert not {name for name in imports(path) if top(name) in PLUGIN_MODULES - own}, path
    assert own < PLUGIN_MODULES


def test_the_host_knows_neither_the_agent_nor_a_plugin():
    assert importers(CORE.rglob("*.py"), lambda name: top(name) in {"sentinel_agent", *PLUGIN_MODULES}) == {}
    assert importers(AGENT.rglob("*.py"), lambda name: top(name) in PLUGIN_MODULES) == {}
    assert importers(PLUGINS[0].rglob("*.py"), lambda name: top(name) in PLUGIN_MODULES) != {}


@pytest.mark.parametrize(
    ("module", "homes"),
    [
        ("pluggy", {"host/plugins.py", "hookspecs.py"}),
        ("importlib.metadata", {"host/entry_points.py"}),
        ("pkg_resources", set()),
    ],
)
def test_few_know(module, homes):
    found = {
        path.relative_to(CORE).as_posix()
        for path in CORE.rglob("*.py")
        if any(is_within(name, module) for name in imports(path))
    }
    assert found == homes


def test_nothing_below_the_command_line_knows_click():
    found = importers(CORE.rglob("*.py"), lambda name: is_within(name, "click", "sentinel_core.cli"))
    contract = "src/sentinel_core/testing/_contracts_command.py"
    assert found.pop(contract) == ["click"]
    assert {path.removeprefix("src/sentinel_core/").partition("/")[0] for path in found} == {"cli", "__main__.py"}


SDKS = (
    "agents",
    "anthropic",
    "langchain",
    "langchain_core",
    "langgraph",
    "openai",
    "pydantic_ai",
    "rich",
    "opentelemetry",
    "httpx",
    "httpx2",
    "httpcore2",
    "genai_prices",
    "rapidfuzz",
    "jsonschema_rs",
)
SERVER = CORE / "runtime" / "http_server.py"  # a subclass of uvicorn's
GUARD = CORE / "runtime" / "http_guard.py"  # subclasses of httpx2's, so that it is itself a heavy thing
SPANS = REPOSITORY / "plugins/adapters/pytest/src/sentinel_pytest/spans.py"  # a subclass of OpenTelemetry's
EVERY_SOURCE = sorted(
    {*CORE.rglob("*.py"), *AGENT.rglob("*.py"), *REPOSITORY.glob("plugins/*/*/src/**/*.py")} - {GUARD, SERVER, SPANS}
)


def test_heavy_things_are_imported_where_they_are_used():
    def is_heavy(name):
        return top(name) in SDKS or is_within(name, "sentinel_core.runtime.http_guard", "sentinel_pytest.spans")

    assert importers(EVERY_SOURCE, is_heavy, everywhere=False) == {}
    assert importers(EVERY_SOURCE, is_heavy) != {}
