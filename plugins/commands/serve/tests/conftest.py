"""What the tests of loops share."""

from loop_fixtures import address, bearer, clock, make, postgres, sentinel, service, tokens, until, walk

__all__ = ["address", "bearer", "clock", "make", "postgres", "sentinel", "service", "tokens", "until", "walk"]
