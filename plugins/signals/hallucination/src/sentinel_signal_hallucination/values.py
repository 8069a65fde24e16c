"""Figures and identifiers of a final answer that nothing in the record holds."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import chain

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import facts_of
from sentinel_core.report import Finding
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.derive import Derived, explicit_sum
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.outcome import failed
from sentinel_signal_hallucination.sentences import span_around
from sentinel_signal_hallucination.tables import regex

__all__ = ["Held", "final_answer", "unheld"]

_FIGURE = regex(r"(?<![\w.#:/+-])\d[\d,]*(?:\.\d+)?(?![\w%:-]|/\d|[.,]\d)")
_IDENTIFIER = regex(
    r"(?<![\w./@=\\-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d\w*\d)(?:[A-Za-z]{1,6}-\d{3,}[A-Za-z]?|[A-Za-z0-9_]{5,24})(?![\w\\]|[./@=(]\w)"
)
_CODE = regex(
    r"```.*?(?:```|\Z)|<(?P<tag>execute|code)>.*?(?:</(?P=tag)>|\Z)|`[^`\n]*[ (){}\[\]=][^`\n]*`|https?://\S+",
    re.DOTALL,
)
_ORDINAL = regex(r"(\d{3,})(?:s|st|nd|rd|th)")
_NOT_A_LINE = regex(r"[^\n]")
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
    r"[a-z]_?\d{1,2}\Z|\d+(?:st|nd|rd|th|s|px|ms|kg|km|am|pm|gb|mb|kb|hz|ghz|mhz|hr|hrs|min|mins|usd|eur)\Z|\d+[x×]\d+\Z|\d+e\d+\Z"
)
_MONTH_NAMES = (
    r"\b(?:Jan|Febr)uary |\b(?:March|April|May|June|July|August) |\b(?:Septem|Octo|Novem|Decem)ber "
    r"|\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.? "
)
_MONTH = regex(_MONTH_NAMES)
_HEDGED = regex(r"\b(?:below|above|under|over|nearly|almost|than|at least|at most|up to|within) \$?\Z")
_SUPPOSED = regex(
    r"\b(?:python|node|java|if|version|previous|previously|suppose|assuming|unless|would|e\.g|for example|target|threshold)\b"
)
_DAY_OF_MONTH = regex(rf"(?:{_MONTH_NAMES})\d{{1,2}}(?:st|nd|rd|th)?,? \Z")
_SHORTEST, _MOST, _LONGEST, _HEAD, _DAY, _YEAR = 3, 40, 20_000, 2_000, 2, 4


class Held:
    """All that was told to the agent: results, users, instructions, its own arguments; made when an answer asks for it."""

    def __init__(self, index: TraceIndex, until: int) -> None:
        self.index = index
        self.until = until

    @cached_property
    def results(self) -> list[str]:
        """The contents of results before the answer, in order."""
        return [result.content for message in self.index.messages[: self.until] for result in message.tool_results] + [
            message.content
            for message in self.index.messages[: self.until]
            if message.role == "tool" and message.content
        ]

    @cached_property
    def said(self) -> list[str]:
        """What users and instructions say, and what the agent gave to its tools."""
        spoken = self.told
        given = [to_json(call.call.arguments).decode() for call in self.index.calls if call.message_index < self.until]
        details = self.index.trace.details
        offered = (
            [to_json(tool).decode() for tool in details.available_tools]
            if details is not None and details.available_tools
            else []
        )
        return spoken + given + offered

    @property
    def told(self) -> list[str]:
        """What users and instructions say."""
        return [
            message.content.lower()
            for message in self.index.messages
            if message.role in ("user", "system") and message.content
        ]

    def holds(self, look: Callable[[str], bool]) -> bool:
        """True where a result, or what else was told, holds it: results first, for most figures are of them."""
        return look(self.told_by_tools) or look(self.text)

    @cached_property
    def told_by_tools(self) -> str:
        return "\n".join(self.results)

    @cached_property
    def text(self) -> str:
        """All of it, in lower case."""
        return "\n".join(chain(self.results, self.said)).lower()

    @cached_property
    def earlier(self) -> str:
        """What the agent itself said before."""
        return "\n".join(text.content for text in self.index.texts if text.message_index < self.until).lower()

    @cached_property
    def derived(self) -> Derived:
        """What follows from the figures."""
        return Derived(self.results, self.said)


def final_answer(index: TraceIndex) -> Text | None:
    """The agent's last words."""
    return next((text for text in reversed(index.texts) if text.content.strip() and not text.is_copied), None)


