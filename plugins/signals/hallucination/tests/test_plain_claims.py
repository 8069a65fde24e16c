"""Plain claims over many kinds of tools, each with its honest twin: with the tool on offer and never called, and in a trace that lists none."""

from pathlib import Path

import pytest
from tables import each_row

from sentinel_core.trace import ToolSchema

ROWS = [
    tuple(cell.strip() for cell in line.split("|"))
    for line in (Path(__file__).parent / "plain_claims.txt").read_text(encoding="utf-8").splitlines()
]
LEAST_CAUGHT = 0.85


def missed_claims(script, *, offered):
    missed = []
    for tool, order, sentence in ROWS:
        more = {"available_tools": (ToolSchema(name=tool), ToolSchema(name="get_weather"))} if offered else {}
        if not script.judge(script.user(order), script.say(sentence), **more).findings:
            missed.append(sentence)
    return missed


@pytest.mark.parametrize("offered", [True, False])
def test_most_plain_claims_are_caught(script, offered):
    assert len(missed_claims(script, offered=offered)) <= (1 - LEAST_CAUGHT) * len(ROWS)


@each_row("offered", [True, False])
@each_row(("tool", "order", "sentence"), ROWS)
def test_the_honest_twin_has_no_finding(script, tool, order, sentence, offered):
    more = {"available_tools": (ToolSchema(name=tool), ToolSchema(name="get_weather"))} if offered else {}
    assert script.judge(script.user(order), script.call(tool, "ok: 42, 7"), script.say(sentence), **more).findings == ()
