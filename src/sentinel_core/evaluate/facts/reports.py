"""A report on a release, held against what the run fetched: what the data contradict, and what nothing that was fetched holds. Pure.

The one answer for the run, which does not deliver such a report, for the suite and for the verdict on a trace.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import attrs

from sentinel_core.evaluate.facts import report_words as words
from sentinel_core.evaluate.facts.areas import kinds_in
from sentinel_core.evaluate.facts.figures import (
    Facts,
    Number,
    facts_of,
    folded,
    names_in,
    numbers_in,
    significant,
    without_quotes,
)
from sentinel_core.evaluate.facts.measures import (
    ROUGH,
    Measure,
    contradicted_measures,
    in_digits,
    is_about,
    is_bound,
    is_supposed,
    known_first,
    measures_in,
)
from sentinel_core.evaluate.facts.report_told import Report, against_report
from sentinel_core.evaluate.facts.trends import Trend, against_trends, differences, trends_in
from sentinel_core.evaluate.facts.values import values_in
from sentinel_core.trace import Message, from_json

__all__ = ["Contradiction", "Report", "contradictions"]


class Contradiction(NamedTuple):
    """A sentence of a report or an answer, where it stands (``finding`` or ``answer``), and what speaks against it."""

    quote: str
    where: str
    why: str

    @property
    def told(self) -> str:
        """As one line."""
        return f'the {self.where} says "{self.quote}": {self.why}'


@attrs.frozen(kw_only=True)
class _Record:
    """What the run fetched: the decoded results, their numbers by name, all their text, and the tools that worked."""

    measures: tuple[Measure, ...]
    trends: tuple[Trend, ...]
    parts: Mapping[str, Any]
    facts: Facts
    dates: frozenset[str]
    tools: str
    filed: int
    is_whole: bool
    red: tuple[str, ...]
    keys: frozenset[str]
    is_back: bool

    def count(self, name: str) -> float | None:
        """A count of the tests; None if nothing gives it, or several releases give others."""
        of_tests = (row for row in self.measures if row.words == name and "test" in row.path.rpartition(".")[0])
        found = {row.value for row in of_tests if not row.is_null}
        return found.pop() if len(found) == 1 else None


def contradictions(
    messages: Sequence[Message], report: Report, known: Iterable[float] = ()
) -> tuple[Contradiction, ...]:
    """Every sentence of the findings and of the answer that the results of the tools contradict or do not hold.

    ``known`` are numbers that need no source. The agent's own words, the user's notes and refusals, which quote them, are none. Where a result was
    cut, only what contradicts the rest of it is found.
    """
    record = _record(messages, report, known)
    texts = [("finding", finding) for finding in report.findings] + [("answer", report.answer)]
    found = (
        Contradiction(" ".join(sentence.split()), where, why)
        for where, text in texts
        for before, sentence, is_plan in _sentences(without_quotes(text, record.facts))
        if (why := next(_reasons(sentence, before, where, record, report, is_plan=is_plan), None)) is not None
    )
    return tuple(dict.fromkeys(found))


def _sentences(text: str) -> Iterator[tuple[str, str, bool]]:
    """Each sentence with the one before it, and whether it is an item of a plan: of a list below a line that announces one."""
    is_plan, before = False, ""
    for sentence in words.SENTENCE.split(text):
        is_plan = is_plan and words.ITEM.match(sentence) is not None
        yield before, sentence, is_plan
        before = sentence
        if sentence.rstrip(" *_").endswith(":"):
            is_plan = is_supposed(sentence, len(sentence), len(sentence))


def _record(messages: Sequence[Message], report: Report, known: Iterable[float]) -> _Record:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    results = [row for message in messages for row in message.tool_results if row.success is not False]
    decoded = [_decoded(row.content) for row in results]
    documents = [document for document in decoded if isinstance(document, dict)]
    worked = sorted({names.get(row.tool_call_id, "") for row in results})
    failures = [
        row.content
        for message in messages
        for row in message.tool_results
        if row.success is False and not row.content.startswith(words.REFUSED)
    ]
    texts = [*(row.content for row in results), *failures, report.release_id, *names.values()]
    measures = known_first(measure for document in documents for measure in measures_in(document))
    trends = tuple(dict.fromkeys(trend for document in documents for trend in trends_in(document)))
    return _Record(
        measures=measures,
        trends=trends,
        parts={key: value for document in documents for key, value in document.items()},
        facts=facts_of(texts, (*known, len(report.findings), *differences(trends))),
        dates=frozenset(
            form for text in texts for value in values_in(text) if value.kind == "date" for form in value.forms
        ),
        tools=" ".join(worked),
        filed=len({row["report_id"] for row in documents if row.get("report_id") and row.get("status") == "filed"}),
        keys=_stems(" ".join(measure.path for measure in measures)),
        is_whole=not any((row.metadata or {}).get(words.CUT) is True for row in results),
        red=tuple(dict.fromkeys(place for document in decoded for place in _red_in(document))),
        is_back=any(_plain(value) in words.BACK for document in decoded for _, value in _leaves(document)),
    )


def _leaves(document: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that holds no other, and the keys that lead to it."""
    if not isinstance(document, dict | list):
        yield path, document
        return
    for key, inner in document.items() if isinstance(document, dict) else enumerate(document):
        yield from _leaves(inner, (*path, str(key)))


