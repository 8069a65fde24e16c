"""Grouping spans: by trace, by conversation, with what comes late, twice, or too much."""

import pytest

from sentinel_core.telemetry.groups import Groups


@pytest.fixture
def groups():
    return Groups(quiet=2.0, patience=60.0, keep=600.0)


def add(groups, trace_id, span_id, parent_id="", conversation=None, now=0.0):
    return groups.add(
        f"{trace_id}.{span_id}",
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        conversation=conversation,
        now=now,
    )


def due(groups, now, **more):
    return [(group.id, sorted(group.spans.values())) for group in groups.due(now, **more)]


def test_a_trace_is_due_when_it_is_quiet(groups):
    add(groups, "t", "2", "1", now=0.0)
    add(groups, "t", "1", now=1.0)
    assert due(groups, 2.9) == []
    assert groups.waiting == 1
    assert due(groups, 3.0) == [("t", ["t.1", "t.2"])]
    assert due(groups, 99.0) == []
    assert groups.waiting == 0


def test_without_its_outermost_span_it_takes_longer(groups):
    add(groups, "t", "2", "1")
    assert due(groups, 59.0) == []
    assert due(groups, 60.0) == [("t", ["t.2"])]
    assert groups.counts["rootless"] == 1


def test_everything_is_due_at_the_end(groups):
    add(groups, "t", "2", "1")
    assert due(groups, 0.0, everything=True) == [("t", ["t.2"])]


def test_the_last_of_duplicates_counts(groups):
    add(groups, "t", "1")
    groups.add("again", trace_id="t", span_id="1", parent_id="", conversation=None, now=0.0)
    assert due(groups, 9.0) == [("t", ["again"])]
    assert groups.counts["duplicates"] == 1


def test_spans_without_an_id_are_all_kept(groups):
    add(groups, "t", "")
    add(groups, "t", "")
    ((_, spans),) = due(groups, 99.0)
    assert len(spans) == 2


def test_late_spans_have_the_whole_judged_again(groups):
    add(groups, "t", "1")
    assert len(due(groups, 5.0)) == 1
    add(groups, "t", "2", "1", now=6.0)
    assert due(groups, 8.0) == [("t", ["t.1", "t.2"])]
    assert (groups.counts["late"], groups.counts["judged"], groups.counts["judged_again"]) == (1, 1, 1)


def test_a_duplicate_that_comes_late_changes_nothing(groups):
    add(groups, "t", "1")
    assert len(due(groups, 5.0)) == 1
    add(groups, "t", "1", now=6.0)
    assert due(groups, 99.0) == []


def test_traces_of_one_conversation_are_one(groups):
    add(groups, "t", "1", conversation="c")
    add(groups, "u", "2", conversation="c", now=1.0)
    assert due(groups, 9.0) == [("t", ["t.1", "u.2"])]
    add(groups, "v", "3", conversation="c", now=10.0)
    assert due(groups, 19.0) == [("t", ["t.1", "u.2", "v.3"])]
    assert groups.counts["continued"] == 1


def test_a_conversation_that_is_named_late_joins_what_came_before(groups):
    add(groups, "t", "1", conversation="c")
    add(groups, "u", "3", "2")
    add(groups, "u", "2", conversation="c")
    assert due(groups, 9.0) == [("t", ["t.1", "u.2", "u.3"])]


def test_joining_what_was_judged_opens_it_again(groups):
    add(groups, "t", "1", conversation="c")
    assert len(due(groups, 9.0)) == 1
    add(groups, "u", "3", "2", now=10.0)
    add(groups, "u", "2", conversation="c", now=10.0)
    assert due(groups, 19.0) == [("t", ["t.1", "u.2", "u.3"])]
    assert groups.counts["continued"] == 1


def test_two_conversations_in_one_trace_stay_in_it(groups):
    add(groups, "t", "1", conversation="c")
    add(groups, "t", "2", "1", conversation="d")
    add(groups, "u", "3", conversation="d")
    assert due(groups, 9.0) == [("t", ["t.1", "t.2"]), ("u", ["u.3"])]


def test_what_is_judged_is_forgotten_in_time(groups):
    add(groups, "t", "1", conversation="c")
    assert len(due(groups, 9.0)) == 1
    assert due(groups, 600.0) == []
    assert groups.counts["forgotten"] == 1
    add(groups, "t", "2", conversation="c", now=601.0)
    assert due(groups, 609.0) == [("t", ["t.2"])]


def test_room_is_made_by_forgetting_what_is_judged():
    groups = Groups(quiet=2.0, most_spans=3)
    add(groups, "t", "1")
    add(groups, "t", "2")
    assert len(due(groups, 9.0)) == 1
    add(groups, "u", "3", now=9.0)
    add(groups, "u", "4", now=9.0)
    assert (groups.counts["forgotten"], groups.counts["dropped"]) == (1, 0)


def test_where_none_can_be_made_spans_are_dropped_and_counted():
    groups = Groups(quiet=2.0, most_spans=2)
    assert [add(groups, "t", span_id, "0") for span_id in "123"] == [True, True, False]
    assert (groups.counts["spans"], groups.counts["dropped"]) == (3, 1)
    assert due(groups, 0.0) == [("t", ["t.1", "t.2"])]
    assert groups.counts["early"] == 1
    assert add(groups, "u", "1")


def test_who_is_refused_finds_room_after_the_next_round():
    groups = Groups(quiet=2.0, most_spans=5)
    for span_id in "1234":
        add(groups, "t", span_id, "0")
    assert groups.has_room(1)
    assert due(groups, 0.0) == []
    assert not groups.has_room(2)
    assert due(groups, 0.0) == [("t", ["t.1", "t.2", "t.3", "t.4"])]
    assert (groups.counts["early"], groups.counts["forgotten"]) == (1, 0)
    assert groups.has_room(2)
    assert groups.counts["forgotten"] == 1


def test_more_than_there_is_room_for_finds_room_where_nothing_waits():
    groups = Groups(most_spans=2)
    assert groups.has_room(3)
    add(groups, "t", "1")
    assert not groups.has_room(3)


def test_a_discounted_group_was_not_judged(groups):
    add(groups, "t", "2", "1")
    for group in groups.due(99.0):
        groups.discount(group.copy())
    assert +groups.counts == {"spans": 1, "no agent": 1}
    add(groups, "t", "1")
    assert due(groups, 199.0) == [("t", ["t.1", "t.2"])]
    assert (groups.counts["judged"], groups.counts["judged_again"]) == (1, 0)
