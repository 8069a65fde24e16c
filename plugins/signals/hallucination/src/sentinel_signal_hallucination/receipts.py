"""Receipts that nobody gave: identifiers in what the agent says along the way."""

import re

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, final_answer
from sentinel_signal_hallucination.sentences import span_around
from sentinel_signal_hallucination.values import CODE

__all__ = ["made_up", "other_object"]

_IDENTIFIER = re.compile(
    r"(?<![\w./@=#-])#?(?:[A-Z]{1,6}-\d{3,}\w{0,6}|(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d[A-Z0-9]*\d)[A-Z][A-Z0-9]{5,15})(?![\w/@=-]|\.\w)"
)


def made_up(text: Text, index: TraceIndex, settings: Settings) -> Evidence | None:
    """A receipt that nobody gave, in a text that is not the last: the last one's identifiers have a rule of their own."""
    last = final_answer(index)
    match = (
        None
        if last is not None and last.message_index == text.message_index
        else _IDENTIFIER.search(CODE.sub(" ", text.content))
    )
    if match is None or not any(result.strip() for result in Held(index, text.message_index).results):
        return None
    if _STANDARDS.match(match[0].lstrip("#")):
        return None
    held, written = Held(index, text.message_index), match[0].lower().lstrip("#")
    if written in held.text or written in held.earlier or written.replace("-", "") in held.text.replace("-", ""):
        return None
    at = text.content.index(match[0])
    begin, end = text.content.rfind("\n", 0, at) + 1, text.content.find("\n", at)
    finding = Finding(
        rule="identifier", severity="warning", message_index=text.message_index,
        text=f'The identifier "{match[0]}" stands in no result and nothing that the agent was told.',
        quote=span_around(text.content, begin, len(text.content) if end < 0 else end),
    )  # fmt: skip
    return Evidence(finding, settings.hearsay_weight, certain=False)


_STANDARDS = re.compile(
    r"(?:ISO|RFC|CVE|CWE|UTF|SHA|AES|RSA|MD|IEEE|EN|DIN|USB|GPT|COVID|WIN|HTTP|PEP|JSR|MIL|IP|H|MP|RTX|GTX)-?\d"
)


def other_object(text: Text, asked: str, calls: list[Call], index: TraceIndex) -> tuple[str, str] | None:
    """What the user named and the answer tells, and what a call was made for instead: a value that nobody had told before."""
    named = [match[0].lstrip("#") for match in _NAMED.finditer(text.content) if match[0] in asked]
    done = "\n".join(
        to_json(call.call.arguments).decode() + (call.result.content if call.result else "") for call in calls
    )
    missing = [name for name in named if name not in done]
    for call in calls if missing else ():
        held = Held(index, call.message_index)
        for value in call.call.arguments.values():
            if (
                isinstance(value, str)
                and _NAMED.fullmatch(value)
                and value.lower() not in held.text
                and value not in text.content
            ):
                other = next((name for name in missing if len(name) == len(value)), None)
                if other is not None:
                    return other, value
    return None


_NAMED = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,30}(?![\w-])")
