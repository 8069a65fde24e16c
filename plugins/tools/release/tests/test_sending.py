import errno
import json
import re
import stat

import pytest
from release_service import running

from sentinel_core.errors import InputError, NetworkError, NotRepeatedError, OutcomeUnknownError
from sentinel_tools_release import ReportSettings, file_risk_report
from sentinel_tools_release.files import replace

FINDINGS = ["2 of 144 tests that ran failed (1.39%)"]


@pytest.fixture
def send(service, tmp_path):
    """Files a report at the service, under the key "run-1" where nothing else is said."""

    def sent(base=None, key="run-1", severity="high", **settings):
        settings = ReportSettings(reports=base or service.base, outbox=str(tmp_path / "outbox"), **settings)
        return file_risk_report(settings, "v2.1.0", severity, FINDINGS, idempotency_key=key)

    return sent


def keys(service):
    return [headers["Idempotency-Key"] for _, _, headers, _ in service.asked]


def test_server_gets_the_report_and_its_key(service, send):
    assert send(f"{service.base}/api/") == {"status": "filed", "report_id": "R-1"}
    ((method, path, headers, body),) = service.asked
    assert (method, path, headers["Content-Type"]) == ("POST", "/api/risk-report", "application/json")
    assert json.loads(body) == {"release_id": "v2.1.0", "severity": "high", "findings": FINDINGS}
    assert keys(service) == ["run-1"]


def test_without_a_key_one_is_made_of_the_content(service, send, tmp_path):
    for severity in ("high", "high", "low"):
        send(key=None, severity=severity)
    first, second, third = keys(service)
    assert first == second != third
    assert len(first) == 64
    assert not (tmp_path / "outbox").exists()


def test_what_was_answered_is_remembered(service, send):
    assert send() == send() == {"status": "filed", "report_id": "R-1"}
    assert len(service.asked) == 1


def test_another_key_is_another_report(service, send):
    assert [send(key="run-1")["report_id"], send(key="run-2")["report_id"]] == ["R-1", "R-2"]


def test_same_key_with_another_report_is_refused(service, send):
    send()
    with pytest.raises(InputError, match="a different report was already sent with this key; this report was not sent"):
        send(severity="low")
    assert len(service.asked) == 1


@pytest.mark.parametrize("fault", ["reset", "hang", "reset_after", "hang_after", "cut", 409, 500, 502, 504, 302, 303])
def test_unknown_outcome_is_said_and_not_sent_again(service, send, fault):
    service.faults.append(fault)
    with pytest.raises(NotRepeatedError, match="whether it accepted the request is unknown") as first:
        send(timeout=0.2)
    for _ in range(2):
        with pytest.raises(NotRepeatedError) as again:
            send(timeout=0.2)
        assert str(again.value) == f"the report was sent before: {first.value}"
    assert str(first.value).endswith(": --set tools.file_risk_report.honors_keys=true --accept-changes")
    assert len(service.asked) == 1
    assert len(service.reports) <= 1


@pytest.mark.parametrize("fault", ["reset", "hang", "reset_after", "hang_after", "cut", 409, 500, 502, 504])
def test_unknown_outcome_is_sent_again_where_keys_are_honored(service, send, fault):
    service.faults.append(fault)
    with pytest.raises(OutcomeUnknownError):
        send(timeout=0.2, honors_keys=True)
    assert send(honors_keys=True) == {"status": "filed", "report_id": "R-1"}
    assert keys(service) == ["run-1", "run-1"]
    assert len(service.reports) == 1


def test_a_receiver_without_keys_never_gets_a_second(tmp_path):
    with running(honors_keys=False) as service:
        settings = ReportSettings(reports=service.base, outbox=str(tmp_path), timeout=0.2)
        service.faults.append("reset_after")
        for _ in range(3):
            with pytest.raises(OutcomeUnknownError):
                file_risk_report(settings, "v1", "low", FINDINGS, idempotency_key="k")
        assert len(service.reports) == 1


@pytest.mark.parametrize("status", [307, 308, 400, 401, 404, 408, 422, 429, 501, 503])
def test_refused_for_sure_may_be_sent_again(service, send, status):
    service.faults.append(status)
    with pytest.raises(NetworkError, match=f"answered {status}"):
        send()
    assert service.reports == []
    assert send()["report_id"] == "R-1"


