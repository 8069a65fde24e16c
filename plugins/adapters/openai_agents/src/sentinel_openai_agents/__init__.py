"""An agent of the OpenAI Agents SDK whose answer the record does not bear out is stopped, or gets it back once.

from sentinel_openai_agents import run

result = await run(agent, "Fix the failing test.")  # as Runner.run
"""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs

from sentinel_core import AnswerGuard, Objection

if TYPE_CHECKING:
    import agents

__all__ = ["Watch", "run"]

_READER = "openai-responses"


class Watch:
    """``hooks``, which keep the record of runs, and ``guardrail``, an output guardrail that holds their answers to it.

    The SDK gives an output guardrail the answer alone, so a run needs both: ``Agent(output_guardrails=[watch.guardrail])`` or
    ``RunConfig(output_guardrails=[watch.guardrail])``, and ``Runner.run(..., hooks=watch.hooks)``; ``hooks`` calls the
    program's own, if given. An answer that ``guard`` (default: ``AnswerGuard()``) does not accept raises
    ``OutputGuardrailTripwireTriggered``; its ``guardrail_result.output.output_info`` is the ``Objection``.
    """

    def __init__(self, guard: AnswerGuard | None = None, hooks: "agents.RunHooks[Any] | None" = None) -> None:
        from agents import OutputGuardrail

        self._guard = guard or AnswerGuard()
        self._records: MutableMapping[agents.RunContextWrapper[Any], _Record] = WeakKeyDictionary()
        self.hooks: agents.RunHooks[Any] = _watching(self._records, hooks)
        self.guardrail: OutputGuardrail[Any] = OutputGuardrail(self._check, name="sentinel")

    def _check(
        self, context: "agents.RunContextWrapper[Any]", _: "agents.Agent[Any]", __: object
    ) -> "agents.GuardrailFunctionOutput":
        from agents import GuardrailFunctionOutput, UserError

        record = self._records.get(context)
        if record is None:
            raise UserError("Sentinel's guardrail has no record of this run: pass hooks=watch.hooks to the Runner")
        objection = self._guard.check(record.items(), reader=_READER)
        return GuardrailFunctionOutput(output_info=objection, tripwire_triggered=objection is not None)


async def run(
    agent: "agents.Agent[Any]",
    run_input: "str | list[agents.TResponseInputItem]",
    guard: AnswerGuard | None = None,
    **options: Any,
) -> "agents.RunResult":
    """As ``Runner.run`` with these ``options``; an answer that ``guard`` does not accept is sent back with the reason.

    The next one raises ``OutputGuardrailTripwireTriggered``. The agent that answered goes on from there: no call is made again.
    """
    from agents import OutputGuardrailTripwireTriggered, Runner

    watch = Watch(guard, options.pop("hooks", None))
    config = _guarded(options.pop("run_config", None), watch.guardrail)
    while True:
        try:
            return await Runner.run(agent, run_input, hooks=watch.hooks, run_config=config, **options)
        except OutputGuardrailTripwireTriggered as error:
            objection = error.guardrail_result.output.output_info
            if not isinstance(objection, Objection) or objection.is_final or error.run_data is None:
                raise
            agent = error.run_data.last_agent
            run_input = [*_so_far(error, options.get("session")), {"role": "user", "content": objection.reason}]


def _so_far(error: Any, session: object) -> "Iterator[agents.TResponseInputItem]":
    """The run's items; none where a session has them."""
    from agents import ItemHelpers

    if session is None:
        yield from ItemHelpers.input_to_new_input_list(error.run_data.input)
        yield from (item.to_input_item() for item in error.run_data.new_items)


def _guarded(config: "agents.RunConfig | Mapping[str, Any] | None", guardrail: "agents.OutputGuardrail[Any]") -> Any:
    """The configuration with the guardrail; for whichever agent answers, after a handoff, too."""
    from dataclasses import replace

    if config is None or isinstance(config, Mapping):
        given = dict(config or {})
        return {**given, "output_guardrails": [*(given.get("output_guardrails") or ()), guardrail]}
    return replace(config, output_guardrails=[*(config.output_guardrails or ()), guardrail])


@attrs.define
class _Record:
    """What the model was sent last and what it answered; and calls that it no longer saw, as after a handoff's filter."""

    last: "list[agents.TResponseInputItem]" = attrs.field(factory=list)
    calls: "dict[tuple[str, str], agents.TResponseInputItem]" = attrs.field(factory=dict)

    def add(self, items: "Sequence[agents.TResponseInputItem]") -> None:
        self.last += items
        self.calls |= _calls(items)

    def items(self) -> "list[agents.TResponseInputItem]":
        shown = _calls(self.last)
        return [*(item for key, item in self.calls.items() if key not in shown), *self.last]


def _calls(items: "Sequence[agents.TResponseInputItem]") -> "dict[tuple[str, str], agents.TResponseInputItem]":
    return {(str(item.get("type")), str(item["call_id"])): item for item in items if item.get("call_id")}  # type: ignore[typeddict-item]


def _watching(
    records: "MutableMapping[agents.RunContextWrapper[Any], _Record]", own: "agents.RunHooks[Any] | None"
) -> "agents.RunHooks[Any]":
    from agents import RunHooks

    inner = own or RunHooks[Any]()

    class Watching(RunHooks[Any]):
        async def on_llm_start(
            self,
            context: "agents.RunContextWrapper[Any]",
            agent: "agents.Agent[Any]",
            system_prompt: str | None,
            input_items: "list[agents.TResponseInputItem]",
        ) -> None:
            record = records.setdefault(context, _Record())
            record.last = []
            record.add(input_items)
            await inner.on_llm_start(context, agent, system_prompt, input_items)

        async def on_llm_end(
            self, context: "agents.RunContextWrapper[Any]", agent: "agents.Agent[Any]", response: "agents.ModelResponse"
        ) -> None:
            records.setdefault(context, _Record()).add(response.to_input_items())
            await inner.on_llm_end(context, agent, response)

    watching = Watching()
    for name in dir(inner):
        if name.startswith("on_") and name not in vars(Watching):
            setattr(watching, name, getattr(inner, name))
    return watching
