"""``sentinel plugins new``: creates a plugin project with tests that pass."""

import keyword
import re
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

import click

from sentinel_core import __version__
from sentinel_core.cli.commands import CORE
from sentinel_core.errors import ConfigError
from sentinel_core.host.plugins import installed

__all__ = ["KINDS", "command"]


class _Kind(NamedTuple):
    """The group of its entry point, the form of its names, what stands between their words, and what its code imports."""

    group: str
    form: re.Pattern[str]
    joint: str
    requires: str = ""


_WORDS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_DASHED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
KINDS = {
    "command": _Kind("commands", _DASHED, "-", "click>=8.1.8"),
    "guardrail": _Kind("guardrails", _WORDS, "_", "attrs>=24.2"),
    "provider": _Kind("providers", _DASHED, "-", "attrs>=24.2"),
    "reader": _Kind("trace_readers", _DASHED, "-"),
    "signal": _Kind("signals", _WORDS, "_", "attrs>=24.2"),
    "tool": _Kind("tools", _WORDS, "_"),
}
_LONGEST = 40


@click.command("new")
@click.argument("kind", type=click.Choice(sorted(KINDS)))
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder to write the project to (default ./sentinel-KIND-NAME).",
)
def command(*, kind: str, name: str, into: Path | None) -> int:
    r"""Write a project for a plugin NAME of the kind KIND, with pyproject.toml, README.md, src/ and tests that pass.

    \b
    sentinel plugins new signal apology
    pip install -e './sentinel-signal-apology[test]'
    pytest sentinel-signal-apology
    """
    its = KINDS[kind]
    name = _named(name, its)
    distribution = f"sentinel-{kind}-{name.replace('_', '-')}"
    folder = Path(distribution) if into is None else into
    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        raise ConfigError(f'"{folder}" already exists and is not empty: choose another folder with --into')
    words = {
        "distribution": distribution,
        "group": its.group,
        "kind": kind,
        "module": distribution.replace("-", "_"),
        "name": name,
        "requires": f'"{its.requires}", ' if its.requires else "",
        "title": name.replace(its.joint, " "),
        "type": "".join(part.capitalize() for part in re.split("[-_]", name)),
        "version": __version__,
    }
    for path, text in _files(kind, words).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
        click.echo(f"wrote {folder / path}")
    click.echo(f"\npip install -e '{_beside(folder)}[test]' && pytest {folder}\nsentinel plugins show {name}")
    return 0


def _named(name: str, kind: _Kind) -> str:
    """The name in the form of its kind. Raises ``ConfigError`` for an invalid or taken name."""
    form = name.lower().replace("-" if kind.joint == "_" else "_", kind.joint)
    if not kind.form.fullmatch(form) or len(form) > _LONGEST or keyword.iskeyword(form):
        raise ConfigError(
            f'"{name}": a name must consist of lower-case words (letters and digits) joined by "{kind.joint}"'
        )
    if kind.group == "commands" and form in CORE:
        raise ConfigError(f'"{form}" is taken: it is a command of Sentinel itself; choose another name')
    for plugin in installed((kind.group,)):
        if plugin.name == form:
            raise ConfigError(f'"{form}" is taken by {plugin.origin}; choose another name')
    return form


def _files(kind: str, words: dict[str, str]) -> dict[str, str]:
    """Path in the project to text."""
    data = files("sentinel_command_start") / "data" / "new"
    places = {
        "pyproject.toml": data / "pyproject.toml.tmpl",
        "README.md": data / kind / "README.md.tmpl",
        f"src/{words['module']}/__init__.py": data / kind / "plugin.py.tmpl",
        f"tests/test_{words['module']}.py": data / kind / "test.py.tmpl",
    }
    made = {path: Template(place.read_text(encoding="utf-8")).substitute(words) for path, place in places.items()}
    return {**made, f"src/{words['module']}/py.typed": ""}


def _beside(folder: Path) -> str:
    """The folder as a path for pip, which takes a bare name for a package on the index."""
    return str(folder) if folder.is_absolute() else f"./{folder}"
