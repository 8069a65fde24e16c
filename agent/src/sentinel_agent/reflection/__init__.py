"""Reflection on a finished attempt, by rules or by a model, and the guard of a run."""
