"""What a record has only in words although the agent has tools: its first turns, whose calls were trimmed away, and summaries of them."""

from collections.abc import Iterator

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.english.lexicon import lemmas
from sentinel_signal_hallucination.english.modality import is_done
from sentinel_signal_hallucination.english.sentences import sentences
from sentinel_signal_hallucination.english.statements import Statement, low_of, statements
from sentinel_signal_hallucination.tables import once

__all__ = ["History"]

_LONGEST, _MOST = 20_000, 40


class History:
    """The turns before the first call, without the one that the call is in, and copied summaries; nothing where there are no tools."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index

    @once
    def end(self) -> int:
        """Where the turns without calls end; 0 where there are none."""
        index = self._index
        if not index.tools:
            return 0
        first = index.calls[0].message_index if index.calls else len(index.messages)
        return max((at for at in index.asked if at < first), default=0)

    @once
    def words(self) -> frozenset[str]:
        """All words in it, of the user and the agent, and what they are one of."""
        spoken = (
            message.content for message in self._index.messages[: self.end] if message.role in ("user", "assistant")
        )
        found = frozenset(word for content in (*spoken, *self.summaries) for word in _words_of(content or ""))
        return found.union(map(singular, found))

    @once
    def summaries(self) -> list[str]:
        """Copied instructions: what a program wrote in the place of messages that it removed."""
        copied = (
            one.content
            for one in self._index.messages
            if one.role == "system" and one.details is not None and one.details.is_copied_context
        )
        return [content for content in copied if content]

    def texts(self, until: int) -> list[str]:
        """What the agent said in the turns without calls before the message ``until``."""
        end = min(self.end, until)
        return [text.content for text in self._index.texts if text.message_index < end and not text.is_copied]

    def has_claim(self, one: Statement, until: int) -> bool:
        """True where the agent told the same before the message ``until``, or a summary does, and of nothing that is not named there.

        The agent's verb is the same; a summary's is of the kind: who wrote it did not write in the agent's name.
        """
        is_told = any(verb == one.verb and at < until for at, verb in self._claimed) or one.verb in self._summed_up
        kinds = frozenset(map(lemmas().group.get, self._summed_up)) - {"general", None}
        return (is_told or one.group in kinds) and (one.objects - lemmas().done.keys()) <= self.words

    @once
    def _claimed(self) -> list[tuple[int, str]]:
        """The verbs of what the agent says it did, each with its message."""
        texts = [text for text in self._index.texts if text.message_index < self.end][-_MOST:]
        return [
            (text.message_index, one.verb)
            for text in texts
            for part in sentences(low_of(text.content[:_LONGEST]))
            for one in statements(part)
            if one.plainly and not part.asks
        ]

    @once
    def _summed_up(self) -> frozenset[str]:
        """The verbs of what summaries say was done; not so of what "can be cancelled"."""
        done = lemmas().done
        parts = (part.words for content in self.summaries for part in sentences(low_of(content[:_LONGEST])))
        return frozenset(
            done[word] for words in parts for at, word in enumerate(words) if word in done and is_done(words, at)
        )


def _words_of(content: str) -> Iterator[str]:
    for part in sentences(low_of(content[:_LONGEST])):
        yield from part.words
