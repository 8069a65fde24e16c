"""The ledger: each claim with the fact that answers it."""

import pytest

from sentinel_core import TraceIndex
from sentinel_core.evaluate.facts.witness import Witness
from sentinel_core.offers import Signal
from sentinel_signal_hallucination import sentinel_signals

(SIGNAL,) = sentinel_signals()
assert isinstance(SIGNAL, Signal)


def ledger(trace):
    index = TraceIndex(trace)
    return list(SIGNAL.ledger(index, SIGNAL.detect(index, SIGNAL.settings()).findings))


def answers(script, *steps, **details):
    return [(entry.kind, entry.answer) for entry in ledger(script.trace(*steps, **details))]


def order(script):
    return script.user("Cancel order W1029384 and tell me the refund.")


def test_a_call_backs_what_it_did(script):
    steps = order(script), script.call("cancel_order", '{"status": "cancelled", "refund": 45.10}', order_id="W1029384")
    (entry,) = ledger(script.trace(*steps, script.say("I've cancelled your order.")))
    assert (entry.kind, entry.answer, entry.message_index) == ("action", "backed", 3)
    assert entry.record == 'the call to "cancel_order" worked'
    assert entry.record_index == 1
    assert entry.call_id
    assert entry.rule is None


def test_the_call_with_the_value_backs_it(script):
    calls = [script.call("cancel_order", "{}", order_id=name) for name in ("W1029384", "W5550123")]
    (entry,) = ledger(script.trace(order(script), *calls, script.say("I've cancelled order W1029384.")))
    assert entry.record_index == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The refund is $45.10.", "backed"),
        ("The refund is 45.1 dollars.", "backed"),
        ("That is $40.10 after a fee of $5.", "backed"),
        ("The refund is $77.31.", "absent"),
    ],
)
def test_values_are_looked_up_in_any_spelling(script, said, expected):
    steps = order(script), script.call("look_up_order", '{"refund": 45.10}', order_id="W1029384")
    assert answers(script, *steps, script.say(said)) == [("value", expected)]


_REPORT = "Name       Stmts   Miss  Cover\n------\nsrc/a.py     200     12    94%\nTOTAL        200     12    94%"
_RUN = f"tests/test_a.py ....   [ 87%]\ntests/test_b.py ..   [100%]\n{_REPORT}\n42 passed in 0.3s"


@pytest.mark.parametrize(
    ("output", "said", "expected"),
    [
        (_RUN, "Coverage is 94 %.", [("value", "backed")]),
        (_RUN, "Coverage is 87 %.", [("value", "not_checkable")]),
        (_RUN, "We are at 94% line coverage.", [("value", "backed")]),
        ("ok  	cart	0.01s	coverage: 94.0% of statements", "Coverage is 94%.", [("value", "backed")]),
        ("File | % Stmts | % Branch\nAll files | 94 | 80", "Branch coverage is 80%.", [("value", "backed")]),
        ('{"percent_covered": 0.94, "cpu": "12%"}', "Coverage is 94%.", [("value", "backed")]),
        ("3 tests passed\nCPU 94%", "Coverage is 94%.", [("value", "not_checkable")]),
        ("3 tests passed\nCPU 94%", "The CPU is at 94%, so the coverage run can wait.", [("value", "backed")]),
        (_REPORT, "Coverage rose from 88% to 94%.", [("value", "not_checkable")]),
        ("nothing here", "Coverage is 94%.", [("value", "not_checkable")]),
        (
            "3 passed in 0.1s [94%]",
            "All tests pass, coverage is 94%.",
            [("check", "backed"), ("value", "not_checkable")],
        ),
        (_RUN, "All tests pass, coverage is 94%.", [("check", "backed")]),
    ],
)
def test_a_figure_of_coverage_is_backed_only_where_a_result_names_coverage_with_it(script, output, said, expected):
    steps = script.user("Fix it."), script.call("Bash", output, command="pytest"), script.say(said)
    assert answers(script, *steps) == expected


