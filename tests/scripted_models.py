"""A server that speaks three model providers' streaming wires and says what a script tells it to: a command to run, or a text."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"input_tokens": 10, "output_tokens": 5}


class Run(str):
    """A command that the model asks the shell tool to run."""

    __slots__ = ()


def anthropic(step, request):
    """Events of the Messages API. What has no shell tool is the client's own question, such as for a title."""
    if not any(tool.get("name") == "Bash" for tool in request.get("tools") or ()):
        return None
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": USAGE}
    if isinstance(step, Run):
        block = {"type": "tool_use", "id": f"toolu_{len(request['messages'])}", "name": "Bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": str(step)})}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
    ending = {"stop_reason": "tool_use" if isinstance(step, Run) else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": head},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


# The shell tool's name differs by version, and so do its arguments.
SHELLS = {
    "exec_command": lambda command: {"cmd": command},
    "shell_command": lambda command: {"command": command},
    "shell": lambda command: {"command": ["bash", "-c", command]},
    "bash": lambda command: {"command": command, "description": "Run"},
}


def openai(step, request):
    """Events of the Responses API."""
    names = [tool.get("name") for tool in request.get("tools") or ()]
    shell = next((name for name in SHELLS if name in names), None)
    if shell is None:
        return None
    number = len(request["input"])
    if isinstance(step, Run):
        arguments = json.dumps(SHELLS[shell](str(step)))
        item = {"type": "function_call", "call_id": f"call_{number}", "name": shell, "arguments": arguments}
    else:
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": step}]}
    item["id"] = f"item_{number}"
    usage = {**USAGE, "total_tokens": 15, "input_tokens_details": None, "output_tokens_details": None}
    return [
        {"type": "response.created", "response": {"id": f"resp_{number}"}},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"id": f"resp_{number}", "output": [item], "usage": usage}},
    ]


def gemini(step, request):
    """Chunks of ``streamGenerateContent``."""
    declared = [one.get("name") for tool in request.get("tools") or () for one in tool.get("functionDeclarations", ())]
    if "run_shell_command" not in declared:
        return None
    part = {"text": step}
    if isinstance(step, Run):
        part = {"functionCall": {"name": "run_shell_command", "args": {"command": str(step), "description": "Run"}}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return [{"candidates": [candidate], "usageMetadata": usage}]


WIRES = {"messages": anthropic, "responses": openai, "streamGenerateContent": gemini}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        request = json.loads(self.rfile.read(length) or b"{}")
        wire = next((wire for name, wire in WIRES.items() if name in self.path.partition("?")[0]), None)
        step = self.server.script[0] if self.server.script else "Done."
        events = None if wire is None or "count_tokens" in self.path else wire(step, request)
        if events is None:
            self._send(400, "application/json", b'{"error": {"message": "not in the script", "type": "invalid"}}')
            return
        self.server.asked.append(request)
        del self.server.script[:1]
        named = "" if wire is gemini else "event: {type}\n"
        body = "".join(f"{named.format(**event) if named else ''}data: {json.dumps(event)}\n\n" for event in events)
        self._send(200, "text/event-stream", body.encode())

    def do_GET(self):
        self._send(404, "application/json", b"{}")

    def _send(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Say nothing."""


@contextmanager
def scripted(*script):
    """The server, with its ``address``, and in ``asked`` the requests that took a step of the script."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.script, server.asked = list(script), []
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
