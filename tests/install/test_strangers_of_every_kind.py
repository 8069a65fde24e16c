"""One stranger's plugin of each kind: the example of its hook, in a wheel, pip-installed into a fresh environment, found and used."""

import inspect
import json
import re
import subprocess

import pytest

from sentinel_core import hookspecs
from sentinel_core.host.selection import KINDS
from wheels import REPOSITORY, write_wheel

pytestmark = pytest.mark.unmeasured

NAMES = {
    "commands": "verdict",
    "signals": "shouting",
    "providers": "parrot",
    "tools": "add",
    "guardrails": "hopeless",
    "trace_readers": "chat-lines",
    "outputs": "pairs",
}


def example(kind):
    (code,) = re.findall(r"```python\n(.*?)```", inspect.getdoc(getattr(hookspecs, f"sentinel_{kind}")), re.DOTALL)
    return code


ADDER = """
from sentinel_core import Capabilities, Provider, Reply, ToolCall, hookimpl


class Adder:
    def complete(self, request, on_text=None):
        if request.messages[-1].role == "tool":
            return Reply(content="It is three.", model="adder")
        call = ToolCall(id="call-1", name="add", arguments={"first": 1, "second": 2})
        return Reply(content="", tool_calls=(call,), model="adder")

    def estimate_tokens(self, messages):
        return len(messages)

    def get_capabilities(self):
        return Capabilities(tools=True)

    def close(self):
        pass


@hookimpl
def sentinel_providers():
    return [Provider(name="adder", summary="adds one and two", connect=Adder)]
"""

ONCE = """
from sentinel_core import Guardrail, Ruling, hookimpl


def check(history):
    if history.live is not None:
        return Ruling(action="allow")
    return Ruling(action="finalize", reason="only_once", detail="One attempt is enough.")


@hookimpl
def sentinel_guardrails():
    return [Guardrail(name="once", summary="no rerun at all", check=check)]
"""


@pytest.fixture(scope="module")
def environment(make_environment, wheelhouse, tmp_path_factory):
    folder = tmp_path_factory.mktemp("strangers")
    made = make_environment("reliability-sentinel[standard]")
    for kind, name in NAMES.items():
        module = f"strange_{kind}"
        points = {f"sentinel.{kind}": {name: module}}
        wheel = write_wheel(folder, f"strange-{kind.replace('_', '-')}", {module: example(kind)}, points)
        made.install(str(wheel), wheelhouse=wheelhouse)
    for kind, name, source in (("providers", "adder", ADDER), ("guardrails", "once", ONCE)):
        points = {f"sentinel.{kind}": {name: f"strange_{name}"}}
        wheel = write_wheel(folder, f"strange-{name}", {f"strange_{name}": source}, points)
        made.install(str(wheel), wheelhouse=wheelhouse)
    return made


@pytest.fixture(scope="module")
def chat(tmp_path_factory):
    path = tmp_path_factory.mktemp("traces") / "loud.chat.txt"
    path.write_text("Where is it?\nI DO NOT KNOW.\n", encoding="utf-8")
    return path


def test_every_kind_has_a_stranger():
    assert set(NAMES) == set(KINDS)


@pytest.mark.parametrize(("kind", "name"), NAMES.items())
def test_it_is_found(environment, kind, name):
    done = environment.sentinel("plugins", "show", name)
    assert (done.returncode, f"strange-{kind.replace('_', '-')} 1.0" in done.stdout) == (0, True), done.stderr


def test_the_reader_reads_and_the_signal_judges(environment, chat):
    done = environment.sentinel("evaluate", str(chat), "--json", "--fail-on", "fail")
    report = json.loads(done.stdout)
    assert (report["trace_id"], done.returncode) == ("loud.chat.txt", 0), done.stderr
    (score,) = [row for row in report["signal_scores"] if row["signal_name"] == "shouting"]
    assert (score["score"], score["distribution"]) == (1.0, "strange-signals")


def test_the_output_is_written_and_is_in_help_endings_and_docs(environment, chat, tmp_path):
    made = tmp_path / "made.pairs"
    done = environment.sentinel("evaluate", str(chat), "-o", str(made), "--fail-on", "fail")
    assert (done.returncode, made.read_text()) == (0, '["loud.chat.txt", "PASS"]\n'), done.stderr
    printed = environment.sentinel("evaluate", str(chat), "--format", "pairs")
    assert printed.stdout == made.read_text()
    told = environment.sentinel("evaluate", "--help").stdout
    assert "|pairs]" in told
    assert ".pairs" in told
    refused = environment.sentinel("evaluate", str(chat), "-o", "made.odd").stderr
    assert ".pairs" in refused
    code = "import sys; sys.path.insert(0, sys.argv[1]); import generate; print(dict(generate.pages())['reference/outputs.md'])"
    told = [str(environment.python), "-c", code, str(REPOSITORY / "docs")]
    listed = subprocess.run(told, capture_output=True, text=True, timeout=300, check=True)
    assert "| `pairs` | `.pairs` | a pair of trace and verdict per line |" in listed.stdout


def test_the_command_runs(environment, chat, tmp_path):
    made = tmp_path / "trace.json"
    assert environment.sentinel("convert", str(chat), "-o", str(made)).returncode == 0
    done = environment.sentinel("verdict", str(made))
    assert (done.returncode, done.stdout, done.stderr) == (0, "PASS\n", "")


def test_provider_tool_and_guardrail_work_in_a_run(environment, tmp_path):
    releases = REPOSITORY / "examples" / "releases"
    done = environment.sentinel(*("run", "v2.1.0", "--releases", str(releases), "--provider", "adder"), cwd=tmp_path)
    (trace,) = (tmp_path / ".sentinel" / "runs").glob("*.trace.json")
    messages = json.loads(trace.read_bytes())["messages"]
    results = [result["content"] for message in messages for result in message.get("tool_results") or ()]
    assert json.loads(results[0]) == {"sum": 3}
    assert "finalize: only_once. One attempt is enough." in done.stdout
