"""What the soak tests share."""

from loop_fixtures import address, bearer, clock, make, postgres, sentinel, service, tokens, until

__all__ = ["address", "bearer", "clock", "make", "postgres", "sentinel", "service", "tokens", "until"]
