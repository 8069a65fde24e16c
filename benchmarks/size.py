"""Lines of code, without blank lines, comments and docstrings: of the host by room, of the agent, and of each plugin."""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(path: Path) -> int:
    """Physical lines of a file that hold a token of code."""
    text = path.read_text(encoding="utf-8")
    lines = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):  # a docstring, also that of an attribute
                lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def main() -> int:
    """Print the table."""
    core = REPOSITORY / "src" / "sentinel_core"
    rooms = Counter[str]()
    for path in core.rglob("*.py"):
        parts = path.relative_to(core).parts
        rooms[parts[0] if len(parts) > 1 else "(root)"] += code_lines(path)
    for room, lines in sorted(rooms.items(), key=lambda item: -item[1]):
        print(f"{lines:7,}  src/sentinel_core/{room}")
    print(f"{rooms.total():7,}  the host")
    for plugin in (REPOSITORY / "agent/src", *sorted(REPOSITORY.glob("plugins/*/*/src"))):
        lines = sum(map(code_lines, plugin.rglob("*.py")))
        print(f"{lines:7,}  {plugin.parent.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
