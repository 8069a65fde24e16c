"""What the page says of calls that failed, or that the user refused: once, and wherever the call stands."""

import json

import pytest
from coding_pages import FAILED, REFUSED, edit, page_file, step, trace_of

from sentinel_core import Message
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.output.page.view import view


def test_the_page_says_of_a_call_whether_it_failed_or_never_ran():
    trace = trace_of(edit(1, "a"), edit(2, "a", **REFUSED), edit(3, "a", success=None, content="Error: no such file"))
    results = [one for message in view(trace, evaluate_trace(trace))["messages"] for one in message.get("results", ())]
    assert [(one["ok"], one.get("refused")) for one in results] == [(True, None), (None, True), (False, None)]


@pytest.mark.unmeasured
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_call_that_failed_or_was_refused_says_so_once(browse, tmp_path, theme):
    page = page_file(
        tmp_path, trace_of(edit(1, "a.py"), edit(2, "a.py", **REFUSED), edit(3, "b.py", **FAILED), edit(4, "b.py"))
    )
    chips = "[...document.querySelectorAll('.call, .result')].map((one) => [one.closest('.message').id, one.querySelector('.head .chip')?.innerText ?? ''])"
    told = browse(page, theme=theme, axe=True, hash="#f1", steps=[
        ["eval", "[document.activeElement.id, document.activeElement.className]"], ["press", "e"], ["eval", chips],
        ["eval", "[...document.querySelectorAll('.callout .rule')].filter((one) => one.innerText.endsWith('failed_call')).length"],
    ])  # fmt: skip
    focused, seen, cards = told["values"]
    assert focused == ["f1", "call failed"]
    assert dict(map(tuple, seen)) == {
        "m1": "", "m2": "ok", "m3": "not run", "m4": "not run", "m5": "failed", "m6": "failed", "m7": "", "m8": "ok",
    }  # fmt: skip
    assert (cards, told["axe"]) == (0, []), json.dumps(told["axe"])


@pytest.mark.unmeasured
def test_two_findings_about_one_failed_call_share_a_card(browse, tmp_path):
    failed = step("t", "Bash", command="python -m pytest -q", content="1 failed, 2 passed in 0.31s", success=False)
    page = page_file(tmp_path, trace_of(failed, [Message(role="assistant", content="I am done for today.")]))
    told = browse(page, axe=True, steps=[
        ["eval", "[...document.querySelectorAll('.card')].map((card) => [...card.querySelectorAll('.rule')].map((rule) => rule.innerText))"],
        ["eval", "[...document.querySelectorAll('.callout, .call[id]')].map((one) => [one.id, one.closest('.message').id])"],
        ["eval", "document.querySelector('#wrong .tally').innerText"],
    ])  # fmt: skip
    cards, places, number = told["values"]
    assert cards == [["ending.answered_after_failure", "tool_misuse.failed_call"]]
    assert places == [["f2", "m1"], ["f1", "m2"]]
    assert (number, told["axe"]) == ("2", [])
