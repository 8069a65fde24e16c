"""Identifiers that nothing in the record holds: in the final answer, along the way, and in reports that the agent writes."""

import re
from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, prose_of, value_evidence
from sentinel_signal_hallucination.tables import regex

__all__ = ["in_reports", "in_texts", "other_object"]

_IDENTIFIER = regex(
    r"(?<![\w./@=\\-])#?(?=[\w-]*[A-Za-z])(?=[\w-]*\d[\w-]*\d)(?!\d+(?i:st|nd|rd|th|s|px|[munk]?[sgm]|am|pm|[kmgtp]i?b?|[km]?hz|hrs?|mins?|usd|eur|gbp)\b)[A-Za-z0-9][\w-]{4,39}(?![\w\\]|[./@=(]\w)"
    r"|(?<![\w&])#\d{3,8}\b"
)
# A figure beside a letter or a mark, as in every identifier: looked for first.
_MIXED = regex(r"\d(?:(?=[\w-])(?!\d)|(?<=[\w#.-].)(?<!\d.))")
_ELEMENTS = (
    "He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Mn|Fe|Ni|Cu|Zn|As|Se|Br|Kr|Ag|Sn|Xe|Cs|Ba|Pt|Au|Hg|Pb|Bi|H|B|C|N|O|F|P|S|K|I|W|U"
)
_FORMULA = regex(rf"(?:(?:{_ELEMENTS})(?:[1-9]|[12]\d)?){{2,}}-?\Z")
# Of a known standard or product; a word and a number: "mid-2024", "log_10", "1920x1080".
_NAME = regex(
    r"(?i)#?(?:ISO|RFC|CVE|CWE|UTF|SHA|AES|RSA|MD|IEEE|EN|DIN|USB|GPT|COVID|WIN|HTTP|PEP|JSR|MIL|IP|H|MP|RTX|GTX|FY|USD|EUR|GBP)-?\d"
    r"|(?-i:[a-z]+(?:[_-]?\d{1,2}(?!\d))+(?:[_-][a-z]+)*|\d+[ex×]-?\d+|\d+(?:[_-][A-Za-z]+)+|[A-Z]?[a-z]+-\d+|[A-Za-z]+-\d{1,2})\Z"
)


_TICK = regex(r"(?<!`)`(?!`)")


def _identifiers(prose: str) -> Iterator[re.Match[str]]:
    """What is written like an identifier, looked for in the words with a figure beside a letter."""
    end = 0
    for mixed in _MIXED.finditer(prose):
        at = mixed.start()
        if at >= end:
            space, end = prose.rfind(" ", 0, at), prose.find(" ", at)
            end = len(prose) if end < 0 else end
            yield from _IDENTIFIER.finditer(prose, space + 1, end)


def _is_told(written: str, held: Held) -> bool:
    """True where it was told, with or without its dashes, or each of its parts was."""
    low = written.lstrip("#").lower()
    return low in held.text or ("-" in low and low.replace("-", "") in held.text.replace("-", ""))


def in_texts(last: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier that nobody gave: any in the last text, and those in capitals along the way."""
    index, given = held.index, _first_given(held.index)
    for text in [last] if not index.asked or index.children or index.orphans else index.texts:
        if text.message_index <= given or text.is_copied or _MIXED.search(text.content) is None:
            continue
        for match in islice(_identifiers(prose_of(_TICK.sub(" ", text.content))), _MOST):
            written = match[0]
            if (text is not last and not written.isupper()) or _is_told(written, held) or _FORMULA.match(written):
                continue
            # Where tools give such identifiers, the agent had one to give; elsewhere it may be a name that it knows.
            known = re.search(_shape(written.lstrip("#")), held.told_by_tools) is not None
            if known or _NAME.match(written) is None:
                certain = known and text is last
                weight = settings.identifier_weight if certain else settings.hearsay_weight
                yield value_evidence(text, "identifier", match, weight, certain=certain)
                return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        values = [value for value in call.call.arguments.values() if isinstance(value, str)]
        texts = [prose_of(value) for value in values if len(value) >= _SHORTEST_REPORT]
        held = Held(index, call.message_index)
        for match in (match for text in texts for match in _identifiers(text)):
            if _is_told(match[0], held) or _FORMULA.match(match[0]):
                continue
            if re.search(_shape(match[0].lstrip("#")), held.told_by_tools) is not None:
                yield _of_report(call, match[0], settings)
                return


def _of_report(call: Call, written: str, settings: Settings) -> Evidence:
    told = f'The identifier "{written}" of a report stands in no result and nothing that the agent was told.'
    finding = Finding(
        rule="identifier", severity="error", text=told, message_index=call.message_index, call_id=call.call.id, quote=written
    )  # fmt: skip
    return Evidence(finding, settings.identifier_weight, certain=True)


_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))
_SHORTEST_REPORT, _MOST = 40, 400


def _shape(written: str) -> str:
    """An expression for identifiers of the same shape: letters stand for letters, figures for figures."""
    inner = "".join(
        rf"\d{{{len(run[0])}}}"
        if run[0][0].isdigit()
        else rf"[A-Z-]{{{len(run[0])}}}"
        if run[0].isupper()
        else rf"[A-Za-z_-]{{{len(run[0])}}}"
        for run in re.finditer(r"\d+|\D+", written)
    )
    return rf"(?<!\w){inner}(?!\w)"


def _first_given(index: TraceIndex) -> int:
    """Where a result first told anything."""
    for number, message in enumerate(index.messages):
        told = [result.content for result in message.tool_results] + [message.content or ""] * (message.role == "tool")
        if any(map(str.strip, told)):
            return number
    return len(index.messages)


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
