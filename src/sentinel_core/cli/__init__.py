"""The ``sentinel`` command. Exit codes: 0 PASS, 1 WARN, 2 FAIL, 3 everything else, 130 Ctrl-C, 141 closed pipe, 143 SIGTERM."""

import errno
import importlib
import itertools
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from sentinel_core.cli import commands
from sentinel_core.errors import ERROR, TERMINATED, SentinelError

__all__ = [
    "ERROR",
    "HOME",
    "INTERRUPTED",
    "TERMINATED",
    "cli",
    "complain",
    "finish",
    "help_without_command",
    "main",
    "say",
    "terminal_width",
    "use_color",
    "warn",
]

HOME = Path(".sentinel")
"""The commands' state folder, below the working directory."""

INTERRUPTED = 130
_CLOSED_PIPE = 141
_NARROWEST = 40  # columns
_OF_WRITING = frozenset((errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC))


class _Lazy(click.Group):
    """Commands by name; a command's module is imported when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        prepare(self)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return commands.names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name in commands.CORE:
            command: click.Command | None = importlib.import_module(f"sentinel_core.cli.{cmd_name}").command
        else:
            command = commands.find(cmd_name)
        if command is not None:
            prepare(command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name not in commands.CORE and name not in (known := commands.names()):
            from sentinel_core.host.selection import did_you_mean

            commands.refuse_missing(name)
            flag = f"--{name}"
            near = f'; did you mean "{flag}"?' if flag in _flags(ctx) else did_you_mean(name, known)
            ctx.fail(f'there is no command "{name}"{near}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        from sentinel_core.runtime.printable import printable

        rows, problems = commands.summaries()
        for problem in problems:
            say(f"sentinel: warning: {printable(problem)}")
        with formatter.section("Commands"):
            formatter.write_dl([(name, printable(summary)) for name, summary in rows.items()])


def _flags(context: click.Context) -> set[str]:
    return {flag for option in context.command.get_params(context) for flag in option.opts}


def prepare(command: click.Command) -> None:
    r"""Prepare a command's help text, and add ``--no-config`` to it and its subcommands.

    Click does not join lines below a backspace character; docstrings write it as ``\b``.
    """
    command.help = (command.help or "").replace(r"\b", "\b")
    if _NO_CONFIG not in command.params:
        command.params.append(_NO_CONFIG)
    for inner in getattr(command, "commands", {}).values():
        prepare(inner)


def _read_no_config(context: click.Context, _: click.Parameter, given: bool) -> None:
    """Set the variable for this command, so that everything that reads settings sees it, also in child processes."""
    if given:
        before = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = "1"
        context.call_on_close(lambda: _set_back(before))


def _set_back(before: str | None) -> None:
    if before is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = before


_VARIABLE = "SENTINEL_NO_CONFIG"
_NO_CONFIG = click.Option(
    ["--no-config"],
    is_flag=True,
    expose_value=False,
    callback=_read_no_config,
    help="Read no sentinel.toml and no pyproject.toml.",
)


@click.command(
    cls=_Lazy,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(None, "--version", package_name="reliability-sentinel", message="sentinel %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    r"""Sentinel checks from an agent's trace alone, offline and with evidence, whether it did what it said it did.

    \b
    sentinel evaluate trace.json     judge what an agent did
    sentinel run v2.1.0 --releases releases/
                                     investigate a release, then judge the investigator

    Exit codes: 0 PASS, 1 WARN, 2 FAIL, 3 anything else (usage, unreadable input, a broken plugin, nothing to check);
    130 after Ctrl-C, 141 if the reader of the output closed the pipe.
    """
    help_without_command(context)


def help_without_command(context: click.Context) -> None:
    """Print a group's help if it is called without a command; nothing was done, so the exit code is 3."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(ERROR)


def complain(message: str) -> None:
    """Print one error line on standard error, without secrets and terminal controls."""
    from sentinel_core.runtime.printable import printable
    from sentinel_core.runtime.redact import redact

    say(f"sentinel: error: {printable(redact(message))}")


