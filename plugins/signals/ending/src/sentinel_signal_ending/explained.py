"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.offers import Explanation

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return _EXPLAINED


_Messages = list[dict[str, Any]]

_NEW_FILE = "diff --git a/try.py b/try.py\nnew file mode 100644\n--- /dev/null\n+++ b/try.py\n@@ -0,0 +1 @@\n+x\n"


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _called(name: str, result: str, *, success: bool = True, key: str = "c1", **arguments: str) -> _Messages:
    call = {"id": key, "name": name, "arguments": arguments}
    back = {"tool_call_id": key, "content": result, "success": success}
    return [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_results": [back]}]


def _example(*messages: dict[str, Any], asked: str = "Fix the crash in parse().") -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": asked}, *messages]}


_EXPLAINED = {
    "broken_off": Explanation(
        why="A run that was ended by a limit or a failure has no result, whatever its last message looks like.",
        mend="Raise the quoted limit, shorten the context, or fix the failure; then run the agent again.",
        example=_example(_said("I look."), _said("Exceeded the token limit of 200000.")),
    ),
    "handed_in_at_the_limit": Explanation(
        why="The framework ended the run and submitted the unfinished work. The agent had not decided that it was finished.",
        mend="Check the answer itself, and give the agent more turns or a smaller task.",
        example={
            **_example(*_called("submit", "taken", answer="4")),
            "schema": 2,
            "details": {"outcome": "cost_limit"},
        },
    ),
    "empty_artifact": Explanation(
        why="Nothing was submitted, so nothing can be right.",
        mend="Let the tool that receives the answer reject an empty one, and allow the agent to say that it gives up.",
        example=_example(*_called("finish", "taken", answer="None")),
    ),
    "only_new_files": Explanation(
        why="A patch that changes no existing file fixes no existing code. Often it only adds a script that reproduces the bug.",
        mend="Before the patch is submitted, check that it changes the code at fault.",
        example=_example(*_called("submit", _NEW_FILE)),
    ),
    "error_last": Explanation(
        why="The last attempt failed, and the run ended without another attempt.",
        mend="Have the agent try another way, or say that it failed.",
        example=_example(*_called("run", "Error: no such file", success=False), *_called("run", "", key="c2")[:1]),
    ),
    "handed_in_after_failure": Explanation(
        why="The last check of the work failed, so nothing shows that the submitted answer works.",
        mend="Block the submission of an answer while a check fails.",
        example=_example(
            *_called("run", "2 tests failed", success=False), *_called("submit", "taken", key="c2", answer="4")
        ),
    ),
    "handed_in_after_refusal": Explanation(
        why="A call with empty arguments is a formatting error: it says nothing about whether the work is correct or finished.",
        mend="If a call has empty arguments, return a message that lists the required arguments, and have the agent check its work again before it submits the answer.",
        example=_example(
            *_called("run", "no code was given", success=False, code=""),
            *_called("submit", "taken", key="c2", answer="4"),
        ),
    ),
    "unread_result": Explanation(
        why="The agent called a tool, and the run ends with the result of the call. Usually the run was cut off.",
        mend="Check whether a turn limit ended the run or whether the recorder dropped the last message.",
        example=_example(*_called("search_orders", "3 orders"), asked="How many orders are open?"),
    ),
    "came_to_nothing": Explanation(
        why="The agent was still searching, had found nothing, and stopped without a word: the task is not done.",
        mend="Check whether a turn limit ended the run, and have the agent say what it could not find.",
        example=_example(*_called("search_orders", "timed out", success=False), asked="How many orders are open?"),
    ),
    "no_answer": Explanation(
        why="The agent's last message is empty: the user got no answer.",
        mend="Ask the model again if its answer is empty.",
        example=_example(*_called("run", "4"), _said(""), asked="What is 2 + 2?"),
    ),
    "answered_after_failure": Explanation(
        why="An answer right after a failed call may hide the failure or have no basis.",
        mend="Have the agent say in its answer what failed. This finding alone does not change the verdict; it raises the triage score.",
        example=_example(*_called("run", "boom", success=False), _said("It is 4."), asked="What is 2 + 2?"),
    ),
    "failure_told": Explanation(
        why="The agent says what failed, so nobody is misled; the task may still not be done.",
        mend="The answer needs no change. Fix the call that failed, or have the agent try another way before it answers.",
        example=_example(
            *_called("read_file", "boom", success=False), _said("I could not read b.txt."), asked="What is in b.txt?"
        ),
    ),
    "missing_name": Explanation(
        why="Code that uses the requested name will not find it.",
        mend="Compare the submitted code with the signature in the request.",
        example=_example(
            *_called("submit", "taken", code="def find_maximum(a): ..."), asked="Write it:\n\ndef find_max(a):\n    ..."
        ),
    ),
    "wrong_arithmetic": Explanation(
        why="A wrong calculation makes every figure that depends on it wrong.",
        mend="Have the agent calculate with a tool and quote the tool's result.",
        example=_example(_said("In all 465 + 269 + 120 = $2328."), asked="What does it cost in all?"),
    ),
    "unanswered_go_ahead": Explanation(
        why="The user agreed to what the agent had proposed, and the agent neither did it nor answered: most such runs failed.",
        mend="Check whether a turn limit or the caller ended the run too early, and continue the run from the confirmation.",
        example=_example(
            _said("I can cancel order 12 and refund $20. Shall I proceed?"),
            {"role": "user", "content": "Yes, please proceed."},
            asked="Please cancel order 12.",
        ),
    ),
    "order_not_carried_out": Explanation(
        why="An order that no call carried out was refused, forgotten, or carried out in words only.",
        mend="If the refusal is right, change nothing. Otherwise, have the agent make the call, or say clearly that it did not.",
        example=_example(
            *_called("get_order", "open, $20"), _said("Your order is open."), asked="Please cancel order 12."
        ),
    ),
}
