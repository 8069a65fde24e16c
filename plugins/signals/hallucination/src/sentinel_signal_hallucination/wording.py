"""Statements whose words are of knowing, sorting or writing: no deed outside the conversation."""

from sentinel_signal_hallucination.case import Case
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import lemmas, word_set, words_of

__all__ = ["is_a_draft", "is_knowing", "is_sorting", "is_written", "stands_in_the_answer"]


_KNOWING = words_of("known")


_TEXTUAL = word_set("create change")
_LONG = 400


def is_knowing(case: Case) -> bool:
    """To have confirmed details is no deed."""
    following = case.low[case.statement.at : min(case.statement.at + 24, case.statement.end)].split()[1:2]
    if case.statement.verb == "confirm" and (
        following in (["to"], ["that"], ["as"]) or (case.statement.voice == "active" and _has_a_clause(case))
    ):
        return True
    if case.statement.verb == "open" and _OPENED.isdisjoint(case.statement.objects):
        return True
    return case.statement.verb in _CONFIRMING and not _KNOWING.isdisjoint(case.statement.objects)


_CONFIRMING = word_set(
    "confirm process handle include record log note complete finish correct done execute perform make"
)


def _has_a_clause(case: Case) -> bool:
    """As in "I've confirmed the payment went through": to have found out."""
    rest = case.low[case.statement.at : case.statement.end].split()
    return not _VERBS_AFTER.isdisjoint(word.strip(".,") for word in rest[2:7])


_VERBS_AFTER = word_set("is are was were has have went goes works still does do did will can looks")


_OPENED = words_of("opened")


_SORTED = regex(
    r" (?:by (?!the )|from \w+ to |chronologically|alphabetically|first\b|top of the list|in (?:ascending|descending)|last\b)"
)


def is_sorting(case: Case) -> bool:
    """What is written, sorted or changed without any tool may be the answer's own text."""
    return (
        case.statement.verb in ("order", "arrange", "place", "put", "finalize")
        and _SORTED.search(case.low, case.statement.at, case.statement.end) is not None
        and case.statement.objects.isdisjoint(_MADE)
    )


_MADE = word_set("hotel-stay stay trip order appointment reservation mail")


def is_written(case: Case) -> bool:
    """What is written, sorted or changed may be the answer's own text."""
    statement = case.statement
    if statement.verb in ("finalize", "complete", "finish") and statement.objects & lemmas().written:
        return True
    return (
        statement.group in ("create", "change", "light", "remove")
        and bool(statement.objects & lemmas().written)
        and not statement.objects & lemmas().kept
    )


def is_a_draft(case: Case) -> bool:
    """The user asked for a text: what it tells need not be the agent's deed, but for what was sent."""
    index = case.record.index
    at = max((at for at in index.asked if at < case.text.message_index), default=None)
    asked = (
        {word.strip(".,:;!?") for word in (index.messages[at].content or "").lower().split()}
        if at is not None
        else set[str]()
    )
    writes = not asked.isdisjoint(_WRITING) or ("write" in asked and not asked.isdisjoint(_TEXTS))
    return writes and (case.statement.group != "send" or _is_between_rules(case))


def _is_between_rules(case: Case) -> bool:
    """True for a sentence between two rules ("---"): a text of its own."""
    before, after = case.low[: case.statement.start + 1], case.low[case.statement.end :]
    return "\n---" in f"\n{before}" and "\n---" in after


_TEXTS = words_of("texts")


_WRITING = words_of("writing")


def stands_in_the_answer(case: Case) -> bool:
    """Without any tool, what is written or changed may be the answer's own text."""
    if case.record.tools:
        return False
    return case.statement.group in _TEXTUAL and (
        "```" in case.text.content or len(case.text.content) > _LONG or ":\n" in case.text.content
    )
