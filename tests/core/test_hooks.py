"""Each hook is documented with a whole plugin that works, named in the guide, and used by an installed plugin."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from sentinel_core import Capabilities, ExecutionTrace, Message, Request, hookspecs
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.facts import Attempt, History
from sentinel_core.host.plugins import Plugin, installed, load
from sentinel_core.host.selection import KINDS
from sentinel_core.host.validate_offers import checked
from sentinel_core.judging.output.formats import OWN
from sentinel_core.testing import (
    BytesSource,
    CommandContract,
    GuardrailContract,
    OutputContract,
    ProviderContract,
    SignalContract,
    ToolContract,
    TraceReaderContract,
)

REPOSITORY = Path(__file__).parents[2]
GUIDE = REPOSITORY / "docs" / "write-a-plugin.md"
HOOKS = {kind: getattr(hookspecs, f"sentinel_{kind}") for kind in KINDS}
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def example(kind: str) -> str:
    (code,) = BLOCK.findall(inspect.getdoc(HOOKS[kind]))
    return code


def loaded(kind: str, folder: Path) -> Plugin:
    path = folder / "pasted.py"
    path.write_text(example(kind), encoding="utf-8")
    (plugin,), failures = load([], [str(path)])
    assert failures == []
    assert plugin.source.kind == kind
    return plugin


def test_a_hook_for_each_kind():
    assert {name for name in hookspecs.__all__ if name.startswith("sentinel_")} == {
        f"sentinel_{kind}" for kind in KINDS
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_takes_nothing(kind):
    assert not inspect.signature(HOOKS[kind]).parameters


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_names_its_group(kind):
    assert f"``sentinel.{kind}``" in HOOKS[kind].__doc__


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_is_short_and_imports_the_public_names(kind):
    code = example(kind)
    assert len(code.splitlines()) < 30
    modules = {node.module for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)}
    assert modules == {"sentinel_core"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_guide_names_each_hook(kind):
    assert f"sentinel_{kind}" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_a_built_in_plugin_uses_each_hook(kind):
    if kind == "outputs":  # the host's own, which every installation has
        assert all(checked(output, kind) for output in OWN.values())
        return
    ours = [one for one in installed((kind,)) if (one.distribution or "").startswith("reliability-sentinel-")]
    assert ours
    plugins, failures = load(ours)
    assert failures == []
    assert [plugin.source for plugin in plugins] == ours


def test_the_signal_of_the_example(tmp_path):
    detect = loaded("signals", tmp_path).offer.detect
    messages = (Message(role="assistant", content="DONE IT"), Message(role="assistant", content="Really."))
    found = detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)))
    assert (found.score, [one.quote for one in found.findings]) == (0.5, ["DONE IT"])
    assert detect(TraceIndex(ExecutionTrace(trace_id="t"))).score is None


def test_the_provider_of_the_example(tmp_path):
    model = loaded("providers", tmp_path).offer.connect()
    messages = (Message(role="user", content="Polly?"),)
    assert model.complete(Request(system_prompt="s", messages=messages)).content == "Polly?"
    assert model.estimate_tokens(messages) == 1
    assert model.get_capabilities() == Capabilities(tools=False)
    assert model.close() is None


def test_the_tool_of_the_example(tmp_path):
    tool = loaded("tools", tmp_path).offer
    assert tool.handler(**dict.fromkeys(tool.parameters["required"], 2)) == {"sum": 4}


def test_the_guardrail_of_the_example(tmp_path):
    check = loaded("guardrails", tmp_path).offer.check
    attempts = [Attempt(loop_id="1", alignment_score=score) for score in (0.0, 0.5, 0.0)]
    actions = [check(History(attempts=tuple(attempts[:count]))).action for count in range(4)]
    assert actions == ["allow", "finalize", "allow", "finalize"]


def test_the_reader_of_the_example(tmp_path):
    reader = loaded("trace_readers", tmp_path).offer
    assert reader.sniff(b"", "a.chat.txt") > 0 == reader.sniff(b"", "a.json")
    (trace,) = reader.read(BytesSource(data=b"Hello?\nYes.\n"))
    assert [(message.role, message.content) for message in trace.messages] == [
        ("user", "Hello?"),
        ("assistant", "Yes."),
    ]


def pasted(kind: str):
    namespace = {"__name__": "pasted"}
    exec(example(kind), namespace)
    (offer,) = namespace[f"sentinel_{kind}"]()
    return offer


def said(text: str) -> ExecutionTrace:
    return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content=text),))


def test_the_command_of_the_example(tmp_path):
    from click.testing import CliRunner

    trace = tmp_path / "trace.json"
    trace.write_bytes(b'{"trace_id": "t", "messages": [{"role": "assistant", "content": "Done."}]}')
    done = CliRunner().invoke(pasted("commands").load(), [str(trace)])
    assert (done.exit_code, done.output) == (0, "PASS\n")


class TestPastedOutput(OutputContract):
    def make(self):
        return pasted("outputs")


class TestPastedSignal(SignalContract):
    def make(self):
        return pasted("signals")

    def risky(self):
        return said("DONE IT")

    def clean(self):
        return said("Done.")


class TestPastedProvider(ProviderContract):
    def make(self):
        return pasted("providers")


class TestPastedTool(ToolContract):
    def make(self):
        return pasted("tools")

    def arguments(self):
        return {"first": 1, "second": 2.5}


class TestPastedGuardrail(GuardrailContract):
    def make(self):
        return pasted("guardrails")


class TestPastedReader(TraceReaderContract):
    def make(self):
        return pasted("trace_readers")

    def sample(self):
        return "Grüß Gott?\n→ Grüß dich, 小さい.\n".encode()

    def filename(self):
        return "greeting.chat.txt"


class TestPastedCommand(CommandContract):
    def make(self):
        return pasted("commands")

    def module(self):
        return "pasted_command"

    @pytest.fixture(autouse=True)
    def _importable(self, tmp_path, monkeypatch):
        (tmp_path / "pasted_command.py").write_text(example("commands"), encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def test_the_entry_point_is_shown():
    assert '[project.entry-points."sentinel.signals"]' in hookspecs.__doc__