def warn(message: str) -> None:
    """Print one warning line on standard error, without secrets and terminal controls."""
    from sentinel_core.runtime.printable import printable
    from sentinel_core.runtime.redact import redact

    say(f"sentinel: warning: {printable(redact(message))}")


def say(line: str) -> None:
    """Print one line on standard error. If that fails, the line is lost, but not the work or the exit code.

    Raises ``BrokenPipeError`` if the reader closed the pipe.
    """
    try:
        click.echo(line, err=True)
    except BrokenPipeError:
        raise
    except OSError:
        _drop(2)


def use_color() -> bool:
    """True for a terminal with colours unless ``NO_COLOR`` is set, and with ``FORCE_COLOR``."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def terminal_width() -> int:
    """The columns of the terminal at standard output; 0 for files and pipes."""
    if not sys.stdout.isatty():
        return 0
    import shutil

    return max(_NARROWEST, shutil.get_terminal_size().columns)


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command; ends the process with the exit code."""
    _open_what_is_closed()
    finish(_guarded(arguments))


def finish(code: int) -> NoReturn:
    """Write what is still buffered; end the process with the code, or with that of an output that cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _pipe_closed()
    except OSError as error:
        code = _report_error(error)
        _drop(1)
    sys.exit(code)


def _guarded(arguments: list[str] | None) -> int:
    """Run the command; maps every end without a verdict to an exit code."""
    try:
        code = cli.main(arguments, prog_name="sentinel", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SystemExit as error:  # raised by click: a closed pipe (with 1, which means WARN here), or shell completion
        if error.code == TERMINATED:
            return TERMINATED
        return _pipe_closed() if error.code else 0
    except Exception as error:  # noqa: BLE001 - also our own defects: Python's exit code for them, 1, means WARN here
        if isinstance(error, (click.ClickException, SentinelError)):
            _annotate(error, sys.argv[1:] if arguments is None else arguments)
        return _report_error(error)
    return code if isinstance(code, int) else 0


def _annotate(error: click.ClickException | SentinelError, arguments: list[str]) -> None:
    """With ``--format github`` the error is an annotation of its run, too."""
    if "--format=github" not in arguments and ("--format", "github") not in itertools.pairwise(arguments):
        return
    from sentinel_core.judging.output.runners import annotated_error

    text = _usage_text(error) if isinstance(error, click.ClickException) else str(error)
    click.echo(annotated_error(text))


def _usage_text(error: click.ClickException) -> str:
    from sentinel_core.cli.usage_errors import usage_text

    return usage_text(error)


def _report_error(error: Exception) -> int:
    """Print an error, if standard error can be written; returns the exit code."""
    try:
        _explain(error)
    except BrokenPipeError:
        return _pipe_closed()
    except OSError:  # standard error is full
        _drop(2)
    return ERROR


def _explain(error: Exception) -> None:
    """One line for an error that a user can fix, a traceback for the rest."""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        where = f' (see "{context.command_path} --help")' if context is not None else ""
        complain(f"{_usage_text(error)}{where}")
    elif isinstance(error, SentinelError):
        complain(str(error))
    elif isinstance(error, OSError):
        place = error.filename or ("standard output" if error.errno in _OF_WRITING else "")
        complain(f"{place}: {error.strerror}" if place else f"the operating system reported: {error.strerror or error}")
    elif isinstance(error, MemoryError):
        complain("out of memory")
    elif problem := commands.needs_posix(error):
        complain(f"this command {problem}")
    else:
        import traceback

        traceback.print_exception(error)


def _open_what_is_closed() -> None:
    """Open closed standard streams, because the next opened file would get the number, and with it the stream's text."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - wraps the descriptor
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as above


def _pipe_closed() -> int:
    _drop(1, 2)
    return _CLOSED_PIPE


def _drop(*descriptors: int) -> None:
    """Send the buffers to the null device; otherwise Python would fail to flush them at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
