"""A filing that is killed before each of its effects on the disk and the server, one after the other, and then tried again."""

import itertools
import json
import os
import signal

import pytest
from release_service import running

from sentinel_core import ToolCall
from sentinel_core.errors import OutcomeUnknownError, WorkerDied
from sentinel_core.host.tools import Toolbox, bind_tool
from sentinel_core.runtime import isolate
from sentinel_tools_release import ReportSettings, file_risk_report, sentinel_tools, web

pytestmark = pytest.mark.unmeasured

ARGUMENTS = {"release_id": "v1", "severity": "low", "findings": ["0 of 3 tests that ran failed"]}
EFFECTS = ("open", "fsync", "link", "replace", "unlink", "mkdir")


def filed(settings):
    return file_risk_report(settings, **ARGUMENTS, idempotency_key="run-1")


def killed_before(step, settings):
    """File a report in a child that is killed before its effect number ``step``; True where it was."""

    def job():
        counted = itertools.count(1)

        def counting(effect):
            def before(*arguments, **named):
                if next(counted) == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return effect(*arguments, **named)

            return before

        for name in EFFECTS:
            setattr(os, name, counting(getattr(os, name)))
        web.request = counting(web.request)
        return filed(settings)["report_id"].encode()

    try:
        isolate.call(job, timeout=30)
    except WorkerDied:
        return True
    return False


def test_folder_gets_one_whole_report(tmp_path):
    for step in itertools.count(1):
        folder = tmp_path / str(step)
        settings = ReportSettings(reports=str(folder))
        was_killed = killed_before(step, settings)
        assert filed(settings)["report_id"] == "v1-1"
        (report,) = folder.glob("RR-*.json")
        assert json.loads(report.read_bytes())["idempotency_key"] == "run-1"
        if not was_killed:
            break
    assert step > 6


@pytest.mark.parametrize("honors_keys", [True, False])
def test_server_never_gets_a_second_report(tmp_path, honors_keys):
    outcomes = set()
    for step in itertools.count(1):
        with running(honors_keys=honors_keys) as service:
            settings = ReportSettings(reports=service.base, outbox=str(tmp_path / str(step)), honors_keys=honors_keys)
            was_killed = killed_before(step, settings)
            try:
                outcomes.add(filed(settings)["report_id"])
            except OutcomeUnknownError:
                outcomes.add("unknown")
            assert len(service.reports) <= 1
            if "unknown" not in outcomes:
                assert len(service.reports) == 1
        if not was_killed:
            break
    assert step > 6
    assert outcomes == ({"R-1"} if honors_keys else {"R-1", "unknown"})


@pytest.mark.parametrize(("honors_keys", "said"), [(True, '"report_id":"R-1"'), (False, ": it was sent before")])
def test_stopped_at_the_tools_time_limit(tmp_path, service, honors_keys, said):
    import attrs

    (tool,) = [one for one in sentinel_tools() if one.name == "file_risk_report"]
    settings = ReportSettings(reports=service.base, outbox=str(tmp_path), honors_keys=honors_keys)
    toolbox = Toolbox()
    toolbox.register(attrs.evolve(bind_tool(tool, settings), timeout=1.0))
    call = ToolCall(id="c1", name="file_risk_report", arguments=ARGUMENTS)
    service.faults.append("hang_after")
    first = toolbox.execute(call, idempotency_key="run-1")
    assert first.metadata["error"] == "ToolTimeoutError"
    assert "whether it took effect is unknown" in first.content
    second = toolbox.execute(call, idempotency_key="run-1")
    assert said in second.content
    assert len(service.reports) == 1


def test_the_counting_kills(tmp_path):
    assert killed_before(1, ReportSettings(reports=str(tmp_path / "a")))
    assert not killed_before(1000, ReportSettings(reports=str(tmp_path / "b")))
