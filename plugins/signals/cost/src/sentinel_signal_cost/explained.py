"""Why each rule matters, what to change, and a trace in which it fires."""

from collections.abc import Mapping

from sentinel_core.offers import Explanation

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    return _EXPLAINED


def _turn(prompt: int, completion: int) -> dict[str, object]:
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return {"role": "assistant", "content": "Here is the next part.", "details": {"usage": usage}}


_EXPLAINED = {
    "over_budget": Explanation(
        why="A run that costs far more than others of its kind has usually gone wrong, and nobody notices until the bill comes.",
        mend="Set a limit on tokens or turns, pass summaries instead of whole files, and cache the part of the prompt that does not change.",
        example={
            "messages": [
                {"role": "user", "content": "Summarize the report."},
                {"role": "assistant", "content": "Done."},
            ],
            "token_usage": {"prompt_tokens": 410_000, "completion_tokens": 3_000},
        },
    ),
    "completion_ratio": Explanation(
        why="A model that writes many times as much as it reads is rambling or repeating itself, and completions are the expensive part of the bill.",
        mend="Ask for a format and a length, and set the request's token limit.",
        example={
            "messages": [{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "It depends."}],
            "token_usage": {"prompt_tokens": 300, "completion_tokens": 60_000},
        },
    ),
    "prompt_growth": Explanation(
        why="Each call pays for everything before it: if the prompt grows with every call, the cost grows with the square of the number of calls.",
        mend="Cut tool results to what matters, compact the context, or give long work to a sub-agent.",
        example={
            "schema": 2,
            "messages": [
                {"role": "user", "content": "Read the logs."},
                *(_turn(2_000 + 30_000 * turn, 100) for turn in range(5)),
            ],
        },
    ),
}
