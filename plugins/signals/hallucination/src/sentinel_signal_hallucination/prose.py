"""Text as the agent's own prose: code, quotations and drafts blanked out, and the sentence around a place found."""

import re

from sentinel_signal_hallucination.tables import regex

__all__ = ["around", "own_prose"]

_TAGS = (
    "execute|code|solution|tool_call|tool_response|tool_result|function_calls|function_results|document|documents|email"
    "|draft|example|quote|artifact|result|output|answer_template"
)
_FOREIGN = regex(
    rf"```.*?(?:```|\Z)|<(?P<tag>{_TAGS})\b[^<>]{{0,200}}>.*?(?:</(?P=tag)>|\Z)|`[^`\n]{{1,300}}`"
    r"|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|^[ \t]*>[^\n]*"
    # A greeting that opens the answer is the agent's own; after a line it opens a draft.
    r"|^(?:[ \t*#_]{0,6}(?:Subject:|Dear )|(?:(?<=\S\n)|(?<=\S\n\n))(?:Hi|Hello|Hey) [\w. ]{1,30},[ \t]*\n)"
    r"(?:(?!\n\s{0,9}---).)*",
    re.DOTALL | re.MULTILINE,
)

_SIGNS = ("`", "<", '"', "“", ">", "Subject:", "Dear ", "\nHi ", "\nHello ", "\nHey ")
_WINDOW = 300
_END = regex(r"[.!?](?=[\s\"'”’)*_]|\Z)|\n")


def own_prose(text: str) -> str:
    """The text, of the same length, with blanks where it is code, a quotation, or a letter that it drafts."""
    for sign in _SIGNS:
        if sign in text:
            return _FOREIGN.sub(lambda match: " " * len(match[0]), text)
    return text


def around(prose: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence that holds ``prose[start:end]`` begins and ends; at most 300 characters each way."""
    low = max(0, start - _WINDOW)
    begin = low
    for match in _END.finditer(prose, low, start):
        begin = match.end()
    stop = _END.search(prose, end, min(len(prose), end + _WINDOW))
    finish = stop.end() if stop is not None else min(len(prose), end + _WINDOW)
    while begin < start and prose[begin] in " \t\n\"'”’)*_#->•":
        begin += 1
    return begin, finish
