"""What the user should know of a session besides its findings: what was not read, and which rules are off."""

from collections.abc import Iterable, Mapping

from sentinel_command_hook.memory import blake2b
from sentinel_command_hook.panel import SIGNAL
from sentinel_command_hook.verdict import Verdict
from sentinel_core import LedgerEntry, TraceIndex
from sentinel_core.runtime.printable import clipped, counted, printable
from sentinel_core.trace import GAPS, reading_remarks

__all__ = ["remarks", "unbacked_remark"]

_LONGEST, _CLAIM = 200, 100  # characters
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
    return {key: f"Sentinel: {_safe(text, _LONGEST)}" for key, text in told.items()}


def unbacked_remark(entries: Iterable[LedgerEntry], tool: str) -> Mapping[str, str]:
    """A line for the user on what the last message claims and nothing on record can be, where no finding speaks of it."""
    told = list(entries)
    if not told:
        return {}
    from sentinel_core.judging.output.receipt import unbacked

    found = [entry for entry in unbacked(told) if entry.rule is None and entry.call_id is None and not entry.trace_path]
    if not found:
        return {}
    first = found[0]
    more = f" and {counted(len(found) - 1, 'more claim')}" if len(found) > 1 else ""
    claim = f"“{_clipped(first.claim, _CLAIM)}”{more}"
    text = f'not backed: {claim} ({_clipped(first.record, _CLAIM)}); "sentinel receipt --latest {tool}" shows all'
    key = blake2b("\n".join(entry.claim for entry in found).encode("utf-8", "replace"), digest_size=12)
    return {f"unbacked {key.hexdigest()}": f"Sentinel: {printable(text)}"}


def _clipped(text: str, width: int) -> str:
    from sentinel_core.runtime.redact import redact  # most stops have nothing to tell

    return clipped(redact(text), width)


def _safe(text: str, width: int) -> str:
    return printable(_clipped(text, width))


def _wrote_settings(index: TraceIndex) -> bool:
    from sentinel_core.evaluate.facts.edits import reach_of

    reached = (reach_of(call.call.name, call.call.arguments) for call in index.calls)
    return any(_SETTINGS in reach.text for reach in reached)