def _plain(value: Any) -> str:
    return " ".join(re.findall(r"[a-z]+", value.lower())) if isinstance(value, str) else ""


def _red_in(document: Any) -> Iterator[str]:
    """The places of test suites and checks whose state is that they failed."""
    for path, value in _leaves(document):
        if _plain(value) in words.RED and any(words.OF_SUITES.search(key) for key in path[:-1]):
            yield f"{'.'.join(path)} is {value}"


def _decoded(text: str) -> Any:
    try:
        return from_json(text)
    except (ValueError, RecursionError):
        return None


def _reasons(
    sentence: str, before: str, where: str, record: _Record, report: Report, *, is_plan: bool
) -> Iterator[str]:
    low = in_digits(sentence).lower().replace("\u2019", "'").replace("*", "")
    yield from contradicted_measures(sentence, record.measures)
    yield from _counted(low, record)
    yield from against_trends(in_digits(sentence), record.trends)
    yield from against_report(low, where, report, record.filed, record.facts.text)
    yield from _deeds(low, record)
    yield from _none_of(low, record)
    yield from _changes(low, record)
    if record.is_whole:
        yield from _names(sentence, record, report)
        yield from () if is_plan else _numbers(in_digits(sentence), in_digits(before), record)


def _counted(low: str, record: _Record) -> Iterator[str]:
    """What the sentence says of all, of none or of a part of the tests, of errors, and of missing data."""
    failed, passed = record.count("failed"), record.count("passed")
    yield from _all_of(low, record)
    if failed and words.NO_FAILURE_SEEN.search(low):
        yield f"tests.failed is {failed:g}"
    if failed == 0 and words.SOME_FAIL.search(low) and not (words.DENIED.search(low) or words.NONE.search(low)):
        yield "tests.failed is 0"
    if (match := words.SHARE.search(low)) is not None and failed is not None and passed is not None:
        counts = {"fail": failed, "pass": passed, "skip": record.count("skipped") or 0.0}
        least, most = words.SHARES[match["share"]]
        if not least <= counts[match["end"]] / max(sum(counts.values()), 1) <= most:
            yield f"{failed:g} failed and {passed:g} passed"
    rates = [row for row in record.measures if row.words == "error rate"]
    if words.NO_ERRORS.search(low) and rates and all(row.value > 0 for row in rates):
        yield rates[0].told
    if (match := words.MISSING.search(low)) is not None and words.QUOTED not in low:
        part = words.PARTS[(match["a"] or match["b"])[:2]]
        numbers = [row.value for row in record.measures if row.path.startswith(f"{part}.")]
        is_empty = bool(numbers) and not any(numbers)
        if record.parts.get(part) and not is_empty and (part == "tests" or "error" not in match[0] or rates):
            yield f'the data have "{part}"'
    for match in words.NO_DATA.finditer(low) if words.QUOTED not in low else ():
        given = record.parts.get(match["part"])
        if given not in (None, "", [], {}, 0, False):
            yield f'the data have "{match["part"]}"'


