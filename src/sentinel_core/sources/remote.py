"""Files at URLs (``s3://``, ``gs://``, ``memory://``...), by fsspec: what is there, and a copy to read."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from sentinel_core.errors import InputError
from sentinel_core.sources.files import SUFFIXES, FileSource
from sentinel_core.sources.own import MANIFEST, ONLY_OWN, is_own
from sentinel_core.sources.streams import HEAD

__all__ = ["fetched", "file_system", "find_remote", "is_url", "remote_identity"]

_BLOCK = 4 << 20
_AT_ONCE = 1000  # files of which the first bytes are asked for in one go


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
    """The files that a URL, a folder or a glob leads to, sorted; folders and globs without what Sentinel wrote itself."""
    try:
        system, path = file_system(url)
        is_named, names = _expanded(system, path)
        found = names if is_named else _without_own(system, names)
        for name in found:
            size = int(system.size(name) or 0)
            label = system.unstrip_protocol(name)
            yield FileSource(path=Path(name), label=label, url=label, size=size, strict=strict, max_record=max_record)
    except InputError as error:
        yield error
        return
    except Exception as error:  # noqa: BLE001 - as above
        yield InputError(f'"{url}" cannot be reached: {type(error).__name__}: {error}')
        return
    if not found:
        yield InputError(f'"{url}": {ONLY_OWN if names else "no such file or folder"}')


def _expanded(system: Any, path: str) -> tuple[bool, list[str]]:
    """Whether it is one file that was named, and the names of all that there are, sorted."""
    if any(letter in path for letter in "*?["):
        return False, sorted(name for name in system.glob(path) if system.isfile(name))
    if system.isdir(path):
        return False, sorted(name for name in system.find(path) if name.endswith(SUFFIXES))
    return True, [path] if system.exists(path) else []


def _without_own(system: Any, names: list[str]) -> list[str]:
    """What cannot be read stays: that is told where it is read."""

    @cache
    def manifest(folder: str) -> bytes:
        (head,) = system.cat_ranges([f"{folder}/{MANIFEST}"], 0, HEAD, on_error="return")
        return head if isinstance(head, bytes) else b""

    kept = []
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        heads = system.cat_ranges(some, 0, HEAD, on_error="return")
        for name, head in zip(some, heads, strict=True):
            beside = partial(manifest, name.rpartition("/")[0])
            if not is_own(PurePosixPath(name), head if isinstance(head, bytes) else b"", beside):
                kept.append(name)
    return kept


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
