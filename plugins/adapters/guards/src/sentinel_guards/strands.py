"""Strands: hooks that hold the answer of each invocation to the agent's messages.

from sentinel_guards.strands import sentinel_hooks

agent = Agent(model=model, tools=tools, hooks=[sentinel_hooks()])
"""

from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError

if TYPE_CHECKING:
    from strands.hooks import AfterInvocationEvent, HookProvider, HookRegistry

__all__ = ["sentinel_hooks"]

_READER = "bedrock-converse"
_ANSWERED = ("end_turn", "stop_sequence")


def sentinel_hooks(guard: AnswerGuard | None = None) -> "HookProvider":
    """Hooks for ``Agent(hooks=[...])``.

    An answer that ``guard`` (default: ``AnswerGuard()``) does not accept resumes the agent with the reason as the user's
    message; the next one raises ``UnreliableAnswerError``. An invocation that ended without an answer is not checked.
    """
    from strands.hooks import AfterInvocationEvent, HookProvider

    check = guard or AnswerGuard()

    class Sentinel(HookProvider):
        def register_hooks(self, registry: "HookRegistry", **_: Any) -> None:
            registry.add_callback(AfterInvocationEvent, self.hold)

        def hold(self, event: "AfterInvocationEvent") -> None:
            if event.result is None or event.result.stop_reason not in _ANSWERED:
                return
            objection = check.check(list(event.agent.messages), reader=_READER)
            if objection is None:
                return
            if objection.is_final:
                raise UnreliableAnswerError(objection)
            event.resume = objection.reason

    return Sentinel()
