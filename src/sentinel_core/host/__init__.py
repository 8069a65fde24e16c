"""Plugins: found, selected, loaded and set up; the panel of signals that judges."""
