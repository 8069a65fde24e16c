"""Reads settings: flag, then environment, then ``sentinel.toml`` or ``[tool.sentinel]``, then default.

Keys are dotted: ``fail_on``, ``weights.my_signal``, ``signals.cost.budget_tokens``. Unknown keys are errors.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from sentinel_core.errors import ConfigError, PluginError, error_text
from sentinel_core.host.conversion import Setting, beside, convert, printed, settable, shown
from sentinel_core.host.selection import SELECTABLE, did_you_mean, load_target_kind
from sentinel_core.profile import PROFILES, STANDARD

__all__ = ["HostSettings", "Layers", "Setting", "find_file", "read_layers"]

_BOM = b"\xef\xbb\xbf"
_NO_CONFIG = "no_config"
_MISTYPED = 0.92  # "SENTINEL_FAILON" is like "SENTINEL_FAIL_ON" by 0.97; the common prefix counts, too
_MISTYPED_TABLE = 0.88  # "tool" is like "tools" by 0.89
_FLAGS = {"baseline": "baseline", "expect": "expect", "expect_file": "expect-file"}
_DOTS = {
    "rules": 1,
    "weights": 1,
    "agent": 1,
    **dict.fromkeys(SELECTABLE, 2),
}  # a weight's name; a field; a plugin's name and its field


@attrs.frozen(kw_only=True)
class HostSettings:
    """The settings of Sentinel itself.

    ``timeout`` is in seconds per record; ``max_memory_mb`` caps what judging may use beyond the memory at start,
    ``max_record_mb`` one record after decompression. Loops are saved in ``store``. A run below ``alignment_threshold`` or
    above ``drift_threshold`` is tried again; without ``reflect`` it has one attempt. The ``reflector`` rates an attempt:
    fixed rules, or two personas of the run's own model. ``no_config``, which no file can set, reads no file.
    """

    profile: str = STANDARD.name
    """Weights, thresholds and critical rules: ``standard``, ``rs1``, or a TOML file."""
    fail_on: Literal["warn", "fail", "never"] = "warn"
    """The mildest verdict whose exit code is not 0."""
    timeout: float = attrs.field(default=60.0, validator=[attrs.validators.gt(0), attrs.validators.le(1e6)])
    """Time limit for one record, in seconds."""
    max_memory_mb: int = attrs.field(default=4096, validator=[attrs.validators.gt(0), attrs.validators.le(1 << 30)])
    """Memory limit for judging, in addition to the memory in use at the start."""
    max_record_mb: int = attrs.field(default=256, validator=attrs.validators.gt(0))
    """Size limit for one record after decompression."""
    strict: bool = False
    """Give no verdict on a trace that could not be read completely, and reject unknown and repeated keys."""
    plugins: str | None = None
    """Which plugins to load; if not set, every installed plugin."""
    provider: str | None = None
    """The provider that judges in ``sentinel run``; if not set, the first of anthropic, openrouter and openai that has a key, otherwise offline."""
    fail_on_risk: Literal["high", "medium"] | None = None
    """``sentinel run`` exits with code 2 if the risk of the release has this severity or a higher one."""
    store: str | None = None
    """Where attempts and decisions are stored: a path or ``postgresql://...``; if not set, ``.sentinel/loops.sqlite3``."""
    alignment_threshold: float = attrs.field(default=0.75, validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    """An attempt with an alignment score below this value is repeated."""
    drift_threshold: float = attrs.field(default=0.25, validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    """An attempt with a drift score above this value is repeated."""
    reflect: bool = True
    """Whether ``sentinel run`` may repeat an attempt; if false, a run has only one attempt."""
    reflector: Literal["rules", "llm"] = "rules"
    """How an attempt is rated: by fixed rules, or by two personas of the run's own model."""
    no_config: bool = False
    """Do not read a settings file. A settings file cannot set this option."""


@attrs.frozen(kw_only=True)
class Layers:
    """Every value that was set, by dotted key; the strongest layer wins.

    Text from flags and the environment stays text until the setting's type is known.
    """

    values: Mapping[str, Setting] = attrs.field(factory=dict)
    suspects: tuple[str, ...] = ()
    """Warnings about variables that look like a mistyped setting."""

    def host(self) -> HostSettings:
        """The host's own settings. Raises ``ConfigError`` for a key or value that cannot be used, the agent's included."""
        names = [field.name for field in attrs.fields(HostSettings)]
        for key, setting in self.values.items():
            head = key.partition(".")[0]
            if head not in (*names, *SELECTABLE, "agent", "rules", "weights"):
                raise ConfigError(f'unknown setting "{key}" from {setting.origin}{_near(key, names)}')
            if key.count(".") < _DOTS.get(head, 0):
                raise ConfigError(f'"{key}" from {setting.origin} must be a table, but it is {shown(setting.value)}')
        if any(key.startswith("agent.") for key in self.values):
            from sentinel_core.host.agent_settings import AgentSettings

            self.of_agent(AgentSettings)
        made: HostSettings = self._fill(HostSettings, "")
        return made

    def weights(self) -> dict[str, float]:
        """Weights by signal name."""
        found = {}
        for key, setting in self.values.items():
            if key.startswith("weights."):
                found[key.removeprefix("weights.")] = convert(setting, float)
        return found

    def rules(self) -> list[Setting]:
        """What is set of rules, as it was set."""
        return [setting for key, setting in sorted(self.values.items()) if key.startswith("rules.")]

    def of_agent(self, wanted: type) -> Any:
        """The agent's settings, of the class ``wanted``. Raises ``ConfigError`` for a key or value that cannot be used."""
        return self._fill(wanted, "agent.")

    def of_plugin(self, kind: str, name: str, wanted: type | None) -> Any:
        """A plugin's settings object, or None if it takes none.

        Raises ``ConfigError`` for a wrong value, ``PluginError`` if a setting has neither a default nor a value, or the
        class refuses its own defaults.
        """
        if wanted is not None:
            return self._fill(wanted, f"{kind}.{name}.")
        for key, setting in self.values.items():
            if key.startswith(f"{kind}.{name}."):
                raise ConfigError(f'"{key}" from {setting.origin}: {name} has no settings')
        return None

    def explain(self, prefix: str, filled: Any) -> list[Setting]:
        """Every field of a filled settings object with its origin."""
        values = printed(filled)
        return [
            Setting(
                key=f"{prefix}{name}",
                value=values[field.name],
                origin=self.values[f"{prefix}{name}"].origin if f"{prefix}{name}" in self.values else "default",
            )
            for name, field in settable(type(filled)).items()
        ]

    def refuse_unknown_plugins(self, known: Iterable[tuple[str, str]], kinds: Collection[str] = SELECTABLE) -> None:
        """Raises ``ConfigError`` for settings of a plugin of these kinds that is not installed."""
        labels = set(known)
        for key, setting in self.values.items():
            kind, _, rest = key.partition(".")
            name = rest.rpartition(".")[0]
            if kind in kinds and (kind, name) not in labels:
                near = did_you_mean(name, (other for other_kind, other in labels if other_kind == kind))
                raise ConfigError(f'"{key}" from {setting.origin}: no {kind} plugin "{name}" is installed{near}')

    def _fill(self, wanted: type, prefix: str) -> Any:
        fields = settable(wanted)
        values = {}
        for key, setting in self.values.items():
            name = key.removeprefix(prefix)
            if not key.startswith(prefix) or (
                not prefix and name.partition(".")[0] in (*SELECTABLE, "agent", "rules", "weights")
            ):
                continue
            if name not in fields:
                raise ConfigError(f'unknown setting "{key}" from {setting.origin}{did_you_mean(name, fields)}')
            values[name] = convert(setting, fields[name].type or Any, fields[name].metadata)
        missing = [name for name, field in fields.items() if field.default is attrs.NOTHING and name not in values]
        if missing:
            raise PluginError(f'needs the setting "{prefix}{missing[0]}": give it in sentinel.toml or with --set')
        try:
            return wanted(**values)
        except Exception as error:  # a plugin's validators may raise anything
            if values and isinstance(error, (TypeError, ValueError)):
                raise self._refused(prefix, tuple(values), str(next(iter(error.args), error))) from None
            raise PluginError(f"its settings class failed: {type(error).__name__}: {error_text(error)}") from error

    def _refused(self, prefix: str, names: Collection[str], problem: str) -> ConfigError:
        """The error for values that a settings class refused, with the field name replaced by the key that the user set."""
        named = [name for name in names if f"'{name}'" in problem]
        for name in named:
            problem = problem.replace(f"'{name}'", f'"{prefix}{name}"')
        about = "" if named else prefix or "settings "
        origins = ", ".join(sorted({self.values[f"{prefix}{name}"].origin for name in named or names}))
        return ConfigError(f"{about}{problem} (from {origins})")


def _near(key: str, names: Collection[str]) -> str:
    """What may have been meant by a key that is no setting of the host's ``names`` and no table."""
    head = key.partition(".")[0]
    if key.startswith("tool.sentinel."):
        return '; "[tool.sentinel]" is for pyproject.toml: sentinel.toml has its keys at the top'
    if head in _FLAGS:
        return f"; it can only be given as a flag: --{_FLAGS[head]}"
    return did_you_mean(head, (*names, *SELECTABLE, "agent", "rules", "weights"))


def find_file(start: Path) -> Path | None:
    """The nearest ``sentinel.toml``, or ``pyproject.toml`` with ``[tool.sentinel]``, from ``start`` upwards."""
    for folder in (start, *start.parents):
        if (own := folder / "sentinel.toml").exists():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and _names_us(project):
            return project
    return None


def _names_us(project: Path) -> bool:
    """Whether it has ``[tool.sentinel]``. Looks for the word first, because parsing TOML is slow."""
    return b"sentinel" in _bytes_of(project) and "sentinel" in _read_toml(project).get("tool", {})


def read_layers(
    flags: Mapping[str, tuple[Any, str]], *, environ: Mapping[str, str] = os.environ, folder: Path | None = None
) -> Layers:
    """Merge the layers. ``flags`` maps a dotted key to its value and the flag's name.

    Paths in the file start in its folder, all others in the working directory. With ``no_config`` no file is read. Raises
    ``ConfigError`` for a file that is not TOML, and for another user's file above the working directory.
    """
    above: dict[str, Setting] = {}
    suspects = []
    for name, text in sorted(environ.items()):
        if (key := _environment_key(name)) is not None:
            above[key] = Setting(key=key, value=text, origin=name)
        elif suspect := _mistyped_variable(name):
            suspects.append(suspect)
    for key, (value, flag) in flags.items():
        above[key] = Setting(key=key, value=value, origin=flag)
    if _NO_CONFIG in above and convert(above[_NO_CONFIG], bool):
        return Layers(values=above, suspects=tuple(suspects))
    return Layers(
        values={**_file_settings(Path.cwd() if folder is None else folder), **above}, suspects=tuple(suspects)
    )


def _file_settings(start: Path) -> dict[str, Setting]:
    """The settings of the nearest file, if there is one."""
    file = find_file(start)
    if file is None:
        return {}
    _refuse_foreign(file, start)
    document = _read_toml(file)
    table = document if file.name == "sentinel.toml" else document["tool"]["sentinel"]
    if _NO_CONFIG in table:
        raise ConfigError(
            f'"{_NO_CONFIG}" from {file.name}: no file can set it; use --no-config or set SENTINEL_NO_CONFIG=1'
        )
    folder = "" if file.parent == start else os.path.relpath(file.parent, start)
    values = {}
    for key, value in _flat(table, ""):
        placed = _PLACED[key](value, folder) if key in _PLACED and isinstance(value, (str, list)) else value
        values[key] = Setting(key=key, value=placed, origin=file.name, folder=folder)
    return values


def _refuse_foreign(file: Path, start: Path) -> None:
    """Raise ``ConfigError`` for another user's file above ``start``, because settings can run code.

    A file whose folder belongs to the same user is fine: root in a container works in a mounted checkout.
    """
    if file.parent == start or not hasattr(os, "geteuid"):
        return
    owner = file.lstat().st_uid
    if owner not in (0, os.geteuid(), start.stat().st_uid, file.parent.stat().st_uid):
        raise ConfigError(
            f'"{file}" belongs to {_user(owner)}, who owns neither its folder nor the working directory, and settings can run '
            "code: put your own sentinel.toml here, or read no settings file (--no-config, SENTINEL_NO_CONFIG=1)"
        )


def _user(number: int) -> str:
    import pwd

    try:
        return f'"{pwd.getpwuid(number).pw_name}"'
    except KeyError:
        return f"user {number}"


def _plugins_beside(value: str | list[Any], folder: str) -> str:
    """The list of plugins, comma-separated as in the flag."""
    items = value.split(",") if isinstance(value, str) else map(str, value)
    return ",".join(
        beside(item.strip().removeprefix("+"), folder) if load_target_kind(item) == "file" else item for item in items
    )


def _profile_beside(value: Any, folder: str) -> Any:
    return value if not isinstance(value, str) or value in PROFILES else beside(value, folder)


def _beside_scheme(*schemes: str) -> Callable[[Any, str], Any]:
    """For values such as ``sqlite:PATH``; a value with another scheme is not a path."""

    def place(value: Any, folder: str) -> Any:
        scheme, colon, path = value.partition(":") if isinstance(value, str) else ("", "", "")
        if colon:
            return f"{scheme}:{beside(path, folder)}" if scheme in schemes else value
        return beside(value, folder) if "" in schemes else value

    return place


_PLACED: Mapping[str, Callable[[Any, str], Any]] = {
    "plugins": _plugins_beside,
    "profile": _profile_beside,
    "provider": _beside_scheme("replay"),
    "store": _beside_scheme("sqlite", ""),
}
"""Host settings with paths, and how to make those relative to the working directory."""


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_bytes_of(path).removeprefix(_BOM).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f'"{path.name}" is not TOML: {error}') from None


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f'"{path.name}" cannot be read: {error.strerror}') from None