def test_refusal_after_an_unknown_outcome_stays_unknown(service, send):
    service.faults.extend(["reset_after", 503])
    for said in (
        "whether it accepted the request is unknown",
        "answered 503.*it is not known whether the earlier attempt filed the report",
    ):
        with pytest.raises(OutcomeUnknownError, match=said):
            send(honors_keys=True, timeout=0.5)
    assert send(honors_keys=True)["report_id"] == "R-1"
    assert len(service.reports) == 1


def test_nobody_there_is_no_unknown_outcome(send):
    with running() as gone:
        base = gone.base
    for _ in range(2):
        with pytest.raises(NetworkError, match="could not be reached"):
            send(base)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "{}"),
        ({"report_id": ""}, '{"report_id": ""}'),
        ({"report_id": 7}, '{"report_id": 7}'),
        ({"id": "R-7"}, '{"id": "R-7"}'),
        (b"<html>", "<html>"),
        (b"[1]", "[1]"),
        (b"", "nothing"),
    ],
)
def test_answer_without_an_id_is_unknown_and_quoted(service, send, answer, said):
    service.answers(answer)
    told = (
        re.escape(f'answered {said} instead of {{"report_id": "..."}}')
        + ".*it is not known whether the report was filed"
    )
    for _ in range(2):
        with pytest.raises(OutcomeUnknownError, match=told):
            send()
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "no login is sent"),
        (404, "check the address$"),
        (422, "the server does not accept the request"),
        (429, "try again later"),
        (503, "lower case"),
    ],
)
def test_a_refusal_is_told_with_its_reason_and_what_to_do(service, send, status, said):
    service.answers({"detail": "severity must be\nlower case"}, status)
    with pytest.raises(NetworkError, match=said) as caught:
        send()
    assert r'{"detail": "severity must be\nlower case"}' in str(caught.value)


def test_what_a_server_says_is_told_and_noted_without_secrets_and_controls(service, send, tmp_path, monkeypatch):
    monkeypatch.setenv("RELEASE_TOKEN", "correct-horse-battery")
    body = "api_key=abcdefghijkl \x1b[31m\n correct-horse-battery " + "x" * 300
    service.answers(body.encode(), 500)
    with pytest.raises(OutcomeUnknownError) as caught:
        send()
    (note,) = (tmp_path / "outbox").glob("*.json")
    for told in (str(caught.value), json.loads(note.read_bytes())["said"]):
        assert r"answered 500 Internal Server Error: api_key=[redacted] \x1b[31m [redacted] xxx" in told
        assert "x" * 200 not in told
        assert told.isprintable()


def test_what_was_said_stays_noted_while_the_server_is_away(service, send):
    service.faults.extend([500, 503])
    for said in ("answered 500", "answered 503"):
        with pytest.raises(OutcomeUnknownError, match=said):
            send(honors_keys=True)
    with pytest.raises(NotRepeatedError, match=r"sent before: .*answered 500"):
        send()


def test_a_note_that_cannot_be_completed_hides_no_answer(service, send, monkeypatch):
    written = []

    def first_only(path, data):
        written.append(data)
        if len(written) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(path, data)

    monkeypatch.setattr("sentinel_tools_release.sending.replace", first_only)
    service.faults.append(500)
    with pytest.raises(OutcomeUnknownError, match="answered 500"):
        send()
    with pytest.raises(OutcomeUnknownError, match="it was sent before, but no answer was recorded"):
        send()
    assert len(service.asked) == 1


def test_notes_are_private_and_hold_no_report(service, send, tmp_path):
    send()
    folder = tmp_path / "outbox"
    (note,) = folder.glob("*.json")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert b"tests" not in note.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"[]", b"{"])
def test_damaged_note_still_says_that_a_report_left(service, send, tmp_path, damage):
    send()
    (note,) = (tmp_path / "outbox").glob("*.json")
    note.write_bytes(damage)
    with pytest.raises(OutcomeUnknownError, match="it was sent before"):
        send()
    assert len(service.asked) == 1


def test_outbox_that_cannot_be_written_sends_nothing(service, send, tmp_path):
    (tmp_path / "outbox").touch()
    with pytest.raises(
        InputError,
        match=r'outbox" cannot be written: .*without a record of the attempt, the report could be sent twice',
    ):
        send()
    assert service.asked == []
