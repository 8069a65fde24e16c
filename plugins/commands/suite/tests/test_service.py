"""The release service that stands in for a real one: what it answers, step by step."""

import http.client
import json
import time
from urllib.parse import urlsplit

import attrs
import pytest

from sentinel_command_suite.scenario import Scenario, Step, ToolScript
from sentinel_command_suite.service import release_service

pytestmark = pytest.mark.process

SUMMARY, REPORT = ("GET", "/release-summary?release_id=v1"), ("POST", "/risk-report")
RELEASE = {"version": "v1", "changes": []}
LATE = 0.2


@pytest.fixture
def served():
    """Ask a service of a scenario with these scripts: a function of method, address and headers."""
    opened = []

    def serve(release=RELEASE, **tools):
        scripts = {name: ToolScript(steps=steps, timeout_ms=LATE * 1000) for name, steps in tools.items()}
        service = release_service(Scenario(id="s", release_id="v1", tools=scripts), release)
        place = urlsplit(service.__enter__())
        opened.append(service)

        def ask(method, address, patience=30, **headers):
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=patience)
            try:
                connection.request(method, address, b"{}" if method == "POST" else None, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            finally:
                connection.close()

        return ask

    yield serve
    for service in opened:
        service.__exit__(None, None, None)


def test_without_a_script_it_does_what_a_real_one_does(served):
    ask = served()
    status, body = ask(*SUMMARY)
    assert (status, json.loads(body)) == (200, RELEASE)
    assert ask("GET", "/elsewhere")[0] == ask("POST", "/release-summary")[0] == 404
    assert served(release=None)(*SUMMARY) == (404, b'{"error": "no such release"}')


def test_a_report_that_is_sent_twice_counts_once(served):
    ask = served()
    keys = ("a", "b", "a")
    answers = [ask(*REPORT, **{"Idempotency-Key": key}) for key in keys]
    assert [(status, json.loads(body)["report_id"]) for status, body in answers] == [
        (201, "v1-1"),
        (201, "v1-2"),
        (201, "v1-1"),
    ]
    assert [json.loads(ask(*REPORT)[1])["report_id"] for _ in range(2)] == ["v1-3", "v1-4"]


def test_each_call_has_its_step_and_the_last_one_stays(served):
    steps = (Step(error="later", status=429), Step(result={"version": "other"}), Step(text='{"cut'), Step())
    ask = served(get_release_summary=steps)
    answers = [ask(*SUMMARY) for _ in range(5)]
    assert [status for status, _ in answers] == [429, 200, 200, 200, 200]
    assert [body for _, body in answers[:3]] == [b'{"error": "later"}', b'{"version": "other"}', b'{"cut']
    assert [json.loads(body) for _, body in answers[3:]] == [RELEASE, RELEASE]
    assert ask(*REPORT)[0] == 201  # a script of its own


@pytest.mark.parametrize("step", [Step(delay_ms=LATE * 1000), Step(timeout=True)])
def test_a_late_answer_takes_the_tool_s_time_and_a_timeout_gives_none(served, step):
    ask = served(get_release_summary=(step, attrs.evolve(step, timeout=False, delay_ms=0)))
    begun = time.monotonic()
    if step.timeout:
        with pytest.raises(http.client.RemoteDisconnected):
            ask(*SUMMARY)
    else:
        assert ask(*SUMMARY)[0] == 200
    assert time.monotonic() - begun >= LATE
    assert ask(*SUMMARY)[0] == 200


def test_a_client_that_goes_away_leaves_no_word_and_ends_nothing(served, capfd):
    ask = served(get_release_summary=(Step(delay_ms=50, text="x" * (8 << 20)), Step(delay_ms=LATE * 1000)))
    with pytest.raises(TimeoutError):
        ask(*SUMMARY, patience=0.02)
    assert ask(*SUMMARY)[0] == 200
    assert capfd.readouterr() == ("", "")


def test_it_ends_with_the_block():
    with release_service(Scenario(id="s"), None) as base:
        place = urlsplit(base)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    with pytest.raises(ConnectionRefusedError):
        connection.request("GET", "/")
