"""The cost of a call by public price lists, if the extra ``prices`` (``genai-prices``) is installed."""

import contextlib
import datetime as dt
import math

from sentinel_core.trace import TokenUsage

__all__ = ["cost_of"]


def cost_of(provider: str, model: str, usage: TokenUsage, at: dt.datetime) -> float | None:
    """US dollars for one call at the prices of the time ``at``; None where provider, model, or prices are not known.

    ``provider`` is a price list's name, such as ``openai``. ``at`` is required, because prices change and a trace must always
    cost the same. No network access.
    """
    try:
        import genai_prices
    except ImportError:
        return None

    details = usage.details
    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=details.cached_tokens if details else 0,
        cache_write_tokens=details.cache_write_tokens if details else 0,
    )
    with contextlib.suppress(LookupError, ValueError):  # unknown model; counts that contradict each other
        priced = genai_prices.calc_price(counted, model, provider_id=provider, genai_request_timestamp=at)
        cost = float(priced.total_price)
        return cost if math.isfinite(cost) and cost >= 0 else None
    return None
