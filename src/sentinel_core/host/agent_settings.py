"""The agent's settings: how often, how long and how expensively a run may work, and how it tries again."""

from typing import Any, Literal

import attrs
from attrs import validators as v

__all__ = ["AgentSettings", "ContextStrategy", "RetryConfig", "ToolMode"]

ContextStrategy = Literal["truncation", "sliding_window", "importance"]
ToolMode = Literal["auto", "guided"]

_count = [v.instance_of(int), v.ge(1)]
_calls: Any = v.optional(_count)
_cost: Any = v.optional(v.gt(0.0))
_warmth: Any = v.optional([v.ge(0.0), v.le(2.0)])
_seconds: Any = v.optional([v.gt(0.0), v.le(1e6)])


@attrs.frozen(kw_only=True)
class RetryConfig:
    """``max_attempts`` counts the first one too; delays are in seconds."""

    max_attempts: int = 3
    initial_delay: float = 1.0
    max_delay: float = 60.0
    backoff_factor: float = 2.0
    jitter: bool = True


@attrs.frozen(kw_only=True)
class AgentSettings:
    """Limits of one run, and how the model is asked. None is no limit, or the model's own default.

    Limits: ``max_turns`` is how often the model is asked, failed calls not counted, and ``max_tool_calls`` how many tools
    are run, in one attempt at the task; of one reply's calls the first ``max_calls_per_reply`` are; ``max_total_tokens``, ``max_cost_usd`` and ``deadline`` are of the run with all its
    reruns; ``call_timeout`` is one call's. Both times are in seconds. A resumed run has a deadline of its own.

    Trying again: see ``RetryConfig``.

    Context: ``context_strategy`` is what becomes of older messages when they no longer fit, ``context_window`` the model's
    window in tokens where the provider does not say. A tool's result is cut at ``max_result_chars`` characters.

    ``tool_mode`` is ``guided`` to offer one tool a step, which small models need, else ``auto``.

    Raises ``ValueError`` for a value out of range.
    """

    max_turns: int = attrs.field(default=12, validator=_count)
    max_tool_calls: int | None = attrs.field(default=100, validator=_calls)
    max_calls_per_reply: int = attrs.field(default=32, validator=[v.instance_of(int), v.ge(1)])
    max_total_tokens: int | None = attrs.field(default=None, validator=v.optional(_count))
    max_cost_usd: float | None = attrs.field(default=None, validator=_cost)
    deadline: float | None = attrs.field(default=600.0, validator=_seconds)
    call_timeout: float | None = attrs.field(default=None, validator=_seconds)
    max_attempts: int = attrs.field(default=3, validator=_count)
    initial_delay: float = attrs.field(default=1.0, validator=[v.ge(0.0), v.le(3600.0)])
    max_delay: float = attrs.field(default=60.0, validator=[v.ge(0.0), v.le(3600.0)])
    backoff_factor: float = attrs.field(default=2.0, validator=[v.ge(1.0), v.le(100.0)])
    jitter: bool = True
    context_strategy: ContextStrategy = attrs.field(
        default="truncation", validator=v.in_(("truncation", "sliding_window", "importance"))
    )
    context_window: int | None = attrs.field(default=None, validator=v.optional(_count))
    tool_mode: ToolMode = attrs.field(default="auto", validator=v.in_(("auto", "guided")))
    max_result_chars: int = attrs.field(default=50_000, validator=[v.instance_of(int), v.ge(100)])
    temperature: float | None = attrs.field(default=None, validator=_warmth)
    max_tokens: int | None = attrs.field(default=None, validator=v.optional(v.ge(1)))

    @property
    def retry(self) -> RetryConfig:
        """The part that is about trying again."""
        return RetryConfig(
            max_attempts=self.max_attempts,
            initial_delay=self.initial_delay,
            max_delay=self.max_delay,
            backoff_factor=self.backoff_factor,
            jitter=self.jitter,
        )

    def as_dict(self) -> dict[str, Any]:
        """By name, as JSON values, for the record."""
        return attrs.asdict(self)
