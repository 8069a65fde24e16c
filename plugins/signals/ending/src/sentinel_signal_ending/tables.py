"""What endings look like, as data: words are the field's, of many frameworks and providers, never one tool's alone."""

__all__ = [
    "BROKEN_OFF",
    "CALL_AS_TEXT",
    "COMPLETED",
    "FIX_WORDS",
    "HANDING_OVER",
    "NOTHING",
    "NOTICES",
    "PINNED",
    "READING",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


BROKEN_OFF = _set(
    "context_limit context_window_exceeded cost_limit error failed gave_up length limit max_budget max_cost max_tokens max_turns"
    " stuck timeout token_limit"
)
"""Outcomes, as readers record them, of a run that a limit or a failure ended. A person's interruption is none of them."""

COMPLETED = frozenset(("completed", "success"))
"""Outcomes of a run that ended by itself."""

_WHAT = (
    r"(?:max\w*|context|tokens?|time|costs?|turns?|steps?|iterations?|budget|rate|usage|quota|recursion|compute|call)"
)
_WHO = r"(?:the )?(?:agent |run |session |conversation |execution |process )?"
NOTICES = (
    rf"{_WHO}(?:was |has been )?(?:stopped|exit|exited|terminated|aborted|killed|halted|ended)(?: early)? (?:due to|because of|by|after|on) ",
    rf"(?:exceeded|reached|hit|ran out of|out of) (?:the |its |your )?{_WHAT}\b",
    rf"(?:the |total |claude |ai ){{0,2}}{_WHAT} (?:\w+ ){{0,4}}(?:exceeded|reached|exhausted|hit)\b",
    r"(?:prompt|input|context) is too long",
    r"this model's maximum context length",
    r"(?:your )?credit balance is too low",
    r"you exceeded your current quota|insufficient_quota|resource_exhausted|context_length_exceeded|overloaded_error|<turn_aborted>",
    r"(?:api error|error code|http error|status code)\W{0,3}[45]\d\d\b",
    r"api error: |internal server error|service unavailable|bad gateway|gateway time-?out",
    r"(?:the )?request timed out|connection (?:error|reset|refused|aborted)|stream (?:disconnected|error)",
    r"traceback \(most recent call last\)",
    r"[a-z_]\w*(?:\.\w+){1,5}(?:error|exception|timeout)\b",
)
"""How a text begins that a framework or a provider put where the agent's last word would stand; for folded text."""

CALL_AS_TEXT = r"</tool_call>|</function_calls?>|<function=\w|\{\s*\"name\"\s*:\s*\"[^\"]{1,80}\"\s*,\s*\"(?:arguments|parameters)\"\s*:"
"""The last lines of a text that a model meant as a call: nobody ran it."""

HANDING_OVER = frozenset(("escalate", "hand", "handoff", "transfer"))
"""First words of the names of tools that give the task to somebody else: after a failure that is the right thing."""

READING = _set(
    "bash browse calculate calculator check click code compute count describe download execute fetch find get goto grep inspect interpreter"
    " list load look lookup observe open python query read retrieve run scan scrape scroll search select shell show sql terminal view"
    " visit web wiki wikipedia"
)
"""First words of the names of tools that one calls for what they answer."""

NOTHING = frozenset(("", "none", "null", "nan", "n/a", "undefined"))
"""Answers, without brackets and quotes, that say nothing."""

FIX_WORDS = r"\b(?:bug|fix|issue|resolve|regression|incorrect|wrong|broken|fails?|failing|crash\w*|errors?)\b"
"""A request with one of these asks to change what is there."""

PINNED = r"^[ \t]*(?:async )?def (\w{2,80}) ?\(|^[ \t]*class (\w{2,80})\b|^[ \t]*assert (\w{2,80}) ?\("
"""A line of code in the request that gives the name of what is to be written."""
