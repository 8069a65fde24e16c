"""Binds guardrails to their settings, and calls them so that a broken one can only end a family.

After an attempt the orchestrator asks them, while it runs the live guard: its index grows with each message, and ``evaluate``
judges it like a finished trace, so the report on the first n messages is the report that a trace of these messages gets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import msgspec

from sentinel_core.errors import PluginError
from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.evaluate.foreign import describe_in_place, refused_type
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.decide import Quality
from sentinel_core.guardrails.facts import FAILED, History, Ruling
from sentinel_core.host.panel import bind_settings
from sentinel_core.host.plugins import LoadFailure, Plugin
from sentinel_core.host.settings import Layers
from sentinel_core.offers import Guardrail
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.watch import Watch
from sentinel_core.trace import ExecutionTrace, Message, TokenUsage

__all__ = [
    "EACH_UP_TO",
    "BoundGuardrail",
    "LiveGuard",
    "ask_all",
    "bind_guardrails",
    "bound",
    "failed_ruling",
    "quality_of",
    "watched",
]

EACH_UP_TO = 1_000
"""Up to this many messages, every message is followed by an evaluation; beyond, one in every n/500 messages."""

_PARTS = 500

_ACTIONS = ("allow", "stop_attempt", "finalize")


@attrs.frozen(kw_only=True)
class BoundGuardrail:
    """A guardrail with its settings bound."""

    name: str
    check: Callable[[History], object]


def bind_guardrails(
    plugins: Iterable[Plugin], failures: Sequence[LoadFailure], layers: Layers
) -> tuple[BoundGuardrail, ...]:
    """Every guardrail among the plugins, by name; one that could not be loaded rules ``guardrail_failed`` each time.

    Raises ``ConfigError`` for a setting that cannot be used.
    """
    made = [_broken(failure.source.name, failure.error) for failure in failures if failure.source.kind == "guardrails"]
    for plugin in plugins:
        source = plugin.source
        if source.kind == "guardrails":
            try:
                settings = layers.of_plugin("guardrails", source.name, plugin.offer.settings)
            except PluginError as error:
                made.append(_broken(source.name, str(error)))
            else:
                made.append(BoundGuardrail(name=source.name, check=bind_settings(plugin.offer.check, settings)))
    return tuple(sorted(made, key=lambda guardrail: guardrail.name))


def quality_of(layers: Layers) -> Quality:
    """The configured thresholds."""
    host = layers.host()
    return Quality(alignment_threshold=host.alignment_threshold, drift_threshold=host.drift_threshold)


def bound(guardrail: Guardrail, settings: object = None) -> BoundGuardrail:
    """One guardrail with these settings, or with its defaults."""
    if settings is None and guardrail.settings is not None:
        settings = guardrail.settings()
    return BoundGuardrail(name=guardrail.name, check=bind_settings(guardrail.check, settings))


def watched(guardrail: BoundGuardrail, watch: Watch) -> BoundGuardrail:
    """The guardrail in a child process: notes that it is at work, and rejects side effects."""

    def check(history: History) -> object:
        with watch("rule", f"guardrails:{guardrail.name}"):
            return guardrail.check(history)

    return attrs.evolve(guardrail, check=check)


def ask_all(guardrails: Iterable[BoundGuardrail], history: History) -> Mapping[str, Ruling]:
    """Each guardrail's ruling. One that raises, or answers with anything else, rules ``guardrail_failed``."""
    return {guardrail.name: _ask(guardrail, history) for guardrail in guardrails}


def failed_ruling(name: str, error: str) -> Ruling:
    """The ruling for a guardrail that failed: finalize, because its own ruling is unknown."""
    return Ruling(action="finalize", reason=FAILED, detail=f'Guardrail "{name}" {error}.')


def _ask(guardrail: BoundGuardrail, history: History) -> Ruling:
    try:
        ruling = guardrail.check(history)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises ends this family, and nothing else
        return failed_ruling(guardrail.name, describe_in_place(error))
    if problem := _misfit(ruling):
        return failed_ruling(guardrail.name, problem)
    assert isinstance(ruling, Ruling)
    return ruling


def _misfit(ruling: object) -> str:
    """Why a guardrail's answer cannot be used or stored; empty if it can."""
    if not isinstance(ruling, Ruling):
        return f"returned {refused_type(ruling)}; expected a Ruling"
    if ruling.action not in _ACTIONS:
        return f'returned the unknown action "{ruling.action!s:.40}"'
    if ruling.action != "allow" and not (isinstance(ruling.reason, str) and ruling.reason.strip()):
        return f'returned the ruling "{ruling.action}" without a reason'
    facts: object = ruling.facts
    if not isinstance(facts, Mapping):
        return f"returned facts that are a {type(facts).__name__}; expected a dict"
    try:
        msgspec.json.encode(ruling)
    except (TypeError, ValueError) as error:
        return f"returned a ruling that cannot be encoded as JSON: {error}"
    return ""


def _broken(name: str, error: str) -> BoundGuardrail:
    return BoundGuardrail(name=name, check=lambda _history: failed_ruling(name, error.rstrip(".")))


class LiveGuard:
    """Watches one attempt.

    ``header`` is its trace without messages: id, metadata, available tools. ``history`` holds the family's finished attempts.
    Pass every message to ``check`` as it happens; a ruling in return means stop.
    """

    def __init__(
        self,
        header: ExecutionTrace,
        panel: Panel,
        guardrails: Sequence[BoundGuardrail],
        history: History | None = None,
    ) -> None:
        self._index = TraceIndex(attrs.evolve(header, messages=()))
        self._panel = panel
        self._guardrails = tuple(guardrails)
        self._history = History(attempts=()) if history is None else history
        self._judged = 0
        self.report: ReliabilityReport | None = None
        self.ruled_by = ""
        self.failed: dict[str, Ruling] = {}

    def check(self, message: Message, *, token_usage: TokenUsage | None = None) -> Ruling | None:
        """The first ruling, in order of the guardrails' names, that stops the attempt; None if there is none.

        ``ruled_by`` is then that guardrail's name. A guardrail that fails stops nothing: its first failure is kept in
        ``failed``. ``token_usage`` is the attempt's usage so far, if known.
        """
        self._index.extend((message,))
        if token_usage is not None:
            self._index.trace = attrs.evolve(self._index.trace, token_usage=token_usage)
        if not self._is_due():
            return None
        history = attrs.evolve(self._history, live=self.judge())
        rulings = ask_all(self._guardrails, history)
        self.failed = {name: ruling for name, ruling in rulings.items() if ruling.reason == FAILED} | self.failed
        self.ruled_by, ruling = next(
            ((name, rulings[name]) for name in sorted(rulings) if _stops(rulings[name])), ("", None)
        )
        return ruling

    def judge(self) -> ReliabilityReport:
        """The report on all messages so far, also kept as ``report``."""
        self._judged = len(self._index.messages)
        self.report = evaluate(self._index, self._panel)
        return self.report

    def _is_due(self) -> bool:
        count = len(self._index.messages)
        return count <= EACH_UP_TO or (count - self._judged) * _PARTS >= count


def _stops(ruling: Ruling) -> bool:
    return ruling.action != "allow" and ruling.reason != FAILED
