"""The reference is what the code says, and what is described by hand is complete."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import attrs
import pytest
from forked_commands import run_forked

from sentinel_agent.attempt_loop import AttemptFacts
from sentinel_command_suite import scenario
from sentinel_core import RS1, offers

pytestmark = pytest.mark.unmeasured

REPOSITORY = Path(__file__).parents[2]


def page(name: str) -> str:
    return (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_reference_is_what_the_code_says():
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "docs/generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["command-line", "settings", "reports"])
def test_nothing_in_the_reference_is_without_a_word(name):
    rows = re.findall(r"^\| `.+ \|$", page(f"reference/{name}"), re.MULTILINE)
    assert len(rows) > 60
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_key_of_an_attempt_is_listed():
    (row,) = re.findall(r"^\| `attempts` \| (.+) \|$", page("run"), re.MULTILINE)
    assert {field.name for field in attrs.fields(AttemptFacts)} <= set(re.findall(r"`(\w+)`", row))


def test_every_argument_of_the_span_processor_is_told_with_its_default():
    processor = pytest.importorskip("sentinel_core.telemetry.processor").SentinelSpanProcessor
    told = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page("telemetry"), re.MULTILINE))
    arguments = inspect.signature(processor).parameters
    assert {name: ast.literal_eval(text) for name, text in told.items()} == {
        name: one.default for name, one in arguments.items()
    }


def test_every_key_of_a_suite_is_in_the_reference():
    kinds = [kind for name in scenario.__all__ if attrs.has(kind := getattr(scenario, name))]
    keys = sorted(field.name for kind in kinds for field in attrs.fields(kind))
    assert sorted(re.findall(r"^\| `(\w+)` \|", page("reference/suite-file"), re.MULTILINE)) == keys


def test_the_numbers_of_the_profile():
    rows = {}
    for line in page("evaluate").splitlines():
        if found := re.match(r"\| \[`(\w+)`\]\(.+?\) \| ([\d.]+) \| (\w+) at ([\d.]+) \|", line):
            rows[found[1]] = (float(found[2]), found[3], float(found[4]))
    assert rows == {
        rule.signal_name: (RS1.weights[rule.signal_name], rule.verdict, rule.threshold) for rule in RS1.critical
    }
    assert f"| overall risk | | WARN at {RS1.warn_at}, FAIL at {RS1.fail_at} |" in page("evaluate")


def test_the_rule_that_the_help_of_explain_names_is_one(tmp_path):
    helped = run_forked("explain", "--help", cwd=tmp_path).stdout
    short, full = re.search(r"RULE \((\w+), or\s+(\w+\.\w+)\)", helped).groups()
    for rule in (short, full):
        done = run_forked("explain", rule, cwd=tmp_path)
        assert (done.returncode, done.stdout.partition(" ")[0]) == (0, full)


def test_every_extra_is_explained():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _, _, section = page("configuration").partition("## Extras\n")
    section, _, _ = section.partition("\n## ")
    rows = " ".join(re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE))
    assert set(re.findall(r"`([\w-]+)`", rows)) == set(project["optional-dependencies"]) - {"standard"}
    assert "[standard]" in section


@pytest.mark.parametrize("offer", ["Signal", "Provider", "Tool", "Guardrail", "TraceReader", "Command"])
def test_what_a_plugin_offers_is_shown_as_it_is(offer):
    parts = [
        field.name if field.default is attrs.NOTHING else f"{field.name}={field.default!r}".replace("'", '"')
        for field in attrs.fields(getattr(offers, offer))
    ]
    assert f"`{offer}({', '.join(parts)})`" in page("write-a-plugin")