def _flat(table: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and prefix.count(".") < 2:  # noqa: PLR2004 - kind, plugin, field
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _mistyped_variable(name: str) -> str | None:
    """A warning if the variable looks like a mistyped setting; None if it may be another program's."""
    if not name.startswith("SENTINEL_"):
        return None
    head, *rest = name.removeprefix("SENTINEL_").lower().split("__")
    problem = f'the environment variable "{name}" is not a setting'
    if not rest:
        meant = _nearest(name, [f"SENTINEL_{field.name.upper()}" for field in attrs.fields(HostSettings)], _MISTYPED)
        return meant and f'{problem}; did you mean "{meant}"?'
    table = _nearest(head, [*SELECTABLE, "agent", "rules", "weights"], _MISTYPED_TABLE)
    if table is None:
        return None
    if table == "rules":
        return f"{problem}; the level of a rule is set with --rule, or in sentinel.toml"
    if table == "weights":
        return f"{problem}; set a weight with --weight, or in sentinel.toml"
    form = "AGENT__FIELD" if table == "agent" else f"{table.upper()}__NAME__FIELD"
    return f"{problem}; did you mean SENTINEL_{form}?"


def _nearest(name: str, known: Sequence[str], cutoff: float) -> str | None:
    """The known name most similar to ``name``: one or two letters are wrong, missing or too many."""
    import difflib

    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=cutoff)), None)


def _environment_key(name: str) -> str | None:
    """``SENTINEL_FAIL_ON`` is ``fail_on``; ``SENTINEL_SIGNALS__COST__BUDGET_TOKENS`` is a plugin's setting.

    Other variables that begin with ``SENTINEL_`` belong to other programs.
    """
    key = name.removeprefix("SENTINEL_").lower()
    if key == name.lower():
        return None
    parts = key.split("__")
    if len(parts) == 2 and parts[0] == "agent":  # noqa: PLR2004 - the table and its field
        return ".".join(parts)
    if len(parts) == 3 and parts[0] in SELECTABLE:  # noqa: PLR2004 - kind, plugin, field
        return ".".join(parts)
    return key if key in {field.name for field in attrs.fields(HostSettings)} else None
