"""Finds files, folders, globs, URLs and standard input, and chooses the reader for each."""

from sentinel_core.traces.sources.detect import choose_reader
from sentinel_core.traces.sources.file_source import FileSource
from sentinel_core.traces.sources.find import find_sources, spool
from sentinel_core.traces.sources.latest import latest_session, works_in

__all__ = ["FileSource", "choose_reader", "find_sources", "latest_session", "spool", "works_in"]
