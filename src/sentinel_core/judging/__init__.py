"""Judging records in a child process: what the child does, the frames that it sends, what the parent counts."""
