"""The file of reports, to which the reports of each batch are added once, whenever the receiver is killed."""

import os
from collections import Counter
from pathlib import Path

import attrs
import msgspec

from sentinel_core.cli import HOME
from sentinel_core.runtime.state_files import append_lines, read_bytes, write_whole

__all__ = ["Batched", "ReportFile", "mode_of"]


def mode_of(path: Path) -> int:
    """The mode of a new file of reports, less the umask: in ``.sentinel`` its owner's alone; else as of any other file."""
    return 0o600 if HOME.name in path.parts else 0o666


class Batched(msgspec.Struct, frozen=True):
    """The reports of a batch, as lines, and where in the file they are to begin; none once all are there.

    ``spans`` are the root spans of the traces.
    """

    number: int = 0
    offset: int = 0
    lines: list[str] = []
    spans: dict[str, str] = {}


@attrs.define(eq=False)
class ReportFile:
    """Writes what is to be added to ``state`` before it adds it to ``path``; ``batch`` is the last of it."""

    path: Path
    state: Path
    batch: Batched = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        try:
            self.batch = msgspec.json.decode(read_bytes(self.state) or b"{}", type=Batched)
        except msgspec.MsgspecError as error:
            raise OSError(
                f'"{self.state}" is damaged ({error}): remove it; its batch of traces is then judged again'
            ) from None

    def begin(self, number: int, lines: list[bytes], spans: dict[str, str]) -> None:
        """Note a batch. Raises ``OSError``."""
        offset = self.path.stat().st_size if self.path.is_file() else 0
        batch = Batched(number, offset, [line.decode() for line in lines], spans)
        write_whole(self.state, msgspec.json.encode(batch))
        self.batch = batch

    def complete(self) -> None:
        """Add the lines of the batch that are not there. Raises ``OSError``."""
        append_lines(self.path, self._missing(), durable=True, mode=mode_of(self.path))

    def settle(self) -> None:
        """Note that all lines are there. Raises ``OSError``; the file is then looked at again at the next start."""
        write_whole(self.state, msgspec.json.encode(Batched(self.batch.number)))

    def _missing(self) -> list[bytes]:
        """The lines that are not in the file; the start of one that a kill cut off is removed from it."""
        lines = [line.encode() for line in self.batch.lines]
        if not lines or not self.path.is_file():  # of a pipe or a device nobody knows what came through
            return lines
        with self.path.open("rb") as file:
            file.seek(self.batch.offset)
            added = file.read().splitlines(keepends=True)
            size = file.tell()
        missing = list((Counter(lines) - Counter(added)).elements())
        cut = added[-1] if added else b"\n"
        if not cut.endswith(b"\n") and any(line.startswith(cut) for line in missing):
            os.truncate(self.path, size - len(cut))
        return missing
