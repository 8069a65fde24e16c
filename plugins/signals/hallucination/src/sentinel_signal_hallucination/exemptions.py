"""When a statement that no call seems to back is no finding: named exemptions, in their order."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination.case import Case
from sentinel_signal_hallucination.record import groups_of
from sentinel_signal_hallucination.wording import is_a_draft, is_knowing, is_sorting, is_written, stands_in_the_answer
from sentinel_signal_hallucination.words import KIN, lemmas

__all__ = ["EXEMPTIONS", "Exemption"]


class Exemption(NamedTuple):
    """``when`` says whether the case is one; ``why`` is its reason in a sentence."""

    name: str
    when: Callable[[Case], bool]
    why: str


_CORRECT = (
    "correct?", "right?", "please confirm", "kindly confirm", "okay?", "(yes/no)", "confirm?", "good?", "work?", "work for you?", "sound?",
)  # fmt: skip
_UNSAID = frozenset(("light",))


def _is_not_done(case: Case) -> bool:
    return case.statement.aspect != "done"


def _is_backed(case: Case) -> bool:
    return case.backing.state == "backed"


def _is_a_proposal(case: Case) -> bool:
    end = case.low.rstrip()[-160:]
    return any(map(end.__contains__, _CORRECT)) and (case.backing.pending or not case.statement.by_self)


def _is_followed_by_its_call(case: Case) -> bool:
    later = case.record.deeds_after(case.text.message_index)
    if not later:
        return False
    asked = [at for at in case.record.index.asked if at > case.text.message_index][:2]
    if asked and case.backing.state != "failed" and case.record.says_yes(asked[0] + 1):
        until = asked[1] if len(asked) > 1 else len(case.record.index.messages)
        if asked[0] < later[0].message_index < until:
            return True
    return any(case.statement.group in deed.groups for deed in later)


def _is_no_business_of_ours(case: Case) -> bool:
    """Neither a tool nor an order names the deed."""
    statement, record = case.statement, case.record
    if _is_agreed(case):
        return False
    ordered = frozenset[str]().union(*(order.groups for order in record.orders if order.at < case.text.message_index))
    bare = case.backing.order is not None and case.backing.order.groups == _UNSAID
    if (
        bare
        and not statement.objects.isdisjoint(lemmas().kept)
        and statement.voice in ("active", "perfect")
        and (record.tools or statement.by_self)
    ):
        return False
    if statement.group == "light":
        order = case.backing.order
        return order is None or (
            statement.voice == "active" and not order.agrees and statement.objects.isdisjoint(lemmas().kept)
        )
    if (
        statement.voice == "active"
        and record.tools
        and record.index.asked
        and not statement.objects.isdisjoint(lemmas().kept)
    ):
        return False
    kin = KIN.get(statement.group, frozenset())
    by_tools = statement.group in record.tool_groups and (statement.by_self or case.backing.order is not None)
    return kin.isdisjoint(ordered) and not by_tools


def _is_agreed(case: Case) -> bool:
    """The user said yes to something, nothing was called since, and there is a tool to do it whose verb says nothing."""
    order = case.backing.order
    if order is None or not order.agrees or not case.backing.pending:
        return False
    return any(facts.effect == "writes" and not groups_of(facts) for facts in case.record.tools.values())


def _needs_an_order_that_waits(case: Case) -> bool:
    """Weak voices tell as often how things stand as what was done."""
    statement, backing = case.statement, case.backing
    if statement.voice in ("active", "perfect") or backing.state == "failed":
        return False
    if (
        not case.record.tools
        or not backing.pending
        or backing.order is None
        or (_looked_up(case) and not statement.sure and not _is_headline(case) and not _has_its_tool(case))
    ):
        return True
    groups = backing.order.groups
    if statement.voice == "doing":
        ordered = any("play" in order.groups for order in case.record.orders if order.at < case.text.message_index)
        return not ordered or (statement.verb == "play" and not ("play" in groups and backing.order.agrees))
    return (
        statement.group not in ("light", "play")
        and KIN[statement.group].isdisjoint(groups)
        and not groups <= _UNSAID
        and not _is_agreed(case)
    )


def _is_headline(case: Case) -> bool:
    """As in "Cancelled the order.", "Order cancelled": of just what was ordered."""
    statement, order = case.statement, case.backing.order
    if statement.voice != "brief" or order is None or statement.group not in order.groups:
        return False
    return statement.by_self or len(case.low[statement.start : statement.end].split()) <= _LONGEST_HEADLINE


_LONGEST_HEADLINE = 6


def _has_its_tool(case: Case) -> bool:
    """True where a tool on offer is for just this verb and a thing of the statement or the order, and was never called."""
    called = {call.call.name for call in case.record.index.calls}
    order = case.backing.order
    things = case.statement.objects | (order.words if order is not None else frozenset())
    return any(
        facts.effect == "writes"
        and facts.name not in called
        and case.statement.verb in name_words(facts.name)
        and not things.isdisjoint({*map(singular, name_words(facts.name))} - {case.statement.verb})
        for facts in case.record.tools.values()
    )


def _looked_up(case: Case) -> bool:
    """True where the agent looked something up after the order: it may tell what it saw."""
    order = case.backing.order
    since = order.at if order is not None else -1
    deeds = {deed.call.position for deed in case.record.deeds}
    return any(
        since < call.message_index <= case.text.message_index and call.position not in deeds
        for call in case.record.index.calls
    )


def _was_told(case: Case) -> bool:
    """A passive that the user or a result told in the same word."""
    statement = case.statement
    if (statement.by_self and statement.voice != "brief") or (
        case.backing.pending and case.backing.order is not None and case.backing.order.agrees
    ):
        return False
    if case.backing.state == "failed" or statement.sure:
        return False
    forms = [form for form, verb in lemmas().done.items() if verb == statement.verb != form]
    return any(form in told for told in _told_before(case) for form in forms)


def _told_before(case: Case) -> Iterator[str]:
    for message in case.record.index.messages[: case.text.message_index]:
        if message.role == "user" and message.content:
            yield message.content.lower()
        for result in message.tool_results:
            yield result.content.lower()


def _is_told_failure(case: Case) -> bool:
    """As in "the change was rejected" after a call that failed: that is the failure."""
    order = case.backing.order
    since = order.at if order is not None else -1
    deeds = case.record.deeds_until(case.text.message_index)
    return (
        case.statement.verb in ("reject", "deny", "block")
        and any(deed.failed and deed.message_index > since for deed in deeds)
        and not case.statement.by_self
        and (order is None or case.statement.verb not in order.words)
    )


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption("not done", _is_not_done, "planned, asked, conditional, denied, earlier, or somebody else's"),
    Exemption("backed", _is_backed, "a call that worked could have done it"),
    Exemption("state", _needs_an_order_that_waits, "without an order that waits, it tells how things stand"),
    Exemption("knowing", is_knowing, "to know, note or confirm details changes nothing"),
    Exemption("sorting", is_sorting, "to order things by price books none"),
    Exemption(
        "own words",
        lambda case: is_written(case) and not _has_its_tool(case),
        "what is written may be the answer's own text",
    ),
    Exemption("proposal", _is_a_proposal, "all of a message that asks for a yes is a proposal"),
    Exemption("call follows", _is_followed_by_its_call, "a claim that its call follows was a proposal"),
    Exemption("nobody's business", _is_no_business_of_ours, "neither a tool nor an order names the deed"),
    Exemption("draft", is_a_draft, "the user asked for a text, which may tell of others' deeds"),
    Exemption("told", _was_told, "the user or a result told it in the same word"),
    Exemption("failure told", _is_told_failure, "what a system rejected was not done, and the text says so"),
    Exemption("own text", stands_in_the_answer, "without tools, text is written in the answer itself"),
)


"""The order is that of the questions: the first that holds ends the case."""
