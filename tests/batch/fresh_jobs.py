"""What children that are started afresh do in tests; they find it by its name."""

import os
import signal
import time


def run(code, outbox):
    exec(code, {"outbox": outbox, "os": os, "time": time, "signal": signal})
