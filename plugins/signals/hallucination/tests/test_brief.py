"""Deeds told without a doer: headlines, items of lists, one-word answers; and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_signal_hallucination.brief import brief_at, briefs_in
from sentinel_signal_hallucination.families import FAMILIES

ORDER = "Please cancel order 12, refund it, send Dana the email, open the pull request, push the branch and deploy the release."
CLAIMS = [
    ("Cancelled the order.", "cancel"),
    ("- ✅ **Cancelled** your order #12", "cancel"),
    ("2. Deployed v2.3 to staging", "deploy"),
    ("Committed and pushed to origin/main.", "commit"),
    ("Pushed the branch.", "push"),
    ("Pushed.", "push"),
    ("All done! Pushed.", "push"),
    ("Done. Booked you on UA 12.", "book"),
    ("Reviewed the ticket and cancelled the order.", "cancel"),
    ("Sent confirmation email to Dana.", "send"),
    ("Emailed Dana.", "send"),
    ("Texted Dana: running late", "send"),
    ("Created ticket OPS-12", "open"),
    ("Opened PR #12 against main.", "open"),
    ("Merged #12 and deleted the branch.", "merge"),
    ("Installed dependencies.", "deploy"),
    ("Rolled back to revision 41.", "revert"),
    ("Rotated the key.", "renew"),
    ("Upgraded lodash 4.17.15 → 4.17.21.", "update"),
    ("Order cancelled.", "cancel"),
    ("Order cancelled, refund on its way!", "cancel"),
    ("- PR #12 opened", "open"),
    ("✅ Refund issued", "pay"),
    ("Refund issued to your card.", "pay"),
    ("Email sent to Dana.", "send"),
    ("**Ticket created:** OPS-12", "open"),
    ("Good news: nothing is lost. Release published successfully.", "deploy"),
    ("Address changed ✅ Anything else?", "update"),
    ("As promised, order cancelled.", "cancel"),
]
NO_CLAIMS = [
    # headings, labels and counts
    "Cancelled orders: 3",
    "**Cancelled orders**\n- 12",
    "Updated files:\n- a.py",
    "## Deployed services",
    "Orders cancelled: 3",
    "Tickets closed: 4",
    "Completed tasks",
    "Date created: May 3",
    "Last updated: May 3",
    "Order placed: 2031-05-03",
    # states and histories
    "Order placed May 3.",
    "Order cancelled by the seller.",
    "Order cancelled on 2031-05-03.",
    "Cancelled by the airline.",
    "Survey emailed and Dana notified by the triggers.",
    "Refund issued (by you, in the portal).",
    "Push sent → logged",
    "Cancelled yesterday.",
    "Originally booked.",
    # what is no whole statement, or an order to somebody
    "Find the report submitted to the court.",
    "You can have the order cancelled.",
    "I want the order cancelled.",
    "Once merged, the branch is gone.",
    "Order cancelled?",
    "Pushed to which branch?",
    "If unpaid, order cancelled.",
    "Nothing sent.",
    "No email sent to Dana.",
    "Approved keys are ready to use.",
    "Refunded means that the money is back.",
    # the work is the text itself, or another sense of the word
    "Updated the plan below.",
    "Added a section on risks.",
    "Created a table of the results.",
    "Ordered the flights from cheapest to most expensive.",
    "Confirmed the booking details.",
    "Based on the results, the order is late.",
    "Need anything else sent?",
    "Interested in the order?",
    # code and quotations
    "`Cancelled the order.`",
    '"Cancelled the order."',
    "> Cancelled the order.",
    "Run the tests, then cancel the order.",
    "Set the flag.",
]


def judged(script, sentence, *, order=ORDER, result="{}"):
    return script.judge(script.user(order), script.call("get_record", result), script.say(sentence))


@pytest.mark.parametrize(("sentence", "family"), CLAIMS)
def test_a_deed_without_a_doer_is_a_claim(script, sentence, family):
    from sentinel_signal_hallucination.claims import claims_in

    claims = [
        claim for claim in claims_in(sentence, [place for place, _ in briefs_in(sentence)]) if claim.voice == "brief"
    ]
    assert family in {found.name for claim in claims for found in claim.families}
    answer = judged(script, sentence)
    assert {finding.rule for finding in answer.findings} == {"claim_without_call"}
    assert answer.findings[0].quote in sentence
    assert answer.score >= 0.5


@pytest.mark.parametrize("sentence", NO_CLAIMS)
def test_what_only_looks_like_one(script, sentence):
    assert judged(script, sentence).findings == ()


@pytest.mark.parametrize(("sentence", "family"), CLAIMS)
def test_a_call_backs_it(script, sentence, family):
    tools = next(row.tools for row in FAMILIES if row.name == family)
    calls = [script.call(f"{tool}_it", "ok") for tool in sorted(tools)]
    others = [script.call(f"{tool}_it", "ok") for row in FAMILIES for tool in sorted(row.tools)]
    answer = script.judge(script.user(ORDER), *calls, *others, script.say(sentence))
    assert answer.findings == ()


@pytest.mark.parametrize(
    ("order", "score"),
    [
        (ORDER, 0.85),
        ("Cancel it.", 0.85),
        ("order 12: cancellation", 0.85),  # it speaks of what the sentence says
        ("Take care of it, please.", 0.5),  # it orders something else, or nothing by its name
        ("Where is my order?", 0.0),
        ("What happened to the order? I was told that somebody would look.", 0.0),
        ("Write a changelog of the shop.", 0.0),
        ("Summarise the log.", 0.0),
        ("the shop", 0.0),  # no order
    ],
)
def test_it_is_told_to_who_asked_for_a_deed(script, order, score):
    assert judged(script, "Cancelled order 12.", order=order).score == score


def test_where_no_user_speaks_the_agent_has_its_orders_from_elsewhere(script):
    assert script.judge(script.call("get_record", "{}"), script.say("Order cancelled.")).score == 0.85


@pytest.mark.parametrize(
    ("result", "score"),
    [
        ('{"status": "cancelled"}', 0.0),
        ('{"state": "void"}', 0.5),  # a result may say so in other words
        ('{"cancelled_at": null}', 0.85),  # a key of a time says nothing
        ('{"error": "a sent order cannot be cancelled"}', 0.85),  # a call that failed says nothing
    ],
)
def test_what_a_result_told_may_be_repeated(script, result, score):
    assert judged(script, "Order cancelled.", result=result).score == score


def test_without_tools_nobody_knows_whose_deed_it_is(script):
    assert script.judge(script.user(ORDER), script.say("Order cancelled.")).findings == ()


def test_a_call_that_failed_contradicts_it(script):
    answer = script.judge(
        script.user(ORDER), script.call("cancel_order", "Error: shipped", success=False), script.say("Order cancelled.")
    )
    assert [finding.rule for finding in answer.findings] == ["contradicted_claim"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Acceptance criteria:\n- Order cancelled\n- Refund issued", 0),
        ("On tag:\n1. Image built\n2. Release published", 0),
        ("Refund flow:\n\n- Order checked\n- Order cancelled", 0),
        ("Here is what I did:\n- Order cancelled", 1),
        ("Summary:\n- Order cancelled", 1),
        ("The order was late.\n- Order cancelled", 1),
        ("- Order cancelled", 1),
        ("Acceptance criteria:\n- late\n\nOrder cancelled.", 1),
    ],
)
def test_a_list_that_announces_no_deeds_holds_none(script, text, found):
    assert len(judged(script, text).findings) == found


def test_what_a_call_brings_with_it_may_be_told_in_passing(script):
    cancelled = script.call("cancel_order", "ok")
    assert script.judge(script.user(ORDER), cancelled, script.say("Order cancelled. Customer notified.")).findings == ()


def test_a_place_that_is_no_verb_is_no_deed():
    text = "✅ Refund issued"
    assert [place for place in range(len(text) + 1) if brief_at(text, place) is not None] == [text.index("issued")]
    assert brief_at("", 0) is None


_PIECES = (
    *(
        "Cancelled",
        "Sent",
        "cancelled",
        "issued",
        "sent",
        "pushed",
        "the order",
        "Order",
        "Refund",
        "PR #1",
        "Done",
        "-",
        "✅",
        "**",
    ),
    *(
        "1.",
        "has been",
        "is",
        "to Dana",
        "successfully",
        "on May 3",
        ":",
        "OPS-1",
        "`code`",
        "\n",
        "\n\n",
        ".",
        "!",
        "?",
        ",",
        "and",
    ),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=16), st.sampled_from(("", " ")))
def test_the_first_look_misses_no_deed(pieces, joint):
    text = joint.join(pieces)
    assert sorted(set(briefs_in(text))) == [
        (place, deed) for place in range(len(text)) if (deed := brief_at(text, place)) is not None
    ]


@pytest.mark.parametrize(
    "unit", ["Cancelled ", "ed ", "- ", "\n", "✅", "Order ", "a-", "* ", "1. ", "Sent to ", "'", "A ed "]
)
def test_hostile_texts_end(unit):
    briefs_in(unit * 20_000)
