"""On Python's path, this takes from an interpreter what Python lacks on Windows; its children inherit that."""

import importlib.abc
import os
import select
import signal
import subprocess
import sys

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
NAMES = {
    os: (
        *(
            "fork",
            "forkpty",
            "killpg",
            "setpgid",
            "getpgid",
            "setsid",
            "register_at_fork",
            "geteuid",
            "getuid",
            "mkfifo",
        ),
        *("O_CLOEXEC", "O_NONBLOCK", "WEXITSTATUS", "WIFSIGNALED", "WTERMSIG"),
    ),
    select: ("poll", "epoll"),
    signal: ("SIGALRM", "SIGHUP", "SIGKILL", "ITIMER_REAL", "getitimer", "pthread_sigmask", "setitimer"),
}
UNSUPPORTED = ("pass_fds", "preexec_fn", "process_group", "start_new_session")


class Missing(importlib.abc.MetaPathFinder):
    """Finds that a module is not there."""

    def find_spec(self, name, path=None, target=None):
        """Raises ``ModuleNotFoundError`` for a module that Windows lacks."""
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Popen(subprocess.Popen):
    """Refuses what it refuses on Windows."""

    def __init__(self, *arguments, **options):
        for option in UNSUPPORTED:
            if options.get(option):
                raise ValueError(f"{option} not supported on Windows platforms")
        super().__init__(*arguments, **options)

    def kill(self):
        """As on Windows, without a signal's name."""
        os.kill(self.pid, 9)


sys.meta_path.insert(0, Missing())
for name in MODULES:  # imported above
    sys.modules.pop(name, None)
subprocess.Popen = Popen
for module, names in NAMES.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
