"""Sessions as Claude Code writes them: a chain of lines, a result a line, sub-agents in files of their own."""

import json
import uuid
from pathlib import Path

_HERE = uuid.UUID("5e551011-0000-4000-8000-000000000000")


class ClaudeSession:
    """Lines of one session; ids and times follow from their order."""

    def __init__(self, session_id="0b5e7a52-1111-4222-8333-9f0e6d2c1a00", agent=None):
        self.session_id, self.agent, self.folder = session_id, agent, "/home/me/shop"
        self.lines, self.agents = [], {}
        self._parent, self._calls = None, 0

    def user(self, text):
        """What the user types."""
        return self._line("user", {"role": "user", "content": text})

    def bash(self, command, output):
        """What the user runs with an exclamation mark."""
        self.user(f"<bash-input>{command}</bash-input>")
        return self.user(f"<bash-stdout>{output}</bash-stdout><bash-stderr></bash-stderr>")

    def says(self, text):
        """A message of the agent."""
        return self._assistant([{"type": "text", "text": text}], stop_reason="end_turn")

    def call(self, name, arguments, result, *, error=False, says=None, **more):
        """A call with its result; ``more`` is what the client notes of the result."""
        self._calls += 1
        call_id = f"toolu_{self.agent or 'main'}_{len(self.lines):04}"
        if says is not None:
            self._assistant([{"type": "text", "text": says}])
        self._assistant([{"type": "tool_use", "id": call_id, "name": name, "input": arguments}])
        block = {"type": "tool_result", "tool_use_id": call_id, "content": result}
        block |= {"is_error": True} if error else {}
        return self._line("user", {"role": "user", "content": [block]}, toolUseResult=more or {"stdout": result})

    def run(self, command, result, *, code=0, **more):
        """A command in the shell."""
        shown = f"Exit code {code}\n{result}" if code else result
        return self.call("Bash", {"command": command, **more}, shown, error=bool(code))

    def edit(self, path="src/cart.py"):
        """A change of a file."""
        arguments = {"file_path": f"/home/me/shop/{path}", "old_string": "a - b", "new_string": "a + b"}
        return self.call("Edit", arguments, f"The file /home/me/shop/{path} has been updated.")

    def sub_agent(self, agent, prompt, report):
        """A sub-agent's session, empty, to be filled; the call that starts it gives its report."""
        inner = ClaudeSession(self.session_id, agent=agent)
        inner.user(prompt)
        self.agents[agent] = inner
        arguments = {"description": "Work", "prompt": prompt, "subagent_type": "general-purpose"}
        content = [{"type": "text", "text": report}]
        self.call("Agent", arguments, content, agentId=agent, status="completed", content=content)
        return inner

    def feedback(self, text):
        """What a hook says; the client hides it from the user."""
        return self._line("user", {"role": "user", "content": f"Stop hook feedback:\n{text}"}, isMeta=True)

    def write(self, folder):
        """Write the files; the path of the session's own."""
        path = Path(folder) / f"{self.session_id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")  # who reads meanwhile must not find half of it
        fresh.write_text(self.text(), encoding="utf-8")
        fresh.replace(path)
        for name, inner in self.agents.items():
            file = path.with_suffix("") / "subagents" / f"agent-{name}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(inner.text(), encoding="utf-8")
        return path

    def text(self):
        """The session's own file."""
        return "".join(json.dumps(line) + "\n" for line in self.lines)

    def event(self, folder, said, **more):
        """What the tool tells the hook when the agent stops; ``said`` is its last message, which is not in the file yet."""
        return {
            "session_id": self.session_id,
            "transcript_path": str(self.write(folder)),
            "cwd": self.folder,
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": said,
            "background_tasks": [],
            "session_crons": [],
            **more,
        }

    def _assistant(self, content, stop_reason="tool_use"):
        message = {
            "id": f"msg_{self.agent or 'main'}_{len(self.lines):04}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5",
            "content": content,
            "stop_reason": stop_reason,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        return self._line("assistant", message)

    def _line(self, kind, message, **more):
        number = len(self.lines)
        own = str(uuid.uuid5(_HERE, f"{self.session_id} {self.agent} {number}"))
        line = {
            "parentUuid": self._parent,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.folder,
            "sessionId": self.session_id,
            "version": "2.1.197",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": f"2026-11-01T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
            **({"agentId": self.agent} if self.agent else {}),
            **more,
        }
        self.lines.append(line)
        self._parent = own
        return self
