"""The checks of ``sentinel doctor``. They change nothing and never print a key."""

import ipaddress
import os
import platform
import re
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from sentinel_command_start.providers import Reached, providers_of
from sentinel_core.cli import HOME
from sentinel_core.cli.plugins import described
from sentinel_core.cli.sessions import known_places, sessions_in
from sentinel_core.guardrails import DEFAULT_STORE
from sentinel_core.host.panel import weighted
from sentinel_core.host.plugins import Installed, clashes, installed, misnamed
from sentinel_core.host.selection import KINDS, Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.printable import counted
from sentinel_core.runtime.state_files import refuse_detours

__all__ = ["Row", "formats", "plugins", "providers", "python", "stores", "weights"]

State = Literal["ok", "off", "warning", "error"]

_EVERYTHING = 'pip install "reliability-sentinel[standard]"'
_POSTGRES = 5432
_ASKED = "opened a connection to ask, and sent nothing"
_MOMENT = 0.5  # seconds for a server on this machine or beside it


class Row(NamedTuple):
    """The result of a check. ``off`` means not set up, which is fine; ``fix`` is a command, or what to change."""

    check: str
    state: State
    detail: str
    fix: str = ""


def python() -> Iterator[Row]:
    """The version, and whether ``re`` handles a group inside a possessive quantifier (some versions raise ``SystemError``)."""
    version = f"{platform.python_implementation()} {platform.python_version()}"
    try:
        is_sound = re.fullmatch("((x)|y|z)*+", "xyz") is not None
    except SystemError:
        is_sound = False
    if is_sound:
        yield Row("python", "ok", version)
    else:
        broken = "re handles some possessive quantifiers wrongly (Sentinel uses none; plugins must not either)"
        yield Row("python", "ok", f"{version}; {broken}")


def plugins(timeout: float) -> Iterator[Row]:
    """Every installed plugin, loaded in a process of its own."""
    found = installed()
    for misnomer in misnamed():
        yield Row("plugins", "warning", misnomer, "fix the name of the group in that project's pyproject.toml")
    for clash in clashes(found):
        yield Row("plugins", "error", clash, "pip uninstall one of the two")
    broken = 0
    for plugin in found:
        _, error = described(plugin, timeout)
        if error:
            broken += 1
            yield Row(plugin.label, "error", f"{plugin.origin} {error}", _reinstall(plugin))
    of_kinds = (counted(sum(plugin.kind == kind for plugin in found), kind[:-1].replace("_", " ")) for kind in KINDS)
    detail = f"{counted(len(found), 'plugin')}: {', '.join(of_kinds)}; {broken or 'none'} broken"
    yield Row("plugins", "ok", detail) if found else Row("plugins", "error", "none is installed", _EVERYTHING)


def _reinstall(plugin: Installed) -> str:
    return f"pip install --upgrade --force-reinstall {plugin.distribution}, or pip uninstall {plugin.distribution}"


def weights(layers: Layers, selection: Selection) -> Iterator[Row]:
    """Signals that the profile needs and that are not installed: without them no trace gets a verdict."""
    there = {(plugin.kind, plugin.name) for plugin in installed() if plugin.kind == "signals"}
    names = {name for _, name in there}
    profile = weighted(layers, names)
    counting = {name for name, weight in profile.weights.items() if weight} | {
        rule.signal_name for rule in profile.critical
    }
    left_out = {item.removeprefix("no:").rpartition(":")[2] for item in selection.items or ()}
    missing = sorted(counting - names - left_out)
    detail = f"profile {profile.name}, {counted(len(counting & names), 'signal')} that count towards the verdict"
    if missing:
        yield Row("profile", "error", f"{detail}; not installed: {', '.join(missing)}", _EVERYTHING)
    else:
        yield Row("profile", "ok", detail)


def formats(selected: str | None) -> Iterator[Row]:
    """The sessions on this machine, by tool."""
    places = known_places(selected)
    found = sessions_in(places)
    for place in places:
        folders = [folder for folder in place.folders if folder.is_dir()]
        shut = [folder for folder in folders if not os.access(folder, os.R_OK | os.X_OK)]
        for folder in shut:
            yield Row(place.reader, "warning", f'"{folder}" cannot be read', f'chmod u+rx "{folder}"')
        own = [session for session in found if session.reader == place.reader]
        where = ", ".join(str(folder) for folder in folders or place.folders)
        if own:
            yield Row(place.reader, "ok", f"{counted(len(own), 'session')} in {where}")
        elif not shut:
            yield Row(place.reader, "off", f"no session in {where}")


def providers(layers: Layers, selection: Selection) -> Iterator[Row]:
    """Whether each provider has its key, or a local server that answers. Only the configured one gives a warning."""
    chosen = layers.host().provider
    for provider in providers_of(layers, selection):
        state, detail, fix = _reached(provider)
        if state == "off" and provider.name == chosen:
            state = "warning"
        yield Row(f"provider {provider.name}", state, detail, "" if state in ("ok", "off") else fix)


def _reached(provider: Reached) -> tuple[State, str, str]:
    if provider.error:
        return "error", provider.error, "sentinel config show"
    server = _server(provider.base_url)
    if server is not None and _is_near(server[0]):
        where = f"{server[0]}:{server[1]}"
        if _answers(*server):
            return "ok", f"a server answers at {where}; {_ASKED}", ""
        return "off", f"no server answers at {where}; {_ASKED}", f"start it, or set providers.{provider.name}.base_url"
    if not provider.env:
        return "ok", "needs neither a key nor a network", ""
    given = [name for name in provider.env if os.environ.get(name, "").strip()]
    to = f", for {server[0]}" if server else ""
    if given:
        return "ok", f"{given[0]} is set{to}; nothing was sent", ""
    return "off", f"{' or '.join(provider.env)} is not set{to}", f"export {provider.env[0]}=..."


def _server(address: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return (host, port or (443 if parts.scheme == "https" else 80)) if host else None


def _is_near(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return address.is_loopback or address.is_private


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_MOMENT).close()
    except OSError:
        return False
    return True


def stores(layers: Layers) -> Iterator[Row]:
    """Whether the state folder and the store can be written."""
    yield _writable("state folder", HOME)
    address = layers.host().store or DEFAULT_STORE
    scheme, colon, rest = address.partition(":")
    if scheme in ("postgres", "postgresql") and colon:
        yield _database(address)
    elif address not in ("memory:", DEFAULT_STORE):
        yield _writable("store", Path(rest if scheme == "sqlite" and colon else address).parent)


def _database(address: str) -> Row:
    parts = urlsplit(address)
    host, port = parts.hostname or "localhost", parts.port or _POSTGRES
    if _answers(host, port):
        return Row("store", "ok", f"a server answers at {host}:{port}; {_ASKED}")
    told = f"no server answers at {host}:{port}; {_ASKED}"
    return Row("store", "error", told, "start it, or choose another with --store")


def _writable(check: str, folder: Path) -> Row:
    """Try an unnamed temporary file in the folder, or in the nearest parent that exists."""
    try:
        refuse_detours(folder)
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        if not there.is_dir():
            return Row(check, "error", f'"{there}" is a file, but must be a folder', f'mv "{there}" "{there}.old"')
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
    except OSError as error:
        reason = str(error) if error.strerror is None else error.strerror
        return Row(
            check, "error", f'"{folder}" cannot be written: {reason}', f'chmod u+rwx "{folder}", or work elsewhere'
        )
    return Row(check, "ok", f'"{folder}" can be {"written" if there == folder else "created"}')
