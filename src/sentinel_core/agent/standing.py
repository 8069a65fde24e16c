"""How a run stands, and what each of its events says, in a few words: pure functions of the record."""

from collections.abc import Sequence
from typing import Any

import msgspec

from sentinel_core.agent.events import DeliveryFinished, DeliveryStarted, Event, RunEnded
from sentinel_core.agent.resuming import is_over
from sentinel_core.agent.to_trace import INTERRUPTED

__all__ = ["standing_of", "told"]

_STAMPS = ("sequence", "at")
_BULKY = ("system_prompt", "tools", "settings", "conversation_id")
_MOST = 300


def standing_of(events: Sequence[Event], holder: int | None) -> dict[str, Any]:
    """``state`` is ``working``, the outcome, or ``interrupted``; ``resumable`` whether ``--resume`` has something to do;
    ``delivery`` what came of the report; ``holder`` the process at work."""  # noqa: D205, D209 - one sentence
    ends = [event for event in events if isinstance(event, RunEnded)]
    started = any(isinstance(event, DeliveryStarted) for event in events)
    finished = [event for event in events if isinstance(event, DeliveryFinished)]
    delivery = finished[-1].status if finished else None
    over = is_over(events) and (delivery is not None or not started)
    state = ends[-1].outcome if ends and (over or not is_over(events)) else INTERRUPTED
    return {
        "state": "working" if holder else state,
        "resumable": not over,
        "delivery": delivery,
        "holder": holder,
    }


def told(event: Event) -> str:
    """The event in one line: its name, and its fields as JSON, the bulky ones left out."""
    plain: dict[str, Any] = msgspec.to_builtins(event, enc_hook=repr)
    shown = {
        key: value for key, value in plain.items() if key not in (*_STAMPS, *_BULKY) and value not in (None, "", [])
    }
    text = msgspec.json.encode(shown).decode()
    return f"{type(event).__name__} {text if len(text) <= _MOST else text[:_MOST] + '...'}"
