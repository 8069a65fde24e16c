"""Coding sessions in memory, and their pages."""

from itertools import chain

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.output.show import report_page

REFUSED = {
    "success": None,
    "metadata": {"not_run": True},
    "content": "The user doesn't want to proceed with this tool use.",
}
FAILED = {"success": False, "content": "String to replace not found in file."}


def step(number, name="Edit", success=True, content="ok", metadata=None, **arguments):
    call = ToolCall(id=f"c{number}", name=name, arguments=arguments)
    result = ToolResult(tool_call_id=call.id, content=content, success=success, metadata=metadata)
    return [Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(result,))]


def edit(number, path, **more):
    return step(number, file_path=path, old_string="a", new_string="b", **more)


def trace_of(*steps, **more):
    return ExecutionTrace(trace_id="t", messages=[Message(role="user", content="Mend it."), *chain(*steps)], **more)


def page_file(tmp_path, trace):
    page = tmp_path / "t.html"
    page.write_text(report_page(evaluate_trace(trace), trace), encoding="utf-8")
    return page
