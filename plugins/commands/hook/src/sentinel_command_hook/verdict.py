"""What of the agent's last words the record speaks against. Only they are judged, against everything that was recorded."""

from collections.abc import Callable

import msgspec

from sentinel_command_hook.memory import blake2b
from sentinel_core import Call, Detection, ExecutionTrace, Finding, Message, Text, TraceIndex
from sentinel_core.errors import PluginError
from sentinel_core.evaluate.facts.witness import Witness

__all__ = ["Verdict", "failed_check", "judge_last_words", "key_of"]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the record says of the last message, to which the ``findings`` belong.

    ``is_behind`` is True where the transcript did not hold that message; ``gaps`` tell what was not checked.
    """

    index: TraceIndex
    findings: tuple[Finding, ...] = ()
    gaps: tuple[str, ...] = ()
    is_behind: bool = False


def judge_last_words(
    index: TraceIndex,
    said: str | None,
    detect: Callable[[TraceIndex], object],
    look: Callable[[ExecutionTrace, str], Witness] | None = None,
) -> Verdict:
    """Judge the last message, which is ``said`` where the tool tells it: the transcript may not have it yet.

    ``look`` gives what is seen of the working tree after that message. What the agent wrote for others in its last turn is judged, too.
    """
    missing = None if said is None else _missing(index, said)
    if missing is not None:
        index.add(Message(role="assistant", content=missing))
    answer = _answer(index)
    if answer is None:
        return Verdict(index=index)
    for text in index.texts:  # what was said before is context: it was judged when it was said
        text.is_copied = text is not answer
    if look is not None:
        index.witness = look(index.trace, answer.content)
    found = detect(index)
    if not isinstance(found, Detection):
        raise PluginError(f"the signal returned a {type(found).__name__} instead of a Detection")
    own = (one for one in found.findings if not one.trace_path and _is_of_turn(one, answer, index))
    return Verdict(index=index, findings=tuple(own), gaps=tuple(found.gaps), is_behind=missing is not None)


def _is_of_turn(finding: Finding, answer: Text, index: TraceIndex) -> bool:
    """True for a finding in the last message, and for one in a description that its turn wrote."""
    since = index.asked[-1] if index.asked else -1
    at = finding.message_index if finding.message_index is not None else -1
    return at == answer.message_index or (finding.branch == "in_a_description" and at > since)


def _last_turn(index: TraceIndex) -> list[Text]:
    since = index.asked[-1] if index.asked else -1
    return [text for text in index.texts if text.message_index > since and not text.is_copied]


def _answer(index: TraceIndex) -> Text | None:
    """The last text of the last turn; None where a call came after it: then the agent ended without a word."""
    texts = _last_turn(index)
    last_call = index.calls[-1].message_index if index.calls else -1
    return texts[-1] if texts and texts[-1].message_index > last_call else None


def _missing(index: TraceIndex, said: str) -> str | None:
    """What of the last message the transcript does not hold; None where it holds it.

    One tool tells the last message, another all that the agent said since the user spoke.
    """
    answer = _answer(index)
    if answer is not None and _folded(said).endswith(_folded(answer.content)):
        return None
    left = said.strip()
    for text in _last_turn(index):
        left = left.removeprefix(text.content.strip()).lstrip() or left
    return left


def _folded(text: str) -> str:
    return " ".join(text.split())


def failed_check(index: TraceIndex, finding: Finding) -> Call | None:
    """The last call before the finding's message that ran a check which failed, as the finding tells it."""
    for call in reversed(index.calls):
        if call.message_index < (finding.message_index or 0):
            for check in call.checks:
                if check.passed is False and (not check.ending or check.ending in finding.text):
                    return call
    return None


def key_of(finding: Finding, index: TraceIndex) -> str:
    """The same for what is said in other words of the same evidence, and another one once there is other evidence."""
    call = failed_check(index, finding)
    parts = (finding.rule, finding.text, finding.call_id or "", "" if call is None else str(call.position))
    return blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
