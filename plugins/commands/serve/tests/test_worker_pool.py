"""What guardrails and signals do in their own processes does not keep the service from answering."""

from contextlib import closing

import pytest

from sentinel_command_serve.worker_pool import WorkerPool
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.guardrails.facts import Attempt, History
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.trace import ExecutionTrace, Message

pytestmark = pytest.mark.process

PLUGIN = """
import os, time
from sentinel_core import Guardrail, Ruling, Signal, hookimpl

def hang(_history):
    while True:
        time.sleep(0.1)

def odd(history):
    return Ruling(action="allow", facts={"what": {1, 2}.__iter__()})

def loud(history):
    print("hello")
    return Ruling(action="allow")

def fine(history):
    return Ruling(action="allow", facts={"attempts": [one.loop_id for one in history.attempts]})

def detect(index):
    return os._exit(7) if index.trace.trace_id == "bad" else 0.0

@hookimpl
def sentinel_guardrails():
    checks = {"gone": lambda _history: os._exit(5), "hang": hang, "odd": odd, "loud": loud, "fine": fine}
    return [Guardrail(name=name, summary="s", check=check) for name, check in checks.items()]

@hookimpl
def sentinel_signals():
    return [Signal(name="mine", summary="s", detect=detect)]
"""
HISTORY = History(attempts=(Attempt(loop_id="a", alignment_score=0.5, drift_score=0.5),))


def layers(**values):
    return Layers(values={key: Setting(key=key, value=value, origin="test.toml") for key, value in values.items()})


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    path = tmp_path_factory.mktemp("plugin") / "strange.py"
    path.write_text(PLUGIN)
    with closing(WorkerPool(layers(timeout=3.0), Selection.parse(str(path)), most=1)) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gone", 'Guardrail "gone" ended the process with exit code 5.'),
        ("hang", 'Guardrail "hang" did not finish within 3 s.'),
        ("odd", 'Guardrail "odd" returned a ruling that cannot be encoded as JSON'),
        ("loud", 'Guardrail "loud" raised SideEffectError: wrote to standard output'),
    ],
)
def test_a_guardrail_without_an_answer_ends_the_family_and_nothing_else(workers, name, told):
    rules = {one.name: one.check for one in workers.guardrails()}
    assert workers.warnings == ()
    ruling = rules[name](HISTORY)
    assert (ruling.action, ruling.reason) == ("finalize", "guardrail_failed")
    assert ruling.detail.startswith(told)
    assert rules["fine"](HISTORY).facts == {"attempts": ["a"]}


def test_a_trace_that_ends_the_process_is_refused_and_the_next_one_judged(workers):
    message = Message(role="assistant", content="Done.")
    with pytest.raises(
        InputError, match=r'could not be judged: plugin "[^"]*mine" .* exit code 7; submit scores instead'
    ):
        workers.judge(ExecutionTrace(trace_id="bad", messages=(message,)))
    with pytest.raises(InputError, match="trace_id is empty"):
        workers.judge(ExecutionTrace(trace_id="", messages=(message,)))
    assert workers.judge(ExecutionTrace(trace_id="good", messages=(message,))).trace_id == "good"


def test_what_is_set_wrongly_is_told_at_the_start():
    wrong = {"guardrails.rerun_limit.max_reruns": -1}
    with pytest.raises(ConfigError, match="max_reruns"):
        WorkerPool(layers(**wrong), Selection.parse("rerun_limit"), most=1)
