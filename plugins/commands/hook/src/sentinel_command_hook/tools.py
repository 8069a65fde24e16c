"""The tools that can be hooked: where their settings are, what they tell, and how they are answered.

Sources: Claude Code 2.1 and Codex 0.169 (the schemas in their programs), Gemini CLI 0.61 (its reference and its source).
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

__all__ = ["TOOLS", "ToolHook"]


class ToolHook(NamedTuple):
    """One tool.

    ``program`` starts it. ``reader`` reads its transcripts. ``said`` is the event's key of the last message, ``refusal`` the decision that sends the agent
    back. ``folder`` holds its settings, in a project or below the user's home, unless the variable ``home`` names another;
    ``file`` is the file in it. ``event`` is what the entry answers to, ``seconds`` what the tool calls one second, ``advice`` what
    the user still has to do. ``appends`` is True where its transcripts only grow.
    """

    name: str
    program: str
    reader: str
    said: str
    refusal: str
    folder: str
    home: str
    file: str
    event: str
    seconds: int
    advice: str
    appends: bool

    def settings(self, *, project: bool, environ: Mapping[str, str] = os.environ) -> Path:
        """The file of the settings."""
        if project:
            return Path(self.folder) / self.file
        named = environ.get(self.home)
        return (Path(named) if named else Path.home() / self.folder) / self.file

    def is_there(self) -> bool:
        """True where its program is on the path, or it has settings."""
        folders = (self.settings(project=project).parent for project in (True, False))
        return shutil.which(self.program) is not None or any(folder.is_dir() for folder in folders)


_CLAUDE_CODE = ToolHook(
    name="claude-code",
    program="claude",
    reader="claude-code",
    said="last_assistant_message",
    refusal="block",
    folder=".claude",
    home="CLAUDE_CONFIG_DIR",
    file="settings.json",
    event="Stop",
    seconds=1,
    advice="It applies to sessions that start from now on.",
    appends=True,
)
_CODEX = ToolHook(
    name="codex",
    program="codex",
    reader="codex",
    said="last_assistant_message",
    refusal="block",
    folder=".codex",
    home="CODEX_HOME",
    file="hooks.json",
    event="Stop",
    seconds=1,
    advice="Codex runs it once you trust it: open /hooks in Codex.",
    appends=True,
)
_GEMINI_CLI = ToolHook(
    name="gemini-cli",
    program="gemini",
    reader="gemini-cli",
    said="prompt_response",
    refusal="deny",
    folder=".gemini",
    home="",
    file="settings.json",
    event="AfterAgent",
    seconds=1000,
    advice="It applies to sessions that start from now on.",
    appends=False,
)

TOOLS = {tool.name: tool for tool in (_CLAUDE_CODE, _CODEX, _GEMINI_CLI)}
"""By the name that the command takes."""
