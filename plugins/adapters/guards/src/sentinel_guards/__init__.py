"""Guards for agents of more frameworks: one module for each, which imports the framework when its guard is made.

from sentinel_guards.strands import sentinel_hooks         # Strands: sent back once, then an error
from sentinel_guards.adk import run                        # Google ADK: sent back once, then an error
from sentinel_guards.llama_index import run                # LlamaIndex: sent back once, then an error
from sentinel_guards.agno import sentinel_hook             # Agno: the framework's error
from sentinel_guards.crewai import sentinel_guardrail      # CrewAI: an error
from sentinel_guards.smolagents import sentinel_callback   # smolagents: the framework's error
"""

from sentinel_core import Objection

__all__ = ["UnreliableAnswerError"]


class UnreliableAnswerError(Exception):
    """The last answer that the guard does not accept, for frameworks without an exception for it; ``objection`` says why."""

    def __init__(self, objection: Objection) -> None:
        super().__init__(objection.reason)
        self.objection = objection
