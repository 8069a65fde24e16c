from sentinel_command_suite import sentinel_commands
from sentinel_core.testing import CommandContract


class TestSuite(CommandContract):
    def make(self):
        return {one.name: one for one in sentinel_commands()}["suite"]

    def module(self):
        return "sentinel_command_suite"
