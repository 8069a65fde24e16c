"""The files that a call changes by its own words: what edits, patches and commands name. Pure."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.facts.changes import PATHS, changes_of
from sentinel_core.evaluate.facts.commands import is_editor, kinds_of_call
from sentinel_core.evaluate.facts.edits import changes_tree, patched_paths
from sentinel_core.evaluate.shell import command_of, parts_of

__all__ = ["How", "changes_unnamed", "files_of"]

How = Literal["edited", "created", "written", "deleted"]
"""What becomes of a file; ``written`` is as a whole, over an old one or anew."""
_Found = Iterator[tuple[str, How]]

_BY_EDITOR: Mapping[str, How | None] = {
    "view": None, "read": None, "undo_edit": None, "create": "created", "insert": "edited",
}  # fmt: skip
_BY_KIND: Mapping[str, How] = {"add": "created", "delete": "deleted"}
_FOLDERS = ("workdir", "cwd", "working_directory")
_LONGEST = 1_000  # characters of a path
_PATCHES = regex(r"(?:apply_patch|git (?:-C \S+ )?(?:apply|am)|patch)\b")
_ALSO = regex(r"(?:rm|rmdir|unlink)\b|git (?:-C \S+ )?checkout (?:-- |\S+ -- )")
_ADDED = regex(r"^\*\*\* Add File: (\S+)", re.MULTILINE)
_ENTERS = regex(r"cd (?:-- )?['\"]?([^'\"\s-][^'\"\s]*)['\"]?\Z")
_SCRIPT = regex(r"[\d,]*[sy]([/|#,@!])(?:(?!\1).)*\1(?:(?!\1).)*\1\w*\Z")
_ODD = regex(r"[*?$`{}<>|\n]|\A(?:-|/dev/)")  # what a shell expands, and options
_NOWHERE = regex(r"[0-9&]?>{1,2} ?(?:/dev/\w+|&[0-9])")
_MAKES, _MOVES, _COPIES = ("touch", "tee"), ("mv",), ("cp",)


def files_of(name: str, arguments: Mapping[str, Any]) -> dict[str, How]:
    """What the call does to each file that it names; a relative path in a command starts at the folder that the command enters."""
    kinds = kinds_of_call(name, arguments).sure
    if kinds.isdisjoint(("edit", "delete")):
        return {}
    command = None if is_editor(name) else command_of(arguments)
    if command is not None:
        return dict(_by_command(command, arguments))
    path = _first(arguments, PATHS)
    if not path:
        return dict(_by_patch(name, arguments))
    how = _by_tool(name, path, arguments, kinds)
    return {path: how} if how is not None and any(map(str.isalnum, path)) else {}  # "{}" is no name


def changes_unnamed(name: str, arguments: Mapping[str, Any]) -> bool:
    """True for a call that changes files and names none as it does so: a formatter, a checkout, an edit whose arguments are not on record."""
    if files_of(name, arguments):
        return False
    command = None if is_editor(name) else command_of(arguments)
    if command is None:
        return "edit" in kinds_of_call(name, arguments).sure and not _first(arguments, ("command",))
    return any(changes_tree(part.text) or _ALSO.match(part.text) for part in parts_of(command))


def _first(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((arguments[key] for key in keys if isinstance(arguments.get(key), str)), "")


def _by_tool(name: str, path: str, arguments: Mapping[str, Any], kinds: frozenset[str]) -> How | None:
    """Of a tool for one file."""
    if not is_editor(name):
        is_of_files = "delete" in kinds and "file" in name.lower()
        return "deleted" if is_of_files else "created" if name.lower() == "create" else None
    mode = arguments.get("command")
    if isinstance(mode, str) and mode in _BY_EDITOR:
        return _BY_EDITOR[mode]
    is_edit = any(change.path == path for change in changes_of(name, arguments))
    return "written" if not is_edit and isinstance(_content(arguments), str) else "edited"


def _content(arguments: Mapping[str, Any]) -> object:
    return next((arguments[key] for key in ("content", "contents", "file_text") if key in arguments), None)


def _by_patch(name: str, arguments: Mapping[str, Any]) -> _Found:
    """Of a patch, or of a list of changes with the path of each."""
    gone = {change.path for change in changes_of(name, arguments) if change.is_deletion}
    for value in arguments.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                new = set(_ADDED.findall(item))
                for path in patched_paths(item):
                    yield path, "deleted" if path in gone else "created" if path in new else "edited"
            elif isinstance(item, Mapping) and (path := _first(item, PATHS)):
                yield path, _BY_KIND.get(str(item.get("kind")), "edited")


def _by_command(command: str, arguments: Mapping[str, Any]) -> _Found:
    folder = _first(arguments, _FOLDERS)
    is_patched = False
    for part in parts_of(command):
        entered = _ENTERS.match(part.text)
        if entered is not None:
            folder = posixpath.join(folder, entered[1])
        is_patch = _PATCHES.match(part.text) is not None
        found = _by_part(part.text) if not is_patch else () if is_patched else _by_patch("", arguments)
        for path, how in found:
            if 0 < len(path) <= _LONGEST and _ODD.search(path) is None:
                yield posixpath.join(folder, path), how
        is_patched = is_patched or is_patch
        if is_patch and "<<" not in command:
            return  # the lines after it are the patch's


def _by_part(text: str) -> _Found:
    """Of one simple command: what it removes or edits in place, what it makes or moves, and where its output goes."""
    for change in changes_of("", {"command": text}):
        if _SCRIPT.match(change.path) is None:
            yield change.path, "deleted" if change.is_deletion else "edited"
    text = _NOWHERE.sub(" ", text).rstrip(" )")
    lexer = shlex.shlex(text, posix=True, punctuation_chars="<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return
    ends = [at for at, word in enumerate(words) if word in {">", ">>"}]
    yield from ((words[at + 1], "written") for at in ends if at + 1 < len(words))
    before = words[: ends[0]] if ends else words
    program, *given = [word for word in before if word != "git" and not word.startswith("-")] or [""]
    if program in _MAKES:
        yield from ((word, "written") for word in given)
    elif program in (*_MOVES, *_COPIES) and len(given) > 1:
        yield from _moved(given[:-1], given[-1], is_copy=program in _COPIES)


def _moved(sources: list[str], into: str, *, is_copy: bool) -> _Found:
    is_folder = into.endswith("/") or into in {".", ".."} or len(sources) > 1
    for path in sources:
        if not is_copy:
            yield path, "deleted"
        yield posixpath.join(into, posixpath.basename(path)) if is_folder else into, "written"
