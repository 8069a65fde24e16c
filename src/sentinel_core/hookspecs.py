"""The seven hooks. A plugin implements one or more of them, and an entry point tells the host in which module.

Each hook takes no argument and returns what the plugin offers; only the host calls the offered functions. The entry point's
group is the kind of plugin, and its name is the name of the offer. In ``pyproject.toml``:

    [project.entry-points."sentinel.signals"]
    shouting = "sentinel_signal_shouting"
"""

from collections.abc import Iterable

import pluggy

from sentinel_core.offers import Command, Guardrail, Output, Provider, Signal, Tool, TraceReader

__all__ = [
    "hookimpl",
    "hookspec",
    "sentinel_commands",
    "sentinel_guardrails",
    "sentinel_outputs",
    "sentinel_providers",
    "sentinel_signals",
    "sentinel_tools",
    "sentinel_trace_readers",
]

hookspec = pluggy.HookspecMarker("sentinel")
hookimpl = pluggy.HookimplMarker("sentinel")


@hookspec
def sentinel_signals() -> Iterable[Signal]:  # type: ignore[empty-body]
    '''Detectors that score one risk of a trace. Entry-point group: ``sentinel.signals``.

    A complete plugin:

    ```python
    from sentinel_core import Detection, Finding, Rule, Signal, hookimpl

    CAPITALS = Rule(id="capitals", severity="warning", title="The agent shouts", since="1.0",
                    help="A text is written in capitals. Ask for a calmer tone.")


    def detect(index):
        """Share of assistant texts that are written in capitals."""
        loud = [text for text in index.texts if text.content.isupper()]
        findings = [
            Finding(rule=CAPITALS.id, severity="warning", text="The agent shouts.",
                    message_index=text.message_index, quote=text.content)
            for text in loud
        ]
        return Detection(score=len(loud) / len(index.texts) if index.texts else None, findings=findings)


    @hookimpl
    def sentinel_signals():
        return [Signal(name="shouting", summary="assistant texts in capitals", detect=detect, rules=(CAPITALS,))]
    ```
    '''


@hookspec
def sentinel_providers() -> Iterable[Provider]:  # type: ignore[empty-body]
    """Connections to language models. Entry-point group: ``sentinel.providers``.

    A complete plugin:

    ```python
    from sentinel_core import Capabilities, Provider, Reply, hookimpl


    class Parrot:
        def complete(self, request, on_text=None):
            heard = [message.content for message in request.messages if message.content]
            return Reply(content=heard[-1] if heard else "Hello!", model="parrot")

        def estimate_tokens(self, messages):
            return sum(len(message.content or "") // 4 for message in messages)

        def get_capabilities(self):
            return Capabilities(tools=False)

        def close(self):
            pass


    @hookimpl
    def sentinel_providers():
        return [Provider(name="parrot", summary="repeats the last message", connect=Parrot)]
    ```
    """


@hookspec
def sentinel_tools() -> Iterable[Tool]:  # type: ignore[empty-body]
    """Tools for an agent. Entry-point group: ``sentinel.tools``.

    A complete plugin:

    ```python
    from sentinel_core import Tool, hookimpl


    def add(first, second):
        return {"sum": first + second}


    PARAMETERS = {
        "type": "object",
        "properties": {"first": {"type": "number"}, "second": {"type": "number"}},
        "required": ["first", "second"],
        "additionalProperties": False,
    }


    @hookimpl
    def sentinel_tools():
        return [Tool(name="add", description="Add two numbers.", parameters=PARAMETERS, handler=add)]
    ```
    """


@hookspec
def sentinel_guardrails() -> Iterable[Guardrail]:  # type: ignore[empty-body]
    """Limits on reruns. Entry-point group: ``sentinel.guardrails``.

    A complete plugin:

    ```python
    from sentinel_core import Guardrail, Ruling, hookimpl


    def check(history):
        if history.attempts and history.attempts[-1].alignment_score == 0:
            return Ruling(action="finalize", reason="hopeless", detail="The last attempt matched no part of the task.")
        return Ruling(action="allow")


    @hookimpl
    def sentinel_guardrails():
        return [Guardrail(name="hopeless", summary="no rerun after an attempt that matched nothing", check=check)]
    ```
    """


@hookspec
def sentinel_trace_readers() -> Iterable[TraceReader]:  # type: ignore[empty-body]
    """Readers of trace formats. Entry-point group: ``sentinel.trace_readers``.

    A complete plugin:

    ```python
    from sentinel_core import ExecutionTrace, Message, TraceReader, hookimpl


    def sniff(head, filename):
        return 50 if filename.endswith(".chat.txt") else 0


    def read(source):
        with source.open() as stream:
            lines = stream.read().decode("utf-8", "replace").splitlines()
        messages = tuple(
            Message(role="assistant" if number % 2 else "user", content=line) for number, line in enumerate(lines)
        )
        yield ExecutionTrace(trace_id=source.name, messages=messages)


    @hookimpl
    def sentinel_trace_readers():
        return [TraceReader(name="chat-lines", summary="alternating lines of a user and an agent", sniff=sniff, read=read)]
    ```
    """


@hookspec
def sentinel_outputs() -> Iterable[Output]:  # type: ignore[empty-body]
    r"""Formats of results. Entry-point group: ``sentinel.outputs``.

    A complete plugin:

    ```python
    import json

    from sentinel_core import Output, hookimpl


    class Pairs:
        def __init__(self, stream, settings):
            self.stream = stream

        def add(self, record):
            if record.is_judged:
                report = json.loads(bytes(record.report))
                pair = report["trace_id"], report["verdict"]
            else:
                pair = record.error.source, record.error.message
            self.stream.write(json.dumps(pair).encode() + b"\n")

        def finish(self):
            pass


    @hookimpl
    def sentinel_outputs():
        return [Output(name="pairs", summary="a pair of trace and verdict per line", open=Pairs, endings=("pairs",))]
    ```
    """


@hookspec
def sentinel_commands() -> Iterable[Command]:  # type: ignore[empty-body]
    '''Commands of the ``sentinel`` command line. Entry-point group: ``sentinel.commands``.

    A complete plugin:

    ```python
    from sentinel_core import Command, hookimpl


    def load():
        import click
        from sentinel_core import decode_trace, evaluate_trace

        @click.command("verdict")
        @click.argument("trace", type=click.File("rb"))
        def verdict(trace):
            """Print the verdict on TRACE, a file, and nothing else."""
            click.echo(evaluate_trace(decode_trace(trace.read())).verdict)

        return verdict


    @hookimpl
    def sentinel_commands():
        return [Command(name="verdict", summary="Print the verdict on a trace.", load=load)]
    ```
    '''
