"""Whether a Codex tool call succeeded: from the exit code in its output, or from the event of its end."""

import re
from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core.traces.readers.chat import Result, arguments_of
from sentinel_readers_openai.values import mapping, text

__all__ = ["success_of_event", "with_success"]

# Shell tools print the exit code in the first lines, before the command's own output.
_exit_code = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d{1,10})$", re.MULTILINE)
_HEAD = 400


def with_success(result: Result, recorded: bool | None) -> Result:
    """The result with its success flag; output wrapped in JSON with its exit code is unwrapped."""
    content, code = result.content, None
    if content.startswith('{"output"'):
        wrapped, _ = arguments_of(content)
        code = mapping(wrapped.get("metadata")).get("exit_code")
        content = text(wrapped.get("output")) or content
    elif (found := _exit_code.search(content[:_HEAD])) is not None:
        code = int(found[1])
    success = code == 0 if isinstance(code, int) else result.success
    return attrs.evolve(result, content=content, success=success if recorded is None else recorded)


def success_of_event(event: Mapping[str, Any]) -> bool | None:
    """Success by the event at the end of a command, a patch or an MCP call; None if it does not say."""
    if isinstance(event.get("success"), bool):
        return bool(event["success"])
    if isinstance(event.get("exit_code"), int):
        return bool(event["exit_code"] == 0)
    result = event.get("result")
    if not isinstance(result, dict):
        return None
    fine = mapping(result.get("Ok"))
    return "Err" not in result and not fine.get("isError", fine.get("is_error", False))
