"""What the agent's settings mean for the provider that is connected, and where its warnings go."""

import logging
import os
import sys
from pathlib import Path

import attrs
import pytest

from sentinel_command_run.choose_provider import ResumeFlags, connect
from sentinel_command_run.run_child import Order
from sentinel_command_run.run_options import of_tools
from sentinel_command_suite.wiring import load_kit
from sentinel_core.errors import ConfigError, PluginError
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.runtime.outbox import Warned


@attrs.define
class Heard:
    """Stands for the way to the parent."""

    frames: list[object] = attrs.field(factory=list)
    is_open: bool = True

    def send(self, frame):
        self.frames.append(frame)

    def warn(self, text):
        self.send(Warned(text))

    def mark(self, text):
        """Nothing crashes here."""

    def end_copy(self):
        """Nothing forks here."""


@pytest.fixture
def outbox():
    log = logging.getLogger("sentinel")
    before = (list(log.handlers), log.propagate)
    yield Heard()
    log.handlers[:], log.propagate = before


def connected(outbox, kept=None, of_provider=(), **values):
    layers = {"provider": "ollama", "providers.ollama.model": "small"}
    layers |= {key.replace("__", "."): value for key, value in values.items()}
    settings = {key: Setting(key=key, value=value, origin="--flag") for key, value in layers.items()}
    made = connect(
        Layers(values=settings), Selection(), outbox, of_provider=dict(of_provider), of_tools={}, resume_flags=kept
    )
    made.model.close()
    return made


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, 120.0),
        ({"agent__call_timeout": 300.0}, 300.0),
        ({"agent__call_timeout": 5.0}, 5.0),
        ({"agent__call_timeout": 300.0, "providers__ollama__call_timeout": 7.0}, 7.0),
    ],
)
def test_the_time_for_a_call_is_the_provider_s_too(outbox, given, wanted):
    assert connected(outbox, **given).settings["providers.ollama"]["call_timeout"] == wanted


REPO = "tools.get_release_summary.repo"
CHANGES = "tools.get_code_changes.repo"
DETAILS = "tools.get_test_details.repo"
# A tool whose repository has nothing to do with releases.
ISSUES = """
import attrs

from sentinel_core import Tool, hookimpl


@attrs.frozen
class Settings:
    repo: str = attrs.field(default="a/b", validator=attrs.validators.matches_re("[^/]+/[^/]+"))


@hookimpl
def sentinel_tools():
    return [Tool(name="issues", description="d", parameters={"type": "object"}, handler=print, settings=Settings)]
"""


def layers_of(**settings):
    values = {"provider": ("offline", "--provider")} | {key: value for key, value in settings.items() if value}
    return Layers(values={key: Setting(key=key, value=value, origin=of) for key, (value, of) in values.items()})


def flags(**given):
    return dict.fromkeys(("releases", "reports", "repo", "junit", "metrics")) | given


@pytest.mark.parametrize("origin", ["sentinel.toml", "SENTINEL_TOOLS__GET_RELEASE_SUMMARY__REPO"])
def test_the_flag_for_summaries_takes_the_place_of_a_repository(outbox, origin):
    layers = layers_of(**{REPO: (".", origin), DETAILS: (".", origin), CHANGES: ("other", "--set")})
    wanted = of_tools(flags(releases="examples"), layers)
    found = connect(layers, Selection(), outbox, of_provider={}, of_tools=wanted).settings
    assert (found["tools.get_release_summary"]["releases"], found["tools.get_release_summary"]["repo"]) == (
        "examples",
        "",
    )
    assert (found["tools.get_code_changes"]["repo"], found["tools.get_test_details"]["repo"]) == ("other", "")
    assert of_tools(flags(repo="."), layers) == {"repo": "."}


@pytest.mark.parametrize("value", [None, "c/d"])
def test_the_flag_for_summaries_leaves_other_tools_alone(outbox, tmp_path, value):
    (tmp_path / "issues.py").write_text(ISSUES)
    layers = layers_of(**{"tools.issues.repo": value and (value, "sentinel.toml")})
    selection = Selection((str(tmp_path / "issues.py"),))
    wanted = of_tools(flags(releases="examples"), layers)
    found = connect(layers, selection, outbox, of_provider={}, of_tools=wanted).settings
    assert found["tools.issues"]["repo"] == (value or "a/b")


def test_the_flag_for_summaries_takes_the_place_of_one_kept():
    kept = {"provider": {}, "tools": {"repo": ".", "junit": "j"}, "override": None}
    order = Order(release="v1", layers=Layers(), selection=Selection(), directory=Path())
    assert attrs.evolve(order, of_tools={"releases": "r"}).with_flags(kept, "offline").of_tools == {
        "releases": "r",
        "junit": "j",
    }
    assert order.with_flags(kept, "offline").of_tools == kept["tools"]


