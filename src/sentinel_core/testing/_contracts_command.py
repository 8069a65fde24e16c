"""The contract of every command."""

import subprocess
import sys
from typing import Any

from sentinel_core.offers import Command
from sentinel_core.testing._contracts_base import Contract, require, require_taken

__all__ = ["CommandContract"]

_OFFERING = "from sentinel_core import Command, hookimpl"
_LOADED = "import sys; print(*sorted(sys.modules))"


class CommandContract(Contract, given=("make", "module")):
    """Subclass it, and give the command and the module that its entry point names."""

    def make(self) -> Command:
        """The command as the plugin offers it."""
        raise NotImplementedError("make() must return the Command to test")

    def module(self) -> str:
        """The target of the entry point, which ``sentinel --help`` imports."""
        raise NotImplementedError("module() must return the name of the module that offers the command")

    def load(self) -> Any:
        """The result of ``load``."""
        return self.make().load()

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "commands")

    def test_offering_it_imports_nothing_else(self) -> None:
        """``sentinel --help`` pays for what each module imports; what the command needs is imported in ``load``."""
        own, _, _ = self.module().partition(".")
        before = _modules_after(_OFFERING)
        more = _modules_after(f"{_OFFERING}; import {self.module()}") - before
        heavy = sorted(name for name in more if name.partition(".")[0] != own)
        require(not heavy, f"{self.module()} must import nothing but sentinel_core, but it imports {heavy[:5]}")

    def test_it_is_a_command(self) -> None:
        """A ``click.Command`` that says what it does; click calls it with the name that was typed."""
        import click

        made = self.load()
        require(isinstance(made, click.Command), f"load() must return a click.Command, not a {type(made).__name__}")
        require((made.help or "").strip(), "it has no help: the docstring of its function is missing")

    def test_its_options_say_what_they_do(self) -> None:
        """Every option has a help text, in subcommands, too."""
        import click

        found = [self.load()]
        for command in found:
            found += getattr(command, "commands", {}).values()
            silent = [option.name for option in command.params if isinstance(option, click.Option) and not option.help]
            require(not silent, f"{command.name}: these options have no help: {silent}")


def _modules_after(statements: str) -> set[str]:
    """The modules that a new process has loaded after these statements."""
    done = subprocess.run(  # noqa: S603 - the plugin under test, by the name that its author gave
        [sys.executable, "-c", f"{statements}\n{_LOADED}"], capture_output=True, text=True, check=False
    )
    require(done.returncode == 0, f"{statements} fails: {done.stderr.strip()[-300:]}")
    return set(done.stdout.split())
