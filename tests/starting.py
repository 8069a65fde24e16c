"""Which tests start processes: found out from what they import, and held to it when they run without that mark.

A test is marked ``process`` where its file, a helper that the file imports, or a fixture of a ``conftest.py`` that the test
uses imports one of ``DOORS`` or forks by itself. What this does not see says so: ``pytest.mark.process``. With
``-m "not process"``, as in ``make quick``, a test that starts a process all the same fails. Tests against the servers that
stall and break are marked as well: they wait most of their time.
"""

import ast
import functools
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

ROOT = Path(__file__).parents[1]
DOORS = (
    "subprocess",
    "multiprocessing",
    "sentinel_core.runtime.isolate",
    "sentinel_core.cli",
    "sentinel_command_run",
    "sentinel_faults",  # the server that breaks
)
FORKS = frozenset({"fork", "forkpty", "posix_spawn"})
EVENTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})


def is_door(module: str) -> bool:
    return any(module == door or module.startswith(f"{door}.") for door in DOORS)


def is_helper(module: ModuleType | None) -> bool:
    """Whether it is a module that only tests use."""
    path = Path(getattr(module, "__file__", None) or "/")
    return path.is_relative_to(ROOT) and "src" not in path.parts and "site-packages" not in path.parts


def imports(path: Path) -> Iterator[str]:
    """Dotted names of all that a file imports, anywhere in it; and the doors that it has built by itself."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Attribute) and node.attr in FORKS:
            yield DOORS[0]


@functools.cache
def opens(path: Path) -> bool:
    """Whether a file, or a helper that it imports, starts processes."""
    names = set(imports(path))
    beside = (folder / f"{name}.py" for name in names for folder in (path.parent, ROOT / "tests") if "." not in name)
    return any(map(is_door, names)) or any(opens(one) for one in beside if one != path and one.is_file())


@functools.cache
def leads_out(function: FunctionType) -> bool:
    """Whether a fixture's function does, or one beside it that it calls."""
    for name in names_in(function.__code__):
        value = function.__globals__.get(name)
        module = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", None) or name)
        if module is None:
            continue
        if is_door(module.__name__) or name in FORKS:
            return True
        beside = module.__name__ == function.__module__
        if beside and any(leads_out(one) for one in functions_in(value) if one is not function):
            return True
        if not beside and is_helper(module) and opens(Path(str(module.__file__))):
            return True
    return False


def functions_in(value: object) -> list[FunctionType]:
    """Of a class its methods."""
    held = vars(value).values() if isinstance(value, type) else (value,)
    return [one for one in held if isinstance(one, FunctionType)]


def names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_in(inner)


def is_quick(config: pytest.Config) -> bool:
    return "not process" in config.getoption("markexpr")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files whose tests would all be left out are not even imported."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and is_quick(config) and opens(collection_path) else None


def pytest_collection() -> None:
    """Thousands of tests live to the end: looking through them for garbage again and again takes longer than many of them."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items if "process" in config.getoption("markexpr") else ():  # to read all files takes a second
        definitions = getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009 - pytest's own, untyped
        made = [one.func for several in definitions for one in several] + [getattr(item, "function", None)]
        others = (one for one in made if isinstance(one, FunctionType) and Path(one.__code__.co_filename) != item.path)
        if opens(item.path) or any(map(leads_out, others)):
            item.add_marker(pytest.mark.process)


class Guard:
    """Fails each test in which a process is started."""

    def __init__(self) -> None:
        self.started: list[str] = []
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: object) -> None:
        if event in EVENTS:
            self.started.append(f"{event}{arguments}"[:200])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self.started.clear()  # what imports did while tests were collected

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if self.started and report.passed:
            report.outcome = "failed"
            report.longrepr = f"a test without the mark `process` started one, see {__file__}: {self.started[0]}"
        return report


def pytest_configure(config: pytest.Config) -> None:
    is_worker = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if is_quick(config) and is_worker:
        config.pluginmanager.register(Guard())
