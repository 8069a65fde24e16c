from sentinel_command_serve import sentinel_commands
from sentinel_core.testing import CommandContract


class TestAudit(CommandContract):
    def make(self):
        return {one.name: one for one in sentinel_commands()}["audit"]

    def module(self):
        return "sentinel_command_serve"


class TestLoops(CommandContract):
    def make(self):
        return {one.name: one for one in sentinel_commands()}["loops"]

    def module(self):
        return "sentinel_command_serve"


class TestServe(CommandContract):
    def make(self):
        return {one.name: one for one in sentinel_commands()}["serve"]

    def module(self):
        return "sentinel_command_serve"
