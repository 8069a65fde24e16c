"""The grammar of ``--plugins``: which plugins to load, decided by name alone, before anything is imported."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol, TypeVar

from sentinel_core.errors import PluginError

__all__ = [
    "KINDS",
    "PROVIDER_EXTRAS",
    "SELECTABLE",
    "Selection",
    "did_you_mean",
    "load_target_kind",
    "named",
    "no_provider",
]

KINDS = ("commands", "guardrails", "outputs", "providers", "signals", "tools", "trace_readers")
SELECTABLE = ("guardrails", "providers", "signals", "tools", "trace_readers")
"""The kinds that ``--plugins`` chooses among, and that have settings. A command is chosen by being called."""

PROVIDER_EXTRAS = {"anthropic": "anthropic", "ollama": "ollama", "openai": "openai", "openrouter": "openai"}
"""The extra that installs each provider of this project that ``[standard]`` leaves out."""

# An empty --plugins keeps what every command needs: a reader for the trace, a provider and tools for the agent.
_DISPENSABLE = ("guardrails", "signals")

_SIMILAR = 0.7
_ABBREVIATED = 3  # letters; so many are enough where they begin a name
_LONG = 6  # letters; for names this long a mistyped beginning is compared, too

_SEPARATORS = re.compile(r"[-_.]+")
_ADDED, _REMOVED = "+", "no:"


class Named(Protocol):
    """What a selection looks at of a plugin."""

    @property
    def kind(self) -> str:
        """The kind, such as ``signals``."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def distribution(self) -> str | None:
        """The distribution that offers it; None for a file."""


P = TypeVar("P", bound=Named)


class Selection(NamedTuple):
    """A parsed ``--plugins`` value; ``items`` is None if it was not given, which selects everything installed.

    ``loop,cost`` replaces the default selection of their kinds; ``+loop`` adds; ``signals:loop`` names the kind, ``my-loop:loop``
    the distribution; ``no:cost`` removes one; ``./my_signal.py`` and ``my_package.module`` add what is not installed.
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
        bare = (item.removeprefix(_ADDED) for item in self.items or ())
        return tuple(item for item in bare if load_target_kind(item) is not None)

    def asked_for(self, installed: Iterable[P]) -> set[P]:
        """The installed plugins that the user named. Raises ``PluginError`` as ``resolve`` does."""
        given = tuple(installed)
        return {one for item in (*self._items(""), *self._items(_ADDED)) for one in named(item, given)}

    def resolve(self, installed: Iterable[P]) -> set[P]:
        """The selected plugins; a name with its distribution leaves out its namesakes.

        Raises ``PluginError`` for a name that is unknown or ambiguous between two kinds.
        """
        given = tuple(installed)
        if self.items is None:
            return set(given)
        replacing = {one for item in self._items("") for one in named(item, given)}
        added = {item: named(item, given) for item in self._items(_ADDED)}
        replaced = {one.kind for one in replacing} if self.items else set(_DISPENSABLE)
        wanted = replacing.union({one for one in given if one.kind not in replaced}, *added.values())
        for item in (*self._items(""), *added):
            found = named(item, given)
            if _distribution_in(item):
                wanted -= {
                    one for one in given if one not in found and (one.kind, one.name) == (found[0].kind, found[0].name)
                }
        return wanted - {one for item in self._items(_REMOVED) for one in named(item, given)}

    def replaced(self, installed: Iterable[P]) -> dict[str, list[str]]:
        """By kind, the names of the installed plugins that are left out because others of their kind were named.

        Raises ``PluginError`` as ``resolve`` does.
        """
        given = tuple(installed)
        kinds = {one.kind for item in self._items("") for one in named(item, given)}
        wanted = {(one.kind, one.name) for one in self.resolve(given)}
        out = {(one.kind, one.name) for one in given if one.kind in kinds} - wanted
        return {
            kind: sorted(name for other, name in out if other == kind) for kind in sorted({kind for kind, _ in out})
        }

    def notes(self, installed: Iterable[P]) -> list[str]:
        """What to tell the user of ``replaced``, a line per kind; nothing if a name cannot be resolved, which is an error where it is used."""
        try:
            out = self.replaced(installed)
        except PluginError:
            return []
        return [
            f"--plugins leaves out the {kind.replace('_', ' ')} {', '.join(names)}; +NAME adds a plugin to the others"
            for kind, names in out.items()
        ]

    def _items(self, mark: str) -> list[str]:
        """The names of plugins that were given with this mark, without it."""
        names = (item.removeprefix(mark) for item in self.items or () if _mark(item) == mark)
        return [name for name in names if load_target_kind(name) is None]


def _mark(item: str) -> str:
    return next((mark for mark in (_ADDED, _REMOVED) if item.startswith(mark)), "")


def named(item: str, installed: Collection[P], *, kinds: Collection[str] = SELECTABLE) -> list[P]:
    """The plugins that ``loop``, ``signals:loop`` or ``my-loop:loop`` names: one, or namesakes of one kind.

    Raises ``PluginError`` if there is none, or if plugins of two kinds have the name.
    """
    *marks, name = item.split(":")
    known = {_normal(one.distribution) for one in installed if one.distribution}
    for mark in marks:
        if mark not in kinds and _normal(mark) not in known:
            raise PluginError(
                f'"{item}" in --plugins: there is no kind "{mark}"; the kinds are {", ".join(kinds)}, and no distribution of that name has a plugin'
            )
    found = [
        one
        for one in installed
        if one.name == name
        and all(mark == one.kind or _normal(mark) == _normal(one.distribution or "") for mark in marks)
    ]
    if not found:
        near = did_you_mean(name, {one.name for one in installed})
        raise PluginError(f'no plugin named "{item}" is installed{near} ("sentinel plugins" lists the plugins)')
    if len({one.kind for one in found}) > 1:
        choices = " or ".join(f'"{kind}:{name}"' for kind in sorted({one.kind for one in found}))
        raise PluginError(f'"{item}" in --plugins matches plugins of two kinds; write {choices}')
    return found


def _distribution_in(item: str) -> bool:
    return any(mark not in KINDS for mark in item.split(":")[:-1])


def _normal(distribution: str) -> str:
    return _SEPARATORS.sub("-", distribution).lower()


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
