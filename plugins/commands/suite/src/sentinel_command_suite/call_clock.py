"""How long a model's calls take."""

import statistics
import time
from collections.abc import Callable, Sequence

import attrs

from sentinel_core import Capabilities, Message, Model, Reply, Request

__all__ = ["CallClock"]


@attrs.define(eq=False)
class CallClock:
    """Times the calls of models, also those that fail."""

    seconds: list[float] = attrs.field(factory=list)

    def timed(self, model: Model) -> Model:
        """The model, timed."""
        return _TimedModel(inner=model, seconds=self.seconds)

    @property
    def median_ms(self) -> float | None:
        """The median time of a call in milliseconds; None where there was none. A busy moment moves it little."""
        return round(statistics.median(self.seconds) * 1000, 3) if self.seconds else None


@attrs.frozen(eq=False, kw_only=True)
class _TimedModel:
    inner: Model
    seconds: list[float]

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        start = time.perf_counter()
        try:
            return self.inner.complete(request, on_text)
        finally:
            self.seconds.append(time.perf_counter() - start)

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        return self.inner.estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        return self.inner.get_capabilities()

    def close(self) -> None:
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()
