"""What an unbacked statement comes to: named exemptions in their order, then the rule and its weight."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.backing import Backing, backing_of
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import plain, sentences, span_around
from sentinel_signal_hallucination.statements import Statement, statements
from sentinel_signal_hallucination.words import KIN, lemmas, word_set

__all__ = ["EXEMPTIONS", "Case", "Exemption", "claims"]


class Case(NamedTuple):
    """All that an exemption looks at."""

    statement: Statement
    text: Text
    low: str
    backing: Backing
    record: Record


class Exemption(NamedTuple):
    """``when`` says whether the case is one; ``why`` is its reason in a sentence."""

    name: str
    when: Callable[[Case], bool]
    why: str


_CORRECT = ("correct?", "right?", "please confirm", "kindly confirm", "okay?", "(yes/no)", "confirm?", "good?")
_KNOWING = word_set("task analysis calculation research verification review check step number value result count research information detail data preference identity note question answer option choice understanding eligibility name id confirmation")
_UNSAID = frozenset(("light",))
_TEXTUAL = word_set("create change")


def _is_not_done(case: Case) -> bool:
    return case.statement.aspect != "done"


def _is_backed(case: Case) -> bool:
    return case.backing.state == "backed"


def _is_a_proposal(case: Case) -> bool:
    end = case.low.rstrip()[-160:]
    return any(map(end.__contains__, _CORRECT)) and case.backing.pending and not case.statement.by_self


def _is_followed_by_its_call(case: Case) -> bool:
    later = case.record.deeds_after(case.text.message_index)
    return any(case.statement.group in deed.groups for deed in later)


def _is_no_business_of_ours(case: Case) -> bool:
    """Neither a tool nor an order names the deed."""
    statement, record = case.statement, case.record
    ordered = frozenset[str]().union(*(order.groups for order in record.orders if order.at < case.text.message_index))
    if statement.group == "light":
        return case.backing.order is None
    kin = KIN.get(statement.group, frozenset())
    by_tools = statement.group in record.tool_groups and (statement.by_self or case.backing.order is not None)
    return kin.isdisjoint(ordered) and not by_tools


def _needs_an_order_that_waits(case: Case) -> bool:
    """Weak voices tell as often how things stand as what was done."""
    statement, backing = case.statement, case.backing
    if statement.voice in ("active", "perfect") or backing.state == "failed":
        return False
    if not backing.pending or backing.order is None or (_looked_up(case) and not statement.sure):
        return True
    groups = backing.order.groups
    return statement.group not in ("light", "play") and KIN[statement.group].isdisjoint(groups) and not groups <= _UNSAID


def _looked_up(case: Case) -> bool:
    """True where the agent looked something up after the order: it may tell what it saw."""
    order = case.backing.order
    since = order.at if order is not None else -1
    return any(since < call.message_index <= case.text.message_index for call in case.record.index.calls)


def _was_told(case: Case) -> bool:
    """A passive that the user or a result told in the same word."""
    statement = case.statement
    if statement.by_self or (case.backing.pending and case.backing.order is not None and case.backing.order.agrees):
        return False
    if case.backing.state == "failed" or statement.sure:
        return False
    forms = [form for form, verb in lemmas().done.items() if verb == statement.verb] or [statement.verb]
    return any(form in told for told in _told_before(case) for form in forms)


def _told_before(case: Case) -> Iterator[str]:
    for message in case.record.index.messages[: case.text.message_index]:
        if message.role == "user" and message.content:
            yield message.content.lower()
        for result in message.tool_results:
            yield result.content.lower()


def _is_knowing(case: Case) -> bool:
    """To have confirmed details is no deed."""
    following = case.low[case.statement.at : case.statement.at + 24].split()[1:2]
    if case.statement.verb == "confirm" and following in (["to"], ["that"], ["as"]):
        return True
    return case.statement.verb in ("confirm", "process", "handle", "include", "record", "log", "note", "complete", "finish", "correct", "done", "execute", "perform", "handle", "make") and not _KNOWING.isdisjoint(case.statement.objects)


def _stands_in_the_answer(case: Case) -> bool:
    """Without any tool, what is written or changed may be the answer's own text."""
    if case.record.tools:
        return False
    return case.statement.group in _TEXTUAL and ("```" in case.text.content or len(case.text.content) > 400 or ":\n" in case.text.content)


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption("not done", _is_not_done, "planned, asked, conditional, denied, earlier, or somebody else's"),
    Exemption("backed", _is_backed, "a call that worked could have done it"),
    Exemption("proposal", _is_a_proposal, "all of a message that asks for a yes is a proposal"),
    Exemption("call follows", _is_followed_by_its_call, "a claim that its call follows was a proposal"),
    Exemption("nobody's business", _is_no_business_of_ours, "neither a tool nor an order names the deed"),
    Exemption("knowing", _is_knowing, "to know, note or confirm details changes nothing"),
    Exemption("state", _needs_an_order_that_waits, "without an order that waits, it tells how things stand"),
    Exemption("told", _was_told, "the user or a result told it in the same word"),
    Exemption("own text", _stands_in_the_answer, "without tools, text is written in the answer itself"),
)
"""The order is that of the questions: the first that holds ends the case."""


def claims(text: Text, record: Record, settings: Settings) -> Iterator[Evidence]:
    """One finding a sentence for what it says was done and nothing backs."""
    low = plain(text.content)
    for sentence in sentences(low):
        for statement in statements(sentence):
            if statement.group == "work":
                continue
            backing = backing_of(statement, text.message_index, record)
            case = Case(statement, text, low, backing, record)
            if not any(exemption.when(case) for exemption in EXEMPTIONS):
                yield _evidence(case, settings)
                break


def _evidence(case: Case, settings: Settings) -> Evidence:
    statement, backing = case.statement, case.backing
    quote = span_around(case.text.content, statement.start, statement.end)
    certain = _is_certain(case)
    tried = backing.state == "failed"
    why = f'every call of "{backing.call.facts.name}" failed' if tried and backing.call is not None else "no call before it could have done it"
    finding = Finding(
        rule="contradicted_claim" if tried else "claim_without_call",
        severity="error" if certain else "warning",
        text=f'The agent says that something was done ("{statement.verb}"), but {why}.',
        message_index=case.text.message_index,
        quote=quote,
    )
    return Evidence(finding, settings.effect_weight if certain else settings.hearsay_weight, certain=certain)


def _is_certain(case: Case) -> bool:
    """Nothing in the record speaks for the agent: a plain claim of what was ordered, and no deed that worked."""
    statement = case.statement
    if statement.voice not in ("active", "perfect") or case.backing.order is None:
        return False
    if statement.group != "light" and KIN[statement.group].isdisjoint(case.backing.order.groups):
        return False
    return not any(not deed.failed for deed in case.record.deeds_until(case.text.message_index)) and bool(case.record.tools)
