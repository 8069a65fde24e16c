"""``judge``: one call for every format that the command line reads, in this process, with the installed plugins."""

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.host.framework_runs import plain_run
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.host.panel import read_profile
from sentinel_core.offers import ReadError, Source, TraceReader
from sentinel_core.profile import Profile
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.printable import clipped
from sentinel_core.runtime.redact import redacted
from sentinel_core.trace import ExecutionTrace, Message, to_json
from sentinel_core.traces.sources import choose_reader, find_sources
from sentinel_core.traces.sources.memory import BytesSource

__all__ = ["judge", "read_trace"]

_LONGEST_PATH, _WORDS_OF_TEXT, _FIRST_PRINTABLE, _SHOWN = 4096, 4, 32, 40

Judged = ExecutionTrace | Mapping[str, Any] | Sequence[Any] | str | os.PathLike[str]


def judge(
    what: Judged | Any,
    *,
    profile: str | Profile | None = None,
    expect: Sequence[str] = (),
    allow: Sequence[str] = (),
    ledger: bool = True,
) -> ReliabilityReport:
    """Judge one run: a path, the result of ``json.load`` for such a file, a list of messages, or an ``ExecutionTrace``.

    A result of the OpenAI Agents SDK or of Pydantic AI, and the state or messages of LangChain, are also accepted. The
    format is detected as in ``sentinel evaluate``. ``profile`` is a ``Profile``, its name, or a TOML file; ``expect``
    lists expectations as for ``--expect``; ``allow`` lists rules to switch off. The report's ``ledger`` has every claim
    of the agent beside the record, unless it is switched off to save time. Plugins run in this process with their
    default settings; the report contains no secrets. Raises ``InputError`` unless there is exactly one readable trace,
    ``ConfigError`` for an invalid profile, expectation or rule, and everything that ``evaluate_trace`` raises. A string is always a path:
    JSON goes through ``json.loads`` first.
    """
    wanted = read_profile(profile) if isinstance(profile, str) else profile
    return redacted(evaluate_trace(read_trace(what), profile=wanted, expect=expect, allow=allow, ledger=ledger))


def read_trace(what: Judged | Any, *, reader: str | None = None) -> ExecutionTrace:
    """The one trace in ``what``, read by the reader of that name where one is given. Raises ``InputError``."""
    if isinstance(what, ExecutionTrace):
        return what
    if isinstance(what, str | os.PathLike):
        return _read(_source(os.fspath(what)), os.fspath(what), reader)
    what = plain_run(what)
    if isinstance(what, Mapping):
        return _read(BytesSource(data=to_json(dict(what)), name="trace.json"), "the dictionary", reader)
    if not isinstance(what, Sequence) or isinstance(what, bytes | bytearray):
        raise TypeError(
            f"the argument is of type {type(what).__name__}; expected a path, a dict, a list of messages, a framework's result or an ExecutionTrace"
        )
    messages = [message for message in what if isinstance(message, Message)]
    if messages and len(messages) == len(what):
        return ExecutionTrace(trace_id="messages", messages=tuple(messages))
    data = {"trace_id": "messages", "messages": what} if _is_native(what) else list(what)
    return _read(BytesSource(data=to_json(data), name="messages"), "the list", reader)


def _is_native(messages: Sequence[Any]) -> bool:
    """Whether the messages are in Sentinel's own format: only there results have the key ``tool_results``."""
    return all(isinstance(message, Mapping) and "role" in message for message in messages) and any(
        "tool_results" in message for message in messages
    )


def _source(path: str) -> Source:
    if what := _what_it_is(path):
        raise InputError(f'judge() takes a string as a path, and "{clipped(path, _SHOWN)}" is {what}')
    found = list(find_sources((str(Path(path)),)))
    if len(found) != 1:
        raise InputError(f'"{path}" contains {len(found)} files; judge() accepts one run: call it for each file')
    if isinstance(found[0], InputError):
        raise found[0]
    return found[0]


def _what_it_is(path: str) -> str:
    """What a string is that can be no path, and what to do; empty for one that names a file or may name one."""
    if not path.strip():
        return "empty; name a file"
    if "\0" not in path and len(path) < _LONGEST_PATH and Path(path).exists():
        return ""
    if path.lstrip().startswith(("{", "[")):
        return "JSON; give judge(json.loads(text))"
    if len(path.split()) >= _WORDS_OF_TEXT or any(ord(letter) < _FIRST_PRINTABLE for letter in path):
        return 'text; give a list of messages: judge([{"role": "assistant", "content": text}])'
    return ""


def _read(source: Source, named: str, reader: str | None) -> ExecutionTrace:
    asked = [one for one in _readers() if reader in (None, one.name)]
    if reader is not None and not asked:
        raise InputError(f'no reader named "{reader}" is installed ("sentinel formats" lists the readers)')
    try:
        outcomes = list(choose_reader(source, asked, forced=reader is not None).read(source))
    except InputError as error:
        raise InputError(f'"{named}" {error.reason}') from None
    except (OSError, EOFError) as error:
        raise InputError(f'"{named}" cannot be read: {error}') from None
    for outcome in outcomes:
        if isinstance(outcome, ReadError):
            line = "" if outcome.line is None else f" line {outcome.line}"
            raise InputError(f'"{named}"{line}: {outcome.message}')
    traces = [outcome for outcome in outcomes if isinstance(outcome, ExecutionTrace)]
    if len(traces) != 1:
        raise InputError(f'"{named}" contains {len(traces)} traces; judge() accepts one run: call it for each trace')
    return traces[0]


@functools.cache
def _readers() -> list[TraceReader]:
    """The installed readers, looked up once per process."""
    from sentinel_core.host.plugins import load, select
    from sentinel_core.host.selection import Selection

    chosen, _ = select(Selection(), ("trace_readers",))
    plugins, _ = load(chosen)
    return [plugin.offer for plugin in plugins]
