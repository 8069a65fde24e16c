"""The tools of an agent: schemas are checked at registration, arguments at every call, and time limits are enforced."""

import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import attrs
import msgspec

from sentinel_core import errors
from sentinel_core.errors import (
    ConfigError,
    InvalidArgumentsError,
    NotRepeatedError,
    OutcomeUnknownError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolTimeoutError,
    WorkerError,
    WorkerTimeout,
    error_text,
)
from sentinel_core.host.validate_offers import check_parameters
from sentinel_core.offers import Tool
from sentinel_core.runtime import isolate
from sentinel_core.runtime.clock import Clock
from sentinel_core.runtime.cut import capped
from sentinel_core.runtime.http_requests import working_on
from sentinel_core.trace import ToolCall, ToolResult, ToolSchema

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = ["OUTCOME_UNKNOWN", "Offered", "Runner", "Toolbox", "bind_tool", "in_process", "offered"]


class Runner(Protocol):
    """Runs a handler's job and gives back its bytes, or raises a ``WorkerError``."""

    def __call__(self, job: Callable[[], bytes], *, timeout: float) -> bytes:
        """Run ``job`` for at most ``timeout`` seconds."""


def in_process(job: Callable[[], bytes], *, timeout: float) -> bytes:  # noqa: ARG001 - a Runner's signature
    """A runner without a child process: no time limit, and the handler can change the caller's state. For tests."""
    try:
        return job()
    except Exception as error:  # a handler may raise anything, and the model gets the message
        raise WorkerError(f"{type(error).__name__}: {error_text(error)}") from error


OUTCOME_UNKNOWN = OutcomeUnknownError.__name__  # in a result's metadata: the call may have taken effect
_OF_UNKNOWN_OUTCOME = {cls.__name__: cls for cls in (OutcomeUnknownError, NotRepeatedError)}
_KEY = "idempotency_key"
_MAX_PROBLEMS = 5
_MOST_AT_ONCE = 8  # child processes for parallel calls
_Start = Callable[..., Callable[[], bytes]]
_encode = msgspec.json.Encoder().encode


def bind_tool(tool: Tool, settings: object) -> Tool:
    """The tool with its settings bound; a tool without settings (``settings`` is None) is returned unchanged."""
    if tool.settings is None:
        return tool
    unavailable = None if tool.unavailable is None else functools.partial(tool.unavailable, settings)
    return attrs.evolve(tool, handler=functools.partial(tool.handler, settings), unavailable=unavailable, settings=None)


@attrs.frozen
class Offered:
    """Tools that can work in a run; by name, why others cannot, and checks that failed (their tools stay)."""

    tools: tuple[Tool, ...]
    left_out: Mapping[str, str]
    unsure: Mapping[str, str]


def offered(tools: Sequence[Tool], subject: str) -> Offered:
    """Ask each tool, in parallel child processes, whether it can work in a run about ``subject``."""
    asked = [
        (tool, isolate.start(functools.partial(_why_not, tool.unavailable, subject), timeout=tool.timeout))
        for tool in tools
        if tool.unavailable is not None
    ]
    left_out, unsure = {}, {}
    for tool, wait in asked:
        try:
            why = msgspec.json.decode(wait(), type=str | None)
        except (WorkerError, msgspec.DecodeError) as error:
            unsure[tool.name] = str(error)
        else:
            left_out.update({} if why is None else {tool.name: why})
    return Offered(tuple(tool for tool in tools if tool.name not in left_out), left_out, unsure)


def _why_not(unavailable: Callable[[str], str | None], subject: str) -> bytes:
    return _encode(unavailable(subject))


