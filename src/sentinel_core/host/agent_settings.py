"""The agent's settings: a run's limits on turns, time and cost, and how it retries."""

from typing import Any, Literal

import attrs
from attrs import validators as v

__all__ = ["AgentSettings", "ContextStrategy", "RetryConfig", "ToolMode"]

ContextStrategy = Literal["truncation", "sliding_window", "importance"]
ToolMode = Literal["auto", "guided"]

_GUIDED_REPLY = 1024

_count = [v.instance_of(int), v.ge(1)]
_calls: Any = v.optional(_count)
_cost: Any = v.optional(v.gt(0.0))
_temperature: Any = v.optional([v.ge(0.0), v.le(2.0)])
_seconds: Any = v.optional([v.gt(0.0), v.le(1e6)])


@attrs.frozen(kw_only=True)
class RetryConfig:
    """How failed model calls are retried. ``max_attempts`` includes the first call; delays are in seconds."""

    max_attempts: int = 3
    initial_delay: float = 1.0
    max_delay: float = 60.0
    backoff_factor: float = 2.0
    jitter: bool = True


@attrs.frozen(kw_only=True)
class AgentSettings:
    """Limits of one run, and settings for its model calls. None means no limit or, for a parameter of the model, its default.

    In each attempt at the task, ``max_turns`` limits model calls (failed calls do not count) and ``max_tool_calls``
    limits tool calls. Only the first ``max_calls_per_reply`` calls of one reply are run. ``max_total_tokens``,
    ``max_cost_usd`` and ``deadline`` (in seconds) limit the whole run, including reruns. ``call_timeout`` limits one
    model call, in seconds. A resumed run gets a new deadline.

    Retries: see ``RetryConfig``.

    Context: ``context_strategy`` determines what happens to older messages that no longer fit into the context window;
    ``context_window`` is the size of that window in tokens if the provider does not report it. The result of a tool is
    truncated after ``max_result_chars`` characters.

    ``tool_mode``: ``guided`` offers one tool per step, which small models need; ``auto`` offers all tools until the model
    repeats a call that was refused.

    Raises ``ValueError`` for a value out of range.
    """

    max_turns: int = attrs.field(default=12, validator=_count)
    """Limit on model calls in one attempt; failed calls do not count."""
    max_tool_calls: int | None = attrs.field(default=100, validator=_calls)
    """Limit on tool calls in one attempt."""
    max_calls_per_reply: int = attrs.field(default=32, validator=[v.instance_of(int), v.ge(1)])
    """Limit on the number of tool calls that are run from one reply; all further calls get an error result."""
    max_total_tokens: int | None = attrs.field(default=None, validator=v.optional(_count))
    """Token limit for the whole run, including reruns."""
    max_cost_usd: float | None = attrs.field(default=None, validator=_cost)
    """Cost limit for the whole run in US dollars, including reruns."""
    deadline: float | None = attrs.field(default=600.0, validator=_seconds)
    """Time limit for the run in seconds, including reruns; a resumed run gets a new deadline."""
    call_timeout: float | None = attrs.field(default=None, validator=_seconds)
    """Time limit for one model call in seconds; if not set, the provider's limit applies."""
    max_attempts: int = attrs.field(default=3, validator=_count)
    """Total attempts at one model call."""
    initial_delay: float = attrs.field(default=1.0, validator=[v.ge(0.0), v.le(3600.0)])
    """Seconds before the first retry."""
    max_delay: float = attrs.field(default=60.0, validator=[v.ge(0.0), v.le(3600.0)])
    """Upper limit on the wait between retries, in seconds."""
    backoff_factor: float = attrs.field(default=2.0, validator=[v.ge(1.0), v.le(100.0)])
    """Factor by which each wait is longer than the previous one."""
    jitter: bool = True
    """Whether to add a random delay of up to ``initial_delay`` seconds to each wait."""
    context_strategy: ContextStrategy = attrs.field(
        default="truncation", validator=v.in_(("truncation", "sliding_window", "importance"))
    )
    """What happens to messages that no longer fit into the context window: ``truncation`` drops the oldest messages, ``importance`` keeps failures and what the user wrote, and ``sliding_window`` has the model summarize the oldest messages."""
    context_window: int | None = attrs.field(default=None, validator=v.optional(_count))
    """The model's context window in tokens, if the provider does not report it."""
    tool_mode: ToolMode = attrs.field(default="auto", validator=v.in_(("auto", "guided")))
    """``guided`` offers one tool per step, which small models need; ``auto`` offers all tools until the model repeats a call that was refused."""
    max_result_chars: int = attrs.field(default=50_000, validator=[v.instance_of(int), v.ge(100)])
    """Length limit for a tool result, in characters; a longer result is truncated, and its SHA-256 and length are kept."""
    temperature: float | None = attrs.field(default=None, validator=_temperature)
    """Sampling temperature; if not set, the model's default applies."""
    max_tokens: int | None = attrs.field(default=None, validator=v.optional(v.ge(1)))
    """Token limit for one reply; if not set, it is 1,024 in guided mode; otherwise the model's own limit applies."""

    @property
    def reply_limit(self) -> int | None:
        """The token limit for one reply; None for the model's own. In guided mode there is one: small models ramble."""
        return _GUIDED_REPLY if self.max_tokens is None and self.tool_mode == "guided" else self.max_tokens

    @property
    def retry(self) -> RetryConfig:
        """The retry settings alone."""
        return RetryConfig(
            max_attempts=self.max_attempts,
            initial_delay=self.initial_delay,
            max_delay=self.max_delay,
            backoff_factor=self.backoff_factor,
            jitter=self.jitter,
        )

    def as_dict(self) -> dict[str, Any]:
        """Settings by name, as JSON values, for the journal."""
        return attrs.asdict(self)
