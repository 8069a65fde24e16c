"""Writes the reference pages and the pages of the rules from the code, so that they cannot say anything else.

``python docs/generate.py`` writes them, ``--check`` names those that differ and ends with 1.
"""

import ast
import inspect
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs
import catches
import click

from sentinel_command_run.run_options import AGENT
from sentinel_command_suite import scenario
from sentinel_core import hookspecs, report, trace
from sentinel_core.cli import cli, commands
from sentinel_core.cli.explain import in_markdown
from sentinel_core.cli.rules import known_rules
from sentinel_core.host import plugins
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.conversion import in_order, settable
from sentinel_core.host.selection import KINDS, Selection
from sentinel_core.host.settings import HostSettings
from sentinel_core.judging.output.registry import formats
from sentinel_core.traces.schemas import schema_of

DOCS = Path(__file__).parent
MARK = "<!-- docs/generate.py writes this page from the code. -->\n"

_Rows = Sequence[Sequence[str]]


def pages() -> Iterator[tuple[str, str]]:
    """Path below ``docs`` and text of each generated page."""
    rules = known_rules(None, "*")
    yield "what-it-catches.md", catches.page()
    yield "rules.md", _rule_index(rules)
    for rule in rules:
        yield f"rules/{rule['rule']}.md", in_markdown([rule])
    for kind in KINDS:
        yield f"plugins/{kind}.md", _kind(kind)
    yield "reference/formats.md", _formats()
    yield "reference/outputs.md", _outputs()
    yield "reference/command-line.md", _command_line()
    yield "reference/settings.md", _settings()
    yield "reference/suite-file.md", _suite()
    yield "reference/reports.md", _models()
    yield "reference/http.md", _http()


def _rule_index(rules: Sequence[Mapping[str, Any]]) -> str:
    text = (
        "# Rules\n\nThis page lists what the built-in signals can find. `sentinel rules` lists the installed rules, `sentinel explain RULE` "
        "prints the page of one rule, and [`[rules]`](configuration.md#rules) turns a rule off or changes its severity. The columns "
        '"failed" and "good" show on how many of the failed and good labelled runs of the [detection card](detection.md) a rule fires.\n'
    )
    for signal in sorted({rule["signal"] for rule in rules}):
        rows = [
            (
                f"[`{rule['rule'].partition('.')[2]}`](rules/{rule['rule']}.md)",
                _cell(rule["title"]),
                rule["severity"],
                *_rate(rule["fires_on"]),
            )
            for rule in rules
            if rule["signal"] == signal
        ]
        text += f"\n## {signal}\n\n{_table(('rule', 'what it finds', 'severity', 'failed', 'good'), rows)}"
    names = "\n".join(f"rules/{rule['rule']}" for rule in rules)
    return f"{text}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def _rate(fires_on: Mapping[str, int] | None) -> tuple[str, str]:
    return ("", "") if fires_on is None else (f"{fires_on['failed']:,}", f"{fires_on['good']:,}")


