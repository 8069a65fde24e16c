"""What docs/guardrails.md shows works as it shows it."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from sentinel_command_serve.routes import ROUTES
from sentinel_command_serve.tokens import read_tokens
from sentinel_core.host.plugins import installed, load

pytestmark = pytest.mark.unmeasured

DOCUMENT = (Path(__file__).parents[2] / "docs" / "guardrails.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


def test_the_calls_and_the_drawing(tmp_path, sentinel):
    (code,), (_, printed, drawn) = blocks("python"), blocks("text")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == (printed, "")
    assert sentinel("loops", "show", "loop_001").stdout.startswith(drawn)


def test_the_settings_are_the_defaults(tmp_path, sentinel):
    settings, _ = blocks("toml")
    before = {row["key"]: row["value"] for row in json.loads(sentinel("config", "show", "--json").stdout)}
    (tmp_path / "sentinel.toml").write_text(settings, encoding="utf-8")
    after = {row["key"]: row for row in json.loads(sentinel("config", "show", "--json").stdout)}
    said = {key: row["value"] for key, row in after.items() if row["origin"] == "sentinel.toml"}
    assert said.pop("store") == ".sentinel/loops.sqlite3"
    assert said == {key: before[key] for key in said}
    plugins, _ = load(one for one in installed(("guardrails",)) if (one.distribution or "").startswith("reliability-"))
    between = [one for one in plugins if one.source.name != "live_stop"]  # its README has its settings
    fields = {f"guardrails.{one.source.name}.{its.name}" for one in between for its in attrs.fields(one.offer.settings)}
    assert fields == {key for key in said if key.startswith("guardrails.")}


def test_the_tokens_are_accepted(tokens):
    _, text = blocks("toml")
    tokens.write_text(text)
    assert [token.name for token in read_tokens(tokens).known] == ["operator"]
    (line,) = blocks("sh")
    name, value = shlex.split(line)[1].split("=", 1)
    found = {token.name: token.scopes for token in read_tokens(None, {name: value}).known}
    assert found == {"agent": {"complete", "read"}, "operator": {"override", "read"}}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_every_route_is_named_with_its_scope(route):
    (line,) = [line for line in DOCUMENT.splitlines() if f"`{route.method} {route.path}`" in line]
    assert f"`{route.scope}`" in line or route.scope is None
