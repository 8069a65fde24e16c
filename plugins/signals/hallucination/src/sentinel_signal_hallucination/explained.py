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


_EXPLAINED = {
    "claim_without_call": Explanation(
        why="The user goes away believing that it was done. This is the costliest thing an agent can say that is not so.",
        mend="Let the last answer be built from results, not from memory; tell the model to say what it did not do; check the state of the world after the run.",
        example=_run(
            "Cancel order 1017 and write to the customer.",
            "get_order",
            {"order_id": 1017},
            '{"status": "shipped"}',
            "I've sent the email to the customer.",
        ),
    ),
    "contradicted_claim": Explanation(
        why="The call that was to do it failed, and the agent tells the user that it worked.",
        mend="Put errors where the model cannot overlook them, and let it repeat the call or own up; a failed call must not be the last before the answer.",
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
        why="The model wrote what a call looks like, and nothing ran. Whatever follows rests on nothing.",
        mend="Use the provider's own tool calls; where a call is text, parse it or tell the model that nothing ran.",
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
        why="The model wrote the result itself. It looks like evidence and is invention.",
        mend="Stop generation at the end of a call, so that the host's result comes next and not the model's.",
        example=_run(
            "Add the numbers.",
            "run_python",
            {"code": "print(17 + 4)"},
            "21",
            "Once more, to be sure.\n<execute>print(17 + 5)</execute>\nObservation: 22",
        ),
    ),
    "contradicted_number": Explanation(
        why="A figure in the answer is not the one that the tool gave: the user acts on a wrong number.",
        mend="Let the model copy figures from the last result, and fill them in by code where they matter.",
        example=_run(
            "How many tests failed?",
            "get_summary",
            {"release": "v2"},
            '{"tests": {"passed": 142, "failed": 7, "skipped": 5}}',
            "142 tests passed and 3 tests failed.",
        ),
    ),
    "contradicted_tests": Explanation(
        why="The last run of the tests failed and the agent says that they pass: broken work goes out as checked.",
        mend="Let the agent run the tests after its last change, and gate on their exit code rather than on its word.",
        example=_run(
            "Fix the login.",
            "bash",
            {"command": "pytest -q"},
            "..F\n1 failed, 2 passed in 0.31s",
            "Fixed. All tests pass now.",
        ),
    ),
    "contradicted_check": Explanation(
        why="The build, the type check or the linter failed at its last run, and the agent says that it is clean.",
        mend="Let the agent run the check after its last change, and gate on its exit code.",
        example=_run(
            "Make the types right.",
            "bash",
            {"command": "mypy src"},
            "src/a.py:3: error: Incompatible return value type\nFound 1 error in 1 file (checked 4 source files)",
            "The type check passes now.",
        ),
    ),
    "call_without_result": Explanation(
        why="What became of the call is not known, and the agent went on as if it were.",
        mend="Record every result, errors and time-outs too, before the model is asked again.",
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
        why="A result that no call asked for came from elsewhere: a broken recorder, or a model that wrote the history itself.",
        mend="Keep ids of calls and results together, and let nothing but the host write results.",
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
