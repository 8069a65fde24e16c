"""A tool says before a run whether its source is there, and one whose source is not there is not offered."""

import json

import pytest

from sentinel_core.host.tools import bind_tool, offered
from sentinel_tools_release import sentinel_tools

pytestmark = pytest.mark.process  # each tool is asked in a child

NEEDED = {"get_release_summary", "file_risk_report"}


def names(subject, **settings):
    """The tools that are offered for a release, with these settings as far as a tool has them."""
    bound = []
    for tool in sentinel_tools():
        fields = {field.name for field in tool.settings.__attrs_attrs__}
        bound.append(bind_tool(tool, tool.settings(**{key: value for key, value in settings.items() if key in fields})))
    found = offered(bound, subject)
    assert not found.unsure
    assert set(found.left_out) | {tool.name for tool in found.tools} == {tool.name for tool in bound}
    return {tool.name for tool in found.tools}, found.left_out


def summary(folder, version, **more):
    folder.mkdir(exist_ok=True)
    (folder / f"{version}.json").write_text(json.dumps({"version": version, "tests": {"passed": 1}, **more}))
    return str(folder)


def test_a_folder_of_summaries_offers_what_the_summary_has(tmp_path):
    place = summary(tmp_path / "r", "v1")
    offers, left_out = names("v1", releases=place)
    assert offers == NEEDED
    assert left_out["get_test_details"] == f'release "v1" in "{place}" has no "test_details"; only its summary is known'
    assert left_out["get_release_history"] == 'no release before "v1" is known'
    summary(tmp_path / "r", "v2", code_changes=[{"id": "a"}])
    assert names("v2", releases=place)[0] == NEEDED | {"get_code_changes", "get_release_history"}


def test_sources_of_their_own_are_offered(tmp_path):
    place = summary(tmp_path / "r", "v1")
    offers, _ = names("v1", releases=place, junit="results.xml", traces="spans.jsonl", repo=".")
    assert offers == {tool.name for tool in sentinel_tools()}


@pytest.mark.parametrize("status", [404, 405, 410, 501])
def test_a_server_without_the_deeper_parts_offers_what_it_must_have(service, status):
    service.answers({"error": "no such path"}, status)
    assert names("v1", releases=service.base)[0] == NEEDED


def test_a_server_that_fails_for_the_moment_is_asked_again_in_the_run(service):
    service.fault = 503
    assert names("v1", releases=service.base)[0] == {tool.name for tool in sentinel_tools()}


def test_a_check_that_raises_leaves_the_tool_on_offer():
    import attrs

    def broken(_subject):
        raise RuntimeError("not today")

    (tool, *_) = sentinel_tools()
    found = offered([attrs.evolve(tool, settings=None, unavailable=broken)], "v1")
    assert [one.name for one in found.tools] == [tool.name]
    assert found.unsure == {tool.name: "RuntimeError: not today"}
