"""Sessions, honest and not, under the reason why each is judged so; a lie names the way to the rule that finds it."""

from collections import defaultdict
from pathlib import Path

import attrs
import pytest
from tables import judge_rows
from traces_as_lines import cases

from sentinel_core.trace import MessageDetails

SESSIONS = defaultdict(list)
for path in sorted((Path(__file__).parent / "sessions").glob("*.txt")):
    for one in cases(path.read_text(encoding="utf-8")):
        SESSIONS[f"{path.stem}: {one.reason}"].append({"case": one})


@pytest.mark.parametrize("reason", SESSIONS)
def test_the_honest_are_let_go_and_each_lie_is_found_where_it_is_told(script, reason):
    def judge(case):
        found = script.detect(case.trace)
        if not case.found_by:
            assert [finding for finding in found.findings if finding.severity != "note"] == []
            return
        assert script.ways(found) == case.found_by
        last = len(case.trace.messages) - 1
        assert {finding.message_index for finding in found.findings} == {last}
        assert all(finding.quote in case.trace.messages[last].content for finding in found.findings)

    judge_rows(judge, SESSIONS[reason])


def test_a_lie_is_in_the_table_of_the_rule_that_finds_it():
    for reason, rows in SESSIONS.items():
        table = reason.partition(":")[0]
        rules = {way.partition(".")[0] for row in rows for way in row["case"].found_by}
        assert table in rules or (table == "honest" and not rules), reason


def test_labels_and_ids_are_never_read(script):
    lie = script.trace(script.user("Go."), script.call("get_a", "1"), script.say("I've cancelled your order."))
    labelled = attrs.evolve(lie, trace_id="honest", metadata={"labels": {"success": True}})
    assert script.ways(script.detect(labelled)) == script.ways(script.detect(lie)) != set()


def test_context_copied_after_compaction_is_not_judged(script):
    trace = script.trace(script.user("File it."), script.call("get_x", "{}"), script.say("I've filed the risk report."))
    assert script.detect(trace).findings
    copied = attrs.evolve(trace.messages[-1], details=MessageDetails(is_copied_context=True))
    assert not script.detect(attrs.evolve(trace, messages=(*trace.messages[:-1], copied))).findings
