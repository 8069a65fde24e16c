"""Suites from TOML and YAML files: strict, with a path in every error."""

import codecs
import tomllib
import types
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import attrs
import msgspec

from sentinel_command_suite.scenario import Suite
from sentinel_core.errors import InputError
from sentinel_core.host.selection import did_you_mean

__all__ = ["BUILT_IN", "decode_suite", "read_suite"]

BUILT_IN = ("release-risk",)
_MAX_BYTES = 4 << 20
_MAX_NODES = 200_000
_MAX_DEPTH = 40


def read_suite(name: str | Path) -> Suite:
    """A built-in suite by its name, or one in a ``.toml``, ``.yaml`` or ``.yml`` file.

    Raises ``InputError`` that names the file, the place in it, and what is wrong.
    """
    if str(name) in BUILT_IN:
        data = resources.files("sentinel_command_suite").joinpath(f"data/{name}.toml").read_bytes()
        return decode_suite(data, f"{name}.toml")
    path = Path(name)
    if not path.suffix and not path.exists():
        raise InputError(
            f'there is no suite "{name}"{did_you_mean(str(name), BUILT_IN)} '
            f"(built-in suites: {', '.join(BUILT_IN)}; or give a .toml or .yaml file)"
        )
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f'suite "{name}" cannot be read: {error.strerror}') from None
    return decode_suite(data, str(name), folder=path.parent)


def decode_suite(data: bytes, name: str, *, folder: Path | None = None) -> Suite:
    """A suite from a file's bytes; the ending of ``name`` decides the format. Release files are read from ``folder``.

    Raises ``InputError``.
    """
    document = _document(data, name)
    defaults = document.pop("defaults", {})
    scenarios = document.get("scenarios")
    if isinstance(defaults, dict) and isinstance(scenarios, list):
        document["scenarios"] = [
            _merged(defaults, scenario) if isinstance(scenario, dict) else scenario for scenario in scenarios
        ]
    problems = list(_unknown_keys(document, Suite, "$"))
    if problems:
        raise InputError(f'suite "{name}": {"; ".join(problems[:5])}')
    try:
        suite = msgspec.convert(document, Suite, strict=True)
    except msgspec.ValidationError as error:
        problem = str(error).replace(" - at ", " at ").replace("`", "")
        raise InputError(f'suite "{name}": {problem if " at $" in problem else problem + " at $"}') from None
    except (TypeError, ValueError) as error:
        raise InputError(f'suite "{name}": {error} at $') from None
    return attrs.evolve(suite, scenarios=tuple(_with_release(scenario, name, folder) for scenario in suite.scenarios))


def _document(data: bytes, name: str) -> dict[str, Any]:
    if len(data) > _MAX_BYTES:
        raise InputError(f'suite "{name}" is larger than {_MAX_BYTES >> 20} MB')
    try:
        document = _yaml(data) if name.endswith((".yaml", ".yml")) else tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f'suite "{name}" is not TOML: {error}') from None
    except InputError as error:
        raise InputError(f'suite "{name}" {error}') from None
    if not isinstance(document, dict):
        raise InputError(f'suite "{name}" must contain a table at the top level ($), not {type(document).__name__}')
    return document


def _yaml(data: bytes) -> Any:
    """Plain YAML without aliases: a few lines of those can expand to gigabytes."""
    try:
        import yaml
    except ImportError:
        raise InputError("needs a YAML reader: pip install 'reliability-sentinel[yaml]', or write it as TOML") from None
    try:
        _check_nodes(yaml.parse(data, Loader=yaml.SafeLoader))
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML: {' '.join(str(error).split())}") from None


def _check_nodes(events: Iterator[Any]) -> None:
    """Raise ``InputError`` for an alias, too many nodes or too deep nesting."""
    depth = 0
    for count, event in enumerate(events):
        name = type(event).__name__
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if name == "AliasEvent":
            raise InputError(f"uses the alias *{event.anchor}; write the value out, because aliases are not supported")
        if count > _MAX_NODES or depth > _MAX_DEPTH:
            raise InputError(f"has more than {_MAX_NODES} nodes" if count > _MAX_NODES else "is nested too deeply")


def _merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults with a scenario's own values over them, table by table."""
    merged = dict(defaults)
    for key, value in own.items():
        before = merged.get(key)
        merged[key] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def _unknown_keys(value: object, wanted: Any, path: str, depth: int = 0) -> Iterator[str]:
    """Keys that no field has. Wrong types are left to the conversion."""
    if depth > _MAX_DEPTH:
        yield f"is nested too deeply at {path}"
        return
    if attrs.has(wanted) and isinstance(value, dict):
        fields = {field.name: field for field in attrs.fields(attrs.resolve_types(wanted))}
        for key, inner in value.items():
            if key in fields:
                yield from _unknown_keys(inner, fields[key].type, f"{path}.{key}", depth + 1)
            else:
                yield f'unknown key "{key}"{did_you_mean(str(key), fields)} at {path}'
        return
    for part, inner, at in _parts(value, wanted):
        yield from _unknown_keys(inner, part, f"{path}{at}", depth + 1)


def _parts(value: object, wanted: Any) -> Iterator[tuple[Any, object, str]]:
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        for argument in arguments:
            yield argument, value, ""
    elif origin is tuple and isinstance(value, list):
        for place, inner in enumerate(value):
            yield arguments[0], inner, f"[{place}]"
    elif origin is dict and isinstance(value, dict):
        for key, inner in value.items():
            yield arguments[1], inner, f".{key}"


def _with_release(scenario: Any, name: str, folder: Path | None) -> Any:
    """The scenario with the release of its file. Without a release id, it gets the release's version."""
    release = scenario.release
    if scenario.release_file is not None:
        release = _release(scenario, name, folder)
    named = release.get("version") if release else None
    release_id = named if isinstance(named, str) and named and scenario.release_id == "v1.0.0" else scenario.release_id
    return attrs.evolve(scenario, release=release, release_file=None, release_id=release_id)


def _release(scenario: Any, name: str, folder: Path | None) -> dict[str, Any]:
    from sentinel_core.trace import from_json

    where = f'suite "{name}": scenario "{scenario.id}"'
    if scenario.release is not None:
        raise InputError(f"{where} has both a release and a release_file; leave one of them out")
    path = (folder or Path()) / scenario.release_file
    try:
        with path.open("rb") as file:
            release = from_json(file.read(_MAX_BYTES).removeprefix(codecs.BOM_UTF8))
    except OSError as error:
        raise InputError(f'{where}: release_file "{scenario.release_file}" cannot be read: {error.strerror}') from None
    except (ValueError, RecursionError) as error:
        raise InputError(f'{where}: release_file "{scenario.release_file}" is not JSON: {error}') from None
    if not isinstance(release, dict):
        raise InputError(f'{where}: release_file "{scenario.release_file}" must contain a JSON object')
    return release