def _all_of(low: str, record: _Record) -> Iterator[str]:
    """What the sentence says of all or none of the tests."""
    rows = (
        (words.ALL_PASS, "failed"),
        (words.ALL_FAIL, "passed"),
        (words.NONE_SKIPPED, "skipped"),
    )
    for pattern, name in rows:
        count = record.count(name)
        match = pattern.search(low)
        is_all = match is not None and not words.PART.search(low[: match.end()])
        if is_all and count:
            yield f"tests.{name} is {count:g}"
        elif is_all and name == "failed" and count is None:
            yield from record.red[:1]


def _none_of(low: str, record: _Record) -> Iterator[str]:
    """What the sentence says not to have been, and was: incidents and rollbacks."""
    for match in words.NONE_OF.finditer(low):
        rows = [row for row in record.measures if row.words == f"{match['thing']}s" and not row.is_null]
        if rows and all(row.value > 0 for row in rows):
            yield rows[0].told
    if record.is_back and (back := words.NONE_BACK.search(low)) and not words.PART.search(low[: back.end()]):
        yield "a release was rolled back"


def _changes(low: str, record: _Record) -> Iterator[str]:
    """What the sentence says of the summary as a whole, and of areas that the changes touch or not."""
    if words.UNFETCHED.search(low) and record.parts:
        yield "the data were fetched"
    changes = record.parts.get("changes")
    listed = folded(str(changes))
    if not isinstance(changes, list) or not changes or not record.is_whole:
        return
    for match in words.UNTOUCHED.finditer(low):
        word = match["a"] or match["b"]
        if word not in words.VAGUE and re.search(rf"\b{re.escape(word[:7])}", listed):
            yield f'the changes mention "{word}"'
    if words.ONLY_TEXTS.search(low) and not all(words.OF_TEXTS.search(folded(str(change))) for change in changes):
        yield "not all changes are of texts"
    if words.QUOTED in low:
        return  # it shows what it is about
    kinds = kinds_in(low, words.KINDS)
    if len(kinds) > words.MOST_KINDS or words.DENIED.search(low) or words.ADVICE.search(low):
        return
    unseen = [kind for kind in kinds if kind not in kinds_in(record.facts.text, words.KINDS)]
    yield from (f"nothing that was fetched is about {kind}" for kind in unseen)


def _deeds(low: str, record: _Record) -> Iterator[str]:
    """What the agent says that it did, although no tool that worked could have done it."""
    for row, (verbs, tools) in enumerate(words.DONE):
        forms = (
            rf"(?:{words.DID})\s*(?:{verbs})\b"
            + words.TOLD.format(verbs)
            + (words.TOLD_PAST.format(verbs) if row < words.TELLS else words.SIGNED)
        )
        match = re.search(forms, low)
        if match is None or re.search(tools, record.tools) or _is_of_data(match, low, record):
            continue
        if words.UNSURE.search(low, 0, match.start()):
            continue
        yield "no tool that was called can do that"


def _is_of_data(match: re.Match[str], low: str, record: _Record) -> bool:
    """Whether the words are denied, or may be those of the data: of a coordination without the agent as its subject, or in the results."""
    before = low[: match.start()]
    if re.match(r"\b(?:i|we)\b", match[0]):
        return False
    if words.DENIED.search(before.rpartition(",")[2]):
        return True
    is_other = match[0].startswith("and") or words.DENIED.search(before)
    own = words.CLAUSE.split(before)[-1]
    return not re.search(r"\b(?:i|we)\b", own) and bool(
        is_other or folded(match[0].split()[-1])[: words.STEM + 1] in record.facts.text
    )


