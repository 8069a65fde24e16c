"""The record of a run: numbers, stamps and keeps each event, notifies observers, and replays a record that broke off."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs

from sentinel_agent.conversation import message_of
from sentinel_agent.events import Event, RunResumed
from sentinel_agent.resume import open_attempt, replayable
from sentinel_core.errors import JournalError
from sentinel_core.trace import Message

__all__ = ["Observer", "Record", "as_it_is"]

Observer = Callable[[Event], None]
_E = TypeVar("_E", bound=Event)


def as_it_is(event: Event) -> Event:
    """The event, unchanged: the default of ``clean``."""
    return event


@attrs.define(eq=False)
class Record:
    """All events in order; those of the current conversation, and the messages folded from them.

    ``clean`` removes secrets from an event before it is kept, so that the model, the record and a resumed run all see the
    same. An observer that raises stops the run, because a journal that cannot write must.

    After ``resume`` the earlier events are replayed: ``emit`` returns the recorded event instead of recording a new one, and
    ``recall`` skips work whose result is in the record.
    """

    now: Callable[[], str]
    observers: tuple[Observer, ...] = ()
    clean: Callable[[Event], Event] = as_it_is
    events: list[Event] = attrs.field(factory=list, init=False)
    conversation: list[Event] = attrs.field(factory=list, init=False)
    messages: list[Message] = attrs.field(factory=list, init=False)
    _past: deque[Event] = attrs.field(factory=deque, init=False)

    def resume(self, events: Sequence[Event], accepted: tuple[str, ...] = ()) -> None:
        """Continue a record that broke off; new events are recorded after it."""
        self.events.extend(events)
        unfinished = open_attempt(self.events)
        if unfinished is not None:
            self._append(unfinished)
        self._append(RunResumed(accepted=accepted))
        self._past.extend(replayable(self.events))
        self.begin()

    @property
    def upcoming(self) -> Event | None:
        """The recorded event that is replayed next; None if none is left."""
        return self._past[0] if self._past else None

    def emit(self, event: _E) -> _E:
        """Record an event and notify every observer. Returns the event with its number and time."""
        if not self._past:
            return self._append(event)
        if type(self._past[0]) is not type(event):
            raise JournalError(
                f"event {self._past[0].sequence} in the record is a {type(self._past[0]).__name__}, but in this run it is a "
                f"{type(event).__name__}; the run cannot be resumed with these settings"
            )
        return self._play()  # type: ignore[return-value] # of the same type, as was just seen

    def recall(self, kind: type[_E]) -> _E | None:
        """Replay up to the next event of this kind and return it; None if there is none left."""
        while self._past:
            event = self._play()
            if isinstance(event, kind):
                return event
        return None

    def begin(self) -> None:
        """Begin another conversation in the same record."""
        self.conversation.clear()
        self.messages.clear()

    def _play(self) -> Event:
        event = self._past.popleft()
        self._remember(event)
        return event

    def _append(self, event: _E) -> _E:
        stamped: _E = attrs.evolve(self.clean(event), sequence=len(self.events), at=self.now())  # type: ignore[assignment]
        self.events.append(stamped)
        self._remember(stamped)
        for observe in self.observers:
            observe(stamped)
        return stamped

    def _remember(self, event: Event) -> None:
        self.conversation.append(event)
        message = message_of(event)
        if message is not None:
            self.messages.append(message)
