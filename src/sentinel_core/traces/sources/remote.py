"""Finds and fetches files at URLs (``s3://``, ``gs://``, ``memory://``...) with fsspec."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

import attrs

from sentinel_core.errors import InputError
from sentinel_core.runtime.redact import redact
from sentinel_core.traces.sources.file_source import SUFFIXES, FileSource, as_text, shown_url, without_secrets
from sentinel_core.traces.sources.own import MANIFEST, ONLY_OWN, OWN, LeftOut, is_own
from sentinel_core.traces.sources.streams import HEAD

__all__ = ["fetched", "file_system", "find_remote", "is_url", "remote_identity"]

_WEB = ("http://", "https://")
_VERSIONS = ("ETag", "Content-MD5", "Digest", "Last-Modified")
_BLOCK = 4 << 20
_AT_ONCE = 1000  # files whose first bytes are fetched in one request


def is_url(text: str) -> bool:
    """True for a URL, False for a path on this machine."""
    return "://" in text


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it.

    Raises ``InputError`` if fsspec, or the package that it needs for this kind of URL, is not installed.
    """
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError as error:
        raise _unread(url, "needs fsspec: pip install 'reliability-sentinel[dask]'") from error
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:  # it says which package is needed
        raise _unread(url, f"cannot be read: {error}") from None
    except ValueError as error:
        raise _unread(url, f"cannot be read: {error}; use a scheme that fsspec knows") from None
    return system, path


def _unread(url: str, why: str) -> InputError:
    label = shown_url(as_text(url))
    return InputError(without_secrets(why), label=label, place=PurePosixPath(label).name)


def remote_identity(url: str) -> str:
    """A text that changes when the file does and reveals no secret; empty if there is none.

    For the web it is made from the server's headers, because a signed URL differs each time for the same file.
    """
    try:
        system, path = file_system(url)
        if not url.startswith(_WEB):
            return str(system.ukey(path))
        info = system.info(path)
        known = [str(info[name]) for name in _VERSIONS if info.get(name)] or [redact(url)]
        return hashlib.sha256("\n".join(known).encode("utf-8", "replace")).hexdigest()
    except Exception:  # noqa: BLE001 - each file system has its own errors; reading the file reports it
        return ""


def find_remote(url: str, *, strict: bool, max_record: int, left_out: LeftOut) -> Iterator[FileSource | InputError]:
    """The files of a URL, a folder or a glob, sorted.

    In folders and globs, files that Sentinel wrote are added to ``left_out`` instead.
    """
    try:
        system, path = file_system(url)
        is_named, sizes = _expanded(system, path)
        files = [name for name, size in sizes.items() if isinstance(size, int)]
        own = set() if is_named else set(files).difference(_without_own(system, files))
    except InputError as error:
        yield error
        return
    except Exception as error:  # noqa: BLE001 - as above
        yield _unread(url, f"cannot be reached: {type(error).__name__}: {error}")
        return
    if own:
        left_out.setdefault(OWN, []).extend(as_text(shown_url(system.unstrip_protocol(name))) for name in sorted(own))
    for name in sorted(sizes.keys() - own):
        whole, shown, size = system.unstrip_protocol(name), Path(shown_url(name)), sizes[name]
        source = FileSource(path=shown, label=shown_url(whole), url=whole, strict=strict, max_record=max_record)
        yield source.refused(size) if isinstance(size, str) else attrs.evolve(source, size=size)
    if not sizes.keys() - own:
        label = shown_url(as_text(url))
        reason = ONLY_OWN if own else "no such file or folder"
        yield InputError(reason, label=label, place=PurePosixPath(label).name)


def _expanded(system: Any, path: str) -> tuple[bool, dict[str, int | str]]:
    """Whether the URL names one file; and each file's size in bytes, or why it cannot be read."""
    if any(letter in path for letter in "*?["):
        entries = system.glob(path, detail=True)
    elif system.isdir(path):
        entries = {name: entry for name, entry in system.find(path, detail=True).items() if name.endswith(SUFFIXES)}
    else:
        return True, {path: int(system.size(path) or 0)} if system.exists(path) else {}
    sizes = ((name, _size(system, name, entry)) for name, entry in sorted(entries.items()))
    return False, {name: size for name, size in sizes if size is not None}


def _size(system: Any, name: str, info: Mapping[str, Any]) -> int | str | None:
    """The size of one entry, None for a folder, or why it cannot be read: one bad entry must not end the listing."""
    try:
        if info.get("islink") or info["type"] == "link":  # a listing does not describe the target
            info = system.info(name)
        if info["type"] != "file":
            return None if info["type"] == "directory" else "is not a file"
        size = info.get("size")
        return int((system.size(name) if size is None else size) or 0)
    except Exception as error:  # noqa: BLE001 - as above
        return _unreadable(error)


def _unreadable(error: Exception) -> str:
    return without_secrets(f"cannot be read: {type(error).__name__}: {error}")


def _without_own(system: Any, names: list[str]) -> list[str]:
    """The names without files that Sentinel wrote. Unreadable files stay: reading them reports the error."""

    @cache
    def manifest(folder: str) -> bytes:
        (head,) = system.cat_ranges([f"{folder}/{MANIFEST}"], 0, HEAD, on_error="return")
        return head if isinstance(head, bytes) else b""

    kept = []
    for start in range(0, len(names), _AT_ONCE):
        some = names[start : start + _AT_ONCE]
        heads = system.cat_ranges(some, 0, HEAD, on_error="return")
        for name, head in zip(some, heads, strict=True):
            beside, before_end = partial(manifest, name.rpartition("/")[0]), partial(_before_end, system, name)
            if not is_own(PurePosixPath(name), head if isinstance(head, bytes) else b"", beside, before_end):
                kept.append(name)
    return kept


def _before_end(system: Any, name: str, distance: int, length: int) -> bytes:
    """Like ``bytes_before_end``, but empty if the bytes cannot be read."""
    (part,) = system.cat_ranges([name], -distance, length - distance or None, on_error="return")
    return part if isinstance(part, bytes) else b""


@contextmanager
def fetched(
    sources: Sequence[FileSource | InputError], beat: Callable[[], object]
) -> Iterator[tuple[FileSource | InputError, ...]]:
    """The same sources, with a temporary local copy of each remote one; a failed download becomes an error.

    ``beat`` is called for each downloaded block.
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
        return source.refused(_unreadable(error))
    return attrs.evolve(source, path=path, url="", start=0)
