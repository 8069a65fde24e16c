"""A model that plays a script: for testing agents without a language model."""

from collections.abc import Callable, Iterable, Sequence

from sentinel_core.errors import ProviderError
from sentinel_core.model import Capabilities, Reply, Request, estimate_tokens
from sentinel_core.offers import Provider
from sentinel_core.runtime.printable import counted
from sentinel_core.trace import Message

__all__ = ["ScriptedModel", "scripted_provider"]


class ScriptedModel:
    """Plays the given replies in order; an exception in the script is raised when its turn comes.

    ``requests`` holds the requests; ``closed`` counts how often it was closed. Raises ``ProviderError`` when the script
    has ended.
    """

    def __init__(self, script: Iterable[Reply | Exception]) -> None:
        self._script = tuple(script)
        self.requests: list[Request] = []
        self.closed = 0

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The script's next entry; its text goes to ``on_text`` in one piece."""
        played = len(self.requests)
        self.requests.append(request)
        if played >= len(self._script):
            raise ProviderError(
                f"the script has ended: it has {counted(len(self._script), 'entry', 'entries')}, but one more was requested"
            )
        entry = self._script[played]
        if isinstance(entry, Exception):
            raise entry
        if on_text is not None and entry.content:
            on_text(entry.content)
        return entry

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """The default capabilities."""
        return Capabilities()

    def close(self) -> None:
        """Count the call; a script has nothing to release."""
        self.closed += 1


def scripted_provider(*script: Reply | Exception, name: str = "scripted") -> Provider:
    """A provider whose every connection plays the script from its start."""
    return Provider(name=name, summary="plays a script", connect=lambda: ScriptedModel(script))
