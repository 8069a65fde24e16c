"""``sentinel receipt``: what a session claims, beside its record and the working tree."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from sentinel_command_hook.latest import ANY, newest_session
from sentinel_command_hook.panel import SIGNAL, signal
from sentinel_command_hook.witness import begin_of, read_witness, witness_of
from sentinel_core import Detection, ExecutionTrace, Finding, LedgerEntry, TraceIndex
from sentinel_core.cli import complain, say
from sentinel_core.cli.options import host_flags, layers_and_selection
from sentinel_core.cli.sessions import first_of_folder
from sentinel_core.cli.trace_inputs import read_one
from sentinel_core.errors import InputError, PluginError
from sentinel_core.judging.output.receipt import receipt_document, receipt_markdown, receipt_text
from sentinel_core.runtime.printable import counted, printable, printable_json
from sentinel_core.runtime.redact import redact, redact_cut
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import to_json

__all__ = ["Receipt", "command", "receipt_of"]

_CODES = {"error": 2, "warning": 1}
_LINES: dict[str, Callable[[Sequence[LedgerEntry], str], Iterator[str]]] = {
    "text": receipt_text,
    "markdown": receipt_markdown,
}


@attrs.frozen(kw_only=True)
class Receipt:
    """The ledger of one session, the signal's findings, and what it is called."""

    name: str
    entries: Sequence[LedgerEntry]
    findings: Sequence[Finding]

    def encoded(self, form: str) -> bytes:
        """The receipt as text, markdown or json."""
        if form == "json":
            return printable_json(to_json(receipt_document(self.entries, self.name))) + b"\n"
        return "".join(f"{line}\n" for line in _LINES[form](self.entries, self.name)).encode("utf-8", "replace")

    def exit_code(self, fail_on: str) -> int:
        """2 where a finding is an error, 1 where one is a warning, as far as ``fail_on`` makes them count."""
        worst = max((_CODES.get(finding.severity, 0) for finding in self.findings), default=0)
        least = {"warn": 1, "fail": 2}.get(fail_on, 3)
        return worst if worst >= least else 0


@click.command("receipt")
@click.argument("session", required=False, metavar="[SESSION]")
@click.option(
    "--latest", metavar="TOOL", help="Take the newest session of TOOL (such as claude-code, or any) in this folder."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="The form: lines, a table for a pull request, or JSON.",
)
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
@click.option("--check", is_flag=True, help="Exit with 2 if a finding is an error, and with 1 if one is a warning.")
@click.option(
    "--fail-on",
    type=click.Choice(["warn", "fail", "never"]),
    help="With --check: which findings count (default warn: errors and warnings).",
)
@click.option("--no-witness", is_flag=True, help="Do not look at the working tree.")
@click.option(
    "--witness",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this witness file instead of looking at the working tree.",
)
@click.pass_context
def command(context: click.Context, /, session: str | None, latest: str | None, **options: Any) -> int:
    r"""Show each claim of SESSION beside its record and the working tree, in about ten lines.

    Contradictions come first, then what is not on record or not checkable; backed claims of one kind are one line.

    \b
    sentinel receipt --latest claude-code
    sentinel receipt --latest claude-code --format markdown | gh pr comment --body-file -
    sentinel receipt --latest any --check
    sentinel hook install pre-push

    The working tree is looked at if the session worked in this folder. With --check, a folder without a session passes.
    """
    if (session is None) == (latest is None):
        raise click.UsageError("give a session's file, or --latest TOOL", context)
    found, why = (session, "") if latest is None else newest_session(latest, Path.cwd())
    if found is None:
        if not options["check"]:
            raise InputError(why)
        say(f"sentinel: receipt: nothing was checked: {printable(redact(why))}")
        return 0
    path = str(found)
    layers, _ = layers_and_selection(host_flags({"fail_on": options["fail_on"]}), ())
    trace = read_one(path, reader=None if latest == ANY else latest)
    receipt = receipt_of(trace, path, _looker(path, options["witness"], looks=not options["no_witness"]))
    data = receipt.encoded(options["form"])
    if options["output"] is None:
        click.echo(data, nl=False)
    else:
        write_whole(options["output"].absolute(), data)
    return _checked(receipt, layers.host().fail_on) if options["check"] else 0


def _checked(receipt: Receipt, fail_on: str) -> int:
    code = receipt.exit_code(fail_on)
    if code:
        bad = [finding for finding in receipt.findings if finding.severity in _CODES]
        complain(f"receipt: the record speaks against {counted(len(bad), 'claim')}")
    return code


def receipt_of(trace: ExecutionTrace, path: str, look: Callable[[ExecutionTrace], Any] | None = None) -> Receipt:
    """The receipt of a trace; ``look`` tells what is seen of the working tree. Raises ``SentinelError``."""
    index, judge = TraceIndex(trace), signal()
    if look is not None:
        index.witness = look(trace)
    found = judge.detect(index)
    if not isinstance(found, Detection) or judge.ledger is None:
        raise PluginError(f"the signal {SIGNAL} gives no ledger: install the version that belongs to this Sentinel")
    entries = [_safe(entry.of(SIGNAL)) for entry in judge.ledger(index, found.findings)]
    name = trace.trace_id if path == "-" else Path(path).stem
    return Receipt(name=redact(name), entries=entries, findings=found.findings)


def _looker(path: str, told: Path | None, *, looks: bool) -> Callable[[ExecutionTrace], Any] | None:
    if told is not None:
        seen = read_witness(told)
        return lambda _: seen
    if not looks or path == "-" or first_of_folder([Path(path)], Path.cwd()) is None:
        return None
    return lambda trace: witness_of(Path.cwd(), _spoken(trace), begin_of(trace))


def _spoken(trace: ExecutionTrace) -> str:
    """What the agent says, the latest first: of a long session that is what the working tree is asked about."""
    texts = (message.content for message in reversed(trace.messages) if message.role == "assistant" and message.content)
    return "\n".join(texts)


def _safe(entry: LedgerEntry) -> LedgerEntry:
    """Without secrets: what was read has none, but the working tree may."""
    seen = None if entry.working_tree is None else redact(entry.working_tree)
    return attrs.evolve(entry, record=redact_cut(entry.record), working_tree=seen)
