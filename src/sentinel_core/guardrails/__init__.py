"""Guardrails: facts about attempts, rulings on them, decisions, and stores.

Commands may use the names here; each is imported on first use.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.guardrails.answers import family_answer
    from sentinel_core.guardrails.audit import audit_problems
    from sentinel_core.guardrails.bound import (
        BoundGuardrail,
        ask_all,
        bind_guardrails,
        failed_ruling,
        quality_of,
        watched,
    )
    from sentinel_core.guardrails.facts import LIFTS, Override, Reflection
    from sentinel_core.guardrails.family import Completion, Family, Loop, LoopTrace, loop_trace, merged_facts
    from sentinel_core.guardrails.orchestrator import Orchestrator
    from sentinel_core.guardrails.reflect_by_rules import Reflector, reflect_by_rules, report_digest
    from sentinel_core.guardrails.store import DEFAULT_STORE, Store, open_store

__all__ = [
    "DEFAULT_STORE",
    "LIFTS",
    "BoundGuardrail",
    "Completion",
    "Family",
    "Loop",
    "LoopTrace",
    "Orchestrator",
    "Override",
    "Reflection",
    "Reflector",
    "Store",
    "ask_all",
    "audit_problems",
    "bind_guardrails",
    "failed_ruling",
    "family_answer",
    "loop_trace",
    "merged_facts",
    "open_store",
    "quality_of",
    "reflect_by_rules",
    "report_digest",
    "watched",
]

_HOME = {
    "guardrails.answers": ("family_answer",),
    "guardrails.audit": ("audit_problems",),
    "guardrails.bound": ("BoundGuardrail", "ask_all", "bind_guardrails", "failed_ruling", "quality_of", "watched"),
    "guardrails.facts": ("LIFTS", "Override", "Reflection"),
    "guardrails.family": ("Completion", "Family", "Loop", "LoopTrace", "loop_trace", "merged_facts"),
    "guardrails.orchestrator": ("Orchestrator",),
    "guardrails.reflect_by_rules": ("Reflector", "reflect_by_rules", "report_digest"),
    "guardrails.store": ("DEFAULT_STORE", "Store", "open_store"),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
