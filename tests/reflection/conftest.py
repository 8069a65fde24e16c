"""What the tests of loops share, and a helper of those of ``sentinel run``."""

import importlib.util
import sys
from pathlib import Path

from loop_fixtures import address, bearer, clock, make, postgres, sentinel, service, tokens, until, walk

__all__ = ["address", "bearer", "clock", "make", "postgres", "sentinel", "service", "tokens", "until", "walk"]

_spec = importlib.util.spec_from_file_location(  # test folders are no packages: a helper is loaded by its path
    "reflection_in_run", Path(__file__).with_name("reflection_in_run.py")
)
sys.modules["reflection_in_run"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules["reflection_in_run"])
