"""The grammar of ``--plugins``: which plugins to load, decided by name alone, before anything is imported."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sentinel_core.errors import PluginError

__all__ = ["KINDS", "PROVIDER_EXTRAS", "SELECTABLE", "Selection", "did_you_mean", "load_target_kind", "no_provider"]

KINDS = ("commands", "guardrails", "providers", "signals", "tools", "trace_readers")
SELECTABLE = ("guardrails", "providers", "signals", "tools", "trace_readers")
"""The kinds that ``--plugins`` chooses among, and that have settings. A command is chosen by being called."""

PROVIDER_EXTRAS = {"anthropic": "anthropic", "ollama": "ollama", "openai": "openai", "openrouter": "openai"}
"""The extra that installs each provider of this project that ``[standard]`` leaves out."""

# An empty --plugins keeps what every command needs: a reader for the trace, a provider and tools for the agent.
_DISPENSABLE = ("guardrails", "signals")

_SIMILAR = 0.7
_ABBREVIATED = 3  # letters; so many are enough where they begin a name
_LONG = 6  # letters; for names this long a mistyped beginning is compared, too

Label = tuple[str, str]


class Selection(NamedTuple):
    """A parsed ``--plugins`` value; ``items`` is None if it was not given, which selects everything installed.

    ``loop,cost`` replaces the default selection of their kinds; ``signals:loop`` names the kind; ``no:cost`` removes one;
    ``./my_signal.py`` and ``my_package.module`` add what is not installed.
    """

    items: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, text: str | None) -> "Selection":
        """From a comma-separated list; duplicates count once."""
        if text is None:
            return cls()
        return cls(tuple(dict.fromkeys(item.strip() for item in text.split(",") if item.strip())))

    @property
    def targets(self) -> tuple[str, ...]:
        """Files and modules to load that are not installed."""
        return tuple(item for item in self.items or () if load_target_kind(item) is not None)

    def asked_for(self, installed: Collection[Label]) -> set[Label]:
        """The installed plugins that the user named."""
        return {_find(item, installed) for item in self._names()}

    def resolve(self, installed: Collection[Label]) -> set[Label]:
        """The selected plugins. Raises ``PluginError`` for a name that is unknown or ambiguous."""
        if self.items is None:
            return set(installed)
        named = self.asked_for(installed)
        replaced = {kind for kind, _ in named} if self.items else set(_DISPENSABLE)
        wanted = named | {label for label in installed if label[0] not in replaced}
        return wanted - {_find(item.removeprefix("no:"), installed) for item in self.items if item.startswith("no:")}

    def _names(self) -> Iterable[str]:
        return (item for item in self.items or () if not item.startswith("no:") and load_target_kind(item) is None)


def load_target_kind(item: str) -> str | None:
    """``file`` or ``module`` for an item that names one, None for a plugin's name."""
    if item.endswith(".py") or "/" in item:
        return "file"
    return "module" if "." in item and ":" not in item else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean "loop"?``, or nothing if no known name is similar."""
    ranked = sorted((-_similarity(name, other), other) for other in known)
    return f'; did you mean "{ranked[0][1]}"?' if ranked and -ranked[0][0] >= _SIMILAR else ""


def no_provider(name: str, known: Collection[str]) -> PluginError:
    """The error for a provider that is not among the ``known`` ones, which are installed."""
    if name in PROVIDER_EXTRAS:
        near = f": pip install 'reliability-sentinel[{PROVIDER_EXTRAS[name]}]'"
    else:
        near = f"{did_you_mean(name, known)} (installed: {', '.join(sorted(known)) or 'none'})"
    return PluginError(f'no provider "{name}" is installed{near}')


def _similarity(name: str, other: str) -> float:
    """Similarity from 0 to 1; the beginning of a name counts, too, mistyped if it is long, and so does what follows the last dot."""
    import difflib

    if "." in other and "." not in name:
        return max(_similarity(name, part) for part in (other.rpartition(".")[2], other.replace(".", " ")))
    whole = difflib.SequenceMatcher(None, other, name).ratio()
    start = difflib.SequenceMatcher(None, other[: len(name)], name).ratio() if len(name) >= _LONG else 0.0
    begun = _SIMILAR if len(name) >= _ABBREVIATED and other.startswith(name) else 0.0
    return max(whole, start, begun)


def _find(item: str, installed: Collection[Label]) -> Label:
    kind, _, name = item.rpartition(":")
    if kind and kind not in SELECTABLE:
        raise PluginError(f'"{item}" in --plugins: there is no kind "{kind}"; the kinds are {", ".join(SELECTABLE)}')
    found = sorted(label for label in installed if label[1] == name and kind in ("", label[0]))
    if not found:
        known = {label[1] for label in installed}
        raise PluginError(
            f'no plugin named "{item}" is installed{did_you_mean(name, known)} ("sentinel plugins" lists the plugins)'
        )
    if len(found) > 1:
        choices = " or ".join(f'"{kind}:{name}"' for kind, name in found)
        raise PluginError(f'"{item}" in --plugins matches plugins of two kinds; write {choices}')
    return found[0]
