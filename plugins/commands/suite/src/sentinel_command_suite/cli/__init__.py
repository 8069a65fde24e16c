"""The options and output of ``sentinel suite``."""
