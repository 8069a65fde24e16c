"""The options and output of ``sentinel receive``."""
