"""The tools for deeper work where the source is a document or a server."""

import pytest

from sentinel_core.errors import InputError
from sentinel_core.host.settings import read_layers
from sentinel_tools_release import (
    ReportSettings,
    SourceSettings,
    SummarySettings,
    TraceSettings,
    get_code_changes,
    get_observability_traces,
    get_test_details,
)

TOOLS = {
    "test_details": (get_test_details, SourceSettings, "status=failed&limit=3"),
    "code_changes": (get_code_changes, SourceSettings, "limit=3&skip=0"),
    "observability_traces": (get_observability_traces, TraceSettings, "limit=3"),
}


@pytest.mark.parametrize("key", TOOLS)
def test_part_of_a_document_is_given_as_it_is(tmp_path, key):
    handler, settings, _ = TOOLS[key]
    (tmp_path / "v1.json").write_text(f'{{"version": "v1", "{key}": [{{"any": 1}}]}}')
    assert handler(settings(releases=str(tmp_path)), "v1") == {key: [{"any": 1}]}


@pytest.mark.parametrize("key", TOOLS)
def test_part_that_is_not_there(tmp_path, key):
    handler, settings, _ = TOOLS[key]
    (tmp_path / "v1.json").write_text('{"version": "v1"}')
    with pytest.raises(InputError, match=f'release "v1" in .* has no "{key}"; only its summary is known'):
        handler(settings(releases=str(tmp_path)), "v1")


@pytest.mark.parametrize("key", TOOLS)
def test_part_of_a_server(service, key):
    handler, settings, query = TOOLS[key]
    service.answers({"found": 1})
    assert handler(settings(releases=f"{service.base}/api"), "v1/../x", limit=3) == {key: {"found": 1}}
    ((method, path, _, _),) = service.asked
    assert (method, path) == ("GET", f"/api/{key.replace('_', '-')}?release_id=v1%2F..%2Fx&{query}")


def test_path_is_percent_encoded(service):
    service.answers({})
    get_code_changes(SourceSettings(releases=service.base), "v1", path="a b&c=/d", limit=1)
    assert service.asked[0][1] == "/code-changes?release_id=v1&path=a%20b%26c%3D%2Fd&limit=1&skip=0"


@pytest.mark.parametrize("field", ["repo", "junit", "metrics"])
@pytest.mark.parametrize("place", ["https://host/x", "a\0b"])
def test_places_beside_are_paths(field, place):
    with pytest.raises(ValueError, match=f"'{field}' must be a path"):
        SourceSettings(**{field: place})


TOML = """
[tools.get_release_summary]
releases = "data/releases"
repo = "."
junit = ""
[tools.file_risk_report]
reports = "https://reports.example.org"
outbox = "out"
"""


def test_paths_in_a_settings_file_start_in_its_folder(tmp_path):
    (tmp_path / "sentinel.toml").write_text(TOML)
    (tmp_path / "sub").mkdir()
    made = read_layers({}, environ={}, folder=tmp_path / "sub")
    reading = made.of_plugin("tools", "get_release_summary", SummarySettings)
    assert (reading.releases, reading.repo, reading.junit) == ("../data/releases", "..", "")
    filing = made.of_plugin("tools", "file_risk_report", ReportSettings)
    assert (filing.reports, filing.outbox) == ("https://reports.example.org", "../out")
