"""What a plugin hands to the host: frozen descriptors, one class a kind.

``settings`` is an attrs class or None. Where it is given, the host fills it from configuration, environment and flags
and passes the instance as the last argument of the offered function. Secrets come from the environment only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol

import sentinel_core  # for who asks for type hints; its names are looked up on first use
from sentinel_core._fast import collected, declared

if TYPE_CHECKING:  # only commands need click, and a library user has none
    import click

__all__ = [
    "Branch",
    "Command",
    "Document",
    "Explanation",
    "Guardrail",
    "Output",
    "Provider",
    "ReadError",
    "Rule",
    "Signal",
    "Source",
    "Tool",
    "TraceReader",
]


@collected
@declared(kw_only=True)
class Command:
    """A command: ``sentinel NAME``. ``load()`` returns a ``click.Command``; the int that the command returns is the exit code.

    ``sentinel --help`` imports the module that offers the command, to show its ``summary``. That module must import
    nothing but ``sentinel_core``; import everything that the command needs, including click, in ``load``.
    """

    name: str
    summary: str
    load: Callable[[], "click.Command"]


@collected
@declared(kw_only=True)
class Rule:
    """One thing that a signal can find. A finding names its rule by ``id`` (``claim_without_call``).

    ``severity`` is the highest that findings of this rule have with default settings. ``title`` says in a few words
    what is wrong; ``help`` says in a sentence or two what the rule looks for and what to do. ``since`` is the first
    version of the signal's distribution that has the rule.
    """

    id: str
    severity: Literal["note", "warning", "error"]
    title: str
    help: str
    since: str


@collected
@declared(kw_only=True)
class Branch:
    """One way in which a rule is reached, for signals that know how often each is right. A finding names it in ``branch``.

    ``help`` says what it rests on, ``examples`` are sentences that it finds, ``severity`` is that of its findings, and
    ``odds`` say how often it was right and wrong where that was measured.
    """

    name: str
    help: str
    examples: Sequence[str]
    severity: Literal["note", "warning", "error"]
    odds: str


@collected
@declared(kw_only=True)
class Explanation:
    """What ``sentinel explain`` says about a rule, in addition to the ``Rule`` itself.

    ``why`` says why it matters, ``mend`` what to change in the agent. ``example`` is a trace in Sentinel's own format,
    without an id, in which the signal finds the rule with its default settings; a test checks this. ``branches`` are the
    ways in which the rule is reached, if there are several.
    """

    why: str
    mend: str
    example: Mapping[str, Any]
    branches: Sequence[Branch] = ()

    @property
    def trace(self) -> "sentinel_core.ExecutionTrace":
        """The example. Raises ``msgspec.ValidationError`` if it is not a trace."""
        import msgspec

        return msgspec.convert({"trace_id": "example", **self.example}, sentinel_core.ExecutionTrace)


@collected
@declared(kw_only=True)
class Signal:
    """A detector. ``detect(index)``, or ``detect(index, settings)``, returns a ``Detection`` or a bare float in [0, 1].

    It is pure: it reads the ``TraceIndex``, changes nothing, prints nothing, and gives the same answer every time.
    ``rules`` lists everything that it can find; ``explain()`` returns an ``Explanation`` for each rule, by its id, only
    on request. ``ledger(index, findings)`` lists the agent's claims beside the record, given the signal's own findings;
    it is called only where a ledger is asked for, and is as pure as ``detect``.
    """

    name: str
    summary: str
    detect: Callable[..., "sentinel_core.Detection | float"]
    settings: type | None = None
    rules: Sequence[Rule] = ()
    explain: Callable[[], Mapping[str, Explanation]] | None = None
    ledger: "Callable[[sentinel_core.TraceIndex, Sequence[sentinel_core.Finding]], Iterable[sentinel_core.LedgerEntry]] | None" = None


@collected
@declared(kw_only=True)
class Provider:
    """A way to a language model. ``connect(settings)`` (``connect()`` without settings) returns a ``Model``.

    ``env`` names the environment variables that hold its secrets; messages to the user name the first.
    ``deterministic`` says that the same request always gets the same reply, so trying again is useless.
    """

    name: str
    summary: str
    connect: Callable[..., "sentinel_core.Model"]
    env: tuple[str, ...] = ()
    settings: type | None = None
    deterministic: bool = False


@collected
@declared(kw_only=True)
class Tool:
    """Something that an agent may call.

    ``parameters`` is a JSON schema of type ``object``; ``handler(**arguments)`` returns a JSON value or text and may
    raise; with ``settings`` it is called as ``handler(settings, **arguments)``. It runs in a child process, so changes
    that it makes in memory are lost. ``effect`` says whether it changes anything; a ``sensitive`` tool needs a person's
    approval; ``timeout`` is in seconds.

    ``unavailable(settings, subject)`` (``unavailable(subject)`` without settings) returns None if the tool can work in
    a run about ``subject``, such as a release, and otherwise says in a sentence why not; such a tool is not offered to
    the model. It also runs in a child process, within ``timeout``; if it raises, the tool is offered.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    handler: Callable[..., Any]
    effect: Literal["read", "write"] = "read"
    sensitive: bool = False
    timeout: float = 30.0
    settings: type | None = None
    unavailable: Callable[..., str | None] | None = None


