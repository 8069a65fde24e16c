"""Wheels and environments for tests that install plugins for real."""

import base64
import contextlib
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from forked_commands import FORKS, Server, as_text

REPOSITORY = Path(__file__).parents[2]
TIMEOUT = 120  # seconds


def write_wheel(
    folder: Path,
    distribution: str,
    modules: Mapping[str, str],
    entry_points: Mapping[str, Mapping[str, str]],
    requires: Iterable[str] = (),
) -> Path:
    """A wheel with the given modules (name to source) and entry points (group to name to target), version 1.0."""
    stem = f"{distribution.replace('-', '_')}-1.0"
    requirements = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in names.items())
        for group, names in entry_points.items()
    )
    members = {
        **{f"{name}.py": source for name, source in modules.items()},
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n{requirements}",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{stem}.dist-info/entry_points.txt": points,
    }
    record = "".join(f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in members.items())
    members[f"{stem}.dist-info/RECORD"] = f"{record}{stem}.dist-info/RECORD,,\n"
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


class Environment:
    """A virtual environment with what a test installs into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.command = folder / "bin" / "sentinel"
        self.server: Server | None = None
        _uv("venv", "--quiet", "--python", sys.executable, str(folder))

    def install(self, *requirements: str, wheelhouse: Path, dependencies: bool = True) -> None:
        """From the wheelhouse, and third-party packages from what the set-up has fetched already."""
        _uv(
            *("pip", "install", "--quiet", "--offline", "--compile-bytecode", "--python", str(self.python)),
            *("--constraint", str(REPOSITORY / "constraints.txt"), "--find-links", str(wheelhouse)),
            *(() if dependencies else ("--no-deps",)),
            *requirements,
        )

    @property
    def variables(self) -> dict[str, str]:
        """Those of its commands."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder)}

    @contextlib.contextmanager
    def forking(self) -> Iterator[None]:
        """Until it ends, the commands are forks of one process that has imported the host and the built-in plugins.

        Nothing may be installed meanwhile.
        """
        if FORKS:
            self.server = Server(self.python, self.variables)
        try:
            yield
        finally:
            if self.server:
                self.server.close()
            self.server = None

    def sentinel(
        self, *arguments: str, cwd: Path | None = None, afresh: bool = False, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the installed command."""
        environment = {**self.variables, **environ}
        if self.server and not afresh and self.server.can_run(environment):
            code, out, err = self.server.run(list(arguments), cwd or Path.cwd(), environment, b"", TIMEOUT)
            return subprocess.CompletedProcess([str(self.command), *arguments], code, as_text(out), as_text(err))
        return subprocess.run(
            [str(self.command), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            cwd=cwd,
            env=environment,
        )


def _uv(*arguments: str) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False, env=environ
    )
    assert done.returncode == 0, done.stderr
