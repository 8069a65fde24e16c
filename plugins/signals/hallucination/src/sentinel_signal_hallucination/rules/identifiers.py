"""Identifiers that nothing in the record holds: in the final answer, along the way, and in reports that the agent writes."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from string import ascii_letters

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.languages import is_foreign, with_english_numbers
from sentinel_signal_hallucination.evidence import Evidence, evidence, of_value, shown
from sentinel_signal_hallucination.ledger.sources import Sources, family, prose_of
from sentinel_signal_hallucination.tables import regex

__all__ = ["in_reports", "in_texts"]

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
    r"(?i)#?(?:ISO|RFC|CVE|CWE|UTF|SHA|AES|RSA|MD|IEEE|EN|DIN|USB|GPT|COVID|WIN|HTTP|PEP|JSR|MIL|IP|H|MP|RTX|GTX|FY|USD|EUR|GBP|EU)-?\d"
    r"|(?-i:[a-z]+(?:[_-]?\d{1,2}(?!\d))+(?:[_-][a-z]+)*|\d+[ex×]-?\d+|\d+(?:[_-][A-Za-z]+)+|[A-Z][A-Za-z]+(?:19|20)\d\d|[A-Z]?[a-z]+-\d+|[A-Za-z]+-\d{1,2})\Z"
)
_HASH = regex(r"[\da-f]{7,40}")
_LAST_NUMBER = regex(r"\d{1,9}\Z")
_QUANTITY = regex(
    r"(?:\d+[dhms]){2,4}|\d+[-_]?[A-Za-z]+(?:[^\x00-\x7f].*)?|0[xob][\da-fA-F]+|#[\da-fA-F]{6}|#(?=.*[a-fA-F])[\da-fA-F]{3,8}|[\dh-]+"
)
_EXAMPLE = regex(r"(?i)\b(?:e\.g|i\.e|for example|for instance|such as|like|example|sample|format|placeholder|dummy)\b")
_COUNTING, _FEWEST = "01234567890123456789", 3
_TICK = regex(r"(?<!`)`(?!`)")
_MARKS, _MOST = "*_`'\"()[].,:;!?", 1000
_MOST_ODD, _ENOUGH, _SHORTEST, _BEFORE = 200, 20, 40, 40
_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))


def _words(texts: Iterable[str]) -> dict[str, None]:
    """The words of the texts in which a figure stands beside a letter or a mark, each once."""
    joined = " ".join(texts).encode("utf-8", "replace")
    shapes = joined.translate(_SHAPES)
    spans = map(re.Match.span, _MIXED.finditer(shapes))
    return dict.fromkeys(joined[shapes.rfind(b" ", 0, at) + 1 : end].decode() for at, end in spans)


def is_example(written: str, before: str) -> bool:
    """True for a value that stands for any other: masked, with digits that repeat or count up, or announced as an example."""
    digits = "".join(filter(str.isdigit, written))
    counts_up = digits in _COUNTING and len(digits) >= _FEWEST
    return (
        len(set(digits)) == 1 or counts_up or "XX" in written.upper() or _EXAMPLE.search(before[-_BEFORE:]) is not None
    )


def _is_quantity(written: str) -> bool:
    """True for a number with a unit, in another base, or a colour: "28-inch", "40-line", "0o600", "#767676"."""
    return _QUANTITY.fullmatch(written) is not None


def _untold(texts: Iterable[str], sources: Sources) -> Iterator[tuple[str, bool]]:
    """The identifiers that nobody gave, each with whether tools gave others of its family, so that the agent had one to give."""
    words = (word for word in islice(_words(texts), _MOST) if word.strip(_MARKS) not in sources.context)
    names = chain.from_iterable(map(re.Match.group, _IDENTIFIER.finditer(word)) for word in words)
    for name in islice(names, _MOST_ODD):
        stem = name.lstrip("#")
        if stem in sources.context or _FORMULA.match(name) or _is_quantity(name) or sources.names(stem):
            continue
        if _is_range(stem, sources) or _is_compound(stem, sources):
            continue
        is_related = family(name) in sources.families
        if (is_related and not _goes_on(stem, sources)) or not (
            is_related or _NAME.match(name) or _is_number_told(stem, sources)
        ):
            yield name, is_related


def _is_number_told(written: str, sources: Sources) -> bool:
    """True for a figure that was told, behind the letters of its unit: flight level "FL110" of 11,000 feet."""
    digits = "".join(filter(str.isdigit, written))
    return not written[:1].isdigit() and written.endswith(digits) and digits in sources.text


def _is_range(written: str, sources: Sources) -> bool:
    """True for two of one family that were told, as one: "s40-s60"."""
    first, _, last = written.partition("-")
    return family(first) == family(last) and sources.names(first) and sources.names(last)


def _is_compound(written: str, sources: Sources) -> bool:
    """True for words beside a name or number that was told: "p95-latency", "404-page"."""
    parts = written.split("-")
    named = [part for part in parts if not part.isalpha()]
    is_of_words = all(not part.isupper() and len(part) > _FEWEST for part in parts if part.isalpha())
    return 0 < len(named) < len(parts) and is_of_words and all(map(sources.names, named))


def _goes_on(written: str, sources: Sources) -> bool:
    """True for the number after one that was told: "#012" after "#011"."""
    head, number = _LAST_NUMBER.sub("", written), _LAST_NUMBER.search(written)
    if number is None or not int(number[0]):
        return False
    return sources.names(f"{head}{int(number[0]) - 1:0{len(number[0])}}")


def in_texts(texts: list[Text], sources: Sources, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of each text that nobody gave and no text before told, in prose or in code of no more than a line; before the last text, one in capitals."""
    untold = dict(islice(_untold((_spaced(text.content) for text in texts), sources), _ENOUGH))
    for text in texts if untold else ():
        meant = {name for name, is_related in untold.items() if is_related or text is texts[-1] or name.isupper()}
        if not any(map(text.content.__contains__, meant)):
            continue
        prose = prose_of(_TICK.sub(" ", text.content))
        for match in _IDENTIFIER.finditer(prose):
            if match[0] in meant and not is_example(match[0], prose[: match.start()]):
                is_code = match[0] == match[0].upper() or _HASH.fullmatch(match[0])
                branch = "of_a_family" if untold.pop(match[0]) else "of_none" if is_code else "in_small_letters"
                yield of_value(text, "identifier", branch, match, settings.identifier_weight)
                break


def _spaced(content: str) -> str:
    return with_english_numbers(content) if is_foreign(content) else content


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        texts = [value for value in call.call.arguments.values() if isinstance(value, str) and len(value) >= _SHORTEST]
        untold = _untold(texts, Sources(index, call.message_index)) if texts else ()
        before = {
            name: next(text for text in texts if name in text).partition(name)[0]
            for name, is_related in untold
            if is_related
        }
        name = next((name for name, lead in before.items() if not is_example(name, lead)), None)
        if name is not None:
            seen = shown(name, before[name][-_BEFORE:])
            message = f'The identifier "{seen}" in a report is in no result and in nothing that the agent was given.'
            place, quote = call.message_index, seen.rstrip("…")
            yield evidence(
                "identifier", "in_a_report", message, settings.identifier_weight, message_index=place, call_id=call.call.id, quote=quote
            )  # fmt: skip
            return