def _kind(kind: str) -> str:
    """A hook's docstring, in which a whole plugin stands."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.getdoc(getattr(hookspecs, f"sentinel_{kind}")) or "")
    title = kind.replace("_", " ").capitalize()
    return f"# {title}\n\n{text}\n\n[Write a plugin](../write-a-plugin.md) says how to install and test it.\n"


def _formats() -> str:
    """What each built-in reader reads, as ``sentinel formats`` shows it."""
    text = (
        "# Formats\n\nThe readers that come with Sentinel. The name of a format goes with `--from`; `--latest` finds the newest session where "
        "its place is known. The README of each distribution says, field by field, how the format is mapped and what is left out.\n"
    )
    chosen = plugins.load(plugins.select(Selection(), ("trace_readers",))[0])[0]
    rows = [
        (
            f"`{plugin.offer.name}`",
            _cell(plugin.offer.summary),
            "<br>".join(f"`{place}`" for place in plugin.offer.kept_at),
            f"`{plugin.source.distribution}`",
        )
        for plugin in sorted(chosen, key=lambda plugin: plugin.offer.name)
        if (plugin.source.distribution or "").startswith("reliability-sentinel")
    ]
    return f"{text}\n{_table(('format', 'what is read', '`--latest` looks in', 'distribution'), rows)}"


def _outputs() -> str:
    """The formats of results of all that is installed."""
    rows = [
        (f"`{one.name}`", ", ".join(f"`.{ending}`" for ending in one.endings), _cell(one.summary))
        for one in formats().values()
    ]
    return (
        "# Outputs\n\nThe formats of `sentinel evaluate --format FORMAT` and `-o [FORMAT:]FILE`; a plugin can add others.\n\n"
        f"{_table(('format', 'extension', 'what it is'), rows)}"
    )


def _command_line() -> str:
    text = "# Command line\n\nThis page lists every command and flag, as `--help` shows them.\n"
    context = click.Context(cli, info_name="sentinel")
    for name in commands.names():
        command = cli.get_command(context, name)
        assert command is not None
        text += "".join(_command(command, context, name, 2))
    return text


def _command(command: click.Command, parent: click.Context, name: str, depth: int) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield f"\n{'#' * depth} {context.command_path}\n\n"
    yield f"```text\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n\n"
    yield f"{_help(command)}\n"
    rows = [
        (_cell(f"`{record[0]}`"), _cell(record[1]))
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and option.name != "no_config"
        if (record := option.get_help_record(context)) is not None
    ]
    if rows:
        yield f"\n{_table(('flag', ''), rows)}"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _command(found, context, inner, depth + 1)


def _help(command: click.Command) -> str:
    """The help text; blocks that click is not to fold become code."""
    blocks = inspect.cleandoc(command.help or command.short_help or "").split("\n\n")
    shown = [
        f"```text\n{textwrap.dedent(block.removeprefix(chr(8)).strip(chr(10)))}\n```"
        if block.startswith("\b")
        else block
        for block in blocks
    ]
    return "\n\n".join(shown)


def _settings() -> str:
    text = (
        "# Settings\n\nThis page lists every setting with its default value. [Configuration](../configuration.md) explains "
        "where values come from. Sentinel's own settings:\n\n"
    )
    text += _fields(HostSettings, lambda name: f"`SENTINEL_{name.upper()}`", "environment")
    text += "\n## agent\n\n" + _paragraph(AgentSettings) + "\n\n"
    text += _fields(AgentSettings, lambda name: f"`{AGENT[name]}`" if name in AGENT else "", "flag")
    chosen = plugins.installed()
    loaded, _ = plugins.load([one for one in chosen if one.kind != "commands"])
    for plugin in loaded:
        wanted = getattr(plugin.offer, "settings", None)
        if wanted is not None:
            text += f"\n## {plugin.source.kind}.{plugin.source.name}\n\n{_paragraph(wanted)}\n\n{_fields(wanted)}"
    return text


def _fields(wanted: type, extra: Any = None, title: str = "") -> str:
    documented = attribute_docs(wanted)
    rows = []
    for name, field in settable(wanted).items():
        default = "required" if field.default is attrs.NOTHING else f"`{_value(field.default)}`"
        cells = [f"`{name}`", default, *([extra(name)] if extra else []), _cell(documented.get(name, ""))]
        rows.append(cells)
    return _table(("setting", "default", *([title] if extra else []), ""), rows)


def _value(default: Any) -> str:
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = default.factory()
    return "not set" if default is None else json.dumps(in_order(default), default=str)


# Where each part of a suite file stands.
_SUITE = {
    "The file": scenario.Suite,
    "scenarios": scenario.Scenario,
    "tools.NAME": scenario.ToolScript,
    "steps": scenario.Step,
    "sweep": scenario.Sweep,
    "expect": scenario.Expectations,
    "expect.tool_usage": scenario.ToolUsage,
    "expect.tool_usage.calls": scenario.CallExpectation,
    "expect.decision_quality": scenario.DecisionQuality,
    "expect.error_handling": scenario.ErrorHandling,
    "risks, never, told, predicate": scenario.Predicate,
    "rubric": scenario.Criterion,
    "judge": scenario.JudgeSettings,
}


def _suite() -> str:
    text = (
        "# Suite file\n\nEvery key of a suite file with its type and default. [Suites](../suite.md) shows it in use. `defaults`, next to "
        "`scenarios`, holds keys for every scenario.\n"
    )
    for title, kind in _SUITE.items():
        hints = get_type_hints(kind)
        rows = [
            (f"`{field.name}`", _cell(_annotation(hints[field.name])), _default(field)) for field in attrs.fields(kind)
        ]
        text += f"\n## {title}\n\n{_paragraph(kind)}\n\n{_table(('key', 'type', 'default'), rows)}"
    return text


def _annotation(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(hint))
    if get_origin(hint) is tuple:
        inner = _annotation(get_args(hint)[0])
        return f"list of {inner}s" if inner in ("table", "string", "number") else f"list of {inner}"
    if get_origin(hint) is dict:
        return "table"
    if get_args(hint):
        return " or ".join(_annotation(choice) for choice in get_args(hint) if choice is not type(None))
    if hint in _SUITE.values():
        return "table"
    return {str: "string", bool: "true or false", int: "whole number", float: "number"}.get(hint, "any value")


def _default(field: "attrs.Attribute[Any]") -> str:
    if field.default is attrs.NOTHING:
        return "required"
    empty = field.default in (None, "", ()) or isinstance(field.default, attrs.Factory)  # type: ignore[arg-type]
    return "" if empty else f"`{json.dumps(in_order(field.default))}`"


def _models() -> str:
    text = (
        "# Traces and reports\n\nThe keys of Sentinel's own trace format and of its reports. `sentinel schema trace` and "
        "`sentinel schema report` print the JSON Schema.\n"
    )
    for title, module, root in (("Report", report, "report"), ("Trace", trace, "trace")):
        for name, part in schema_of("report" if root == "report" else "trace")["$defs"].items():
            kind = getattr(module, name, None) or getattr(trace, name)
            documented = attribute_docs(kind)
            rows = [
                (f"`{key}`", _cell(_type(value)), _cell(documented.get(key, "")))
                for key, value in part.get("properties", {}).items()
            ]
            text += f"\n## {title}: {name}\n\n{_paragraph(kind)}\n\n{_table(('key', 'type', ''), rows)}"
    return text


def _type(value: Mapping[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(_type(one) for one in value["anyOf"])
    if "$ref" in value:
        return str(value["$ref"].rpartition("/")[2])
    if "enum" in value:
        return " or ".join(f"`{one}`" for one in value["enum"])
    if value.get("type") == "array":
        return f"list of {_type(value.get('items', {}))}"
    return str(value.get("type", "any"))


def _http() -> str:
    from sentinel_command_serve.app import described

    document = described()
    text = (
        "# HTTP API\n\nWhat `sentinel serve` answers. The service publishes this as OpenAPI 3.1 under `/openapi.json`; "
        "[Guardrails](../guardrails.md#http) shows it in use.\n"
    )
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            text += f"\n## {method.upper()} {path}\n\n{operation['summary']}\n\n"
            body = operation.get("requestBody", {}).get("content", {})
            if body:
                text += f"Body: {', '.join(_shape(one['schema']) for one in body.values())}.\n\n"
            rows = [(f"`{code}`", _cell(answer["description"])) for code, answer in operation["responses"].items()]
            text += _table(("status", ""), rows)
    text += "\n## Bodies\n"
    for name, schema in document["components"]["schemas"].items():
        text += f"\n### {name}\n\n```json\n{json.dumps(schema, indent=1)}\n```\n"
    return text


def _shape(schema: Mapping[str, Any]) -> str:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return f"[{name}](#{name.lower()})" if name else "JSON"


def attribute_docs(kind: type) -> dict[str, str]:
    """The strings below the fields of a class and of its bases, by field."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        except (OSError, TypeError):
            continue
        assert isinstance(tree, ast.ClassDef)
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = _plain(text)
    return found


def _paragraph(kind: type) -> str:
    """The class's docstring without what it raises."""
    blocks = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    return "\n\n".join(_plain(block) for block in blocks if not block.startswith("Raises "))


def _plain(text: str) -> str:
    """Two backticks, as in docstrings, become one; lines are joined."""
    return " ".join(re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL).split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table(head: Sequence[str], rows: _Rows) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def main(check: bool) -> int:
    """Write the pages, or name those that differ."""
    for name in [one for one in os.environ if one.startswith("SENTINEL_") or one.endswith(("_BASE_URL", "_HOST"))]:
        del os.environ[name]  # some defaults come from the environment
    os.environ["SENTINEL_NO_CONFIG"] = "1"
    wanted = {DOCS / name: MARK + text for name, text in pages()}
    stale = [path for path in DOCS.glob("*/*.md") if path not in wanted]
    stale = [path for path in stale if path.read_text(encoding="utf-8").startswith(MARK)]
    differ = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check:
        for path in (*stale, *differ):
            sys.stderr.write(f"{path.relative_to(DOCS.parent)} is not what the code says: run docs/generate.py\n")
        return 1 if stale or differ else 0
    for path in stale:
        path.unlink()
    for path in differ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
