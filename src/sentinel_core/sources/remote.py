"""Files at URLs (``s3://``, ``gs://``, ``memory://``...), by fsspec: what is there, and a copy to read."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import InputError
from sentinel_core.sources.files import SUFFIXES, FileSource

__all__ = ["fetched", "file_system", "find_remote", "is_url", "remote_identity"]

_BLOCK = 4 << 20


def is_url(text: str) -> bool:
    """True for what is no path of this machine."""
    return "://" in text


def file_system(url: str) -> tuple[Any, str]:
    """The file system that a URL is in, and the path there.

    Raises ``InputError`` where fsspec, or what it needs for this kind of URL, is not installed.
    """
    try:
        import fsspec  # type: ignore[import-untyped]

        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        hint = "pip install 'reliability-sentinel[dask]'" if isinstance(error, ImportError) else "name a known kind"
        raise InputError(f'"{url}" cannot be reached: {error}; {hint}') from None
    return system, path


def remote_identity(url: str) -> str:
    """What changes when the file does; nothing where that cannot be had."""
    try:
        system, path = file_system(url)
        return str(system.ukey(path))
    except Exception:  # noqa: BLE001 - each file system raises errors of its own; it is told where the file is read
        return ""


def find_remote(url: str, *, strict: bool, max_record: int) -> Iterator[FileSource | InputError]:
    """The files that a URL, a folder or a glob leads to, sorted."""
    try:
        system, path = file_system(url)
        found = _expanded(system, path)
        for name, size in found:
            label = system.unstrip_protocol(name)
            yield FileSource(path=Path(name), label=label, url=label, size=size, strict=strict, max_record=max_record)
    except InputError as error:
        yield error
        return
    except Exception as error:  # noqa: BLE001 - as above
        yield InputError(f'"{url}" cannot be reached: {type(error).__name__}: {error}')
        return
    if not found:
        yield InputError(f'"{url}": no such file or folder')


def _expanded(system: Any, path: str) -> list[tuple[str, int]]:
    if any(letter in path for letter in "*?["):
        names = [name for name in system.glob(path) if system.isfile(name)]
    elif system.isdir(path):
        names = [name for name in system.find(path) if name.endswith(SUFFIXES)]
    else:
        names = [path] if system.exists(path) else []
    return [(name, int(system.size(name) or 0)) for name in sorted(names)]


@contextmanager
def fetched(
    sources: Sequence[FileSource | InputError], beat: Callable[[], object]
) -> Iterator[tuple[FileSource | InputError, ...]]:
    """The same sources, with a local copy of each that is elsewhere while the block lasts; one that cannot be had is an error.

    ``beat`` is called for each block that has come.
    """
    if not any(isinstance(source, FileSource) and source.url for source in sources):
        yield tuple(sources)
        return
    with tempfile.TemporaryDirectory(prefix="sentinel-") as folder:
        yield tuple(_fetched(source, Path(folder) / str(number), beat) for number, source in enumerate(sources))


def _fetched(source: FileSource | InputError, path: Path, beat: Callable[[], object]) -> FileSource | InputError:
    if isinstance(source, InputError) or not source.url:
        return source
    try:
        system, name = file_system(source.url)
        with system.open(name, "rb") as remote, path.open("wb") as local:
            remote.seek(source.start)
            left = source.length
            while block := remote.read(_BLOCK if left is None else min(_BLOCK, left)):
                local.write(block)
                left = None if left is None else left - len(block)
                beat()
    except InputError as error:
        return error
    except Exception as error:  # noqa: BLE001 - as above
        return InputError(f'"{source.label}" cannot be read: {type(error).__name__}: {error}')
    return attrs.evolve(source, path=path, url="", start=0)
