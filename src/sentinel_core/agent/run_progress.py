"""What the agent is doing, as it does it, on a terminal's standard error: with rich where it is installed, else plain."""

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sentinel_core.runtime.printable import clipped, printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Progress", "step_of"]

_LINE = 200


_STEPS: dict[str, Callable[[Any], str | None]] = {
    "AttemptStarted": lambda e: (
        f"asking the provider, turn {e.turn}" + (f", attempt {e.attempt}" if e.attempt > 1 else "")
    ),
    "AttemptFinished": lambda e: f"  failed: {e.error}" if e.error else None,
    "BackedOff": lambda e: f"  waiting {e.seconds:.1f} s",
    "ContextFitted": lambda e: f"  {e.left_out} older messages no longer fit" if e.left_out else None,
    "ToolStarted": lambda e: f"running {e.call.name}",
    "ToolFinished": lambda e: "  done" if e.result.success else f"  failed: {e.result.content}",
    "RunResumed": lambda _: "going on where the run broke off",
    "LoopDecided": lambda e: f"{e.decision}: {e.reason}",
    "DeliveryStarted": lambda _: "delivering the report",
    "DeliveryFinished": lambda e: f"  {e.status}",
}


def step_of(event: object) -> str | None:
    """One line for an event that a person wants to see; None for the others."""
    step = _STEPS.get(type(event).__name__)
    return None if step is None else step(event)


class Progress:
    """Shows events (frames ``P``) and pieces of the model's text (frames ``T``). Nothing is loaded until something is shown."""

    def __init__(self) -> None:
        self._console: Console | None = None
        self._begun = False
        self._in_text = False

    def show(self, kind: bytes, body: bytes) -> None:
        """Show one frame; nothing in it reaches the terminal as a control sequence."""
        if kind == b"T":
            text = body.decode("utf-8", "replace")
            self._write("\n".join(map(printable, text.split("\n"))), "dim", end="")
            self._in_text = True
            return
        from sentinel_core.agent.event_codec import decode_event

        step = step_of(decode_event(body))
        if step is not None:
            self._end_text()
            self._write(printable(clipped(step, _LINE)), "cyan")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_text()

    def _end_text(self) -> None:
        if self._in_text:
            self._write("", "dim")
            self._in_text = False

    def _write(self, text: str, style: str, end: str = "\n") -> None:
        if not self._begun:
            self._begun = True
            self._console = _rich_console()
        if self._console is None:
            sys.stderr.write(text + end)
            sys.stderr.flush()
        else:
            self._console.print(text, style=style, end=end, markup=False, highlight=False, soft_wrap=True)


def _rich_console() -> "Console | None":
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(stderr=True)