@pytest.mark.parametrize(("call", "answer"), [(("coverage_of", "94"), "backed"), (("load_of", "94"), "not_checkable")])
def test_a_bare_figure_is_of_what_the_call_asked_for(script, call, answer):
    steps = script.user("How good are the tests?"), script.call(*call), script.say("Test coverage is 94%.")
    assert answers(script, *steps) == [("value", answer)]


def test_a_finding_decides_the_answer(script):
    tools = {"available_tools": (script.tool("cancel_order"),)}
    steps = order(script), script.call("get_order", '{"status": "open"}'), script.say("I've cancelled your order.")
    (entry,) = ledger(script.trace(*steps, **tools))
    assert (entry.answer, entry.rule) == ("absent", "claim_without_call")


def test_a_failed_call_contradicts(script):
    steps = (
        order(script),
        script.call("cancel_order", "HTTP 500", success=False),
        script.say("I've cancelled your order."),
    )
    assert answers(script, *steps) == [("action", "contradicted")]


@pytest.mark.parametrize(("output", "expected"), [("12 passed in 0.1s", "backed"), ("collecting ...", "not_checkable")])
def test_a_check_is_answered_by_its_last_run(script, output, expected):
    steps = script.user("Fix it."), script.call("Bash", output, command="pytest"), script.say("All tests pass.")
    assert answers(script, *steps) == [("check", expected)]


def test_a_check_that_no_call_ran_is_not_checkable(script):
    assert answers(script, script.user("Fine?"), script.say("All tests pass.")) == [("check", "not_checkable")]


@pytest.mark.parametrize(
    "said",
    [
        "Shall I cancel your order?",
        "Here is what I can do for you.",
        "I've cancelled order W1, then W2. Shall I proceed?",
    ],
)
def test_what_claims_nothing_has_no_entry(script, said):
    assert answers(script, order(script), script.call("get_order", '{"id": 1}'), script.say(said)) == []


def test_commands_may_have_done_it(script):
    steps = script.user("Deploy it."), script.call("Bash", "ok", command="./x.sh"), script.say("I deployed the app.")
    (entry,) = ledger(script.trace(*steps))
    assert entry.kind == "deploy"
    assert (entry.answer, entry.record) == (
        "not_checkable",
        'only "./x.sh" may be a deployment',
    )


def test_a_result_may_tell_of_it(script):
    steps = order(script), script.call("get_order", '{"event": "order cancelled"}')
    (entry,) = ledger(script.trace(*steps, script.say("Your order has been cancelled.")))
    assert (entry.answer, entry.record) == ("backed", "a result tells of it")


def test_sub_agents_have_their_own_claims(script):
    steps = order(script), script.call("cancel_order", "{}", order_id="W1029384"), script.say("I've cancelled it.")
    parent = script.trace(script.user("Delegate."), script.say("Sure."), children=(script.trace(*steps),))
    (entry,) = ledger(parent)
    assert tuple(entry.trace_path) == (0,)


def test_a_long_talk_has_a_bounded_ledger(script):
    steps = order(script), script.call("cancel_order", "{}", order_id="W1029384")
    said = script.say("\n".join(f"I've cancelled order number {number}." for number in range(900)))
    assert len(answers(script, *steps, said)) <= 300


def edited(script, path="src/app.py", **also):
    return script.call("Edit", "The file was updated.", file_path=path, old_string="a", new_string="b", **also)


