"""What the hook remembers of a session, in the user's cache folder: what was read, what the tool told, and which findings were told."""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from sentinel_core.runtime.state_files import read_bytes, write_whole
from sentinel_core.trace import parsed, to_json

try:
    from _blake2 import blake2b  # as ``random`` does: the module without OpenSSL, which takes long to load
except ImportError:
    from hashlib import blake2b

__all__ = ["Journal", "Memory", "Told", "blake2b", "journal_of", "memory_of"]

_DAYS = 14
_DAY = 86_400  # seconds


class Told(NamedTuple):
    """The findings that were told, by their keys, and how often in a row the agent was sent back."""

    keys: frozenset[str] = frozenset()
    row: int = 0


class Memory(NamedTuple):
    """Three files of one session. Readable by their owner only."""

    stem: Path

    def load(self) -> tuple[bytes, bytes]:
        """What was kept of the transcript: a header, and what it heads. Both are empty where nothing was, or it cannot be read."""
        try:
            with self._file("session").open("rb") as file:
                return file.readline(), file.read()
        except OSError:
            return b"", b""

    def save(self, header: bytes, body: bytes) -> None:
        """Keep it; what belongs to sessions of long ago goes. Raises ``OSError``."""
        write_whole(self._file("session"), header + b"\n" + body)
        _forget(self.stem.parent, time.time() - _DAYS * _DAY)

    def told(self) -> Told:
        """What was told. Raises ``OSError`` where that cannot be read."""
        data = read_bytes(self._file("told"))
        value = None if data is None else parsed(data.decode("utf-8", "replace"))
        if not isinstance(value, dict) or not isinstance(value.get("keys"), list):
            return Told()
        row = value.get("row")
        return Told(keys=frozenset(map(str, value["keys"])), row=row if isinstance(row, int) else 0)

    def tell(self, before: Told, keys: Iterable[str], row: int) -> None:
        """Remember what is being told. Raises ``OSError`` where it cannot be: then it must not be told."""
        after = Told(keys=before.keys.union(keys), row=row)
        if after != before:
            write_whole(self._file("told"), to_json({"keys": sorted(after.keys), "row": after.row}))

    def save_witness(self, data: bytes) -> None:
        """Keep what was seen of the working tree at the last stop. Raises ``OSError``."""
        write_whole(self._file("witness"), data)

    def _file(self, ending: str) -> Path:
        return self.stem.with_name(f"{self.stem.name}.{ending}")


class Journal(NamedTuple):
    """The events of one conversation, a line each, of a tool whose own record does not hold them. Readable by its owner only."""

    path: Path

    def add(self, event: bytes) -> None:
        """Add a line. Raises ``OSError``."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        with os.fdopen(descriptor, "ab", buffering=0) as file:
            file.write(event + b"\n")  # in one go: tools run beside each other


def memory_of(transcript: Path, environ: Mapping[str, str] = os.environ) -> Memory:
    """The memory of the session in that file, by its path."""
    return Memory(stem=_folder(environ) / _digest(os.fsencode(transcript.absolute())))


def journal_of(conversation: str, environ: Mapping[str, str] = os.environ) -> Journal:
    """The journal of a conversation, by its id."""
    return Journal(path=_folder(environ) / f"{_digest(conversation.encode('utf-8', 'replace'))}.cursor.jsonl")


def _folder(environ: Mapping[str, str]) -> Path:
    named = environ.get("XDG_CACHE_HOME")
    cache = Path(named) if named and Path(named).is_absolute() else Path.home() / ".cache"
    return cache / "reliability-sentinel" / "hook"


def _digest(name: bytes) -> str:
    return blake2b(name, digest_size=16).hexdigest()


def _forget(folder: Path, before: float) -> None:
    """Remove files that nobody wrote since."""
    for path in folder.glob("*.*"):
        if path.lstat().st_mtime < before:
            path.unlink(missing_ok=True)
