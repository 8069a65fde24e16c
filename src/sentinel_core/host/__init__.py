"""Finds, selects, loads and configures plugins; builds the panel of signals."""
