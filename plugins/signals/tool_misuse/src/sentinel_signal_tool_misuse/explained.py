"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.offers import Explanation

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return _EXPLAINED


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
        why="A call that failed did nothing. What the agent says and does after it rests on something that never happened.",
        mend="Give the model the error in words that it can act on, let it try again with other arguments, and let it say so where it cannot.",
        example=_one_call({"order_id": 1017}, "Error: connection timed out"),
    ),
    "unknown_tool": Explanation(
        why="The agent made a tool up. Nothing ran, and the plan that needed it cannot work.",
        mend="Name the tools on offer in the prompt, and answer an unknown name with the list of those that there are.",
        example=_one_call({"order_id": 1017}, "Error: no such tool", name="find_parcel", with_schema=True),
    ),
    "missing_argument": Explanation(
        why="A call without an argument that the schema requires is refused, or worse, does something else.",
        mend="Say in the argument's description where its value comes from; use the provider's strict mode.",
        example=_one_call({}, "order_id is missing", with_schema=True),
    ),
    "invalid_argument": Explanation(
        why="A value of the wrong type or outside of what is allowed is refused, or is taken for another one.",
        mend="List the values that are allowed, give the format with an example, and use the provider's strict mode.",
        example=_one_call({"order_id": "the last one"}, "order_id must be a number", with_schema=True),
    ),
    "arguments_not_json": Explanation(
        why="The arguments could not even be read, so the tool saw nothing of what the model wanted.",
        mend="Use the provider's own tool calls or strict mode; short arguments break less often than long ones.",
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
        why="The model did not have the value, and wrote a stand-in as if it were one.",
        mend="Let it ask the user, or look the value up first; make the argument optional where there may be none.",
        example=_one_call({"order_id": "<your_order_id>"}, "{}"),
    ),
    "empty_argument": Explanation(
        why="An empty value where the same tool gets one elsewhere is mostly a value that got lost.",
        mend="Require the argument in the schema, and refuse an empty one with a message that says what belongs there.",
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
        why="No task needs it: the model was led by what it read, or does not know what its command does.",
        mend="Look where the value came from, refuse such arguments in the tool, and run commands in a sandbox.",
        example=_one_call({"path": "../../etc/passwd"}, "root:x:0:0", name="read_file"),
    ),
    "no_match": Explanation(
        why="One lookup that finds nothing is work. Many mean that the agent guesses names and ids.",
        mend="Offer a tool that lists what there is, and tell the model to take ids from results alone.",
        example=_one_call({"order_id": 1017}, "No results found."),
    ),
}
