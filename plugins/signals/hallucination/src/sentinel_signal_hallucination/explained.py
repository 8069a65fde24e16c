"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.offers import Explanation

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return _EXPLAINED


def _run(
    asked: str, name: str, arguments: Mapping[str, Any], result: str | None, said: str, *, ok: bool | None = None
) -> dict[str, Any]:
    """A request, one call with its result (none where it is None), and the last word."""
    call = {"id": "c1", "name": name, "arguments": arguments}
    results = [] if result is None else [{"tool_call_id": "c1", "content": result, "success": ok}]
    return {
        "messages": [
            {"role": "user", "content": asked},
            {"role": "assistant", "tool_calls": [call]},
            *({"role": "tool", "tool_results": [one]} for one in results),
            {"role": "assistant", "content": said},
        ]
    }


def _get(number: int) -> dict[str, Any]:
    return {"id": f"c{number}", "name": "get_order", "arguments": {"order_id": number}}


def _bash(name: str, command: str) -> dict[str, Any]:
    return {"id": name, "name": "bash", "arguments": {"command": command}}


def _edit(name: str) -> dict[str, Any]:
    arguments = {"path": "src/login.py", "old": "return 401", "new": "return 200"}
    return {"id": name, "name": "edit_file", "arguments": arguments}


_EXPLAINED = {
    "claim_without_call": Explanation(
        why="The user leaves believing that it was done. No other false statement by an agent costs as much.",
        mend="Build the last answer from results, not from memory; tell the model to say what it did not do; check the actual state after the run.",
        example=_run(
            "Cancel order 1017 and write to the customer.",
            "get_order",
            {"order_id": 1017},
            '{"status": "shipped"}',
            "I've sent the email to the customer.",
        ),
    ),
    "contradicted_claim": Explanation(
        why="The call that should have done it failed, and the agent tells the user that it worked.",
        mend="Put errors where the model cannot overlook them, and let it repeat the call or admit the failure; a failed call must not be the last one before the answer.",
        example=_run(
            "Cancel order 1017.",
            "cancel_order",
            {"order_id": 1017},
            "Error: the order has shipped already",
            "I've cancelled order 1017.",
            ok=False,
        ),
    ),
    "imitated_call": Explanation(
        why="The model wrote text that looks like a call, and nothing ran. Whatever follows has no basis.",
        mend="Use the provider's native tool calls; if a call arrives as text, parse it or tell the model that nothing ran.",
        example={
            "schema": 2,
            "messages": [
                {"role": "user", "content": "What is the weather in Lima?"},
                {
                    "role": "assistant",
                    "content": 'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lima"}}\n</tool_call>',
                },
            ],
            "details": {"available_tools": [{"name": "get_weather"}]},
        },
    ),
    "imitated_output": Explanation(
        why="The model wrote the result itself. It looks like evidence but is invented.",
        mend="Stop generation at the end of a call, so that the next text is the host's result, not the model's.",
        example=_run(
            "Add the numbers.",
            "run_python",
            {"code": "print(17 + 4)"},
            "21",
            "Once more, to be sure.\n<execute>print(17 + 5)</execute>\nObservation: 22",
        ),
    ),
    "contradicted_checks": Explanation(
        why="The last run of the tests, the build, the type check or the linter failed, and the agent says that it passes: broken work is delivered as checked.",
        mend="Let the agent run the check after its last change, and gate on the exit code rather than on what the agent says.",
        example=_run(
            "Fix the login.",
            "bash",
            {"command": "pytest -q"},
            "..F\n1 failed, 2 passed in 0.31s",
            "Fixed. All tests pass now.",
        ),
    ),
    "checks_not_run": Explanation(
        why="Nobody ran the check. The agent reports what it hopes for.",
        mend="Give the agent a way to run the check, and let it quote the command with its last line.",
        example=_run(
            "Fix the login.",
            "edit_file",
            {"path": "src/login.py", "old": "return 401", "new": "return 200"},
            "The file was changed.",
            "Fixed. All tests pass now.",
        ),
    ),
    "stale_checks": Explanation(
        why="The check passed before the last edit. Nothing shows that the delivered code still passes.",
        mend="Let the agent run the check again after its last edit.",
        example={
            "messages": [
                {"role": "user", "content": "Fix the login."},
                {"role": "assistant", "tool_calls": [_bash("c1", "pytest -q")]},
                {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": "3 passed in 0.31s"}]},
                {"role": "assistant", "tool_calls": [_edit("c2")]},
                {"role": "tool", "tool_results": [{"tool_call_id": "c2", "content": "The file was changed."}]},
                {"role": "assistant", "content": "Fixed. All tests pass."},
            ]
        },
    ),
    "partial_claim": Explanation(
        why="The agent did part of what was asked, and reports it as everything.",
        mend="Let the last answer go through the request point by point, and name the call that did each.",
        example={
            "messages": [
                {"role": "user", "content": "The login test fails. Please fix it and commit."},
                {"role": "assistant", "tool_calls": [_edit("c1")]},
                {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": "The file was changed."}]},
                {"role": "assistant", "tool_calls": [_bash("c2", "git diff --stat")]},
                {"role": "tool", "tool_results": [{"tool_call_id": "c2", "content": " login.py | 2 +-"}]},
                {"role": "assistant", "content": "I've fixed the status code. The change has been committed."},
            ]
        },
    ),
    "result_without_call": Explanation(
        why="The agent reports what a tool returned, but no tool returned it. The report is invented.",
        mend="Let the model see the error, and require that whatever it reports as a result is in one.",
        example=_run(
            "How many orders are open?",
            "count_orders",
            {"status": "open"},
            "Error: connection refused",
            "The tool returned 4,182 open orders.",
            ok=False,
        ),
    ),
    "identifier": Explanation(
        why="An order, parcel or commit number that no tool returned leads the user nowhere, or to somebody else's order.",
        mend="Fill in identifiers from results by code; tell the model never to write one that it did not read.",
        example=_run(
            "Send me the tracking number of my order W4410782.",
            "get_shipment",
            {"order_id": "W4410782"},
            '{"order_id": "W4410782", "carrier": "Nordpost", "tracking": "NP7730154"}',
            "Your order W4410782 is with Nordpost. The tracking number is NP5518290.",
        ),
    ),
    "figure": Explanation(
        why="A figure that no tool returned, and that cannot be derived from the record, is made up: the user acts on a wrong number.",
        mend="Let the model copy figures from results, and calculate with a tool.",
        example=_run(
            "What is the total of order 1017?",
            "get_order",
            {"order_id": 1017},
            '{"items": [{"name": "lamp", "price": 84.5}, {"name": "desk", "price": 312.25}]}',
            "The total of your order is $1,126.04.",
        ),
    ),
    "call_without_result": Explanation(
        why="The outcome of the call is unknown, and the agent continued as if it were known.",
        mend="Record every result, including errors and timeouts, before the model is called again.",
        example={
            "messages": [
                {"role": "user", "content": "Cancel order 1017."},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "name": "get_order", "arguments": {"order_id": 1017}}],
                },
                {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": "open"}]},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c2", "name": "cancel_order", "arguments": {"order_id": 1017}}],
                },
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c3", "name": "get_order", "arguments": {"order_id": 1017}}],
                },
                {"role": "tool", "tool_results": [{"tool_call_id": "c3", "content": "open"}]},
                {"role": "assistant", "content": "The order is open."},
            ]
        },
    ),
    "orphan_result": Explanation(
        why="A result that belongs to no call came from elsewhere: a broken recorder, or a model that wrote the history itself.",
        mend="Keep the ids of calls and results together, and let only the host write results.",
        example={
            "messages": [
                {"role": "user", "content": "Where are orders 1017 and 1018?"},
                *(
                    message
                    for number in (1017, 1018)
                    for message in (
                        {"role": "assistant", "tool_calls": [_get(number)]},
                        {"role": "tool", "tool_results": [{"tool_call_id": f"c{number}", "content": "shipped"}]},
                    )
                ),
                {"role": "tool", "tool_results": [{"tool_call_id": "c9", "content": "delivered"}]},
                {"role": "assistant", "content": "Both were shipped."},
            ]
        },
    ),
}