@collected
@declared(kw_only=True)
class Guardrail:
    """A limit on trying again. ``check(history)``, or ``check(history, settings)``, returns a ``Ruling``."""

    name: str
    summary: str
    check: Callable[..., "sentinel_core.Ruling"]
    settings: type | None = None


class Document(Protocol):
    """The results of one run, as they are written: ``add`` takes each record in the order of the input, ``finish`` ends it.

    ``extras`` names what a record needs beyond its report: ``text``, ``line``, ``rules``. A class without it needs nothing.
    """

    def add(self, record: Any) -> None:
        """Add a record, a ``sentinel_core.judging.output.record.Record``."""

    def finish(self) -> None:
        """Write what had to wait for the last record."""


@collected
@declared(kw_only=True)
class Output:
    """A format of results: ``-o FILE`` for a file with one of its ``endings`` (``csv``), ``--format NAME`` and ``-o NAME:FILE``.

    ``open(stream, settings)`` returns a ``Document`` that writes bytes to ``stream``; ``settings`` are ``OutputSettings``. An
    id, a quote or a message may hold any character: what is written must hold no control character but line ends and tabs.
    """

    name: str
    summary: str
    open: Callable[[IO[bytes], Any], Document]
    endings: tuple[str, ...] = ()


class Source(Protocol):
    """Bytes that a reader reads. ``name`` is for messages and never a path to open."""

    @property
    def name(self) -> str:
        """What the user called it."""

    @property
    def strict(self) -> bool:
        """True if unknown and duplicate keys must be rejected."""

    @property
    def max_record(self) -> int:
        """Size limit for one record, decompressed, in bytes."""

    @property
    def lines_before(self) -> int:
        """How many lines of the file precede these bytes: 0, or more for a part of a large file whose records are lines."""

    def open(self) -> IO[bytes]:
        """The decompressed bytes, from the start."""

    def sibling(self, name: str) -> "Source | None":
        """The file at a relative path next to or below this one, or None."""

    def siblings(self, pattern: str) -> "Sequence[Source]":
        """Files next to or below this one that match a relative glob pattern, sorted by name."""


@collected
@declared(kw_only=True)
class ReadError:
    """A record that could not be read: what is wrong, and where (a line from 1, or a path in the document)."""

    message: str
    line: int | None = None


@collected
@declared(kw_only=True)
class TraceReader:
    """A trace format.

    ``sniff(head, filename)`` says how sure it is, 0 to 100, from the first bytes; ``read(source)`` yields traces, and a
    ``ReadError`` for each record that is not a trace. ``grain`` is ``line`` if each line that is not blank is a
    separate record: a large file may then be read in parts, each from the start of a line. ``kept_at`` lists glob
    patterns for the tool's session files (``~`` and ``${VARIABLE:-default}`` are expanded); ``write`` returns a trace's
    bytes, if the format can be written.
    """

    name: str
    summary: str
    sniff: Callable[[bytes, str], int]
    read: Callable[[Source], Iterable["sentinel_core.ExecutionTrace | ReadError"]]
    grain: Literal["line", "file"] = "file"
    kept_at: tuple[str, ...] = ()
    write: Callable[["sentinel_core.ExecutionTrace"], bytes] | None = None
