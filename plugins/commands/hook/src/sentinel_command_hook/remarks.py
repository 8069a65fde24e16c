"""What the user should know of a session besides its findings: what was not read, and which rules are off."""

from collections.abc import Mapping

from sentinel_command_hook.panel import SIGNAL
from sentinel_command_hook.verdict import Verdict
from sentinel_core import TraceIndex
from sentinel_core.evaluate.facts.edits import reach_of
from sentinel_core.runtime.printable import clipped, printable
from sentinel_core.runtime.redact import redact
from sentinel_core.trace import GAPS, reading_remarks

__all__ = ["remarks"]

_LONGEST = 200  # characters
_SETTINGS = "sentinel.toml"


def remarks(verdict: Verdict, *, is_cut: bool) -> Mapping[str, str]:
    """Lines for the user, each under a key that stays the same from stop to stop."""
    told = dict[str, str]()
    off = [gap for gap in verdict.gaps if gap.startswith("The rule ")]
    since = "; this session wrote to sentinel.toml" if off and _wrote_settings(verdict.index) else ""
    for gap in off:
        rule = f"{SIGNAL}.{gap.removeprefix('The rule ').partition(' ')[0]}"
        told[f"off {rule}{since}"] = f"the rule {rule} is switched off in {_SETTINGS}{since}"
    if is_cut:
        told["cut"] = "the last line of the transcript is incomplete and was not read"
    for gap in reading_remarks(verdict.index.trace, GAPS)[:1]:
        told["unread"] = f"not everything in the transcript could be read: {gap}"
    return {key: f"Sentinel: {printable(clipped(redact(text), _LONGEST))}" for key, text in told.items()}


def _wrote_settings(index: TraceIndex) -> bool:
    reached = (reach_of(call.call.name, call.call.arguments) for call in index.calls)
    return any(_SETTINGS in reach.text for reach in reached)