def _names(sentence: str, record: _Record, report: Report) -> Iterator[str]:
    """Identifiers, versions, paths, tests and quotes of several words that no result holds; a quoted finding has its own answer."""
    quoted = (
        name
        for name in names_in(sentence)
        if name.count(" ") >= (1 if name[0].isupper() else words.WORDS_QUOTED) and name not in report.findings
    )
    low = sentence.lower()
    shaped = (
        match[0]
        for pattern in (words.VERSION, words.TICKET, words.CODE_NAME)
        for match in pattern.finditer(sentence)
        if not words.DENIED.search(words.ITEMS.split(low[: match.start()])[-1])
    )
    told = (match[1] for match in words.REPORT_ID.finditer(sentence))
    people = (match[1] or match[2] for match in words.PERSON.finditer(sentence))
    is_wish = words.ASSUMED.search(sentence) or words.ADVICE.search(sentence.lower())
    for name in (*quoted, *(() if is_wish else shaped), *told, *people):
        if not record.facts.names(name) and not words.STANDARD.fullmatch(name):
            yield f'no tool returned "{name}"'
    for match in words.METRIC.finditer(low) if not words.DENIED.search(low) else ():
        word = match["of"] or match["by"]
        is_known = all(record.facts.gives(number) for number in numbers_in(match[0]))
        if not is_known and word[:3] not in record.facts.text:
            yield f'no tool returned anything about "{word}"'


def _numbers(sentence: str, before: str, record: _Record) -> Iterator[str]:
    """Numbers told of what the data name, that no result holds and that follow from none; limits, plans, small counts, dates and times need no source."""
    if words.ASSUMED.search(sentence):
        return
    dated = [value for value in values_in(sentence) if value.kind in ("date", "time")]
    for value in dated:
        is_told = value.kind == "date" and not is_supposed(sentence, value.start, value.end)
        if is_told and record.dates.isdisjoint(value.forms):
            yield f"no tool returned {sentence[value.start : value.end]}"
    numbers = list(islice(numbers_in(sentence), words.MOST_NUMBERS))
    beside = [*numbers, *islice(numbers_in(before), words.MOST_NUMBERS)][: words.MOST_BESIDE]  # what these give follows
    at = 0
    for number in numbers:
        at = max(sentence.find(number.written, at), 0)
        end = at + len(number.written)
        others = [other.value for other in beside if other.written != number.written]
        rough = ROUGH if is_about(sentence, at) else 0.0
        if (
            _is_small(number, sentence[end:])
            or record.facts.has_digits(number)
            or record.facts.gives(number, rough)
            or record.facts.follows(number, sentence[end:], rough, others)
            or any(value.start <= at < value.end for value in dated)
        ):
            continue
        if not (is_supposed(sentence, at, end) or is_bound(sentence, at, end)) and _is_of(sentence, at, end, record):
            yield f"no tool returned {number.written}, and it does not follow from what they returned"


def _is_small(number: Number, after: str) -> bool:
    """Whether it is a small count, a ratio or a mean, a year, or so round that it may be anything: "10%", "500"."""
    is_ratio = number.value > 1 and not words.UNIT.match(after)
    is_count = number.written.lstrip("-+").isdigit()
    is_year = is_count and number.value in words.YEARS
    is_round = len(significant(number.written)) == 1 and words.OF_TESTS.match(after) is None
    return (
        is_year
        or is_round
        or (number.value < words.LEAST and (is_count or (is_ratio and number.written[-1].isdigit())))
    )


def _is_of(sentence: str, start: int, end: int, record: _Record) -> bool:
    """Whether what is told around a number is of something that the data name, or in no plain English."""
    low = sentence.lower()
    if not words.ENGLISH.search(low):
        return True
    around = f"{words.PARTED.split(low[:start])[-1]} {words.PARTED.split(low[end:])[0]}"
    return words.MEASURED.search(around) is not None or not record.keys.isdisjoint(_stems(around))


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[: words.STEM] for word in words.KEY_WORD.findall(text.lower()))
