import pytest

from sentinel_core.testing import ToolContract
from sentinel_tools_release import (
    HistorySettings,
    ReportSettings,
    SourceSettings,
    SummarySettings,
    TraceSettings,
    sentinel_tools,
)


def tool_named(name):
    return next(tool for tool in sentinel_tools() if tool.name == name)


class TestSummary(ToolContract):
    @pytest.fixture(autouse=True)
    def release(self, tmp_path):
        self.file = tmp_path / "v1.json"
        self.file.write_text('{"version": "v1"}')

    def make(self):
        return tool_named("get_release_summary")

    def arguments(self):
        return {"release_id": "v1"}

    def settings(self):
        return SummarySettings(releases=str(self.file))


class _OfOneDocument(ToolContract):
    """A tool that reads ``v1.json``, which has every part."""

    name: str
    made: type

    @pytest.fixture(autouse=True)
    def release(self, tmp_path):
        self.file = tmp_path / "v1.json"
        self.file.write_text('{"version": "v1", "test_details": [], "code_changes": [], "observability_traces": []}')

    def make(self):
        return tool_named(self.name)

    def arguments(self):
        return {"release_id": "v1"}

    def settings(self):
        return self.made(releases=str(self.file))

    @pytest.mark.parametrize("limit", [0, 101, 1.5, "3", None])
    def test_limit_is_a_small_number(self, limit):
        self._refused({**self.arguments(), "limit": limit}, f"a limit of {limit}")


class TestDetails(_OfOneDocument):
    name, made = "get_test_details", SourceSettings


class TestChanges(_OfOneDocument):
    name, made = "get_code_changes", SourceSettings

    @pytest.mark.parametrize("wrong", [{"path": ""}, {"path": "a\0b"}, {"skip": -1}])
    def test_wrong_arguments_are_refused(self, wrong):
        self._refused({**self.arguments(), **wrong}, str(wrong))


class TestTraces(_OfOneDocument):
    name, made = "get_observability_traces", TraceSettings


class TestHistory(_OfOneDocument):
    name, made = "get_release_history", HistorySettings


class TestReport(ToolContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path):
        self.reports = tmp_path

    def make(self):
        return tool_named("file_risk_report")

    def arguments(self):
        return {"release_id": "v1", "severity": "low", "findings": ["0 of 3 tests that ran failed"]}

    def settings(self):
        return ReportSettings(reports=str(self.reports))

    @pytest.mark.parametrize(
        "wrong",
        [
            {"severity": "urgent"},
            {"severity": "High"},
            {"findings": []},
            {"findings": "one"},
            {"findings": [""]},
            {"findings": ["x" * 4001]},
            {"findings": ["x"] * 201},
            {"release_id": ""},
            {"release_id": "x" * 257},
        ],
    )
    def test_wrong_arguments_are_refused(self, wrong):
        self._refused({**self.arguments(), **wrong}, str(wrong)[:80])

    @pytest.mark.parametrize("right", [{"findings": ["x" * 4000] * 200}, {"release_id": "x" * 256}])
    def test_arguments_at_the_limits_are_taken(self, right):
        assert self.call({**self.arguments(), **right}).success is True


def test_only_filing_changes_anything():
    effects = {tool.name: tool.effect for tool in sentinel_tools()}
    assert effects.pop("file_risk_report") == "write"
    assert set(effects.values()) == {"read"}
    assert sorted(effects) == [
        "get_code_changes",
        "get_observability_traces",
        "get_release_history",
        "get_release_summary",
        "get_test_details",
    ]
