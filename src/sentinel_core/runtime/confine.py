"""What a process that runs third-party code must not reach: the descriptors of its parents, and their memory.

This stops mistakes and simple tricks; the code still runs with the user's permissions.
"""

import ctypes
import os
import sys
from collections.abc import Collection
from pathlib import Path

__all__ = ["close_inherited", "protect_memory", "renounce_tracing"]

_SET_DUMPABLE, _DROP_FROM_BOUNDING = 4, 24  # prctl
_SYS_PTRACE = 19  # the capability
_CAPABILITY_VERSION = 0x20080522
_FIRST = 3  # after standard input, output and error
_MOST_DESCRIPTORS = 1024  # where the system does not list them


def protect_memory() -> None:
    """From now on no process of this user, other than root's, can trace this one or write to its memory (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def renounce_tracing() -> None:
    """Root, too, can then trace no process whose memory is protected (Linux only)."""
    if sys.platform != "linux" or not hasattr(os, "geteuid") or os.geteuid():
        return
    library = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable; the low half of each, then the high half
    if not library.capget(header, sets):
        for place in range(3):
            sets[place] &= ~(1 << _SYS_PTRACE)
        library.prctl(_DROP_FROM_BOUNDING, _SYS_PTRACE, 0, 0, 0)
        library.capset(header, sets)


def close_inherited(keep: Collection[int]) -> None:
    """Turn every descriptor above standard error, except those to ``keep``, into one of the null device.

    The numbers stay in use, so that objects of the parent that still hold one close nothing else.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in _open_descriptors():
        if descriptor >= _FIRST and descriptor != nowhere and descriptor not in keep:
            os.dup2(nowhere, descriptor, inheritable=False)
    os.close(nowhere)


def _open_descriptors() -> list[int]:
    folder = Path("/proc/self/fd" if sys.platform == "linux" else "/dev/fd")
    try:
        found = [int(entry.name) for entry in folder.iterdir()]
    except OSError:
        found = list(range(_MOST_DESCRIPTORS))
    return [descriptor for descriptor in found if _is_open(descriptor)]


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
