"""One trace of 1,000,000 messages against one of 100,000: evaluating must be about linear in the messages.

Times evaluating only (index, four signals, report), in CPU seconds of this process, and prints the most memory that it held.
"""

import resource
import sys
import time
from collections.abc import Iterator

from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.job import tune_gc
from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_report

BOUND = 14.0
SHORT, LONG = 100_000, 1_000_000
ROUNDS = 3
_ROUND = 5


def conversation(messages: int) -> Iterator[Message]:
    """Rounds of a user's question, a call, its result, a retelling and a claim; some repeat, some fail, none is alike."""
    for number in range(messages // _ROUND):
        said = f"Question {number}: where is parcel {number * 7919 % 100_003}?"
        result = f'{{"parcel": {number}, "status": "on its way", "days": {number % 9}}}'
        result = "Error: no such parcel" if number % 50 == 0 else result
        yield Message(role="user", content=said)
        arguments: dict[str, object] = {"parcel": number // 2, "deep": {"list": [number]}}
        yield from exchange(f"c{number % 1000}", "get_parcel", arguments, result, success=None)
        yield Message(
            role="assistant", content=f"I looked it up: parcel {number} is on its way. I've sent you an email."
        )
        yield Message(role="assistant", content=f"According to the search results it takes {number % 9} days.")


def seconds(messages: int) -> float:
    """CPU seconds to evaluate one trace of so many messages; the best of some rounds where it is short."""
    trace = ExecutionTrace(trace_id="long", messages=tuple(conversation(messages)))
    assert len(trace.messages) == messages
    best = float("inf")
    for _ in range(ROUNDS if messages == SHORT else 1):
        start = time.process_time()
        encode_report(evaluate_trace(trace))
        best = min(best, time.process_time() - start)
    return best


def main() -> int:
    """Print the ratio; 1 where it is above its bound."""
    tune_gc()
    evaluate_trace(ExecutionTrace(trace_id="warm", messages=tuple(conversation(100))))
    short = seconds(SHORT)
    long = seconds(LONG)
    ratio = long / short
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("long trace: evaluating one trace, four signals")
    print(f"  {short:7.2f} s CPU  {SHORT:,} messages")
    print(f"  {long:7.2f} s CPU  {LONG:,} messages; at most {memory:,.0f} MB held, the trace included")
    print(f"  {ratio:7.2f} x; bound {BOUND} x: {'holds' if ratio <= BOUND else 'BROKEN'}")
    return int(ratio > BOUND)


if __name__ == "__main__":
    sys.exit(main())
