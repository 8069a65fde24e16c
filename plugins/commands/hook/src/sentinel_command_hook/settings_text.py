"""The hook's entry in the text of a tool's settings: only its own characters come and go.

The entry is a group ``{"hooks": [handler]}``, or the handler itself, in a list under ``hooks`` and the event. What of that is
missing comes and goes with it. Over how many lines the entry is written says what came with it, so that removing it gives the
text from before.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sentinel_command_hook.json_text import Array, Node, Object, gap_end, parsed

__all__ = ["Form", "FormError", "holds_own", "put_in", "take_out"]

_BOM = "\ufeff"
_HOOKS = "hooks"
_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")
_NEW_END = "\n"  # a file that is made ends so, and one that was empty does not
# How many levels of a group stand on lines of their own, by what came with it.
_GROUP, _EVENT, _ALL, _FILE = range(4)

IsOwn = Callable[[str], bool]


class Form(NamedTuple):
    """Where an entry stands: under which ``event``, in a group of its own or not, and which ``key`` of it is the command.

    A file that is made has the members of ``head``, too.
    """

    event: str
    key: str = "command"
    is_grouped: bool = True
    head: tuple[tuple[str, Any], ...] = ()


class FormError(ValueError):
    """The settings are JSON, but not of the form that the tool reads."""


class _Own(NamedTuple):
    """A handler of ours, and all that it is in."""

    root: Object
    events: Object
    groups: Array
    group: Object
    handlers: Array
    handler: Object


def holds_own(text: str, form: Form, is_own: IsOwn) -> bool:
    """Whether there is an entry whose command ``is_own``. Raises ``ValueError``."""
    return _own(text, form, is_own) is not None


def put_in(text: str | None, form: Form, entry: Mapping[str, Any], is_own: IsOwn) -> str:
    """The text with the handler ``entry``: in the place of the first of ours, else behind all others. Raises ``ValueError``.

    None is a file that is not there.
    """
    if text is None:
        return _file(form, entry, _NEW_END) + _NEW_END
    if not _content(text):
        return text + _file(form, entry, _newline(text))
    own = _own(text, form, is_own)
    if own is not None:
        return _updated(text, own.handler, entry)
    root, events, groups = _levels(text, form.event)
    assert root is not None
    style = _Style(_unit(text), _newline(text))
    if groups is not None:
        return _added(text, groups, lambda base: style.group(form, entry, _GROUP, base), style)
    if events is not None:
        return _added(text, events, lambda base: style.event(form, entry, _EVENT, base), style)
    return _added(text, root, lambda base: style.all(form, entry, _ALL, base), style)


def take_out(text: str, form: Form, is_own: IsOwn) -> str | None:
    """The text without all of ours, and without what came with them; None if there was no file before.

    Raises ``ValueError``.
    """
    while (own := _own(text, form, is_own)) is not None:
        depth = _depth(text, form, own)
        if depth == _FILE:
            entry = {member.key: _value(text, member.value) for member in own.handler.members}
            file = _file(form, entry, _newline(text))
            if text == file + _NEW_END:
                return None
            if text.endswith(file) and not _content(text[: -len(file)]):
                return text[: -len(file)]
        text = _without(text, own, depth)
    return text


def _content(text: str) -> str:
    return text.removeprefix(_BOM).strip()


def _levels(text: str, event: str) -> tuple[Object | None, Object | None, Array | None]:
    """The settings, what is under ``hooks``, and under the event; None where it is missing."""
    if not _content(text):
        return None, None, None
    root = parsed(text, len(_BOM) if text.startswith(_BOM) else 0)
    if not isinstance(root, Object):
        raise FormError("is not a JSON object")
    events = root.get(_HOOKS)
    groups = events.get(event) if isinstance(events, Object) else None
    if not isinstance(events, Object | None) or not isinstance(groups, Array | None):
        raise FormError(f'"{_HOOKS}" does not have the form that is expected')
    return root, events, groups


def _own(text: str, form: Form, is_own: IsOwn) -> _Own | None:
    """The first of ours."""
    root, events, groups = _levels(text, form.event)
    if root is None or events is None or groups is None:
        return None
    for group in groups.items:
        for handlers, handler in _handlers(group, groups, form):
            command = handler.get(form.key) if isinstance(handler, Object) else None
            if command is not None and command.text is not None and is_own(command.text):
                assert isinstance(group, Object)
                assert isinstance(handler, Object)
                return _Own(root, events, groups, group, handlers, handler)
    return None


def _handlers(group: Node, groups: Array, form: Form) -> list[tuple[Array, Node]]:
    """The handlers of an entry of the event, each with the list that it is in."""
    if not form.is_grouped:
        return [(groups, group)]
    handlers = group.get(_HOOKS) if isinstance(group, Object) else None
    return [(handlers, handler) for handler in handlers.items] if isinstance(handlers, Array) else []


class _Style(NamedTuple):
    """One level's indent, and the line break; ``base`` is the indent of the line that a text begins on."""

    unit: str
    newline: str

    def _block(self, inner: Callable[[str], str], brackets: str, base: str, *, is_open: bool) -> str:
        """Something in brackets, on lines of its own if it is open."""
        if not is_open:
            return brackets[0] + inner(base) + brackets[1]
        deeper = base + self.unit
        return f"{brackets[0]}{self.newline}{deeper}{inner(deeper)}{self.newline}{base}{brackets[1]}"

    def group(self, form: Form, entry: Mapping[str, Any], depth: int, base: str) -> str:
        """An entry, of which the first ``depth`` levels are open; of a handler without a group, the first breaks of its lines."""
        if not form.is_grouped:
            return self._flat(entry, depth, base)

        def handler(base: str) -> str:
            between = f",{self.newline}{base}" if depth > _ALL else ", "
            return between.join(_member(key, value) for key, value in entry.items())

        def handlers(base: str) -> str:
            return self._block(handler, "{}", base, is_open=depth > _ALL)

        def member(base: str) -> str:
            return f'"{_HOOKS}": ' + self._block(handlers, "[]", base, is_open=depth > _EVENT)

        return self._block(member, "{}", base, is_open=depth > _GROUP)

    def _flat(self, entry: Mapping[str, Any], depth: int, base: str) -> str:
        def inner(base: str) -> str:
            members = [_member(key, value) for key, value in entry.items()]
            breaks = [f",{self.newline}{base}" if depth > min(at, _ALL) else ", " for at in range(1, len(members))]
            return members[0] + "".join(map(str.__add__, breaks, members[1:]))

        return self._block(inner, "{}", base, is_open=depth > _GROUP)

    def event(self, form: Form, entry: Mapping[str, Any], depth: int, base: str) -> str:
        """The member of an event, with an entry in it."""
        return f"{_json(form.event)}: " + self._block(
            lambda base: self.group(form, entry, depth, base), "[]", base, is_open=True
        )

    def all(self, form: Form, entry: Mapping[str, Any], depth: int, base: str) -> str:
        """The member ``hooks``."""
        return f'"{_HOOKS}": ' + self._block(
            lambda base: self.event(form, entry, depth, base), "{}", base, is_open=True
        )

    def file(self, form: Form, entry: Mapping[str, Any]) -> str:
        """Settings with nothing else in them."""

        def members(base: str) -> str:
            head = "".join(f"{_member(key, value)},{self.newline}{base}" for key, value in form.head)
            return head + self.all(form, entry, _FILE, base)

        return self._block(members, "{}", "", is_open=True)


