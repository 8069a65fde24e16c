"""The tree drawn in the module's docstring is the real one."""

import builtins
import inspect

import sentinel_core
from sentinel_core import errors


def drawn() -> dict[str, str]:
    """Class name to its parent's, from the drawing."""
    parents: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    for line in errors.__doc__.splitlines():
        bare = line.lstrip(" │├└─")
        if not bare or (not stack and not bare.startswith("SentinelError")):
            continue
        if stack and not line.strip().startswith(("│", "├", "└")):
            break
        depth, name = len(line) - len(bare), bare.split()[0]
        while stack and stack[-1][0] >= depth:
            stack.pop()
        parents[name] = stack[-1][1] if stack else "Exception"
        stack.append((depth, name))
    return parents


def real() -> dict[str, str]:
    classes = [one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, Exception)]
    return {one.__name__: one.__bases__[0].__name__ for one in classes}


def test_the_drawing_is_the_tree():
    assert drawn() == real()
    assert len(real()) > 20


def test_everything_is_offered():
    assert errors.__all__ == sorted(real())
    assert sentinel_core.SentinelError is errors.SentinelError


def test_names_do_not_hide_pythons_own():
    assert not set(real()) & set(dir(builtins))


def test_every_class_says_what_it_is():
    assert all(getattr(errors, name).__doc__.strip().endswith((".", "``")) for name in real())


def test_what_errors_carry():
    assert str(errors.TraceDecodeError(("a at $", "b at $.c"))) == "a at $; b at $.c"
    assert errors.RateLimitError("slow down", retry_after=2.5).retry_after == 2.5
    assert errors.RateLimitError("slow down").retry_after is None
    assert isinstance(errors.ConfigError("x"), ValueError)
