"""The library calls on loops as coroutines, for callers in an event loop; each works in a thread.

from sentinel_core.guardrails.coroutines import process_loop_completion

answer = await process_loop_completion("loop_001", "done", "SAGE")
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from sentinel_core.guardrails import components, loops

__all__ = [
    "calculate_fatigue_score",
    "detect_bias_repetition",
    "enforce_rerun_limits",
    "get_guardrails_status",
    "log_rerun_reasoning",
    "override_guardrails",
    "process_loop_completion",
    "submit_loop",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _coroutine(function: Callable[_P, _T]) -> Callable[_P, Awaitable[_T]]:
    @functools.wraps(function)
    async def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await asyncio.to_thread(function, *args, **kwargs)

    return call


calculate_fatigue_score = _coroutine(components.calculate_fatigue_score)
detect_bias_repetition = _coroutine(components.detect_bias_repetition)
enforce_rerun_limits = _coroutine(components.enforce_rerun_limits)
log_rerun_reasoning = _coroutine(components.log_rerun_reasoning)
get_guardrails_status = _coroutine(loops.get_guardrails_status)
override_guardrails = _coroutine(loops.override_guardrails)
process_loop_completion = _coroutine(loops.process_loop_completion)
submit_loop = _coroutine(loops.submit_loop)