@attrs.define(eq=False)
class Toolbox:
    """Registered tools, by name, with their settings bound.

    Handlers run in a child process by default, so that a time limit can end them: they may write files and call servers, but
    their changes in memory are lost. ``confirm`` is asked before a tool marked sensitive runs; without it none runs. A result
    longer than ``max_result_chars`` is cut; its metadata keeps the length and SHA-256 of the whole, and the result of
    ``of_whole``.
    """

    run: Runner = isolate.call
    confirm: Callable[[Tool, ToolCall], bool] | None = None
    clock: Clock = attrs.field(factory=Clock)
    max_result_chars: int | None = None
    of_whole: Callable[[ToolCall, str], Mapping[str, Any]] = lambda _call, _content: {}
    _tools: dict[str, Tool] = attrs.field(factory=dict, init=False)
    _validators: "dict[str, Validator]" = attrs.field(factory=dict, init=False)

    def register(self, tool: Tool) -> None:
        """Add a tool. Raises ``ConfigError`` for a name that is taken or a schema that cannot be used."""
        if tool.name in self._tools:
            raise ConfigError(f'tool "{tool.name}" is already registered; two tools cannot have the same name')
        self._validators[tool.name] = check_parameters(tool)
        self._tools[tool.name] = tool

    @property
    def tools(self) -> tuple[Tool, ...]:
        """In the order in which they were registered."""
        return tuple(self._tools.values())

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """The tools as a trace records them."""
        return tuple(
            ToolSchema(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
            for tool in self._tools.values()
        )

    def writes(self, name: str) -> bool:
        """Whether the tool of this name writes; False for an unknown tool."""
        return name in self._tools and self._tools[name].effect == "write"

    def honours_key(self, name: str) -> bool:
        """Whether the tool takes an ``idempotency_key``, so that the same call twice counts once."""
        return name in self._tools and self.takes(self._tools[name], _KEY)

    @staticmethod
    def takes(tool: Tool, keyword: str) -> bool:
        """Whether the handler has a parameter of this name."""
        try:
            parameters = inspect.signature(tool.handler).parameters
        except (TypeError, ValueError):  # some callables have no signature
            return False
        return keyword in parameters

    def execute(self, call: ToolCall, *, idempotency_key: str | None = None) -> ToolResult:
        """Run one call. Errors of the model or the tool do not raise; they give a result with ``success`` False.

        The result's metadata holds ``duration_ms``, and for a failure ``error``, the class name of the ``ToolError``. A
        handler with the parameter ``idempotency_key`` receives the key.
        """
        return self._finish(call, self._start(call, idempotency_key))

    def run_unchecked(self, tool: Tool, call: ToolCall, *, idempotency_key: str | None = None) -> ToolResult:
        """Run a tool that is not offered to the model, with the host's own arguments."""
        begun = self.clock.stopwatch()
        return self._finish(call, (begun, self._waiting(tool, call, idempotency_key, None)))

    def execute_together(
        self, calls: Sequence[ToolCall], go_on: Callable[[], bool] = lambda: True
    ) -> Iterator[ToolResult]:
        """Run read-only calls in parallel, a few at once; yields results in the calls' order.

        If ``go_on`` returns False, calls that have not started are left out.
        """
        start = isolate.start if self.run is isolate.call else None
        running: deque[tuple[ToolCall, tuple[float, Callable[[], str]]]] = deque()
        try:
            for call in calls:
                if len(running) == _MOST_AT_ONCE:
                    yield self._finish(*running.popleft())
                    if not go_on():
                        break
                running.append((call, self._start(call, None, start)))
            while running:
                yield self._finish(*running.popleft())
        finally:  # a consumer that stops early must leave no process behind
            for call_and_start in running:
                self._finish(*call_and_start)

    def _start(self, call: ToolCall, key: str | None, start: _Start | None = None) -> tuple[float, Callable[[], str]]:
        """The stopwatch at the start, and a function that returns the content or raises a ``ToolError``."""
        begun = self.clock.stopwatch()
        try:
            tool = self._admitted(call)
        except ToolError as error:
            return begun, functools.partial(_raise, error)
        return begun, self._waiting(tool, call, key, start)

    def _waiting(self, tool: Tool, call: ToolCall, key: str | None, start: _Start | None) -> Callable[[], str]:
        given: dict[str, Any] = dict(call.arguments)
        if key is not None and self.takes(tool, _KEY):
            given[_KEY] = key
        job = functools.partial(_job, call.id, tool.handler, given)
        wait = (
            functools.partial(self.run, job, timeout=tool.timeout)
            if start is None
            else start(job, timeout=tool.timeout)
        )
        return functools.partial(_result_of, tool, wait)

    def _finish(self, call: ToolCall, started: tuple[float, Callable[[], str]]) -> ToolResult:
        begun, finish = started
        metadata: dict[str, Any] = {}
        try:
            content, success = finish(), True
        except ToolError as error:
            content, success = str(error), False
            metadata["error"] = type(error).__name__
        if self.max_result_chars is not None:
            whole = content
            content, cut = capped(whole, self.max_result_chars)
            metadata.update({**cut, **self.of_whole(call, whole)} if cut and success else cut)
        metadata["duration_ms"] = self.clock.timed_since(begun)
        return ToolResult(tool_call_id=call.id, content=content, success=success, metadata=metadata)

    def _admitted(self, call: ToolCall) -> Tool:
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            raise ToolNotFoundError(f'there is no tool "{call.name}"; the tools are: {known}')
        self._check(call)
        if tool.sensitive and (self.confirm is None or not self.confirm(tool, call)):
            raise ToolExecutionError(
                f'tool "{tool.name}" needs a person\'s approval and did not get it; it was not run'
            )
        return tool

    def _check(self, call: ToolCall) -> None:
        if call.details is not None and call.details.raw_arguments is not None:
            raise InvalidArgumentsError(f'the arguments of "{call.name}" are not a JSON object; nothing was run')
        try:
            problems = [
                f"{error.message} at {_path(error.instance_path)}"
                for error in self._validators[call.name].iter_errors(call.arguments)
            ]
        except ValueError as error:  # nested deeper than the validator follows, or no JSON value at all
            problems = [f"{error} at $"]
        if problems:
            more = [f"and {len(problems) - _MAX_PROBLEMS} more"] if len(problems) > _MAX_PROBLEMS else []
            shown = "; ".join(problems[:_MAX_PROBLEMS] + more)
            raise InvalidArgumentsError(
                f'the arguments of "{call.name}" do not fit its schema; nothing was run: {shown}'
            )


def _raise(error: ToolError) -> str:
    raise error


def _job(call_id: str, handler: Callable[..., Any], arguments: Mapping[str, Any]) -> bytes:
    """A handler's result: text as it is, anything else as JSON. Raises ``TypeError`` if it cannot be encoded."""
    working_on(call_id)
    value = handler(**arguments)
    return value.encode("utf-8") if isinstance(value, str) else _encode(value)


def _result_of(tool: Tool, wait: Callable[[], bytes]) -> str:
    try:
        return wait().decode("utf-8")
    except WorkerTimeout as error:
        effect = "; whether it took effect is unknown" if tool.effect == "write" else ""
        raise ToolTimeoutError(f'tool "{tool.name}" was stopped after {tool.timeout:g} s{effect}') from error
    except WorkerError as error:
        name, _, message = str(error).partition(": ")
        if name in _OF_UNKNOWN_OUTCOME:
            raise _OF_UNKNOWN_OUTCOME[name](f'tool "{tool.name}": {message}') from error
        reason = message if name in errors.__all__ else error  # a foreign exception's class may be its only information
        raise ToolExecutionError(f'tool "{tool.name}" failed: {reason}') from error


def _path(parts: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
