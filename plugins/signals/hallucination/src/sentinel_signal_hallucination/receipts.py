"""Receipts that nobody gave: identifiers in what the agent says along the way."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, final_answer
from sentinel_signal_hallucination.sentences import blank, span_around
from sentinel_signal_hallucination.values import CODE

__all__ = ["other_object", "receipts"]

_IDENTIFIER = re.compile(
    r"(?<![\w./@=#-])#?(?:[A-Z]{1,6}-\d{3,}\w{0,6}|(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d[A-Z0-9]*\d)[A-Z][A-Z0-9]{5,15})(?![\w/@=-]|\.\w)"
)


def receipts(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """At most one receipt that nobody gave, along the way: the last text's identifiers have a rule of their own."""
    if index.children or index.orphans or not index.asked:
        return
    last, given = final_answer(index), _first_given(index)
    for text in index.texts:
        if text.message_index <= given or text is last or text.is_copied or _FIGURE.search(text.content) is None:
            continue
        prose = text.content if _SIGNS.isdisjoint(text.content) else CODE.sub(blank, text.content)
        match = _IDENTIFIER.search(prose)
        if match is not None and not _STANDARDS.match(match[0].lstrip("#")) and not _was_told(match[0], text, index):
            yield _made_up(text, match, settings)
            return


_FIGURE, _SIGNS = re.compile(r"[A-Z-]\d|\d[A-Z]"), frozenset("`<:")


def _first_given(index: TraceIndex) -> int:
    """Where a result first told anything."""
    places = (
        call.result_message_index for call in index.calls if call.result is not None and call.result.content.strip()
    )
    return min((place for place in places if place is not None), default=len(index.messages))


def _was_told(written: str, text: Text, index: TraceIndex) -> bool:
    bare = written.lstrip("#")
    before = index.messages[: text.message_index]
    if any(
        bare in (message.content or "") or any(bare in result.content for result in message.tool_results)
        for message in before
    ):
        return True
    held, low = Held(index, text.message_index), bare.lower()
    return low in held.text or low in held.earlier or low.replace("-", "") in held.text.replace("-", "")


def _made_up(text: Text, match: re.Match[str], settings: Settings) -> Evidence:
    begin, end = text.content.rfind("\n", 0, match.start()) + 1, text.content.find("\n", match.start())
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
