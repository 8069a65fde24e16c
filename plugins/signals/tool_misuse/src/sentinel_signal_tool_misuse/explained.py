"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core.offers import Explanation
from sentinel_signal_tool_misuse.suspicious import ODDS

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return {rule: attrs.evolve(told, branches=ODDS.explained(rule)) for rule, told in _EXPLAINED.items()}


def _one_call(
    arguments: Mapping[str, Any],
    result: str,
    *,
    name: str = "get_order",
    with_schema: bool = False,
) -> dict[str, Any]:
    call = {"id": "c1", "name": name, "arguments": arguments}
    example: dict[str, Any] = {
        "schema": 2,
        "messages": [
            {"role": "user", "content": "Where is my order 1017?"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": result}]},
        ],
    }
    if with_schema:
        example["details"] = {"available_tools": [{"name": "get_order", "parameters": _SCHEMA}]}
    return example


_SCHEMA = {"type": "object", "properties": {"order_id": {"type": "integer"}}, "required": ["order_id"]}

_EXPLAINED = {
    "failed_call": Explanation(
        why="A failed call usually did not do what was asked. What the agent says and does next may be based on something that never happened.",
        mend="Give the model an error message that it can act on, allow it to try again with other arguments, and have it report any failure that remains.",
        example=_one_call({"order_id": 1017}, "Error: connection timed out"),
    ),
    "unknown_tool": Explanation(
        why="The agent invented a tool. Nothing ran, and a plan that needs this tool cannot work.",
        mend="List the available tools in the prompt, and answer a call to an unknown tool with that list.",
        example=_one_call({"order_id": 1017}, "Error: no such tool", name="find_parcel", with_schema=True),
    ),
    "missing_argument": Explanation(
        why="A call without an argument that the schema requires is rejected or, worse, does something other than intended.",
        mend="Describe in the schema where the value of the argument comes from, and use the provider's strict mode.",
        example=_one_call({}, "order_id is missing", with_schema=True),
    ),
    "invalid_argument": Explanation(
        why="A value that is not allowed or has the wrong type is rejected or mistaken for another value.",
        mend="List the allowed values, give the format with an example, and use the provider's strict mode.",
        example=_one_call({"order_id": "the last one"}, "order_id must be a number", with_schema=True),
    ),
    "arguments_not_json": Explanation(
        why="The arguments could not be parsed, so the tool never received what the model intended to send.",
        mend="Use the provider's native tool calls or strict mode, and keep arguments short: short arguments break less often than long arguments.",
        example={
            "schema": 2,
            "messages": [
                {"role": "user", "content": "Where is my order 1017?"},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "c1", "name": "get_order", "details": {"raw_arguments": '{"order_id": 1017'}}
                    ],
                },
                {"role": "user", "content": "Hello?"},
            ],
        },
    ),
    "placeholder_argument": Explanation(
        why="The model did not have the value, and passed a placeholder as if it were the value.",
        mend="Let the model ask the user for the value or look it up first; make the argument optional if there may be no value.",
        example=_one_call({"order_id": "<your_order_id>"}, "{}"),
    ),
    "empty_argument": Explanation(
        why="If other calls to the same tool pass a value, an empty argument usually means that the value was lost.",
        mend="Require the argument in the schema, and reject an empty value with a message that states which value is expected.",
        example={
            "messages": [
                {"role": "user", "content": "Find flights."},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "name": "search", "arguments": {"query": "flights to Lima"}}],
                },
                {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": "3 flights"}]},
                {"role": "assistant", "tool_calls": [{"id": "c2", "name": "search", "arguments": {"query": ""}}]},
                {"role": "tool", "tool_results": [{"tool_call_id": "c2", "content": "3 flights"}]},
            ]
        },
    ),
    "suspicious_argument": Explanation(
        why="No task needs such an argument: the model followed instructions in the data that it read, or does not know what its command does.",
        mend="Find out where the value came from, reject such arguments in the tool, and run commands in a sandbox.",
        example=_one_call({"path": "../../etc/passwd"}, "root:x:0:0", name="read_file"),
    ),
    "no_match": Explanation(
        why="One lookup that finds nothing is normal. Many such lookups mean that the agent is guessing names and ids.",
        mend="Offer a tool that lists what exists, and tell the model to take ids only from results.",
        example=_one_call({"order_id": 1017}, "No results found."),
    ),
}