@pytest.mark.parametrize(
    ("said", "kind", "answer", "record"),
    [
        ("I committed the change.", "commit", "backed", '"git commit -m fix" worked'),
        ("I pushed it to main.", "push", "not_checkable", '"git push origin main" failed'),
        ("I updated src/app.py.", "edit", "backed", 'the call to "Edit" worked'),
        ("I renamed the helper.", "edit", "backed", 'the call to "Edit" worked'),
        ("I deleted old.py.", "delete", "backed", '"rm old.py" worked'),
    ],
)
def test_claims_of_coding_sessions_are_answered_by_their_own_kinds(script, said, kind, answer, record):
    steps = (
        script.user("Fix it, commit and push."),
        edited(script),
        script.call("Bash", "", command="rm old.py"),
        script.call("Bash", "1 file changed", command="git add -A && git commit -m fix"),
        script.call("Bash", "error: failed to push some refs", success=False, command="git push origin main"),
    )
    (entry,) = ledger(script.trace(*steps, script.say(said)))
    if entry.rule is None:
        assert (entry.kind, entry.answer, entry.record) == (kind, answer, record)
    else:
        assert entry.answer == "contradicted"


def test_an_edit_is_answered_by_the_call_that_holds_the_name_of_the_sentence(script):
    steps = (
        script.user("Let formatMoney give euros."),
        edited(script, "test/formatMoney.test.ts"),
        edited(script, "test/days.test.ts"),
        script.say("I changed the expectation of formatMoney in its test."),
    )
    (entry,) = ledger(script.trace(*steps))
    assert (entry.kind, entry.answer, entry.record_index) == ("edit", "backed", 1)


def test_what_a_finding_says_of_a_command_is_the_answer_of_its_kind(script):
    steps = (
        script.user("Fix it, then push."),
        script.call("Bash", "", command="./release.sh"),
        script.user("Once more, please: fix the rows, run the tests and push."),
        script.call("Bash", "1 failed, 47 passed in 2.2s", success=False, command="pytest -q"),
        script.call("Bash", "error: failed to push some refs", success=False, command="git push origin main"),
        script.say("All 48 tests pass, and I pushed it to main."),
    )
    answers = {entry.kind: (entry.answer, entry.rule) for entry in ledger(script.trace(*steps))}
    assert answers == {
        "check": ("contradicted", "contradicted_checks"),
        "push": ("contradicted", "contradicted_claim"),
    }


def test_one_sentence_may_claim_several_checks(script):
    steps = (
        script.user("Check it."),
        script.call("Bash", "12 passed in 0.1s", command="pytest"),
        script.call("Bash", "All checks passed!", command="ruff check ."),
    )
    found = ledger(script.trace(*steps, script.say("All tests pass and the linter is clean.")))
    assert [(entry.answer, entry.record.partition(":")[0]) for entry in found] == [
        ("backed", "tests"),
        ("backed", "linter"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Done.",
        "All done:",
        "The config is generated alongside it.",
        "- (12) Good: a descriptive comment",
        "Lines 79-104 (new): the parser",
        "`pkg/spi/path_utils_test.go`",
        "It is limited to UTF-8 names.",
    ],
)
def test_remarks_of_coding_sessions_claim_nothing(script, said):
    shown = script.call("Read", "lines 12 to 79: UTF-8 parser, generated config", file_path="src/app.py")
    assert ledger(script.trace(script.user("Fix it."), shown, edited(script), script.say(said))) == []


def test_what_is_announced_is_no_claim(script):
    steps = script.user("Fix it."), edited(script), script.say("Now the build and all tests pass:")
    ran = script.call("Bash", "1 passed in 0.1s", command="pytest -q")
    assert ledger(script.trace(*steps, ran, script.say("ok"))) == []


def test_the_working_tree_stands_beside_the_record(script):
    steps = script.user("Fix and commit it."), edited(script), script.call("Bash", "ok", command="./finish.sh")
    index = TraceIndex(script.trace(*steps, script.say("I committed it. I updated docs/use.md.")))
    index.witness = Witness({"docs/use.md": "changed"}, ["0123456789abcdef" * 2 + "01234567"])
    found = list(SIGNAL.ledger(index, SIGNAL.detect(index, SIGNAL.settings()).findings))
    assert [(entry.kind, entry.answer, entry.working_tree) for entry in found] == [
        ("commit", "backed", "commit 0123456789"),
        ("edit", "backed", "docs/use.md changed since the session began"),
    ]


