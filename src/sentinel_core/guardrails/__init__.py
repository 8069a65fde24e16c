"""Guardrails: facts about attempts, rulings on them, decisions, and where they are kept."""
