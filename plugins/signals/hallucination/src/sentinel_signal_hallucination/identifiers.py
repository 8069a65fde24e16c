"""Identifiers of the final answer, and of reports that the agent writes, that nothing in the record holds."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.sentences import span_around
from sentinel_signal_hallucination.tables import regex

__all__ = ["CODE", "in_answer", "in_reports", "value_evidence"]


_IDENTIFIER = regex(
    r"(?<![\w./@=\\-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d\w*\d)(?:[A-Za-z]{1,6}-\d{3,}[A-Za-z]?|[A-Za-z0-9_]{5,24})(?![\w\\]|[./@=(]\w)"
)


CODE = regex(
    r"```.*?(?:```|\Z)|<(?P<tag>execute|code)>.*?(?:</(?P=tag)>|\Z)|`[^`\n]*[ (){}\[\]=][^`\n]*`|https?://\S+",
    re.DOTALL,
)


_ORDINAL = regex(r"(\d{3,})(?:s|st|nd|rd|th)")


_ELEMENTS = [
    "H",
    "He",
    "Li",
    "Be",
    "B",
    "C",
    "N",
    "O",
    "F",
    "Ne",
    "Na",
    "Mg",
    "Al",
    "Si",
    "P",
    "S",
    "Cl",
    "Ar",
    "K",
    "Ca",
    "Mn",
    "Fe",
    "Ni",
    "Cu",
    "Zn",
    "As",
    "Se",
    "Br",
    "Kr",
    "Ag",
    "Sn",
    "I",
    "Xe",
    "Cs",
    "Ba",
    "W",
    "Pt",
    "Au",
    "Hg",
    "Pb",
    "Bi",
    "U",
]


_FORMULA = regex(rf"(?:(?:{'|'.join(sorted(_ELEMENTS, key=len, reverse=True))})\d{{0,2}}){{2,}}\Z")


_MEASURE = regex(
    r"[a-z]_?\d{1,2}\Z|\d+(?:st|nd|rd|th|s|px|ms|kg|km|am|pm|[kmgtp]i?b?|hz|ghz|mhz|hr|hrs|min|mins|usd|eur)\Z|\d+[x×]\d+\Z|\d+e\d+\Z"
)


def in_answer(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of an answer that nothing holds."""
    for match in _IDENTIFIER.finditer(prose):
        written = match[0].lower()
        if (
            (ordinal := _ORDINAL.fullmatch(written)) is not None
            and ordinal[1] not in held.text
            and ordinal[1] not in held.earlier
        ):
            yield value_evidence(answer, "identifier", match, settings.figure_weight, certain=False)
            return
        if _FORMULA.match(match[0]) is not None or _MEASURE.match(written) is not None or _is_name(written):
            continue
        if written not in held.text and written not in held.earlier:
            # Where tools give such identifiers, the agent had one to give; elsewhere it may be a name that it knows.
            certain = re.search(_shape(match[0]), "\n".join(held.results)) is not None
            if not certain and "-" in written:
                continue  # "ISO-8601" is no one's order
            weight = settings.identifier_weight if certain else settings.figure_weight
            yield value_evidence(answer, "identifier", match, weight, certain=certain)
            return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        texts = [
            value for value in call.call.arguments.values() if isinstance(value, str) and len(value) >= _SHORTEST_REPORT
        ]
        held = Held(index, call.message_index)
        for match in (match for text in texts for match in _IDENTIFIER.finditer(CODE.sub(" ", text))):
            written = match[0].lower()
            if (
                _FORMULA.match(match[0])
                or _MEASURE.match(written)
                or _is_name(written)
                or written in held.text
                or written in held.earlier
            ):
                continue
            if re.search(_shape(match[0]), "\n".join(held.results)) is not None:
                told = (
                    f'The identifier "{match[0]}" of a report stands in no result and nothing that the agent was told.'
                )
                finding = Finding(
                    rule="identifier",
                    severity="error",
                    text=told,
                    message_index=call.message_index,
                    call_id=call.call.id,
                    quote=match[0],
                )
                yield Evidence(finding, settings.identifier_weight, certain=True)
                return


_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))


_SHORTEST_REPORT, _YEAR = 40, 4


def _decade(digits: str) -> str:
    """What is looked for: of "1980" years of that decade will do."""
    return digits.removesuffix("0") if len(digits) == _YEAR else digits


def _is_name(written: str) -> bool:
    """True for a name out of code: "log_10_3"."""
    return "_" in written and re.search(r"\d{3}", written) is None


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


def value_evidence(
    answer: Text, rule: str, match: re.Match[str], weight: float, *, certain: bool, told: str = ""
) -> Evidence:
    """A finding of a figure or identifier, quoted with what stands around it in its line."""
    content = answer.content
    begin = content.rfind("\n", 0, match.start()) + 1
    end = content.find("\n", match.end())
    quote = span_around(
        content, max(begin, match.start() - 150), min(len(content) if end < 0 else end, match.end() + 100)
    )
    what = "The identifier" if rule == "identifier" else "The figure"
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=told
        or f'{what} "{match[0]}" of the final answer stands in no result and nothing that the agent was told, nor follows from it.',
        message_index=answer.message_index,
        quote=quote,
    )
    return Evidence(finding, weight, certain=certain)
