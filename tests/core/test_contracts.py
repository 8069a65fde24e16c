"""The contract suites refuse what the host refuses, and say what it is."""

import dataclasses
import os
import re
import sys
from pathlib import Path

import attrs
import click
import pytest
from tables import each_row

from sentinel_core import (
    Capabilities,
    Command,
    Detection,
    ExecutionTrace,
    Finding,
    Guardrail,
    Message,
    Provider,
    Reply,
    Ruling,
    Signal,
    ToolCall,
    TraceReader,
)
from sentinel_core.testing import (
    CommandContract,
    GuardrailContract,
    ProviderContract,
    SignalContract,
    TraceReaderContract,
)


def subclass(contract: type, **given: object) -> object:
    """What a plugin's author writes."""
    methods = {name: lambda _self, value=value: value for name, value in given.items()}
    return type("Mine", (contract,), {**methods, "__module__": "somebody"})()


def refuses(suite: object, test: str, words: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(words)):
        getattr(suite, test)()


def said(text: str) -> ExecutionTrace:
    return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content=text),))


@dataclasses.dataclass
class NoAttrs:
    words: int = 1


def signal_suite(detect: object, **fields: object) -> object:
    signal = Signal(name="mine", summary="s", detect=detect, **fields)
    return subclass(SignalContract, make=signal, risky=said("A"), clean=said("a"))


def printing(_index):
    sys.stdout.write("noise")
    return 0.0


def wandering(_index):
    os.chdir("/")
    return 0.0


def astray(**place):
    finding = Finding(rule="r", severity="note", text="x", **place)
    return lambda _index: Detection(score=0.1, findings=[finding])


def test_a_signal_that_only_answers():
    signal_suite(lambda _index: 0.0).test_only_answers()
    signal_suite(lambda _index: 0.0).test_host_takes_it()


@pytest.mark.parametrize(
    ("detect", "words"), [(printing, "it printed 'noise"), (wandering, "it changed the working directory")]
)
def test_a_signal_that_does_more(detect, words):
    before = Path.cwd()
    refuses(signal_suite(detect), "test_only_answers", words)
    assert Path.cwd() == before


@pytest.mark.parametrize("place", [{"message_index": 999}, {"trace_path": [3]}])
def test_a_signal_that_points_nowhere(place):
    refuses(signal_suite(astray(**place)), "test_never_fails", "that points to ")


def test_settings_that_are_no_attrs_class():
    suite = signal_suite(lambda _index, _settings: 0.0, settings=NoAttrs)
    refuses(suite, "test_host_takes_it", 'the host rejects it: "mine": settings must be an attrs class')


def reader_suite(*outcomes: object, **fields: object) -> object:
    reader = TraceReader(name="r", summary="s", sniff=lambda _head, _name: 50, read=lambda _source: outcomes, **fields)
    return subclass(TraceReaderContract, make=reader, sample=b"x")


def test_a_reader_of_no_known_grain():
    refuses(reader_suite(said("x"), grain="lines"), "test_host_takes_it", 'grain must be "file" or "line"')


@pytest.mark.parametrize(
    ("trace", "test", "words"),
    [
        (said(5), "test_reads_traces", "the trace 't' is malformed: messages[0].content is 5 (an int)"),
        (
            attrs.evolve(said("x"), metadata={"a": (1,)}),
            "test_traces_survive_the_native_format",
            "a trace must survive being written: trace.metadata is {'a': (1,)} and comes back as {'a': [1]}",
        ),
        (
            ExecutionTrace(
                trace_id="t", messages=(Message(role="assistant", tool_calls=[ToolCall(id="c", name="n")]),)
            ),
            "test_traces_survive_the_native_format",
            "trace.messages[0].tool_calls is a list and comes back as a tuple",
        ),
        (
            attrs.evolve(said("x"), metadata={"a": object}),
            "test_traces_survive_the_native_format",
            "the trace 't' cannot be written: Encoding objects of type type is unsupported",
        ),
    ],
)
def test_a_reader_of_traces_that_are_none(trace, test, words):
    refuses(reader_suite(trace), test, words)


@attrs.define
class Parrot:
    reply: object = None

    def complete(self, _request, _on_text=None):
        return self.reply

    def estimate_tokens(self, messages):
        return len(messages)

    def get_capabilities(self):
        return Capabilities()

    def close(self):
        pass


CALL = ToolCall(id="1", name="contract_echo", arguments='{"text": "x"}')
REASONS = "it must be one of end_turn, tool_calls, max_tokens, refusal, content_filter"


@each_row(
    ("reply", "words"),
    [
        (Reply(content="x", stop_reason="stop"), f"a Reply whose stop_reason is 'stop'; {REASONS}"),
        (Reply(tool_calls=(CALL,)), "a Reply with a call whose arguments is a str; it must be a dict"),
        (Reply(content="x", model=5), "a Reply whose model is a int"),
        ({"content": "x"}, "a dict instead of a Reply"),
    ],
)
@each_row(
    "test",
    ["test_complete_gives_a_reply", "test_streamed_text_is_the_reply", "test_failure_is_a_model_error"],
)
def test_a_provider_whose_replies_no_agent_takes(reply, words, test):
    provider = Provider(name="p", summary="s", connect=lambda: Parrot(reply))
    refuses(subclass(ProviderContract, make=provider), test, f"complete() returned {words}")


def test_offers_that_the_host_does_not_take():
    guardrail = Guardrail(name="g", summary="", check=lambda _history: Ruling(action="allow"))
    refuses(subclass(GuardrailContract, make=guardrail), "test_host_takes_it", "it offers a Guardrail without a")


def command_suite(made: object, module: str = "sentinel_core", **fields: object) -> object:
    offer = Command(**{"name": "mine", "summary": "Does it.", "load": lambda: made, **fields})
    return subclass(CommandContract, make=offer, module=module)


@pytest.mark.process
def test_a_command_that_says_what_it_does():
    option = click.Option(["--to"], help="Whom.")
    suite = command_suite(click.Command("mine", help="Do it.", params=[option]))
    suite.test_host_takes_it()
    suite.test_offering_it_imports_nothing_else()
    suite.test_it_is_a_command()
    suite.test_its_options_say_what_they_do()


@pytest.mark.process
@pytest.mark.parametrize(
    ("suite", "test", "words"),
    [
        (command_suite(None, name="rules"), "test_host_takes_it", '"rules" is a built-in command; rename yours'),
        (command_suite(None, summary="a\nb"), "test_host_takes_it", '"mine": summary must be one line'),
        (
            command_suite(None, "xmlrpc.server"),
            "test_offering_it_imports_nothing_else",
            "xmlrpc.server must import nothing but",
        ),
        (command_suite(None, "no_such"), "test_offering_it_imports_nothing_else", "No module named 'no_such'"),
        (command_suite(print), "test_it_is_a_command", "not a builtin_function_or_method"),
        (command_suite(click.Command("mine")), "test_it_is_a_command", "it has no help"),
        (
            command_suite(click.Group("mine", commands=[click.Command("sub", params=[click.Option(["--to"])])])),
            "test_its_options_say_what_they_do",
            "sub: these options have no help: ['to']",
        ),
    ],
)
def test_a_command_that_is_refused(suite, test, words):
    refuses(suite, test, words)
