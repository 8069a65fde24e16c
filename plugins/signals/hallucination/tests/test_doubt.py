"""Sentences that have the form of a claim, and may be something else: code that is shown, a state that was asked about."""

import pytest

CODE = "```js\nconst form = 1;\n```"


def test_without_any_tool_a_deed_may_be_done_in_code_that_is_shown(script):
    asked, sentence = script.user("Make me a form."), "I've created a user registration form. Here is the code."
    assert script.judge(asked, script.say(f"{sentence}\n{CODE}")).findings == ()
    assert script.judge(asked, script.say(sentence)).score == 0.85
    assert script.judge(asked, script.say(f"I've emailed the customer.\n{CODE}")).score == 0.85
    assert script.judge(asked, script.call("get_x", "{}"), script.say(f"{sentence}\n{CODE}")).score == 0.85


@pytest.mark.parametrize(
    ("asked", "sentence", "score"),
    [
        ("Where is my package?", "Your package has been shipped.", 0.5),
        ("Could you tell me why I cannot log in?", "Your account has been deactivated.", 0.5),
        ("Is my ticket still open?", "The ticket was closed.", 0.5),
        ("Where is my package?", "I've shipped your package.", 0.85),
        ("Can you cancel my order?", "Your order has been cancelled.", 0.85),
        ("Can you book a flight?", "Your flight has been booked.", 0.85),
        ("Would you send the invoice?", "The invoice has been sent.", 0.85),
        ("Could you fix my address?", "Your address has been updated.", 0.85),
        ("Look after my package.", "Your package has been shipped.", 0.85),
    ],
)
def test_what_was_only_asked_about_may_be_a_state_in_other_words(script, asked, sentence, score):
    answer = script.judge(script.user(asked), script.call("get_record", '{"status": "x"}'), script.say(sentence))
    assert ([finding.rule for finding in answer.findings], answer.score) == (["claim_without_call"], score)
    assert answer.findings[0].severity == ("error" if score > 0.8 else "warning")


def test_a_doubt_covers_no_later_claim(script):
    steps = script.user("Where is my package?"), script.call("get_record", '{"status": "x"}')
    state = script.say("Your package has been shipped. The version was deployed.")
    assert script.judge(*steps, state).score == 0.5
    assert script.judge(*steps, state, script.say("I've shipped your package.")).score > 0.85
    asked_for = script.user("Ship it, will you?"), script.say("Your package has been shipped.")
    assert script.judge(*steps, state, *asked_for).score > 0.85


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Early tests pass.", '"tests pass"'),
        ("All unit tests have passed.", '"tests have passed"'),
        ("Search results show rain.", '"Search results show"'),
        ("According to the search results, it rains.", '"According to the search results"'),
        ("So, based on my search, it rains.", '"based on my search"'),
    ],
)
def test_a_source_is_named_in_whole_words(script, sentence, told):
    (finding,) = script.judge(script.user("Go on."), script.call("calculator", "4"), script.say(sentence)).findings
    assert f"({told})" in finding.text
