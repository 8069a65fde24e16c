"""Identifiers that nothing in the record holds: in the final answer, along the way, and in reports that the agent writes."""

import re
from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import CODE, Held, final_answer, prose_of, value_evidence
from sentinel_signal_hallucination.tables import regex

__all__ = ["in_answer", "in_reports", "other_object", "receipts"]

_IDENTIFIER = regex(
    r"(?<![\w./@=\\-])(?:#\d{3,8}|#?(?=[\w-]*[A-Za-z])(?=[\w-]*\d[\w-]*\d)(?:[A-Za-z]{1,6}(?=[\w-]*\d\w{0,3}\d)(?:-[A-Za-z0-9]{1,24}){1,4}"
    r"|[A-Za-z0-9_]{5,24}))(?![\w\\]|[./@=(]\w)"
)
# A figure beside a letter or a mark, as in every identifier: looked for first.
_MIXED = regex(r"\d(?:(?=[\w-])(?!\d)|(?<=[\w#.-].)(?<!\d.))")
_ORDINAL = regex(r"(\d{3,})(?:s|st|nd|rd|th)")
_ELEMENTS = (
    "He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Mn|Fe|Ni|Cu|Zn|As|Se|Br|Kr|Ag|Sn|Xe|Cs|Ba|Pt|Au|Hg|Pb|Bi|H|B|C|N|O|F|P|S|K|I|W|U"
)
_FORMULA = regex(rf"(?:(?:{_ELEMENTS})\d{{0,2}}){{2,}}\Z")
_MEASURE = regex(
    r"[a-z]_?\d{1,2}\Z|\d+(?:st|nd|rd|th|s|px|ms|kg|km|am|pm|[kmgtp]i?b?|hz|ghz|mhz|hr|hrs|min|mins|usd|eur)\Z|\d+[x×]\d+\Z|\d+e\d+\Z"
)
_STANDARD = regex(
    r"(?i)#?(?:ISO|RFC|CVE|CWE|UTF|SHA|AES|RSA|MD|IEEE|EN|DIN|USB|GPT|COVID|WIN|HTTP|PEP|JSR|MIL|IP|H|MP|RTX|GTX|FY|USD|EUR|GBP)-?\d"
)


def _identifiers(prose: str) -> Iterator[re.Match[str]]:
    """What is written like an identifier, looked for in the words with a figure beside a letter."""
    end = 0
    for mixed in _MIXED.finditer(prose):
        at = mixed.start()
        if at >= end:
            space, end = prose.rfind(" ", 0, at), prose.find(" ", at)
            end = len(prose) if end < 0 else end
            yield from _IDENTIFIER.finditer(prose, space + 1, end)


def _is_none(match: re.Match[str]) -> bool:
    """True for a formula, a measure, or a name out of code: "log_10_3"."""
    written = match[0].lower()
    return (
        _FORMULA.match(match[0]) is not None
        or _MEASURE.match(written) is not None
        or ("_" in written and re.search(r"\d{3}", written) is None)
    )


def _is_told(written: str, held: Held) -> bool:
    bare = written.lstrip("#")
    low = bare.lower()
    if bare in held.told_by_tools or low in held.text:
        return True
    return "-" in low and low.replace("-", "") in held.text.replace("-", "")


def _is_held(written: str, held: Held) -> bool:
    return _is_told(written, held) or written.lstrip("#").lower() in held.earlier


def _may_be_a_name(written: str) -> bool:
    """True for "mid-2024" and for "ISO-8601", which no system gave."""
    prefix, *rest = written.lstrip("#").split("-")
    if _STANDARD.match(written) is not None:
        return True
    return bool(rest) and not any(_is_serial(part, prefix) for part in rest)


def _is_serial(part: str, prefix: str) -> bool:
    """True for three figures or more behind capitals, and for letters among figures."""
    figures = sum(map(str.isdigit, part))
    return figures >= _FEW if not part.isdigit() and len(part) >= _LONG else figures > _FEW and prefix.isupper()


_FEW, _LONG = 2, 5


def in_answer(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of an answer that nothing holds."""
    for match in _identifiers(prose):
        ordinal = _ORDINAL.fullmatch(match[0].lower())
        if ordinal is None and _is_none(match):
            continue
        if _is_held(match[0] if ordinal is None else ordinal[1], held):
            continue
        # Where tools give such identifiers, the agent had one to give; elsewhere it may be a name that it knows.
        certain = ordinal is None and re.search(_shape(match[0].lstrip("#")), held.told_by_tools) is not None
        if certain or not _may_be_a_name(match[0]):
            weight = settings.identifier_weight if certain else settings.figure_weight
            yield value_evidence(answer, "identifier", match, weight, certain=certain)
            return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        values = [value for value in call.call.arguments.values() if isinstance(value, str)]
        texts = [CODE.sub(" ", value) for value in values if len(value) >= _SHORTEST_REPORT]
        held = Held(index, call.message_index)
        for match in (match for text in texts for match in _identifiers(text)):
            if _is_none(match) or _is_held(match[0], held):
                continue
            if re.search(_shape(match[0].lstrip("#")), held.told_by_tools) is not None:
                yield _of_report(call, match[0], settings)
                return


def _of_report(call: Call, written: str, settings: Settings) -> Evidence:
    told = f'The identifier "{written}" in a report is in no result and in nothing that the agent was given.'
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


def receipts(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """At most one receipt in capitals that nobody gave, along the way: the last text has a rule of its own."""
    if index.children or index.orphans or not index.asked:
        return
    last, given, held = final_answer(index), _first_given(index), Held(index, len(index.messages))
    told = set[str]()
    for text in index.texts:
        if text.message_index <= given or text is last or text.is_copied or _MIXED.search(text.content) is None:
            continue
        for match in islice(_identifiers(prose_of(text.content)), _MOST):
            if match[0] != match[0].upper() or match[0] in told:
                continue
            if len(told) > _MOST:
                return
            told.add(match[0])
            if _is_told(match[0], held) or _is_none(match):
                continue
            if not _may_be_a_name(match[0]):
                yield value_evidence(text, "identifier", match, settings.hearsay_weight, certain=False)
                return


def _first_given(index: TraceIndex) -> int:
    """Where a result first told anything."""
    places = (
        call.result_message_index for call in index.calls if call.result is not None and call.result.content.strip()
    )
    return min((place for place in places if place is not None), default=len(index.messages))


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
