import pytest

from sentinel_command_start import sentinel_commands
from sentinel_core.testing import CommandContract

COMMANDS = {one.name: one for one in sentinel_commands()}


class TestDemo(CommandContract):
    def make(self):
        return COMMANDS["demo"]

    def module(self):
        return "sentinel_command_start"


@pytest.mark.parametrize("name", ["doctor", "init", "plugins.new"])
def test_the_others_are_commands_with_help(name):
    command = COMMANDS[name].load()
    assert command.help
    assert all(option.help for option in command.params if option.param_type_name == "option")
