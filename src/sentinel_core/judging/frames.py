"""The first byte of each frame that a child sends: what the rest of the frame is."""

__all__ = [
    "BEAT",
    "DONE",
    "FATAL",
    "PART",
    "READY",
    "REFUSED",
    "REPORT",
    "REPORTS",
    "UNREADABLE",
    "WARNING",
    "refusal",
    "warning",
]

REPORT = b"R"  # two letters (verdict, complete or not) and one rendered report
UNREADABLE = b"E"  # a record that gives no trace, as JSON
FATAL = b"K"  # a weighted plugin died of the record whose report comes next; as JSON
WARNING = b"W"  # a line for people
REFUSED = b"X"  # why nothing can be done at all, for people; the last frame
# Of a batch's worker only:
READY = b"S"  # the plugins are loaded; the names of the signals, as JSON
REPORTS = b"B"  # many rendered records, and what they add to the summary
PART = b"C"  # a part of a large file, as JSON
BEAT = b"H"  # still at work
DONE = b"D"  # the task is finished


def warning(text: str) -> bytes:
    """A line of warning."""
    return WARNING + text.encode("utf-8", "replace")


def refusal(error: Exception | str) -> bytes:
    """Why nothing can be done."""
    return REFUSED + str(error).encode("utf-8", "replace")
