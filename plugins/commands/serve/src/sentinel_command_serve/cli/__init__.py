"""The options and output of ``sentinel serve``, ``loops`` and ``audit``."""
