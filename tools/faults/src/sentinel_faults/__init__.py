"""A server on this machine that speaks the wire formats of language models, and breaks on demand.

    from sentinel_faults import DIALECTS, FAULTS, FaultServer, Turn

    with FaultServer(DIALECTS["openai"], [Turn(text="Hello.")]) as server:
        server.play(FAULTS["reset_in_body"], position=0, times=1)
        ...  # ask server.base_url; the first reply is cut, the second is whole
        assert server.asked == 2

A plugin for another provider gives a ``Dialect`` of its own and gets every fault.
"""

from sentinel_faults.dialects import DIALECTS, Dialect
from sentinel_faults.server import FaultServer
from sentinel_faults.table import FAULTS, Fault
from sentinel_faults.turns import Asked, Turn

__all__ = ["DIALECTS", "FAULTS", "Asked", "Dialect", "Fault", "FaultServer", "Turn"]
