"""What the soak tests share."""

from loop_fixtures import address, bearer, make, postgres, sentinel, service, tokens, until

__all__ = ["address", "bearer", "make", "postgres", "sentinel", "service", "tokens", "until"]
