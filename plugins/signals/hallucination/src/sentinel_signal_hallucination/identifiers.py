"""Identifiers that nothing in the record holds: in the final answer, along the way, and in reports that the agent writes."""

import re
from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, prose_of, shown, value_evidence
from sentinel_signal_hallucination.tables import regex

__all__ = ["in_reports", "in_texts", "other_object"]

_IDENTIFIER = regex(
    r"(?<![\w.=\\-])#?(?=[\w-]*[A-Za-z])(?=[\w-]*\d[\w-]*\d)(?!\d+(?i:st|nd|rd|th|s|px|[munk]?[sgm]|am|pm|[kmgtp]i?b?|[km]?hz|hrs?|mins?|usd|eur|gbp)\b)[A-Za-z0-9][\w-]{4,39}(?![\w\\])"
    r"|(?<![\w&])#\d{3,8}\b"
)
# A figure beside a letter or a mark, as in every identifier: looked for first.
_MIXED = regex(r"\d(?:(?=[\w-])(?!\d)|(?<=[\w#.-].)(?<!\d.))")
_ELEMENTS = (
    "He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Mn|Fe|Ni|Cu|Zn|As|Se|Br|Kr|Ag|Sn|Xe|Cs|Ba|Pt|Au|Hg|Pb|Bi|H|B|C|N|O|F|P|S|K|I|W|U"
)
# A chemical formula; a word and a power of two, as in "int64".
_FORMULA = regex(rf"(?:(?:{_ELEMENTS})(?:[1-9]|[12]\d)?){{2,}}-?\Z|[A-Za-z]?[a-z_-]+(?:16|32|64|128|256|512|1024)\Z")
# Of a known standard or product; a word and a number: "mid-2024", "log_10", "1920x1080".
_NAME = regex(
    r"(?i)#?(?:ISO|RFC|CVE|CWE|UTF|SHA|AES|RSA|MD|IEEE|EN|DIN|USB|GPT|COVID|WIN|HTTP|PEP|JSR|MIL|IP|H|MP|RTX|GTX|FY|USD|EUR|GBP)-?\d"
    r"|(?-i:[a-z]+(?:[_-]?\d{1,2}(?!\d))+(?:[_-][a-z]+)*|\d+[ex×]-?\d+|\d+(?:[_-][A-Za-z]+)+|[A-Z][A-Za-z]+(?:19|20)\d\d|[A-Z]?[a-z]+-\d+|[A-Za-z]+-\d{1,2})\Z"
)
_TICK = regex(r"(?<!`)`(?!`)")
_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))
_SHORTEST_REPORT, _MOST = 40, 200


def _identifiers(prose: str) -> Iterator[re.Match[str]]:
    """What is written like an identifier, looked for in the words with a figure beside a letter."""
    end = 0
    for mixed in _MIXED.finditer(prose):
        at = mixed.start()
        if at >= end:
            space, end = prose.rfind(" ", 0, at), prose.find(" ", at)
            end = len(prose) if end < 0 else end
            yield from _IDENTIFIER.finditer(prose, space + 1, end)


def _untold(content: str, held: Held) -> Iterator[re.Match[str]]:
    """The identifiers of a text that were not told, with or without their dashes; those in code that is longer than a line are not meant."""
    prose = ""
    for match in islice(_identifiers(content), _MOST):
        if not (held.names(match[0].lstrip("#")) or _FORMULA.match(match[0])):
            prose = prose or prose_of(_TICK.sub(" ", content))
            if prose[match.start() : match.end()] == match[0]:
                yield match


def _is_known(written: str, held: Held) -> bool:
    """True where tools give identifiers of the same shape, so that the agent had one to give."""
    shape = [r"\d" if sign.isdigit() else "[A-Z]" if sign.isupper() else "[A-Za-z_-]" for sign in written.lstrip("#")]
    return re.search(rf"(?<!\w){''.join(shape)}(?!\w)", held.told_by_tools) is not None


def in_texts(last: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier that nobody gave: any in the last text, and those in capitals along the way."""
    index = held.index
    given = next((number for number, message in enumerate(index.messages) if message.tool_results), 0)
    for text in [last] if not index.asked or index.children or index.orphans else index.texts:
        if text.message_index <= given or text.is_copied or _MIXED.search(text.content) is None:
            continue
        for match in _untold(text.content, held):
            certain = text is last and _is_known(match[0], held)
            if certain or ((text is last or match[0].isupper()) and _NAME.match(match[0]) is None):
                weight = settings.identifier_weight if certain else settings.hearsay_weight
                yield value_evidence(text, "identifier", match, weight, certain=certain)
                return


def ordered(text: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier in an answer to an order."""
    for match in _untold(text.content, held):
        if _NAME.match(match[0]) is None and not held.was_said(match[0]):
            yield value_evidence(text, "identifier", match, settings.hearsay_weight, certain=False)
            return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        held = Held(index, call.message_index)
        for value in call.call.arguments.values():
            for match in _untold(value, held) if isinstance(value, str) and len(value) >= _SHORTEST_REPORT else ():
                if _is_known(match[0], held):
                    yield _of_report(call, match, settings)
                    return


def _of_report(call: Call, match: re.Match[str], settings: Settings) -> Evidence:
    written = shown(match)
    told = f'The identifier "{written}" in a report is in no result and in nothing that the agent was given.'
    finding = Finding(
        rule="identifier", severity="error", text=told, message_index=call.message_index, call_id=call.call.id, quote=written.rstrip("…")
    )  # fmt: skip
    return Evidence(finding, settings.identifier_weight, certain=True)


def other_object(text: Text, asked: str, calls: list[Call], index: TraceIndex) -> tuple[str, str] | None:
    """What the user named and the answer tells, and what a call was made for instead: a value that nobody had told before."""
    named = [name for name in _NAMED.findall(text.content) if name in asked]
    done = "".join(
        to_json(call.call.arguments).decode() + (call.result.content if call.result else "")
        for call in (calls if named else ())
    )
    missing = [name for name in named if name not in done]
    for call in calls if missing else ():
        held = Held(index, call.message_index)
        for value in map(str, call.call.arguments.values()):
            if _NAMED.fullmatch(value) and value.lower() not in held.text and value not in text.content:
                others = [name for name in missing if len(name) == len(value)]
                if others:
                    return others[0], value
    return None


_NAMED = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,30}(?![\w-])")
