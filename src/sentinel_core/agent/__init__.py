"""The agent that runs tools: its loop, its record of events, and the detective that judges a release.

The names here are what commands may use of it; each is looked up on first use.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.agent.clock import Clock, new_run_id
    from sentinel_core.agent.context import estimate_tokens
    from sentinel_core.agent.detective import RunResult, investigate
    from sentinel_core.agent.prompts import FILE_REPORT, GET_SUMMARY, release_in
    from sentinel_core.agent.reflection.by_rules import Reflector, reflect_by_rules, report_digest
    from sentinel_core.agent.risk.rules import RiskThresholds
    from sentinel_core.agent.run_summary import save_run
    from sentinel_core.agent.staging import filed_report, staged_report
    from sentinel_core.agent.tools import Toolbox, bind_tool, in_process

__all__ = [
    "FILE_REPORT",
    "GET_SUMMARY",
    "Clock",
    "Reflector",
    "RiskThresholds",
    "RunResult",
    "Toolbox",
    "bind_tool",
    "estimate_tokens",
    "filed_report",
    "in_process",
    "investigate",
    "new_run_id",
    "reflect_by_rules",
    "release_in",
    "report_digest",
    "save_run",
    "staged_report",
]

_HOME = {
    "agent.clock": ("Clock", "new_run_id"),
    "agent.context": ("estimate_tokens",),
    "agent.detective": ("RunResult", "investigate"),
    "agent.prompts": ("FILE_REPORT", "GET_SUMMARY", "release_in"),
    "agent.reflection.by_rules": ("Reflector", "reflect_by_rules", "report_digest"),
    "agent.risk.rules": ("RiskThresholds",),
    "agent.run_summary": ("save_run",),
    "agent.staging": ("filed_report", "staged_report"),
    "agent.tools": ("Toolbox", "bind_tool", "in_process"),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
