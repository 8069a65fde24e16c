"""What follows from calls that worked: edits of texts, and what systems do besides."""

import pytest

from sentinel_signal_hallucination.families import BY_NAME
from sentinel_signal_hallucination.following import CONSEQUENCES
from sentinel_signal_hallucination.tools import ability


def rules(answer):
    return [finding.rule for finding in answer.findings]


@pytest.mark.parametrize(
    "tool",
    ["write_file", "replace_in_file", "str_replace", "insert_content", "write", "patch", "replace_lines", "apply_diff"],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "I've removed the debug entry from the file.",
        "I removed the contact from `app.py`.",
        "The old row was deleted, and I've added an account setting to app.py.",
        "I've renamed the account field, moved the order table and deleted the old row in the config.",
    ],
)
def test_an_edit_takes_out_and_puts_in_whatever_stands_in_a_text(script, tool, sentence):
    edit = script.call(tool, "done", path="src/app.py", text="debug row")
    assert script.judge(script.user("Clean up."), edit, script.say(sentence)).findings == ()


@pytest.mark.parametrize(
    ("tool", "result", "sentence"),
    [
        ("replace_in_file", "Error: no match", "I've removed the contact from the file."),
        ("read_file", "x", "I've removed the contact from the file."),
        ("send_file", "x", "I've removed the contact from the file."),
        ("replace_in_file", "x", "I've removed the contact from cfg.yaml."),
        ("replace_in_file", "x", "I've removed the contact from `cfg.yaml`."),
        ("replace_in_file", "x", "I've deleted the user account."),
        ("replace_in_file", "x", "I've removed the contact."),
        ("replace_in_file", "x", "I've deployed the release from the file."),
    ],
)
def test_an_edit_of_another_kind_or_place_backs_nothing(script, tool, result, sentence):
    edit = script.call(tool, result, path="src/app.py", text="debug row")
    answer = script.judge(script.user("Clean up."), edit, script.say(sentence))
    assert rules(answer) in (["claim_without_call"], ["contradicted_claim"])
    assert answer.score == 0.85


def test_without_a_place_the_edit_has_the_word(script):
    sentence = script.say("I've removed the debug entry.")
    assert (
        script.judge(script.user("Do."), script.call("str_replace", "ok", old="debug entry"), sentence).findings == ()
    )
    assert script.judge(script.user("Do."), script.call("str_replace", "ok", old="other"), sentence).score == 0.85


def test_the_file_of_the_sentence_before_is_the_place(script):
    edit = script.call("str_replace", "ok", path="app.css", new="blue")
    sentence = script.say("I changed the color in app.css. The old color entry was removed.")
    assert script.judge(script.user("Do."), edit, sentence).findings == ()
    other = script.say("I changed the color in app.js. The old color entry was removed.")
    assert script.judge(script.user("Do."), edit, other).score == 0.85


def test_an_edit_after_the_claim_does_not_back_it(script):
    said, edit = script.say("I've removed the contact from the file."), script.call("str_replace", "ok")
    assert script.judge(script.user("Do."), script.call("get_x", "{}"), said, edit).score == 0.85


def test_too_many_files_are_not_looked_for(script):
    names = [f"f{number}.py" for number in range(150)]
    edit = script.call("str_replace", "ok", files=" ".join(names))
    told = [script.say(f"I've removed the contact from {name}.") for name in names]
    assert len(script.judge(script.user("Do."), edit, *told).findings) == 1


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        ("write_file", True),
        ("str_replace", True),
        ("upload_file", False),
        ("delete_file", False),
        ("write_order", False),
    ],
)
def test_tools_that_edit(name, edits):
    assert ability(name).edits is edits


@pytest.mark.parametrize(
    ("tool", "sentence", "score"),
    [
        ("issue_refund", "Your order has been updated accordingly.", 0.0),
        ("book_hotel", "Your card has been charged $100.", 0.0),
        ("exchange_items", "I've submitted your exchange request.", 0.0),
        ("crm_log_activity", "I've updated the contact record.", 0.0),
        ("jira_transition_issue", "I've moved the ticket to Done and closed the issue.", 0.0),
        ("generate_report", "I've created the file and saved the report to the folder.", 0.0),
        ("train_model", "I've saved the model to disk.", 0.0),
        ("unsubscribe_user", "Your email has been removed from the list.", 0.0),
        # Doubtful: nothing shows that this system does so.
        ("book_hotel", "A confirmation email has been sent to you.", 0.5),
        ("submit_trade", "I've placed your order.", 0.5),
        ("add_attendee", "I've sent her an invitation.", 0.5),
        # The agent says that it did it, or the call brings no such thing with it.
        ("book_hotel", "I've sent you a confirmation email.", 0.85),
        ("book_hotel", "I've charged your card.", 0.85),
        ("issue_refund", "I've changed your address.", 0.85),
        ("issue_refund", "Your phone number has been updated.", 0.85),
        ("update_profile", "I've submitted your refund request.", 0.85),
        ("transition_info", "I've moved the ticket to Done.", 0.85),
        ("get_order", "Your order has been updated.", 0.85),
    ],
)
def test_what_follows(script, tool, sentence, score):
    assert script.judge(script.user("Go on."), script.call(tool, "done"), script.say(sentence)).score == score


def test_nothing_follows_from_a_call_that_failed(script):
    steps = script.user("Book it."), script.call("book_hotel", "Error: sold out")
    assert script.judge(*steps, script.say("Your card has been charged.")).score == 0.85


@pytest.mark.parametrize("row", CONSEQUENCES, ids=lambda row: "-".join(sorted(row.verbs)))
def test_every_row_of_consequences_is_of_claims(row):
    from sentinel_signal_hallucination.families import BY_VERB

    assert row.families
    for verb in row.verbs:
        assert row.nouns & frozenset().union(*(family.objects for family in BY_VERB[verb])), verb
    assert {family.name for family in row.families} <= BY_NAME.keys()
