"""What an unbacked statement comes to: named exemptions in their order, then the rule and its weight."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.backing import backing_of
from sentinel_signal_hallucination.case import Case
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.exemptions import EXEMPTIONS
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import plain, sentences_with, span_around
from sentinel_signal_hallucination.statements import statements
from sentinel_signal_hallucination.words import lemmas

__all__ = ["claims"]


def claims(text: Text, record: Record, settings: Settings) -> Iterator[Evidence]:
    """One finding a sentence for what it says was done and nothing backs."""
    low = plain(text.content)
    for sentence in sentences_with(low, lemmas().all_forms):
        for statement in statements(sentence):
            if statement.group == "work" or statement.aspect != "done":
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
    others = any(not deed.failed for deed in case.record.deeds_until(case.text.message_index))
    rule, why = "claim_without_call", "no earlier call could have done it"
    if tried and backing.call is not None:
        rule, why = "contradicted_claim", f'every call to "{backing.call.facts.name}" failed'
    elif others:
        rule, why = "partial_claim", "the earlier calls did something else"
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=f'The agent says that something was done ("{_said(case)}"), but {why}.',
        message_index=case.text.message_index,
        quote=quote,
    )
    return Evidence(finding, settings.effect_weight if certain else settings.hearsay_weight, certain=certain)


def _said(case: Case) -> str:
    return re.match(r"[\w'-]*", case.text.content[case.statement.at :])[0]  # type: ignore[index] # it matches nothing, too


def _is_certain(case: Case) -> bool:
    """Nothing in the record speaks for the agent: a plain claim of what was ordered, and no deed that worked."""
    statement = case.statement
    own = statement.voice == "active" and not statement.objects.isdisjoint(lemmas().kept)
    if statement.voice not in ("active", "perfect") or (case.backing.order is None and not own):
        return False
    if any(not deed.failed for deed in case.record.deeds_until(case.text.message_index)):
        return False
    order = case.backing.order
    return bool(case.record.tools) or (
        statement.voice == "active" and order is not None and statement.group in order.groups
    )
