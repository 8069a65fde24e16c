from sentinel_command_receive import sentinel_commands
from sentinel_core.testing import CommandContract


class TestReceive(CommandContract):
    def make(self):
        return {one.name: one for one in sentinel_commands()}["receive"]

    def module(self):
        return "sentinel_command_receive"
