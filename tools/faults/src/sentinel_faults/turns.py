"""What the server says, before it is put into a wire format."""

from typing import Any, Literal

import attrs

__all__ = ["USAGE", "Asked", "Stop", "Turn"]

Stop = Literal["", "max_tokens", "refusal", "content_filter"]
USAGE = {"prompt": 90, "completion": 12}


@attrs.frozen(kw_only=True)
class Asked:
    """One call of a tool. ``arguments`` are an object; a text stands for arguments that are no JSON."""

    name: str
    arguments: Any = attrs.field(factory=dict)
    id: str | None = None


@attrs.frozen(kw_only=True)
class Turn:
    """One reply of the model. ``usage`` has ``prompt`` and ``completion``; None leaves it out."""

    text: str = ""
    calls: tuple[Asked, ...] = ()
    stop: Stop = ""
    usage: dict[str, Any] | None = attrs.field(factory=lambda: dict(USAGE))
