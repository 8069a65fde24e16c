"""All formats of results, the host's own and those of installed plugins: help, file endings and docs come from here."""

import functools
from collections.abc import Mapping
from typing import IO

from sentinel_core.errors import PluginError
from sentinel_core.judging.output.documents import Document
from sentinel_core.judging.output.formats import OWN, Format
from sentinel_core.judging.output.settings import OutputSettings

__all__ = ["document", "endings", "formats"]


@functools.cache
def formats() -> Mapping[str, Format]:
    """All formats by name: the host's own, then those of plugins, by name. Raises ``PluginError`` for a name that is taken."""
    found = {name: Format(name, output.summary, output.endings) for name, output in OWN.items()}
    from sentinel_core.host.plugins import installed

    sources = installed(("outputs",))
    if not sources:
        return found
    from sentinel_core.judging.output.plugin_document import described

    for one in described(tuple(sources)):
        if one.name in OWN:
            raise PluginError(
                f'two outputs are named "{one.name}": the host\'s own, and one of {_origin(one)}; uninstall that'
            )
        found[one.name] = one
    return found


def _origin(one: Format) -> str:
    assert one.source is not None
    return one.source.origin


@functools.cache
def endings() -> Mapping[str, str]:
    """The format for each file ending; the host's own endings stay as they are."""
    found: dict[str, str] = {}
    for one in formats().values():
        for ending in one.endings:
            found.setdefault(ending, one.name)
    return found


def document(form: str, stream: IO[bytes], settings: OutputSettings) -> Document:
    """The output in a format. Imports only that format's module; a plugin's runs in a process of its own."""
    if form in OWN:
        own: Document = OWN[form].open(stream, settings)  # type: ignore[assignment] # the host's own have extras
        return own
    from sentinel_core.judging.output.plugin_document import PluginDocument

    source = formats()[form].source
    assert source is not None
    return PluginDocument(source, stream, settings)
