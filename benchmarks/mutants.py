"""Plants faults in the evaluator, the ledger of claims and the rules, one at a time, and counts those that the tests notice.

    python benchmarks/mutants.py --count 200 --seed 1 [--only rules/checks] [--tests tests/core ...]

A fault is one operator, constant or condition changed, or one statement left out, in a function; the seed chooses which. One process
collects the quick tests and runs each once, to learn which lines it runs. Then each fault is planted in a fork of that process, where
the tests that run its line judge it, the cheapest first, until one fails; a fork that takes ten times the processor's seconds that
its tests took before has found an endless loop. Prints what survived, and how many were noticed; the same seed, sources and tests give the same figures.
"""

import argparse
import ast
import copy
import functools
import gc
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from types import CodeType, FunctionType

import attrs
import pytest
from coverage import Coverage

REPOSITORY = Path(__file__).parents[1]
CLAIMS = "plugins/signals/hallucination/src/sentinel_signal_hallucination"
SOURCES = ("src/sentinel_core/evaluate", f"{CLAIMS}/ledger", f"{CLAIMS}/rules")
TESTS = ("tests/core", "plugins/signals")
SLOWER, SLACK = 10, 5  # times the seconds of the processor that the tests took before, and seconds more

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Continue: ast.Break, ast.Break: ast.Continue,
}  # fmt: skip
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}


@attrs.frozen
class Mutant:
    """A fault: where it is, which change of those that the function allows, and what it looks like."""

    path: str
    function: str
    number: int
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.words}"


