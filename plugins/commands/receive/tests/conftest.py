"""The command at work."""

from receiving import receiver

__all__ = ["receiver"]
