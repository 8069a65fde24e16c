"""Files of at most 400 lines, functions of at most 60."""

import ast
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ("src", "agent", "plugins", "tests", "benchmarks", "examples")
FILES = sorted(path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.py") if "build" not in path.parts)
MOST_LINES = 400
LONGEST_FUNCTION = 60
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def relative(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def functions(text: str) -> list[tuple[str, int]]:
    """Name and number of lines of each function, decorators included."""
    return [
        (node.name, node.end_lineno + 1 - min([node.lineno, *(one.lineno for one in node.decorator_list)]))
        for node in statements(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def statements(tree: ast.Module) -> list[ast.stmt]:
    """All, without the expressions in them, which are ten times as many."""
    found: list[ast.AST] = [tree]
    for node in found:
        for block in BLOCKS:
            found += getattr(node, block, ())
    return found[1:]


def test_no_file_is_too_long():
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long():
    measured = [(relative(path), *found) for path in FILES for found in functions(path.read_text(encoding="utf-8"))]
    assert [found for found in measured if found[-1] > LONGEST_FUNCTION] == []


def test_functions_are_measured():
    assert functions("@a\n@b\ndef f():\n    def g(): pass\n    return g\n") == [("f", 5), ("g", 1)]
    nested = "class A:\n try:\n  pass\n except B:\n  if x:\n   pass\n  else:\n   match x:\n    case 1:\n     def f(): pass\n finally:\n  async def g(): pass\n"
    assert sorted(functions(nested)) == [("f", 1), ("g", 1)]
    assert len(FILES) > 100
