"""Every flag, every key of a report, every extra stands where a reader would look for it."""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs
import click
import pytest

from sentinel_command_suite import scenario
from sentinel_core import RS1, offers
from sentinel_core.agent.attempt_loop import AttemptFacts
from sentinel_core.cli import cli
from sentinel_core.cli.run_options import AGENT
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.report import Coverage, Finding, ReliabilityReport, SignalScore

REPOSITORY = Path(__file__).parents[2]

# The pages that a command's flags stand on. What several commands share is told once, on the page of the first of them.
PAGES = {
    "audit": ("guardrails",),
    "config": ("configuration",),
    "convert": ("formats",),
    "evaluate": ("evaluate", "batch", "ci", "configuration", "formats", "telemetry"),
    "explain": ("rules", "configuration"),
    "formats": ("formats",),
    "hook": ("hook",),
    "loops": ("guardrails",),
    "mutate": ("evaluate", "configuration"),
    "plugins": ("configuration", "write-a-plugin"),
    "receive": ("telemetry", "evaluate", "configuration"),
    "rules": ("configuration", "rules", "evaluate"),
    "run": ("run", "release-tools", "providers", "configuration"),
    "runs": ("run",),
    "schema": ("evaluate",),
    "serve": ("guardrails",),
    "suite": ("suite",),
}


def page(name: str) -> str:
    return (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")


def flags(command: click.Command) -> Iterator[str]:
    for option in command.params:
        if isinstance(option, click.Option):
            yield next(name for name in option.opts if name.startswith("--"))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from flags(below)


def test_every_command_has_a_page():
    assert set(cli.list_commands(click.Context(cli))) == set(PAGES)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_flag_is_on_the_page(name):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", " ".join(map(page, PAGES[name]))))
    if name != "config":
        told.add("--no-config")  # which every command has, and the page of settings tells
    assert set(flags(command)) - told == set()


def test_every_key_of_a_report_is_explained():
    _, _, section = page("evaluate").partition("## The report\n")
    rows = dict(re.findall(r"^\| (`.+?`) \| (.+) \|$", section, re.MULTILINE))
    explained = {key for keys in rows for key in re.findall(r"`(\w+)`", keys)}
    assert explained == {field.name for field in attrs.fields(ReliabilityReport)}
    for row, kind in (("`findings`", Finding), ("`signal_scores`", SignalScore), ("`coverage`", Coverage)):
        told = {"signal_name", "distribution", "version", "reason", *re.findall(r"`(\w+)`", rows[row])}
        assert {field.name for field in attrs.fields(kind)} <= told


def test_every_setting_of_the_agent_is_told_with_flag_and_default():
    rows = dict(re.findall(r"^\| `(\w+)`(?: \([^)]+\))? (\|(?: [^|]+ \| | \| )[^|]+ \|)", page("run"), re.MULTILINE))
    for field in attrs.fields(AgentSettings):
        if field.name in ("max_tokens", "temperature", "max_result_chars"):
            assert f"`{field.name}`" in page("run")
            continue
        flag = f" `{AGENT[field.name]}`" if field.name in AGENT else ""
        default = field.default if isinstance(field.default, bool) else str(field.default).removesuffix(".0")
        told = {True: "true", "truncation": "`truncation`", "auto": "`auto`", "None": "[^|]+"}.get(default, default)
        assert re.fullmatch(rf"\|{flag} \| {told} \|", rows[field.name]), field.name


def test_every_key_of_an_attempt_is_told():
    (row,) = re.findall(r"^\| `attempts` \| (.+) \|$", page("run"), re.MULTILINE)
    assert {field.name for field in attrs.fields(AttemptFacts)} <= set(re.findall(r"`(\w+)`", row))


def test_every_argument_of_the_span_processor_is_told_with_its_default():
    processor = pytest.importorskip("sentinel_core.telemetry.processor").SentinelSpanProcessor
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page("telemetry"), re.MULTILINE))
    arguments = inspect.signature(processor).parameters
    assert {name: ast.literal_eval(text) for name, text in told.items()} == {
        name: one.default for name, one in arguments.items()
    }


SUITE = {
    "the file": scenario.Suite,
    "`scenarios`": scenario.Scenario,
    "`tools.NAME`": scenario.ToolScript,
    "`steps`": scenario.Step,
    "`sweep`": scenario.Sweep,
    "`expect`": scenario.Expectations,
    "`expect.tool_usage`": scenario.ToolUsage,
    "`expect.tool_usage.calls`": scenario.CallExpectation,
    "`expect.decision_quality`": scenario.DecisionQuality,
    "`expect.error_handling`": scenario.ErrorHandling,
    "`risks`, `never`, `told`": scenario.Predicate,
    "`rubric`": scenario.Criterion,
    "`judge`": scenario.JudgeSettings,
}


def test_every_key_of_a_suite_is_told_with_its_default():
    _, _, section = page("suite").partition("### Every key\n")
    section, _, _ = section.partition("\n## ")
    rows = dict(re.findall(r"^\| (the file|`.+?`) \| (.+) \|$", section, re.MULTILINE))
    assert set(rows) == set(SUITE)
    for row, kind in SUITE.items():
        told = dict(re.findall(r"`(\w+)(?: = ([^`]+))?`", rows[row]))
        fields = attrs.fields_dict(kind)
        assert set(told) - {"defaults"} == set(fields)
        given = {key: tomllib.loads(f"it = {value}")["it"] for key, value in told.items() if value}
        plain = {
            name: field.default for name, field in fields.items() if isinstance(field.default, (str, bool, int, float))
        }
        plain["outcomes"] = ["completed"]
        assert given == {name: value for name, value in plain.items() if value != "" and name in told}


def test_the_numbers_of_the_profile():
    rows = {}
    for line in page("evaluate").splitlines():
        if found := re.match(r"\| \[`(\w+)`\]\(.+?\) \| ([\d.]+) \| (\w+) at ([\d.]+) \|", line):
            rows[found[1]] = (float(found[2]), found[3], float(found[4]))
    assert rows == {
        rule.signal_name: (RS1.weights[rule.signal_name], rule.verdict, rule.threshold) for rule in RS1.critical
    }
    assert f"| all together | | WARN at {RS1.warn_at}, FAIL at {RS1.fail_at} |" in page("evaluate")


def test_every_extra_is_explained():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _, _, section = page("configuration").partition("## Extras\n")
    section, _, _ = section.partition("\n## ")
    rows = " ".join(re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", rows)) == set(project["optional-dependencies"]) - {"standard"}
    assert "[standard]" in section


@pytest.mark.parametrize("offer", ["Signal", "Provider", "Tool", "Guardrail", "TraceReader", "Command"])
def test_what_a_plugin_offers_is_shown_as_it_is(offer):
    parts = [
        field.name if field.default is attrs.NOTHING else f"{field.name}={field.default!r}".replace("'", '"')
        for field in attrs.fields(getattr(offers, offer))
    ]
    assert f"`{offer}({', '.join(parts)})`" in page("write-a-plugin")
