"""The tools that can be hooked: where their settings are, what they tell, and how they are answered.

Sources: Claude Code 2.1, Codex 0.171 and GitHub Copilot CLI 1.0 (the programs), Gemini CLI 0.61 (its reference and its source), Cursor
(its reference alone).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sentinel_command_hook.settings_text import Form

__all__ = ["TOOLS", "ToolHook"]

_TIMEOUT = 15  # seconds after which the tool gives up on the hook; it gives up itself before that


class ToolHook(NamedTuple):
    """One tool.

    ``program`` starts it. ``reader`` reads its transcripts, which only grow where ``appends`` is True.

    Its settings are the file ``project`` in a project, and ``file`` in the user's folder: ``folder`` below the home, unless the variable
    ``home`` names another. The entry answers to ``events``, the last of which is the agent's stop; the others are kept, as a tool's
    ``records``, where its transcripts do not hold what its tools answer. ``is_grouped``, ``head`` and ``commands`` are the entry's
    form: the keys that hold the command, and of the limit, which counts ``ticks`` a second.

    ``said`` is the event's key of the last message, ``refusal`` the decision that sends the agent back with a text under ``reason``;
    ``note`` is the key of a text for the user. ``refuses_by_code`` is True where exit code 2 sends the agent back, too. ``advice`` is
    what the user still has to do; ``runs_in`` are the tools that run these hooks, too.
    """

    name: str
    program: str
    reader: str
    project: str
    home: str
    folder: str
    file: str
    events: tuple[str, ...]
    advice: str = "It applies to sessions that start from now on."
    appends: bool = True
    records: bool = False
    is_grouped: bool = True
    head: tuple[tuple[str, Any], ...] = ()
    commands: tuple[str, ...] = ("command",)
    limit: str = "timeout"
    ticks: int = 1
    said: str = "last_assistant_message"
    refusal: str = "block"
    reason: str = "reason"
    note: str = "systemMessage"
    refuses_by_code: bool = True
    runs_in: tuple[str, ...] = ()

    def settings(self, *, project: bool, environ: Mapping[str, str] = os.environ) -> Path:
        """The file of the settings."""
        return Path(self.project) if project else self._own_folder(environ) / self.file

    def is_there(self) -> bool:
        """True where its program is on the path, or it has settings."""
        import shutil

        folders = (Path(self.project).parent, self._own_folder(os.environ))
        return shutil.which(self.program) is not None or any(folder.is_dir() for folder in folders)

    def forms(self) -> "list[Form]":
        """Where the entry stands, by event."""
        from sentinel_command_hook.settings_text import Form  # only an installation writes settings

        return [Form(event, self.commands[0], self.is_grouped, self.head) for event in self.events]

    def entry(self, command: str) -> dict[str, Any]:
        """What calls the command."""
        return {"type": "command", **dict.fromkeys(self.commands, command), self.limit: _TIMEOUT * self.ticks}

    def _own_folder(self, environ: Mapping[str, str]) -> Path:
        named = environ.get(self.home)
        return Path(named) if named else Path.home() / self.folder


_CLAUDE_CODE = ToolHook(
    name="claude-code",
    program="claude",
    reader="claude-code",
    project=".claude/settings.json",
    home="CLAUDE_CONFIG_DIR",
    folder=".claude",
    file="settings.json",
    events=("Stop",),
    runs_in=("codex", "copilot"),
)
_CODEX = ToolHook(
    name="codex",
    program="codex",
    reader="codex",
    project=".codex/hooks.json",
    home="CODEX_HOME",
    folder=".codex",
    file="hooks.json",
    events=("Stop",),
    advice="Codex runs it once you trust it: open /hooks in Codex.",
)
_GEMINI_CLI = ToolHook(
    name="gemini-cli",
    program="gemini",
    reader="gemini-cli",
    project=".gemini/settings.json",
    home="",
    folder=".gemini",
    file="settings.json",
    events=("AfterAgent",),
    appends=False,
    ticks=1000,
    said="prompt_response",
    refusal="deny",
)
_COPILOT = ToolHook(
    name="copilot",
    program="copilot",
    reader="copilot",
    project=".github/hooks/sentinel.json",
    home="COPILOT_HOME",
    folder=".copilot",
    file="hooks/sentinel.json",
    events=("Stop",),
    advice="It applies to sessions that start from now on, in folders that Copilot trusts.",
    is_grouped=False,
    head=(("version", 1),),
    commands=("bash", "powershell"),
    limit="timeoutSec",
    note="",
    refuses_by_code=False,
)
_CURSOR = ToolHook(
    name="cursor",
    program="cursor",
    reader="cursor",
    project=".cursor/hooks.json",
    home="",
    folder=".cursor",
    file="hooks.json",
    events=("beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "afterAgentResponse", "stop"),
    advice="It applies to conversations that start from now on. Cursor calls no stop hook in agent -p.",
    records=True,
    is_grouped=False,
    head=(("version", 1),),
    said="",
    refusal="",
    reason="followup_message",
    note="",
    refuses_by_code=False,
)

TOOLS = {tool.name: tool for tool in (_CLAUDE_CODE, _CODEX, _GEMINI_CLI, _COPILOT, _CURSOR)}
"""By the name that the command takes."""
