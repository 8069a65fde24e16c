"""One tool use of a SpecStory history: a summary, what the tool was given, and its output in the last code block."""

import re
from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core import CallDetails, ToolCall
from sentinel_core.traces.readers.chat import Result

__all__ = ["ToolUse", "tool_use"]

_TAGS = re.compile(r"</?details>|</tool-use>")
_SUMMARY, _SUMMARY_END = "<summary>", "</summary>"
_TITLE = re.compile(r"Tool use: \*\*[^*]*\*\*")
_FENCE = re.compile(r"\s?(?:Input(?: \(truncated\))?: )?(`{3,})([^`]*)")
_LONE = re.compile(r"`([^`]+)`")
_NAMED = re.compile(r"(?:^|\s)(?:- )?(\w+):? `([^`]*)`")
_FIELD = re.compile(r"- (\w+):\s*")
_ANSWER = "**Answer:** "
_STATES: Mapping[str, bool | None] = {"**Result:**": None, "**Error:**": False}
_INPUT = "**Input:**"
_OUTPUT_LANGUAGES = ("", "text")
# The argument that a tool of a type has alone, by SpecStory's own types.
_LONE_KEYS = {"read": "file_path", "shell": "command", "write": "file_path"}
# Results of calls that never ran.
_NOT_RUN = (
    "[Request interrupted by user", "<tool_use_error>Cancelled:", "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
)  # fmt: skip


@attrs.frozen(kw_only=True)
class ToolUse:
    """A call and its output, None if none is on record."""

    name: str
    arguments: dict[str, Any]
    output: str | None = None
    success: bool | None = None

    @property
    def is_empty(self) -> bool:
        """True if nothing but the tool's name is on record."""
        return not self.arguments and self.output is None

    def call(self) -> ToolCall:
        """The call. Without an output on record, none is expected: an empty one is not written."""
        details = None if self.output is not None else CallDetails(result_expected=False)
        return ToolCall(id="", name=self.name, arguments=self.arguments, details=details)

    def result(self) -> Result | None:
        """The output as a result; None if none is on record."""
        if self.output is None:
            return None
        is_run = not self.output.startswith(_NOT_RUN)
        success = self.success if is_run else False
        return Result(
            content=self.output, name=self.name, success=success, metadata=None if is_run else {"not_run": True}
        )


@attrs.define
class _Block:
    """A code block: its language, its lines, and the line of prose before it."""

    language: str
    before: str
    lines: list[str] = attrs.field(factory=list)


def tool_use(kind: str, name: str, lines: list[str]) -> ToolUse:
    """The tool use that stands in an element, whose tool has a type such as ``shell``."""
    prose, blocks = _split(lines)
    output = blocks.pop() if blocks and _is_output(blocks[-1]) else None
    answer = next((line.removeprefix(_ANSWER) for line in prose if line.startswith(_ANSWER)), None)
    arguments = _arguments(
        kind, [line for line in prose if line not in _STATES and not line.startswith(_ANSWER)], blocks
    )
    return ToolUse(
        name=name,
        arguments=arguments,
        output="\n".join(output.lines) if output is not None else answer,
        success=_STATES.get(output.before) if output is not None else None,
    )


def _is_output(block: _Block) -> bool:
    return block.language in _OUTPUT_LANGUAGES and not block.before.endswith(":") and block.before != _INPUT


def _split(lines: list[str]) -> tuple[list[str], list[_Block]]:
    """Prose and code blocks. An output in a block of language ``text`` goes on to the last fence."""
    prose, blocks = list[str](), list[_Block]()
    last = max((at for at, line in enumerate(lines) if line.strip() and set(line.strip()) == {"`"}), default=-1)
    fence = 0
    for at, line in enumerate(lines):
        if fence:
            is_over = line.strip() == "`" * fence and (at == last or blocks[-1].language != "text")
            if is_over:
                fence = 0
            else:
                blocks[-1].lines.append(line)
            continue
        mark = _FENCE.fullmatch(line.rstrip())
        if mark is not None:
            fence = len(mark[1])
            before = "Input:" if "Input" in line else next(reversed(prose), "")
            blocks.append(_Block(mark[2].strip(), before))
            continue
        text = _TAGS.sub("", _without_title(line)).strip()
        prose += [text] if text else []
    if fence and blocks[-1].lines:  # the file ends within the block
        blocks[-1].lines = [_TAGS.sub("", line) for line in blocks[-1].lines]
    return prose, blocks


def _without_title(line: str) -> str:
    """What a summary says beyond the tool's name; any other line as it is."""
    start = line.find(_SUMMARY)
    end = line.find(_SUMMARY_END, start)
    if start < 0 or end < 0:
        return line
    summary = line[start + len(_SUMMARY) : end]
    title = _TITLE.match(summary)
    return summary if title is None else summary[title.end() :]


def _arguments(kind: str, prose: list[str], blocks: list[_Block]) -> dict[str, Any]:
    """What the tool was given, by its name where it has one; everything else is the ``description``."""
    found: dict[str, Any] = {}
    rest: list[str] = []
    for line in prose:
        lone = _LONE.fullmatch(line)
        named = _NAMED.findall(line)
        if lone is not None:
            found.setdefault(_LONE_KEYS.get(kind, "input"), lone[1])
        elif named and not _NAMED.sub("", line).strip():
            found.update((key, value) for key, value in named if key not in found)
        elif line != _INPUT and _FIELD.fullmatch(line) is None:
            rest.append(line)
    for block in blocks:
        field = _FIELD.fullmatch(block.before)
        key = (
            field[1]
            if field is not None
            else "command"
            if kind == "shell"
            else block.language
            if block.language == "diff"
            else "content"
        )
        content = "\n".join(block.lines)
        found[key] = f"{found[key]}\n{content}" if key in found else content
    return {**found, **({"description": "\n".join(rest)} if rest else {})}
