"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Iterable, Mapping

import attrs

from sentinel_core.offers import Explanation
from sentinel_signal_loop.rules import ODDS

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return {rule: attrs.evolve(told, branches=ODDS.explained(rule)) for rule, told in _EXPLAINED.items()}


def _calls(names: Iterable[str], result: str) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Why does the build fail?"}]
    for number, name in enumerate(names):
        call = {"id": f"c{number}", "name": name, "arguments": {"path": "build.log"}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_results": [{"tool_call_id": f"c{number}", "content": result}]})
    return messages


_STUCK = "I will look at the configuration once more to find out why the build does not start."

_EXPLAINED = {
    "identical_calls": Explanation(
        why="A call that is repeated with the same arguments and returns the same result brings nothing new. An agent that makes such calls wastes money and time, and does not notice that it is stuck.",
        mend="Put what was already tried into the prompt, answer a repeated call with its previous result and a warning, or stop the run after two repeats.",
        example={"messages": _calls(["read_file"] * 6, "no errors found")},
    ),
    "cycle": Explanation(
        why="Several calls in turn, round after round, look like progress but are not: nothing new comes back.",
        mend="Tell the agent what it has tried and with what results. After a round with nothing new, have the agent give up and say so.",
        example={"messages": _calls(["list_files", "read_file", "run_build"] * 4, "build failed: unknown target")},
    ),
    "repeated_messages": Explanation(
        why="An agent that repeats itself and does nothing in between is waiting for something that will not come.",
        mend="End the run when a message repeats the previous one, or ask the user.",
        example={
            "messages": [
                {"role": "user", "content": "Why does the build not start?"},
                *({"role": "assistant", "content": _STUCK} for _ in range(6)),
            ]
        },
    ),
    "too_many_messages": Explanation(
        why="Most runs of this length fail to finish. Quality falls as the context fills up.",
        mend="Set a turn limit, split the task, or raise message_limit if runs are meant to be long.",
        example={
            "messages": [
                {
                    "role": "user" if number % 2 == 0 else "assistant",
                    "content": f"Item {number} of the list is {number * 7919}.",
                }
                for number in range(400)
            ]
        },
    ),
}
