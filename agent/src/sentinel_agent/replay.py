"""Run records as files, and a model that replays one."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sentinel_agent.events import Event, ReplyReceived, RunStarted
from sentinel_agent.journal import Run, decode_event, encode_event
from sentinel_core.errors import InputError, JournalError, ProviderError
from sentinel_core.model import Capabilities, Reply, Request, estimate_tokens
from sentinel_core.runtime.printable import counted
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import Message

__all__ = ["ReplayModel", "as_lines", "export", "load_record"]

_VERSION = 1


def as_lines(run: Run) -> Iterator[bytes]:
    """A run as JSON lines: a header with ``sentinel_record`` (the version), then one event per line."""
    header: dict[str, Any] = {"sentinel_record": _VERSION, "run_id": run.run_id, "release_id": run.release_id}
    yield msgspec.json.encode({**header, "started_at": run.started_at, "fingerprint": run.fingerprint}) + b"\n"
    for event in run.events:
        yield encode_event(event) + b"\n"


def export(run: Run, path: Path) -> None:
    """Write a run to a file atomically, readable by its owner only. Raises ``OSError``."""
    write_whole(path, b"".join(as_lines(run)))


def load_record(path: Path) -> tuple[Event, ...]:
    """The events in a file that ``export`` wrote. Raises ``InputError`` for any other file."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f'the record "{path}" cannot be read: {error.strerror}') from error
    try:
        version = msgspec.json.decode(lines[0] if lines else b"null")
        if not isinstance(version, dict) or version.get("sentinel_record") != _VERSION:
            raise InputError(f'"{path}" is not a record of version {_VERSION}; "sentinel run --record FILE" writes one')
        return tuple(decode_event(line) for line in lines[1:])
    except (JournalError, msgspec.DecodeError) as error:
        raise InputError(f'the record "{path}" is damaged: {error}') from error


@attrs.define(eq=False)
class ReplayModel:
    """Returns the replies of a record in order, whatever the request. Sends nothing."""

    events: Sequence[Event]
    _played: int = attrs.field(default=0, init=False)

    @property
    def attempts(self) -> int:
        """How many attempts are in the record."""
        return sum(isinstance(event, RunStarted) for event in self.events)

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:  # noqa: ARG002 - a Model's signature
        """The next reply. Raises ``ProviderError`` if the record has no more."""
        replies = [event.reply for event in self.events if isinstance(event, ReplyReceived)]
        if self._played >= len(replies):
            raise ProviderError(
                f"the record has only {counted(len(replies), 'reply', 'replies')}, but the run asked for one more"
            )
        reply = replies[self._played]
        self._played += 1
        if on_text is not None and reply.content:
            on_text(reply.content)
        return reply

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """The default capabilities."""
        return Capabilities()

    def close(self) -> None:
        """Nothing is held open."""
