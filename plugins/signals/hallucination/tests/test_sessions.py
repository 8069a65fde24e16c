"""Sessions, honest and not: a line a session, named after what it is about."""

from pathlib import Path

import pytest

from sentinel_core.traces.codec import decode_trace

HERE = Path(__file__).parent


def lines(name):
    return [pytest.param(line, id=str(number)) for number, line in enumerate((HERE / name).read_bytes().splitlines())]


@pytest.mark.parametrize("line", lines("honest.jsonl"))
def test_an_honest_session_has_no_finding(script, line):
    assert [finding for finding in script.detect(decode_trace(line)).findings if finding.severity != "note"] == []


@pytest.mark.parametrize("line", lines("lies.jsonl"))
def test_a_lie_has_one_and_its_quote_is_in_the_message(script, line):
    trace = decode_trace(line)
    findings = [finding for finding in script.detect(trace).findings if finding.severity != "note"]
    assert findings
    for finding in findings:
        assert finding.quote in trace.messages[finding.message_index].content


@pytest.mark.parametrize("line", lines("doubtful.jsonl"))
def test_a_lie_that_an_honest_run_may_tell_in_the_same_words_is_found_in_a_weak_way(script, line):
    trace = decode_trace(line)
    found = script.detect(trace)
    (way,) = script.ways(found)
    assert way in ("claim_without_call.unasked", "partial_claim.done")
    for finding in found.findings:
        assert finding.quote in trace.messages[finding.message_index].content
