"""The record of a run: numbers and stamps each event, keeps it, tells the observers; and plays one that broke off."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs

from sentinel_core.agent.conversation import message_of
from sentinel_core.agent.events import Event, RunResumed
from sentinel_core.agent.resume import open_attempt, replayable
from sentinel_core.errors import JournalError
from sentinel_core.trace import Message

__all__ = ["Observer", "Record", "as_it_is"]

Observer = Callable[[Event], None]
_E = TypeVar("_E", bound=Event)


def as_it_is(event: Event) -> Event:
    """For a record that changes nothing."""
    return event


@attrs.define(eq=False)
class Record:
    """Events in order; those of the conversation that is under way, and the messages that they amount to.

    ``clean`` changes an event before it is kept, to take secrets out, so that the model, the record and a resumed run all
    see the same. An observer that raises stops the run: one that keeps a journal must be able to.

    After ``resume`` the earlier events are played: ``emit`` gives the recorded event back instead of recording anew, and
    ``recall`` spares what has its result in the record already.
    """

    now: Callable[[], str]
    observers: tuple[Observer, ...] = ()
    clean: Callable[[Event], Event] = as_it_is
    events: list[Event] = attrs.field(factory=list, init=False)
    conversation: list[Event] = attrs.field(factory=list, init=False)
    messages: list[Message] = attrs.field(factory=list, init=False)
    _past: deque[Event] = attrs.field(factory=deque, init=False)

    def resume(self, events: Sequence[Event], accepted: tuple[str, ...] = ()) -> None:
        """Take up a record that broke off; every further event is recorded after it."""
        self.events.extend(events)
        unfinished = open_attempt(self.events)
        if unfinished is not None:
            self._append(unfinished)
        self._append(RunResumed(accepted=accepted))
        self._past.extend(replayable(self.events))
        self.begin()

    @property
    def upcoming(self) -> Event | None:
        """The recorded event that is played next; None where all have been."""
        return self._past[0] if self._past else None

    def emit(self, event: _E) -> _E:
        """Add one event, give it its number and time, and hand it to every observer; gives back the stamped event."""
        if not self._past:
            return self._append(event)
        if type(self._past[0]) is not type(event):
            raise JournalError(
                f"the record has a {type(self._past[0]).__name__} as event {self._past[0].sequence} where this run has a "
                f"{type(event).__name__}; it cannot be resumed with these settings"
            )
        return self._play()  # type: ignore[return-value] # of the same type, as was just seen

    def recall(self, kind: type[_E]) -> _E | None:
        """Play the record up to its next event of this kind and give it back; None where nothing is left to play."""
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