def _file(form: Form, entry: Mapping[str, Any], newline: str) -> str:
    return _Style("  ", newline).file(form, entry)


def _member(key: str, value: object) -> str:
    return f"{_json(key)}: {_json(value)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return "  " if found is None else found[1]


def _base(text: str, at: int) -> str:
    """The indent of the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(_BOM)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _spans(node: Object | Array) -> list[tuple[int, int]]:
    """Where the members or items begin and end."""
    if isinstance(node, Object):
        return [(member.start, member.end) for member in node.members]
    return [(item.start, item.end) for item in node.items]


def _added(text: str, into: Object | Array, made: Callable[[str], str], style: _Style) -> str:
    """The text with something more at the end of an object or a list."""
    spans, base = _spans(into), _base(text, into.start)
    if spans:
        last, at = spans[-1]
        deeper = _base(text, last) if "\n" in text[into.start : last] else base + style.unit
        return f"{text[:at]},{style.newline}{deeper}{made(deeper)}{text[at:]}"
    at, deeper = into.start + 1, base + style.unit
    return f"{text[:at]}{style.newline}{deeper}{made(deeper)}{style.newline}{base}{text[at:]}"


def _updated(text: str, handler: Object, entry: Mapping[str, Any]) -> str:
    """The text with these values in a handler; those that are so already stay as they are written."""
    edits: list[tuple[int, int, str]] = []
    for key, value in entry.items():
        node = handler.get(key)
        if node is None:
            edits.append((handler.members[0].start, handler.members[0].start, f"{_json(key)}: {_json(value)}, "))
        elif _value(text, node) != value:
            edits.append((node.start, node.end, _json(value)))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _value(text: str, node: Node) -> object:
    """A string or a whole number; None for another value."""
    written = text[node.start : node.end]
    return node.text if node.text is not None else int(written) if re.fullmatch("[0-9]{1,9}", written) else None


def _depth(text: str, form: Form, own: _Own) -> int | None:
    """How many levels of our group are open; None if it is not written as ``put_in`` writes it."""
    entry = {member.key: _value(text, member.value) for member in own.handler.members}
    line = text[text.rfind("\n", 0, own.group.start) + 1 : own.group.start]
    if line.strip() or None in entry.values():
        return None
    written, base = text[own.group.start : own.group.end], _base(text, own.group.start)
    indent = re.match(r"\{\r?\n([ \t]+)", written)
    unit = indent[1].removeprefix(base) if indent else "  "
    for depth in (_GROUP, _EVENT, _ALL, _FILE):
        if written == _Style(unit, _newline(text)).group(form, entry, depth, base):
            return depth
    return None


def _without(text: str, own: _Own, depth: int | None) -> str:
    """The text without a handler of ours, and without what it alone fills, unless that was there before."""
    if len(own.handlers.items) > 1:
        return _cut(text, own.handlers, own.handler.start)
    if len(own.groups.items) > 1 or depth == _GROUP:
        return _cut(text, own.groups, own.group.start)
    if len(own.events.members) > 1 or depth == _EVENT:
        return _cut(text, own.events, _start_of(own.events, own.groups))
    return _cut(text, own.root, _start_of(own.root, own.events))


def _start_of(node: Object, value: Node) -> int:
    return next(member.start for member in node.members if member.value.start == value.start)


def _cut(text: str, node: Object | Array, start: int) -> str:
    """The text without the part of an object or a list that begins there, and without one comma; comments stay."""
    spans = _spans(node)
    at = next(number for number, (begin, _) in enumerate(spans) if begin == start)
    end = spans[at][1]
    if at:
        before = spans[at - 1][1]
        if "/" not in text[before:start]:
            return text[:before] + text[end:]
        comma = gap_end(text, before)
        return text[:comma] + text[comma + 1 : start] + text[end:]
    comma = gap_end(text, end)
    has_comma = text[comma] == ","
    if len(spans) > 1:
        return text[:start] + text[end:comma] + text[comma + 1 :].lstrip(" \t\r\n")
    opening = node.start + 1
    if not text[opening:start].strip():
        start = opening
    if has_comma:
        return text[:start] + text[end:comma] + text[comma + 1 :]
    closing = _newline(text) + _base(text, node.start)
    return text[:start] + text[end:].removeprefix(closing)
