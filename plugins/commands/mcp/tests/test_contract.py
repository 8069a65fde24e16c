from sentinel_command_mcp import sentinel_commands
from sentinel_core.testing import CommandContract


class TestMcp(CommandContract):
    def make(self):
        return sentinel_commands()[0]

    def module(self):
        return "sentinel_command_mcp"
