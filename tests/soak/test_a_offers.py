"""A: random releases that know some things and not others: a tool is offered where its source answers, and only there."""

import json

import pytest
from soaking import chance_of, seeds

from sentinel_core.errors import SentinelError
from sentinel_core.host.tools import bind_tool, offered
from sentinel_tools_release import sentinel_tools

pytestmark = pytest.mark.process  # each tool is asked in a child

PARTS = {
    "get_test_details": ("test_details", [{"name": "test_pay", "outcome": "failed"}]),
    "get_code_changes": ("code_changes", [{"id": "a1", "summary": "x"}]),
    "get_observability_traces": ("observability_traces", [{"name": "GET /", "duration_ms": 3}]),
}
NEEDED = {"get_release_summary", "file_risk_report"}


def bound(place, reports):
    made = []
    for tool in sentinel_tools():
        names = {field.name for field in tool.settings.__attrs_attrs__}
        wanted = {"releases": str(place), "reports": str(reports)}
        made.append(bind_tool(tool, tool.settings(**{name: value for name, value in wanted.items() if name in names})))
    return made


@pytest.mark.parametrize("seed", seeds(8, 500))
def test_what_is_offered_answers_and_what_is_not_has_no_source(tmp_path, seed):
    chance = chance_of("offers", seed)
    parts = {tool: part for tool, part in PARTS.items() if chance.random() < 0.5}
    earlier = chance.randrange(3)
    place = tmp_path / "releases"
    place.mkdir()
    for number in range(earlier + 1):
        more = dict(parts.values()) if number == earlier else {}
        (place / f"v{number}.json").write_text(json.dumps({"version": f"v{number}", "tests": {"passed": 1}, **more}))
    tools = bound(place, tmp_path / "reports")
    found = offered(tools, f"v{earlier}")
    wanted = NEEDED | parts.keys() | ({"get_release_history"} if earlier else set())
    assert {tool.name for tool in found.tools} == wanted, seed
    assert found.left_out.keys() == {tool.name for tool in tools} - wanted, seed
    for tool in tools:
        if tool.name in NEEDED:
            continue
        try:
            tool.handler(release_id=f"v{earlier}")
            answers = True
        except SentinelError:
            answers = False
        assert answers or tool.name not in wanted, (seed, tool.name)
