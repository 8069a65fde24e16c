"""Recorded exchanges with a model, so that a suite runs again without it: no key, no network, the same replies."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

import sentinel_core.errors
from sentinel_core import Capabilities, Message, Model, Reply, Request
from sentinel_core.errors import InputError, ModelError, ProviderError
from sentinel_core.model import estimate_tokens
from sentinel_core.runtime.redact import redact, redact_json
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import canonical, from_json

__all__ = ["Exchange", "RecordingModel", "ReplayingModel", "Tape", "read_cassette", "request_hash", "write_cassette"]

_SCHEMA = 1


@attrs.frozen(kw_only=True)
class Exchange:
    """One question and its answer: the request's hash, and the reply or the error (its class and text)."""

    request: str
    reply: Reply | None = None
    error: tuple[str, str] | None = None


def request_hash(request: Request) -> str:
    """SHA-256 of what a request asks, without times, measured durations and secrets."""
    asked = {
        "system": request.system_prompt,
        "messages": [_content_of(message) for message in request.messages],
        "tools": [[tool.name, tool.description, tool.parameters] for tool in request.tools],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "tool_choice": request.tool_choice,
    }
    return hashlib.sha256(canonical(from_json(redact_json(canonical(asked))))).hexdigest()


def _content_of(message: Message) -> dict[str, Any]:
    return {
        "role": message.role,
        "content": message.content,
        "calls": [[call.id, call.name, call.arguments] for call in message.tool_calls],
        "results": [[result.tool_call_id, result.content, result.success] for result in message.tool_results],
    }


@attrs.define(eq=False)
class RecordingModel:
    """A model that adds every exchange to ``exchanges``."""

    inner: Model
    exchanges: list[Exchange]

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The inner model's reply, with secrets taken out, so that the replayed conversation is the same."""
        asked = request_hash(request)
        try:
            reply = self.inner.complete(request, on_text)
        except ModelError as error:
            self.exchanges.append(Exchange(request=asked, error=(type(error).__name__, redact(str(error)))))
            raise
        clean = msgspec.json.decode(redact_json(msgspec.json.encode(reply)), type=Reply)
        self.exchanges.append(Exchange(request=asked, reply=clean))
        return clean

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate, as when it is replayed."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """The inner model's."""
        return self.inner.get_capabilities()

    def close(self) -> None:
        """Close the inner model."""
        self.inner.close()


@attrs.define(eq=False)
class ReplayingModel:
    """Replays the recorded replies of one trial, in order. All connections of the trial share ``left``."""

    left: list[Exchange]
    capabilities: Capabilities

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The next reply. Raises ``ProviderError`` if the request differs from the recorded one."""
        if not self.left:
            raise ProviderError("the cassette has no more replies for this trial; record it again with --record")
        exchange = self.left.pop(0)
        if exchange.request != request_hash(request):
            raise ProviderError(
                "the request differs from the one on the cassette: prompt, tools, scenario or an earlier result changed; "
                "record it again with --record"
            )
        if exchange.reply is None:
            raise _raised(exchange.error or ("ProviderError", "an empty exchange"))
        if on_text is not None and exchange.reply.content:
            on_text(exchange.reply.content)
        return exchange.reply

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate, as when it was recorded."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """The recorded capabilities."""
        return self.capabilities

    def close(self) -> None:
        """Nothing to close."""


def _raised(error: tuple[str, str]) -> ModelError:
    kind = getattr(sentinel_core.errors, error[0], None)
    return kind(error[1]) if isinstance(kind, type) and issubclass(kind, ModelError) else ProviderError(error[1])


Tape = tuple[Capabilities, tuple[Exchange, ...]]


@attrs.frozen(kw_only=True)
class _Recorded:
    trial: str
    capabilities: Capabilities
    exchanges: tuple[Exchange, ...]


@attrs.frozen(kw_only=True)
class _Cassette:
    provider: str
    suite: str
    trials: tuple[_Recorded, ...]
    cassette: int = _SCHEMA


def write_cassette(path: Path, provider: str, suite: str, tapes: Mapping[str, Tape]) -> None:
    """Write the exchanges of all trials, by trial. Raises ``OSError``."""
    trials = tuple(
        _Recorded(trial=name, capabilities=capabilities, exchanges=exchanges)
        for name, (capabilities, exchanges) in sorted(tapes.items())
    )
    made = _Cassette(provider=provider, suite=suite, trials=trials)
    write_whole(path, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def read_cassette(path: Path) -> tuple[str, dict[str, Tape]]:
    """The provider that was recorded, and the exchanges by trial. Raises ``InputError``."""
    try:
        made = msgspec.json.decode(path.read_bytes(), type=_Cassette)
    except OSError as error:
        raise InputError(f'cassette "{path}" cannot be read: {error.strerror}; --record writes one') from None
    except msgspec.MsgspecError as error:
        raise InputError(f'cassette "{path}" cannot be used: {str(error).replace("`", "")}') from None
    if made.cassette != _SCHEMA:
        raise InputError(f'cassette "{path}" has version {made.cassette}; expected {_SCHEMA}')
    return made.provider, {tape.trial: (tape.capabilities, tape.exchanges) for tape in made.trials}
