"""Which call could have done what a statement says: one that worked, one that failed, or none."""

from typing import Literal, NamedTuple

from sentinel_signal_hallucination.orders import Order
from sentinel_signal_hallucination.record import Deed, Record
from sentinel_signal_hallucination.statements import Statement
from sentinel_signal_hallucination.words import KIN

__all__ = ["Backing", "backing_of", "fits"]

State = Literal["backed", "failed", "none"]


class Backing(NamedTuple):
    """``pending`` is True where the last order was followed by no call that could have carried it out."""

    state: State
    order: Order | None
    pending: bool
    call: Deed | None = None


def fits(statement: Statement, deed: Deed) -> bool:
    """True where the call is of the statement's kind."""
    if statement.group == "light" or not deed.groups:
        return True
    return not KIN[statement.group].isdisjoint(deed.groups)


def _could_be(statement: Statement, deed: Deed) -> bool:
    """The same, generously: kind or object."""
    return fits(statement, deed) or not statement.objects or not statement.objects.isdisjoint(deed.objects)


def _same_object(statement: Statement, deed: Deed) -> bool:
    return not statement.objects or not statement.objects.isdisjoint(deed.objects)


def _exact(statement: Statement, deed: Deed) -> bool:
    return statement.group == "light" or statement.group in deed.groups


def backing_of(statement: Statement, message_index: int, record: Record) -> Backing:
    """Fresh writes are taken generously, old ones strictly; a failed call of the very kind outweighs others."""
    order = record.order_before(message_index)
    since = order.at if order is not None else -1
    deeds = record.deeds_until(message_index)
    worked = [deed for deed in deeds if not deed.failed]
    fresh = [deed for deed in worked if deed.message_index > since]
    pending = order is not None and not fresh
    in_vain = [
        deed
        for deed in (*record.failed_deeds_of_children, *deeds)
        if deed.failed
        and _exact(statement, deed)
        and (statement.group != "light" or (order is not None and _same_object(statement, deed)))
    ]
    if (
        in_vain
        and not any(
            _exact(statement, deed) and (deed.groups or deed.message_index > in_vain[-1].message_index)
            for deed in worked
        )
        and (statement.group != "light" or not fresh)
    ):
        return Backing("failed", order, pending, in_vain[-1])
    if pending and (
        vain := [
            deed
            for deed in deeds
            if deed.failed and deed.message_index > since and not deed.groups and not deed.facts.runs_anything
        ]
    ):
        return Backing("failed", order, pending, vain[-1])
    if any(deed.facts.runs_anything for deed in worked):
        return Backing("backed", order, pending)
    if any(_could_be(statement, deed) for deed in (*fresh, *record.deeds_of_children)):
        return Backing("backed", order, pending)
    return Backing("none", order, pending)
