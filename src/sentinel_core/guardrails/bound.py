"""Binds guardrails to their settings, and calls them so that a broken one can only end a family."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
import msgspec

from sentinel_core.errors import PluginError
from sentinel_core.evaluate.foreign import describe_in_place, refused_type
from sentinel_core.guardrails.facts import FAILED, History, Ruling
from sentinel_core.host.panel import bind_settings
from sentinel_core.host.plugins import LoadFailure, Plugin
from sentinel_core.host.settings import Layers
from sentinel_core.offers import Guardrail
from sentinel_core.runtime.watch import Watch

__all__ = ["BoundGuardrail", "ask_all", "bind_guardrails", "bound", "failed_ruling", "watched"]

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
