"""Traces: bytes from files, folders and URLs in, ``ExecutionTrace`` out."""
