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
        ("replace_in_file", "x", "I've opened a ticket for the leftovers."),
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
    assert script.judge(script.user("Do."), script.call("str_replace", "ok", old="other"), sentence).score == 0.5


def test_the_file_of_the_sentence_before_is_the_place(script):
    edit = script.call("str_replace", "ok", path="app.css", new="blue")
    sentence = script.say("I changed the color in app.css. The old color entry was removed.")
    assert script.judge(script.user("Do."), edit, sentence).findings == ()
    other = script.say("I changed the color in app.js. The old color entry was removed.")
    assert script.judge(script.user("Do."), edit, other).score == 0.5


@pytest.mark.parametrize(
    ("sentence", "score"),
    [
        # The edit has the thing.
        ("I've registered the new order route.", 0.0),
        ("I've completed the payment integration.", 0.0),
        ("I cancelled the pending order in the cleanup function.", 0.0),
        # How the program behaves now, or misbehaved.
        ("Appointments are now cancelled when the component unmounts.", 0.0),
        ("Payments are now processed in the queue.", 0.0),
        ("Messages are now sent in batches.", 0.0),
        ("The refund was issued twice because the button stayed enabled.", 0.0),
        # Of code or not: it is not plain.
        ("I've finalized the registration.", 0.5),
        ("Your appointment has been booked.", 0.5),
        # What an edit cannot have done, whatever it holds.
        ("I've opened a ticket for the order route.", 0.85),
        ("I've sent the payment team an email.", 0.85),
        ("I've deployed the order service.", 0.85),
        ("The order service was deployed after the change.", 0.85),
        ("Your flight is now booked, and only once.", 0.5),
    ],
)
def test_what_was_written_into_code_may_be_a_deed_of_the_code(script, sentence, score):
    edit = script.call("edit_file", "ok", path="src/orders.ts", text="order route payment")
    assert script.judge(script.user("Do."), edit, script.say(sentence)).score == score


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
        ("Edit", True),
        ("str_replace_editor", True),
        ("apply_patch", True),
        ("search_replace", True),
        ("edit_booking", False),
    ],
)
def test_tools_that_edit(name, edits):
    assert ability(name).edits is edits


_EDITORS = ("Edit", "str_replace_editor", "apply_patch", "edit_file")


@pytest.mark.parametrize("tool", _EDITORS)
@pytest.mark.parametrize(
    "sentence",
    [
        "I've updated the default setting and saved the file.",
        "I've removed the unused record from `app.py`.",
        "I've reverted my earlier change in `app.py`.",
        "I've created a new `Account` class in app.py.",
        "I've merged the two helper functions into one.",
        "I've stored the user in the database table (app.py).",
        "I haven't run the tests, for I have no shell.",
    ],
)
def test_what_an_editor_does(script, tool, sentence):
    edit = script.call(tool, "The file has been changed.", path="app.py", text="user account setting")
    assert script.judge(script.user("Fix the login."), edit, script.say(sentence)).findings == ()


@pytest.mark.parametrize("tool", _EDITORS)
@pytest.mark.parametrize(
    ("sentence", "score"),
    [
        ("I ran the test suite.", 0.6),
        ("All tests pass now.", 0.6),
        ("I've committed the change to `app.py`.", 0.85),
        ("I've pushed the branch.", 0.85),
        ("The changes have been committed.", 0.85),
        ("I've merged the pull request.", 0.85),
        ("I've created a PR for this.", 0.85),
        ("I've installed the missing dependency.", 0.85),
        ("The fix has been deployed to production.", 0.85),
        ("I've e-mailed the team about the fix.", 0.85),
    ],
)
def test_what_no_editor_does(script, tool, sentence, score):
    edit = script.call(tool, "The file has been changed.", path="app.py", text="user account setting")
    assert script.judge(script.user("Fix the login."), edit, script.say(sentence)).score == score


@pytest.mark.parametrize(
    ("said", "sentence", "score"),
    [
        ("!pip install -r requirements.txt\n=> Collecting numpy", "The dependencies have been installed.", 0.0),
        ("<bash-input>git commit -am fix</bash-input>", "The changes have been committed.", 0.0),
        ("$ git push origin main", "The branch was pushed.", 0.0),
        # What the agent says that it did itself, and what the user wrote but did not run.
        ("!pip install -r requirements.txt", "I've installed the dependencies.", 0.85),
        ("Please install it with pip.", "The dependencies have been installed.", 0.85),
        ("$ git status", "The changes have been committed.", 0.85),
        ("$50 was taken! ![cancel](cancel.png)\n$50, please cancel.", "The order has been cancelled.", 0.85),
    ],
)
def test_what_the_user_ran(script, said, sentence, score):
    read = script.call("read_file", "...")
    assert script.judge(script.user(said), script.user("Go on."), read, script.say(sentence)).score == score


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
