"""The agent that runs tools: its loop, its record of events, and the detective that judges a release.

The names here are what commands may use of it; each is looked up on first use.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_agent.detective import RunResult, investigate
    from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY, release_in
    from sentinel_agent.risk.facts import RiskThresholds
    from sentinel_agent.run_summary import save_run
    from sentinel_agent.staging import filed_report, staged_report

__all__ = [
    "FILE_REPORT",
    "GET_SUMMARY",
    "RiskThresholds",
    "RunResult",
    "filed_report",
    "investigate",
    "release_in",
    "save_run",
    "staged_report",
]

_HOME = {
    "detective": ("RunResult", "investigate"),
    "prompts": ("FILE_REPORT", "GET_SUMMARY", "release_in"),
    "risk.facts": ("RiskThresholds",),
    "run_summary": ("save_run",),
    "staging": ("filed_report", "staged_report"),
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