@pytest.mark.parametrize(
    ("given", "settings", "named"),
    [({"repo": "."}, {}, "--repo"), ({}, {REPO: (".", "--set")}, f"--set {REPO}")],
)
def test_two_places_on_one_command_line(given, settings, named):
    with pytest.raises(ConfigError, match=f"^--releases cannot be combined with {named}: "):
        of_tools(flags(releases="examples", **given), layers_of(**settings))


PARROT = """
from sentinel_core import Provider, Reply, Tool, hookimpl


class Parrot:
    complete = lambda self, request, on_text=None: Reply(content="parrot")
    estimate_tokens = lambda self, messages: 1
    get_capabilities = close = lambda self: None


@hookimpl
def sentinel_providers():
    return [Provider(name="parrot", summary="s", connect=Parrot)]


@hookimpl
def sentinel_tools():
    return [Tool(name="add", description="d", parameters={"type": "object"}, handler=print)]
"""


@pytest.fixture
def parrot(distribution, monkeypatch):
    points = {"sentinel.providers": {"parrot": "parrots"}, "sentinel.tools": {"add": "parrots"}}
    monkeypatch.syspath_prepend(distribution("parrots", {"parrots": PARROT}, points))
    yield
    sys.modules.pop("parrots", None)


def chosen_by(outbox, *items):
    return connect(Layers(), Selection(items), outbox, of_provider={}, of_tools={"releases": "examples"})


def test_the_one_provider_that_is_chosen_is_used(outbox, parrot, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-0123456789")
    assert chosen_by(outbox, "parrot").name == "parrot"
    (tmp_path / "mine.py").write_text(PARROT.replace('"parrot"', '"mine"').replace('"add"', '"other"'))
    assert chosen_by(outbox, str(tmp_path / "mine.py")).name == "mine"
    assert connect(Layers(), Selection(), outbox, of_provider={"model": "m"}, of_tools={}).name == "openai"
    with pytest.raises(PluginError, match="several providers; choose one with --provider: ollama, parrot"):
        chosen_by(outbox, "parrot", "ollama")


def test_a_tool_that_is_chosen_stands_beside_those_that_the_task_needs(outbox, parrot):
    found = chosen_by(outbox, "add", "offline")
    assert [tool.name for tool in found.tools] == ["add", "file_risk_report", "get_release_summary"]
    without = chosen_by(outbox, "add", "offline", "no:file_risk_report")
    assert [tool.name for tool in without.tools] == ["add", "get_release_summary"]


def test_the_model_is_named(outbox):
    assert connected(outbox).model_name == "small"


@pytest.mark.parametrize(
    ("begun_with", "typed", "wanted"),
    [("ollama", {}, "kept"), ("ollama", {"model": "typed"}, "typed"), ("openai", {}, "small")],
)
def test_flags_that_were_kept_are_of_their_provider_and_below_those_typed(outbox, begun_with, typed, wanted):
    assert connected(outbox, ResumeFlags(begun_with, {"model": "kept"}), typed).model_name == wanted


def test_a_warning_is_sent_once_and_without_secrets(outbox, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "canary-0123456789")
    connected(outbox)
    connected(outbox)
    logging.getLogger("sentinel").warning("the key %s is odd", "canary-0123456789")
    logging.getLogger("sentinel").info("not worth a line")
    assert outbox.frames == [Warned("the key [redacted] is odd")]


def test_a_tool_s_process_sends_nothing(outbox, monkeypatch):
    connected(outbox)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    logging.getLogger("sentinel").warning("from elsewhere")
    assert outbox.frames == []


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("None", "None, which has no complete, no estimate_tokens, no get_capabilities, no close"),
        ("Half()", "a Half, which has no get_capabilities, no close"),
    ],
)
def test_what_is_no_model_is_told_as_what_connect_returned(outbox, tmp_path, made, told):
    path = tmp_path / "mine.py"
    path.write_text(
        "from sentinel_core import Provider, hookimpl\n\n\n"
        "class Half:\n    complete = estimate_tokens = print\n    close = None\n\n\n"
        "@hookimpl\ndef sentinel_providers():\n"
        f"    return [Provider(name='mine', summary='s', connect=lambda: {made})]\n"
    )
    layers = Layers(values={"provider": Setting(key="provider", value="mine", origin="--provider")})
    selection = Selection((str(path),))
    kit = load_kit("mine", layers, selection, judge=("mine", {}))
    for connects in (
        lambda: connect(layers, selection, outbox, of_provider={}, of_tools={}),
        kit.connect,
        kit.connect_judge,
    ):
        with pytest.raises(PluginError) as caught:
            connects()
        assert str(caught.value) == f'provider "mine": its connect returned {told}; expected a Model'