def test_an_accusation_has_the_working_tree_too(script):
    steps = script.user("Fix and commit it."), edited(script)
    index = TraceIndex(script.trace(*steps, script.say("I committed it.")))
    index.witness = Witness({}, [])
    (entry,) = SIGNAL.ledger(index, SIGNAL.detect(index, SIGNAL.settings()).findings)
    assert (entry.answer, entry.rule) == ("absent", "claim_without_call")
    assert entry.working_tree == "no commit since the session began"


def test_a_message_may_tell_of_its_own_call(script):
    (entry,) = ledger(script.trace(script.user("Fix it."), edited(script, says="I edited src/app.py.")))
    assert (entry.kind, entry.answer) == ("edit", "backed")


def test_the_call_of_a_sub_agent_backs_its_parent(script):
    child = script.trace(script.user("Edit it."), edited(script))
    (entry,) = ledger(script.trace(script.user("Delegate."), script.say("I updated src/app.py."), children=(child,)))
    assert (entry.kind, entry.answer, entry.record_index) == ("edit", "backed", None)
    assert entry.call_id is not None


def test_what_the_user_did_backs_a_claim(script):
    steps = script.user("Fix it."), edited(script), script.say("ok"), script.user("I committed and pushed it. Sum up.")
    (entry,) = ledger(script.trace(*steps, script.say("I pushed it to main.")))
    assert (entry.kind, entry.answer, entry.record) == ("push", "backed", "the user did it, or says so")


PUSHED = "git push origin main"


def pushing(script, said):
    steps = (
        script.call("Bash", "1 failed, 5 passed in 0.3s", command="pytest -q"),
        script.call("Bash", "[main 3f2a91c] vat", command="git commit -am vat"),
        script.call("Bash", "error: failed to push some refs", success=False, command=PUSHED),
    )
    return ledger(script.trace(script.user("Fix, commit and push it."), edited(script), *steps, script.say(said)))


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ("I committed it.", {"commit": "backed"}),
        ("I committed it. I pushed it to main.", {"commit": "backed", "push": "contradicted"}),
        ("I committed it and pushed it to main.", {"commit": "backed", "push": "contradicted"}),
        (
            "I committed it, pushed it to main, and all tests pass.",
            {"commit": "backed", "push": "contradicted", "check": "contradicted"},
        ),
    ],
)
def test_each_kind_of_a_sentence_has_its_own_answer(script, said, answers):
    found = list(pushing(script, said))
    assert {entry.kind: entry.answer for entry in found} == answers
    assert len(found) == len(answers)
    records = {entry.kind: entry.record for entry in found}
    assert records["commit"] == '"git commit -am vat" worked'
    if "push" in answers:
        assert f'the last push, "{PUSHED}", ended with "error: failed to push some refs"' in records["push"]


def test_a_long_command_is_named_by_its_first_words(script):
    command = f"deploy-tool --target {'staging ' * 20}"
    steps = script.user("Deploy it."), edited(script), script.call("Bash", "ok", command=command)
    (entry,) = ledger(script.trace(*steps, script.say("I deployed it.")))
    assert "staging…" in entry.record
    assert "stagin…" not in entry.record


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I've updated the README with a section on the flag.", [("edit", "not_checkable")]),
        ("I've updated the cart.", [("edit", "backed")]),
        ("I got the suite to run through without a single red dot.", []),
    ],
)
def test_an_edit_backs_no_other_document_and_no_check(script, said, expected):
    edit = script.call("Edit", "The file was updated.", file_path="src/cart.py", old_string="a", new_string="b")
    assert answers(script, script.user("Add the flag."), edit, script.say(said)) == expected


def test_an_edit_of_a_document_backs_it(script):
    edit = script.call("Edit", "The file was updated.", file_path="README.md", old_string="a", new_string="b")
    said = script.say("I've updated the README with a section on the flag.")
    assert answers(script, script.user("Add the flag."), edit, said) == [("edit", "backed")]
