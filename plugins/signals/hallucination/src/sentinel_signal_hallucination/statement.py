"""What an answer says of a number."""

from sentinel_signal_hallucination.facts import Label

__all__ = ["Statement"]


class Statement:
    """A number of the answer, where it stands in the prose, and the labels that its words may be."""

    __slots__ = ("digits", "end", "labels", "percent", "sign", "start", "value", "written")

    def __init__(self, start: int, written: str, labels: tuple[Label, ...], *, sign: bool) -> None:
        self.start = start
        self.end = start + len(written)
        self.written = written
        self.labels = labels
        self.value = float(written.replace(",", ""))
        self.digits = len(written.partition(".")[2])
        self.sign = sign
        # A whole number without a sign is a count: "3 failed" is not told by a share of 3.2 percent.
        self.percent = self.digits > 0 or sign