def changes(node: ast.AST) -> Iterator[ast.AST]:  # noqa: C901, PLR0912 - a case for each kind of fault
    """All that may stand in the place of a node."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
            yield ast.Compare(node.left, [OPERATORS[type(operator)]()], node.comparators)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(OPERATORS[type(operator)](), node.values)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            yield ast.BinOp(node.left, OPERATORS[type(operator)](), node.right)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if value:
            yield ast.Constant(f"{value}~")
        case ast.If() | ast.While() | ast.IfExp():
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.comprehension(ifs=[first, *rest]):
            yield _with(node, ifs=[ast.UnaryOp(ast.Not(), first), *rest])
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield ast.Pass()
        case ast.Continue() | ast.Break():
            yield OPERATORS[type(node)]()
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def places(function: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Where in a function something may change: the parent, its field, the index in it, and the node. No annotations, no messages."""
    for name, value in ast.iter_fields(function):
        if name in ("annotation", "returns", "decorator_list", "args", "type_params") and not isinstance(
            function, ast.Call
        ):
            continue
        for index, node in enumerate(value if isinstance(value, list) else [value]):
            if (
                isinstance(node, ast.AST)
                and not isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert))
                and not _is_text(node)
            ):
                yield function, name, index if isinstance(value, list) else None, node
                yield from places(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    """The functions and methods of a module, not those within them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{within}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{within}{node.name}.")


def possible(path: Path) -> Iterator[Mutant]:
    """All faults of a file."""
    name = path.relative_to(REPOSITORY).as_posix()
    for function, tree in functions(ast.parse(path.read_text(encoding="utf-8"))):
        number, line = 0, tree.lineno
        for *_, node in places(tree):
            line = getattr(node, "lineno", line)
            for change in changes(node):
                before, after = (
                    ast.unparse(one).split("\n")[0][:60] for one in (node, ast.fix_missing_locations(change))
                )
                yield Mutant(name, function, number, line, f"`{before}` -> `{after}`")
                number += 1


def planted(mutant: Mutant) -> CodeType:
    """The function's code with the fault in it."""
    path = REPOSITORY / mutant.path
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (function,) = [node for name, node in functions(tree) if name == mutant.function][:1]
    found = [(*place, change) for place in places(function) for change in changes(place[3])]
    parent, field, index, node, change = found[mutant.number]
    change = ast.copy_location(change, node)
    if index is None:
        setattr(parent, field, change)
    else:
        getattr(parent, field)[index] = change
    module = compile(ast.fix_missing_locations(tree), str(path), "exec")
    return next(code for code in _codes(module) if code.co_qualname == mutant.function)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


class Judge:
    """Runs the collected tests, first whole, then against each mutant."""

    def __init__(self, mutants: list[Mutant], jobs: int) -> None:
        self.mutants, self.jobs = mutants, jobs
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.survived: list[tuple[Mutant, int]] = []
        self.killers: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of one run of all tests."""
        self.items = {item.nodeid: item for item in session.items}
        lines = self.measure()
        if self.failed:
            raise pytest.UsageError(f"these tests fail without any fault: {self.failed[:5]}")
        gc.unfreeze()
        for one in gc.get_objects():
            if isinstance(one, functools._lru_cache_wrapper):  # noqa: SLF001 - what was kept from before would hide faults
                one.cache_clear()
        self.functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
        gc.freeze()
        session.config.pluginmanager.unregister(name="terminalreporter")
        with tempfile.TemporaryDirectory() as folder:
            self.judge_all(lines, Path(folder))
        return True

    def measure(self) -> dict[tuple[str, int], set[str]]:
        """Runs each test once: which run a line, in at most how many seconds."""
        measuring = Coverage(
            data_file=None, config_file=False, include=[str(REPOSITORY / one / "*") for one in SOURCES]
        )
        measuring.start()
        for name in self.items:
            measuring.switch_context(name)
            began = time.process_time()
            self.run(name)
            self.seconds[name] = time.process_time() - began
        measuring.stop()
        data = measuring.get_data()
        return {
            (Path(path).relative_to(REPOSITORY).as_posix(), line): {name for name in names if name}
            for path in data.measured_files()
            for line, names in data.contexts_by_lineno(path).items()
        }

    def run(self, name: str) -> None:
        """One test, with its fixtures set up and torn down."""
        item = self.items[name]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def judge_all(self, lines: dict[tuple[str, int], set[str]], folder: Path) -> None:
        """So many at a time as there are jobs."""
        running: dict[int, tuple[Mutant, Path, int]] = {}
        for number, mutant in enumerate(self.mutants):
            names = sorted(lines.get((mutant.path, mutant.line), ()), key=lambda name: (self.seconds[name], name))
            if len(running) == self.jobs:
                self.wait(running)
            child = os.fork()
            if not child:
                self.judge(mutant, names, folder / str(number))
            running[child] = mutant, folder / str(number), len(names)
        while running:
            self.wait(running)

    def wait(self, running: dict[int, tuple[Mutant, Path, int]]) -> None:
        """Until one of the running has been judged."""
        child, status = os.wait()
        mutant, told, tests = running.pop(child)
        if status == 0:
            self.survived.append((mutant, tests))
        else:
            self.killers[told.read_text() if told.exists() else "the limit of time"] += 1

    def judge(self, mutant: Mutant, names: Iterable[str], told: Path) -> None:
        """In the fork: exits with 1 when a test has failed."""
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        limit = int(sum(self.seconds[name] for name in names) * SLOWER) + SLACK
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        code = planted(mutant)
        for one in self.functions:
            if one.__code__.co_filename == code.co_filename and one.__code__.co_qualname == code.co_qualname:
                one.__code__ = code
        for name in names:
            try:
                self.run(name)
            except BaseException as error:  # noqa: BLE001 - a fault may break the runner itself
                self.failed.append(f"{name}: {type(error).__name__}")
            if self.failed:
                told.write_text(self.failed[0])
                os._exit(1)
        os._exit(0)


def main() -> int:
    """Prints the survivors and the figures; exits 1 where the tests fail without any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="plant only in files whose path holds this")
    parser.add_argument("--tests", nargs="*", default=TESTS)
    parser.add_argument("--killers", action="store_true", help="print which tests noticed how many")
    options = parser.parse_args()
    files = sorted(path for one in SOURCES for path in (REPOSITORY / one).rglob("*.py") if options.only in str(path))
    every = [mutant for path in files for mutant in possible(path)]
    mutants = sorted(Random(options.seed).sample(every, min(options.count, len(every))), key=str)
    judge = Judge(mutants, options.jobs)
    os.chdir(REPOSITORY)
    chosen = [
        "-m",
        "not process and not exhaustive and not unmeasured",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-q",
        "--hypothesis-seed=0",
    ]
    code = pytest.main([*chosen, *options.tests], plugins=[judge])
    if len(judge.survived) + judge.killers.total() != len(mutants):
        return int(code) or 1
    for mutant, tests in sorted(judge.survived, key=lambda one: str(one[0])):
        print(f"survived {tests} tests: {mutant}")
    for name, count in judge.killers.most_common() if options.killers else ():
        print(f"{count} noticed first by {name}")
    print(
        f"{judge.killers.total()} of {len(mutants)} faults of {len(every)} possible ones noticed, by {len(judge.items)} tests"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