def unheld(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for identifiers and one for figures: the first of each. None where no tool gave anything."""
    yield from _in_reports(index, settings)
    answer = final_answer(index)
    if answer is None or not any(map(str.isdigit, answer.content)):
        return
    held = Held(index, answer.message_index)
    if not any(result.strip() for result in held.results) or _computed_alone(index):
        return
    if (
        all(result_failed for result_failed in map(_came_to_nothing, index.calls))
        and _ADMITS.search(answer.content) is None
    ):
        yield from _swallowed(answer, held, settings)
        return
    prose = _CODE.sub(lambda match: _NOT_A_LINE.sub(" ", match[0]), answer.content[:_LONGEST])
    yield from _identifiers(answer, prose, held, settings)
    yield from _figures(answer, prose, held, settings)


_ADMITS = regex(
    r"(?i)\b(?:unable|could(?:n't| not)|cannot|can't|did(?:n't| not)|unavailable|tim(?:ed|e) ?out|unfortunately|sorry|HTTP \d|an? (?:\w+ )?error|errors? (?:occurred|message|from)"
    r"|failed to|(?:call|request|tool|fetch|lookup|retrieval|attempt)s? (?:has |have )?failed|no (?:results?|data|response|output)|nothing|not (?:find|found|available|return\w*))\b"
)


def _came_to_nothing(call: Call) -> bool:
    """True for a call that failed, and for one that only passed on what the agent knew."""
    return call.outcome.state == "failed" or facts_of(call.call.name).effect == "writes"


def _swallowed(answer: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """Every call that could have told something failed, and the answer tells figures without a word of that."""
    if not any(
        call.outcome.state == "failed" and facts_of(call.call.name).effect == "reads" for call in held.index.calls
    ):
        return
    for match in _FIGURE.finditer(answer.content[:_LONGEST]):
        if match[0].strip("0,.") and not _stands(match[0].rstrip(","), "\n".join(held.told)):
            told = f'The final answer tells a figure ("{match[0]}"), and every call that could have given it failed.'
            yield _evidence(answer, "result_without_call", match, settings.effect_weight, certain=True, told=told)
            return


def _computed_alone(index: TraceIndex) -> bool:
    """True where an interpreter was all the agent had, and it only failed: then what it says comes of its own head, and it may."""
    calls = [call for call in index.calls if call.result is not None]
    return bool(calls) and all(index.tools[call.call.name].runs_anything and _broke(call) for call in calls)


def _broke(call: Call) -> bool:
    return failed(call) or (call.result is not None and "Traceback" in call.result.content[:_HEAD])


def _identifiers(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    for match in _IDENTIFIER.finditer(prose):
        written = match[0].lower()
        if (
            (ordinal := _ORDINAL.fullmatch(written)) is not None
            and ordinal[1] not in held.text
            and ordinal[1] not in held.earlier
        ):
            yield _evidence(answer, "identifier", match, settings.figure_weight, certain=False)
            return
        if _FORMULA.match(match[0]) is not None or _MEASURE.match(written) is not None or _is_name(written):
            continue
        if written not in held.text and written not in held.earlier:
            # Where tools give such identifiers, the agent had one to give; elsewhere it may be a name that it knows.
            certain = re.search(_shape(match[0]), "\n".join(held.results)) is not None
            if not certain and "-" in written:
                continue  # "ISO-8601" is no one's order
            weight = settings.identifier_weight if certain else settings.figure_weight
            yield _evidence(answer, "identifier", match, weight, certain=certain)
            return


def _in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        texts = [
            value for value in call.call.arguments.values() if isinstance(value, str) and len(value) >= _SHORTEST_REPORT
        ]
        held = Held(index, call.message_index)
        for match in (match for text in texts for match in _IDENTIFIER.finditer(_CODE.sub(" ", text))):
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
_SHORTEST_REPORT = 40


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


def _figures(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    for number, match in enumerate(_FIGURE.finditer(prose)):
        if number >= _MOST:
            return
        written = match[0].rstrip(",")
        sentence = prose[
            max(prose.rfind(". ", 0, match.start()), prose.rfind("\n", 0, match.start())) + 1 : match.start()
        ].lower()
        if (
            _HEDGED.search(sentence) is not None
            or _SUPPOSED.search(sentence) is not None
            or "\\" in prose[max(0, match.start() - 60) : match.end() + 60]
        ):
            continue  # supposed, or a formula
        is_day = len(written) == _DAY and _MONTH.search(prose, max(0, match.start() - 12), match.start()) is not None
        if not is_day and (len(written) < _SHORTEST or not written.strip("0,.")):
            continue
        is_year = (
            len(written) == _YEAR and _DAY_OF_MONTH.search(prose, max(0, match.start() - 20), match.start()) is not None
        )
        if is_year:
            if held.holds(partial(_stands, written)):
                continue
        elif is_day:
            if held.holds(partial(_stands, written)) or held.derived.may_give(written):
                continue
        elif held.holds(partial(_stands, written)) or held.derived.gives(written, prose, match.start()):
            continue
        if explicit_sum(written, prose, match.start()) is not False and _stands(written, held.earlier):
            continue
        yield _evidence(answer, "figure", match, settings.figure_weight, certain=False)
        return


def _stands(written: str, text: str) -> bool:
    """True where the figure stands in the text, with or without commas and zeros behind its point."""
    bare = written.replace(",", "")
    if _found(bare, text) or (bare != written and _found(written, text)):
        return True
    whole = bare.rstrip("0").rstrip(".") if "." in bare else bare
    return whole != bare and _found(whole, text)


def _found(figure: str, text: str) -> bool:
    """True where the figure stands by itself: not within a longer one, but for zeros behind its point."""
    at = text.find(figure)
    while at >= 0:
        before, after = text[max(0, at - 2) : at], text[at + len(figure) : at + len(figure) + 4]
        if not (
            before[-1:].isdigit() or before[-1:] == "." or (before[-1:] == "," and before[:1].isdigit())
        ) and _ends_here(after):
            return True
        at = text.find(figure, at + 1)
    return False


def _ends_here(after: str) -> bool:
    if after[:1].isdigit() or (after[:1] == "," and after[1:2].isdigit()):
        return False
    return after[:1] != "." or not after[1:2].isdigit() or not after[1:].rstrip(",]} \n").strip("0")


def _evidence(
    answer: Text, rule: str, match: re.Match[str], weight: float, *, certain: bool, told: str = ""
) -> Evidence:
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
