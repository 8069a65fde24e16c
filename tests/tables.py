"""Tables as tests: one test judges all rows of a table, and shows each that does not hold."""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

__all__ = ["each_row", "judge_rows"]


def each_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Written like ``pytest.mark.parametrize``, for rows that need no fixtures of their own: a test for each row costs more than the row.

    All rows are judged, whichever fail; the failure is a group of theirs, each with a note of its row. Several tables multiply.
    """
    arguments = tuple(names.replace(" ", "").split(",")) if isinstance(names, str) else tuple(names)
    table = [_values(row, len(arguments)) for row in rows]
    assert table, f"no row for {names}"

    def judged(test: Callable[..., None]) -> Callable[..., None]:
        tables = [*getattr(test, "tables", ()), (arguments, table)]
        judge = getattr(test, "judge_row", test)

        @functools.wraps(judge)
        def test_of_all_rows(**fixtures: Any) -> None:
            several = itertools.product(*(rows for _, rows in tables))
            names = [name for own, _ in tables for name in own]
            rows = [dict(zip(names, itertools.chain(*values), strict=True)) for values in several]
            judge_rows(functools.partial(judge, **fixtures), rows)

        parameters = inspect.signature(test).parameters
        assert set(arguments) <= set(parameters), f"{judge.__name__} takes no {set(arguments) - set(parameters)}"
        left = [parameter for name, parameter in parameters.items() if name not in arguments]
        vars(test_of_all_rows).update(tables=tables, judge_row=judge, __signature__=inspect.Signature(left))
        return test_of_all_rows

    return judged


def judge_rows(judge: Callable[..., None], rows: Iterable[Mapping[str, Any]]) -> None:
    """Call it with each row. Raises a group of what it raised, each with a note of its row."""
    wrong = []
    for row in rows:
        try:
            judge(**row)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever a row raises, the others are judged
            error.add_note(f"in the row {row!r:.2000}")
            wrong.append(error)
    if wrong:
        raise BaseExceptionGroup(f"{len(wrong)} rows do not hold", wrong)


def _values(row: Any, count: int) -> tuple[Any, ...]:
    if isinstance(row, ParameterSet):
        assert not row.marks, "a row with a mark is a test of its own"
        return tuple(row.values)
    return (row,) if count == 1 else tuple(row)
