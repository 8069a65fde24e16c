"""Identifiers that nothing in the record holds: in the final answer, along the way, and in reports that the agent writes."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from string import ascii_letters

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
# Words of figures beside letters or marks, as in every identifier: looked for first, where each letter or mark is "a", each digit "0".
_MIXED = re.compile(rb"0(?:a|(?<=a0))[^ ]*")
_JOINING = f"#_-{ascii_letters}".encode() + bytes(range(128, 256))
_SHAPES = bytes.maketrans(_JOINING + b"0123456789\n\r\t", b"a" * len(_JOINING) + b"0" * 10 + b" " * 3)
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
_MARKS, _MOST = "*_`'\"()[].,:;!?", 1000
_MOST_ODD, _ENOUGH, _SHORTEST, _BEFORE = 200, 20, 40, 40
_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))


def _words(texts: Iterable[str]) -> dict[str, None]:
    """The words of the texts in which a figure stands beside a letter or a mark, each once."""
    told = " ".join(texts).encode("utf-8", "replace")
    shapes = told.translate(_SHAPES)
    spans = map(re.Match.span, _MIXED.finditer(shapes))
    return dict.fromkeys(told[shapes.rfind(b" ", 0, at) + 1 : end].decode() for at, end in spans)


def _is_known(written: str, held: Held) -> bool:
    """True where tools give identifiers of the same shape, so that the agent had one to give."""
    first, *rest = [
        "[0-9]" if sign.isdigit() else "[A-Z]" if sign.isupper() else "[A-Za-z_-]" for sign in written.lstrip("#")
    ]
    return re.search(rf"{first}(?<!\w.){''.join(rest)}(?!\w)", held.told_by_tools) is not None


def _untold(texts: Iterable[str], held: Held) -> Iterator[tuple[str, bool]]:
    """The identifiers that nobody gave, each with whether tools give such; a name may be one of a standard or product."""
    words = (word for word in islice(_words(texts), _MOST) if word.strip(_MARKS) not in held.told)
    names = chain.from_iterable(map(re.Match.group, _IDENTIFIER.finditer(word)) for word in words)
    for name in islice(names, _MOST_ODD):
        if name.lstrip("#") not in held.told and _FORMULA.match(name) is None:
            certain = _is_known(name, held)
            if (certain or _NAME.match(name) is None) and not held.names(name.lstrip("#")):
                yield name, certain


def in_texts(texts: list[Text], held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier that nobody gave, in prose or in code of no more than a line; before the last text, one in capitals."""
    untold = dict(islice(_untold((text.content for text in texts), held), _ENOUGH))
    for text in texts if untold else ():
        for match in _IDENTIFIER.finditer(prose_of(_TICK.sub(" ", text.content))):
            certain = untold.get(match[0], False)
            if match[0] in untold and (certain or text is texts[-1] or match[0].isupper()):
                weight = settings.identifier_weight if certain else settings.hearsay_weight
                yield value_evidence(text, "identifier", match, weight, certain=certain)
                return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        texts = [value for value in call.call.arguments.values() if isinstance(value, str) and len(value) >= _SHORTEST]
        untold = _untold(texts, Held(index, call.message_index)) if texts else ()
        name = next((name for name, certain in untold if certain), None)
        if name is not None:
            before = next(text for text in texts if name in text).partition(name)[0]
            seen = shown(name, before[-_BEFORE:])
            told = f'The identifier "{seen}" in a report is in no result and in nothing that the agent was given.'
            finding = Finding(
                rule="identifier", severity="error", text=told, message_index=call.message_index, call_id=call.call.id, quote=seen.rstrip("…")
            )  # fmt: skip
            yield Evidence(finding, settings.identifier_weight, certain=True)
            return


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
            other = next((name for name in missing if len(name) == len(value)), None)
            if other and _NAMED.fullmatch(value) and value not in text.content and value.lower() not in held.text:
                return other, value
    return None


_NAMED = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,30}(?![\w-])")
