"""What a call changed in files that were there before: the old and the new text of an edit, and what was deleted. Pure."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.facts.commands import is_editor
from sentinel_core.evaluate.shell import command_of, parts_of

__all__ = ["CONTENTS", "PATHS", "Change", "changes_of", "is_back", "is_test_file", "restores"]

PATHS = ("file_path", "path", "filename", "filePath", "target_file", "notebook_path", "absolute_path")
"""The arguments that name the file of an editor."""
_OLD = ("old_string", "old_str", "oldString", "old_text", "search")
_NEW = ("new_string", "new_str", "newString", "new_text", "replace")
CONTENTS = frozenset((*_OLD, *_NEW, "content", "contents", "file_text", "insert_text", "new_source", "code_edit"))
"""The arguments of an editor that hold text of the file, which may name others."""
_HEAD = regex(
    r"^\*\*\* (?P<how>Update|Add|Delete) File: (?P<path>\S+)[^\n]*\n(?P<body>(?:(?!\*\*\* ).*\n?)*)", re.MULTILINE
)
_REMOVES = regex(r"(?:git (?:-C \S+ )?)?rm\b")
_IN_PLACE = regex(r"(?:sed|perl)\b.*\s-(?:[a-zA-Z]*i|-in-place)")
_RESTORES = regex(r"git (?:-C \S+ )?(?:checkout|restore|stash|reset|revert)\b")
_TEST_FILE = regex(
    r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/.*\.\w+\Z|(?:^|/)test_[^/]*\Z|(?:_test|_spec|\.test|\.spec|Tests?|Spec)\.\w+\Z"
)


class Change(NamedTuple):
    """One place of a file: ``old`` and ``new`` are its texts, None where the call does not say; ``new`` is empty of a file that was deleted."""

    path: str
    old: str | None
    new: str | None

    @property
    def is_deletion(self) -> bool:
        """True where the file was deleted."""
        return self.old is None and self.new == ""

    @property
    def takes_away(self) -> bool:
        """True unless all that was there is still there, in the same lines: more was only added."""
        return self.old is None or self.old.strip() not in (self.new or "")


def changes_of(name: str, arguments: Mapping[str, Any]) -> Iterator[Change]:
    """What a call changed, as far as it says; a file that was written whole may be new, and is left out."""
    command = None if is_editor(name) else command_of(arguments)
    for value in arguments.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and "*** " in text:
                yield from _patched(text)
    if command is not None:
        for part in parts_of(command):
            yield from _by_command(part.text)
        return
    path = next((arguments[key] for key in PATHS if isinstance(arguments.get(key), str)), "")
    edits = arguments.get("edits")
    for edit in filter(_is_mapping, edits) if isinstance(edits, list) else [arguments]:
        old, new = (next((edit[key] for key in keys if isinstance(edit.get(key), str)), "") for keys in (_OLD, _NEW))
        if path and old:
            yield Change(path, old, new)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _patched(patch: str) -> Iterator[Change]:
    """The files of a patch, each as one change."""
    for match in _HEAD.finditer(patch):
        lines = match["body"].splitlines()
        old, new = ("\n".join(line[1:] for line in lines if line[:1] in signs) for signs in ((" ", "-"), (" ", "+")))
        if match["how"] == "Delete":
            yield Change(match["path"], None, "")
        elif match["how"] == "Update":
            yield Change(match["path"], old, new)


def _by_command(text: str) -> Iterator[Change]:
    is_gone = _REMOVES.match(text) is not None
    if is_gone or _IN_PLACE.match(text):
        try:
            words = shlex.split(text)[1:]
        except ValueError:
            return
        yield from (
            Change(word, None, "" if is_gone else None)
            for word in words
            if "." in word and "=" not in word and "/" not in word[:1] + word[-1:]
        )


def is_test_file(path: str) -> bool:
    """True for the path of a file with tests."""
    return _TEST_FILE.search(path) is not None


def is_back(change: Change, later: Change) -> bool:
    """True where a later change of the file takes this one back."""
    return later.path == change.path and change.old is not None and later.new == change.old


def restores(name: str, arguments: Mapping[str, Any]) -> bool:
    """True for a call that may bring files back to what they were."""
    command = None if is_editor(name) else command_of(arguments)
    return command is not None and any(_RESTORES.match(part.text) for part in parts_of(command))
