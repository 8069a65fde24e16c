"""The contract of every tool."""

from typing import Any

from sentinel_core.host.tools import Toolbox, bind_tool, in_process
from sentinel_core.host.validate_offers import TOOL_NAME
from sentinel_core.offers import Tool
from sentinel_core.testing._contracts_base import Contract, require, require_taken
from sentinel_core.trace import ToolCall, ToolResult

__all__ = ["ToolContract"]


class ToolContract(Contract, given=("make", "arguments", "settings")):
    """Subclass it, and give the tool and arguments with which a call succeeds.

    Each test makes its own tool and runs it in the test's process, without the time limit.
    """

    def make(self) -> Tool:
        """The tool as the plugin offers it."""
        raise NotImplementedError("make() must return the Tool to test")

    def arguments(self) -> dict[str, Any]:
        """Arguments with which a call succeeds."""
        raise NotImplementedError("arguments() must return arguments with which a call succeeds")

    def settings(self) -> object:
        """The settings to call it with; the defaults unless overridden."""
        tool = self.make()
        return tool.settings() if tool.settings is not None else None

    def call(self, arguments: dict[str, Any]) -> ToolResult:
        """The result of one call, made as the agent makes it."""
        tool = bind_tool(self.make(), self.settings())
        toolbox = Toolbox(run=in_process, confirm=lambda _tool, _call: True)
        toolbox.register(tool)
        return toolbox.execute(ToolCall(id="contract", name=tool.name, arguments=arguments))

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "tools")

    def test_name_fits_every_provider(self) -> None:
        """Letters, digits, ``_`` and ``-``, at most 64: what the strictest provider accepts."""
        name = self.make().name
        require(TOOL_NAME.fullmatch(name), f"the name {name!r} must consist of 1 to 64 letters, digits, _ or -")

    def test_effect_is_known(self) -> None:
        """The effect is "read" or "write"; otherwise the host could not keep a write from running twice."""
        effect = self.make().effect
        require(effect in ("read", "write"), f"the effect must be 'read' or 'write', not {effect!r}")

    def test_description_says_something(self) -> None:
        """The model chooses by the description."""
        require(self.make().description.strip(), "the description must not be empty")

    def test_time_limit_is_positive(self) -> None:
        """A call without a time limit can hang a run."""
        require(self.make().timeout > 0, f"the timeout must be positive, not {self.make().timeout}")

    def test_schema_is_valid(self) -> None:
        """Registration compiles the schema, which must be of type object."""
        Toolbox().register(self.make())

    def test_schema_refuses_unknown_arguments(self) -> None:
        """``"additionalProperties": false``: a misspelt argument is reported to the model, not dropped."""
        self._refused({**self.arguments(), "no_such_argument": 1}, "an argument that it does not know")

    def test_schema_refuses_missing_arguments(self) -> None:
        """Every argument that the schema requires is really required."""
        for name in self.make().parameters.get("required", ()):
            fewer = {key: value for key, value in self.arguments().items() if key != name}
            self._refused(fewer, f"a call without {name!r}")

    def test_good_call_succeeds(self) -> None:
        """The result is text, or a value that is JSON."""
        result = self.call(self.arguments())
        require(result.success is True, f"the call failed: {result.content}")
        require(isinstance(result.content, str), "the result must be text")

    def _refused(self, arguments: dict[str, Any], what: str) -> None:
        result = self.call(arguments)
        error = (result.metadata or {}).get("error")
        require(error == "InvalidArgumentsError", f"the schema must reject {what}; the call returned: {result.content}")
