"""Loops that know when to stop: facts about attempts, guardrails' rulings on them, decisions, and where they are kept."""
