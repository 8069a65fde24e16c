"""``sentinel explain RULE``: what it finds, why it matters, an example, what to do, how to switch it off."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from sentinel_core.cli import terminal_width
from sentinel_core.cli.explain_expectations import explained, names
from sentinel_core.cli.firing_rate import FiringRate
from sentinel_core.cli.options import plugins_option
from sentinel_core.cli.rules import known_rules
from sentinel_core.errors import ConfigError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.runtime.printable import clipped, folded, printable

__all__ = ["command", "in_markdown"]

_SHOWN = 8
_QUOTE = 160

_Row = Mapping[str, Any]


@click.command("explain")
@click.argument("rule", required=False)
@click.option("--all", "everything", is_flag=True, help="Explain all rules.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@plugins_option()
def command(*, rule: str | None, everything: bool, markdown: bool, plugins: str | None) -> int:
    """Explain what RULE (contradicted_checks, or hallucination.contradicted_checks) finds, why it matters, what to do, and how to switch it off."""
    if (rule is None) != everything:
        raise click.UsageError('give one rule, or --all ("sentinel rules" lists the rules)')
    wanted = rule or "*"
    if wanted in names():
        text = "".join(f"{line}\n" for line in explained(wanted))
        click.echo(f"```text\n{text}```\n" if markdown else folded(text, terminal_width()), nl=False)
        return 0
    rows = known_rules(plugins, wanted)
    found = [row for row in rows if wanted in ("*", row["rule"], row["rule"].partition(".")[2])]
    if not found:
        near = did_you_mean(wanted, [*names(), *(row["rule"] for row in rows)])
        raise ConfigError(f'there is no rule "{wanted}"{near} ("sentinel rules" lists the rules)')
    if markdown:
        click.echo(in_markdown(found), nl=False)
        return 0
    for place, row in enumerate(found):
        click.echo("\n" if place else "", nl=False)
        click.echo(folded("".join(f"{line}\n" for line in _lines(row)), terminal_width()), nl=False)
    return 0


def _lines(row: _Row) -> Iterator[str]:
    yield f"{printable(row['rule'])} ({row['severity']}, since {printable(row['since'])})"
    yield f"  {printable(row['title'])}"
    yield from ("", "  What", f"    {printable(row['help'])}")
    if "why" in row:
        yield from ("", "  Why", f"    {printable(row['why'])}", "", "  Example")
        yield from (f"    {line}" for line in _example(row))
        yield from ("", "  What to do", f"    {printable(row['mend'])}")
    if row["fires_on"] is not None:
        yield from ("", "  How often", f"    {FiringRate(**row['fires_on'])}")
    if branches := row.get("branches"):
        yield from ("", "  Branches, each with its odds")
        for one in branches:
            yield f"    {one['name']} ({one['severity']}): {one['help']} For example “{'” or “'.join(one['examples'])}”. Odds: {one['odds']}."
    yield from ("", "  Switch off", f"    --rule {printable(row['rule'])}=off, or in sentinel.toml:")
    yield from ("      [rules]", f'      "{printable(row["rule"])}" = "off"')


def _example(row: _Row) -> Iterator[str]:
    """The messages, cut after the first few, and the signal's finding."""
    messages: Sequence[_Row] = row["messages"]
    finding = row["finding"]
    shown = range(len(messages))
    if len(messages) > _SHOWN:
        shown = range(_SHOWN - 2)
    for place in shown:
        yield from _message(place, messages[place])
    if len(messages) > len(shown):
        yield f"... and {len(messages) - len(shown)} more messages"
    if finding is not None:
        at = "" if finding["message_index"] is None else f"message {finding['message_index']}: "
        yield f"=> {finding['severity']} {at}{printable(clipped(finding['text'], 300))}"
        if finding["quote"]:
            yield f"   “{printable(clipped(finding['quote'], _QUOTE))}”"


def _message(place: int, message: _Row) -> Iterator[str]:
    if message["content"]:
        yield f"{place} {message['role']}: {printable(clipped(message['content'], _QUOTE))}"
    for call in message["tool_calls"]:
        raw = (call["details"] or {}).get("raw_arguments")
        arguments = raw or json.dumps(call["arguments"], ensure_ascii=False)
        yield f"{place} {message['role']} calls {printable(call['name'])} {printable(clipped(arguments, _QUOTE))}"
    for result in message["tool_results"]:
        yield f"{place} result: {printable(clipped(result['content'], _QUOTE))}"


def in_markdown(rows: Sequence[_Row]) -> str:
    """A section for each rule, one after the other."""
    return "\n".join(line for row in rows for line in (*_markdown(row), ""))


def _markdown(row: _Row) -> Iterator[str]:
    yield from (f"# {row['rule']}", "", f"**{row['title']}** ({row['severity']}, since {row['since']}). {row['help']}")
    if "why" in row:
        yield from ("", f"*Why it matters.* {row['why']}", "", f"*What to do.* {row['mend']}", "", "```text")
        yield from _example(row)
        yield "```"
    if row["fires_on"] is not None:
        yield from ("", f"*How often.* The rule fires on {FiringRate(**row['fires_on'])}.")
    if branches := row.get("branches"):
        yield from ("", "*Branches, each with its odds.*", "")
        for one in branches:
            examples = " or ".join(f"`{example}`" for example in one["examples"])
            yield f"- **{one['name']}** ({one['severity']}): {one['help']} For example {examples}. Odds: {one['odds']}."
    yield from (
        "",
        f"To switch the rule off, use `--rule {row['rule']}=off`, or add these lines to `sentinel.toml`:",
        "",
        "```toml",
        "[rules]",
    )
    yield from (f'"{row["rule"]}" = "off"', "```")
