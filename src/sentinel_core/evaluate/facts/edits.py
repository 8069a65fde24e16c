"""Which files a call can have written, told by its arguments: tools that edit, patches, and commands."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.facts.changes import CONTENTS
from sentinel_core.evaluate.facts.commands import is_editor, kinds_of_call
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.trace import to_json

__all__ = ["Reach", "Writers", "changes_code", "changes_tree", "is_named_in", "patched_paths", "reach_of"]

_PATHS = regex(r"path|file|notebook|uri|target|name", re.IGNORECASE)
_PATCHED = regex(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?|\*\*\* Move to: )(\S+)", re.MULTILINE)
_PROSE = regex(
    r"(?i)(?:\.(?:md|mdx|markdown|rst|txt|adoc|log|out)|(?:^|/)(?:readme|changelog|license|todo|notes|contributing)[^/]*)\Z"
)
_CODE = regex(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|swift|php|ex|exs|scala|sh|sql|vue|svelte|toml|cfg|ini)\Z"
)
_MANIFEST = regex(
    r"(?:\.(?:json|toml|lock|txt|mod|sum|ya?ml|cfg|lockb|props|csproj)|(?:^|/)(?:Gemfile|Pipfile|Podfile|go)\S*)\Z"
)
_TREE = regex(
    r"git(?: -[Cc] \S+)* (?:checkout (?!-[bB])|switch|restore|stash(?! list| show)|reset|revert|merge|rebase|pull|cherry-pick|apply|am|clone|mv)\b|patch\b|(?:cp|mv|rsync|tar|unzip|scp|wget|ln|install|dd)\b"
    r"|(?:ruff format|black|isort|prettier|gofmt|cargo fmt|yapf|autopep8|clang-format|go fmt|jscodeshift|ast-grep|comby|2to3|pyupgrade|autoflake)\b|.*\s--(?:fix|write)\b"
)
# A formatter that is given files, each with its ending.
_NAMES_FILES = regex(
    r"(?:\S*/)?(?:gofmt|ruff format|black|isort|prettier|clang-format|rustfmt|yapf|autopep8)(?: -\S{1,80}){0,9}(?: (?!-)[\w./-]{1,200}\.\w{1,9}){1,99}\Z"
).match
_IN_PLACE = regex(r"(?:sed|perl|awk|yq|tee|ed|ex|truncate|touch|mkdir)\b|.*>")
_WIDE = regex(r"[*?$`{}]|\b(?:xargs|find|for|while|eval)\b")
_WORDS = regex(r"[\w./@+-]+")


def _given(arguments: Mapping[str, Any]) -> list[str]:
    """The paths that the arguments of a tool name; of a patch those of its heads."""
    values = [value for value in arguments.values() if isinstance(value, str)]
    named = [value for key, value in arguments.items() if _PATHS.search(key) and isinstance(value, str)]
    return [*named, *(path for value in values for path in patched_paths(value))]


def patched_paths(patch: str) -> list[str]:
    """The files that the heads of a patch name."""
    return _PATCHED.findall(patch)


def changes_tree(text: str) -> bool:
    """True for a simple command that can change many files at once, such as a checkout or a formatter."""
    return _TREE.match(text) is not None


def is_named_in(text: str, path: str) -> bool:
    """True where the text may name the file: its name stands there, alone or in a folder of that name."""
    folder, _, last = path.rpartition("/")
    parent = folder.rpartition("/")[2]
    if parent in {"", ".", ".."}:
        return last in text
    at = text.find(last)
    while at >= 0:
        if not text.endswith("/", 0, at) or text.endswith((f"{parent}/", "./"), 0, at):
            return True
        at = text.find(last, at + 1)
    return False


class Reach(NamedTuple):
    """What a call can have written: any file, manifests of packages, and the files whose names stand in ``text``."""

    is_wide: bool = False
    manifests: bool = False
    text: str = ""

    def has(self, path: str) -> bool:
        """True for a file that can have been written, told by the end of its path."""
        return self.is_wide or is_named_in(self.text, path) or (self.manifests and _MANIFEST.search(path) is not None)


_NOTHING, _ANYTHING = Reach(), Reach(is_wide=True)


def reach_of(name: str, arguments: Mapping[str, Any]) -> Reach:
    """What a call can have written."""
    kinds = kinds_of_call(name, arguments)
    if "edit" in kinds.may or ("format" in kinds.sure and command_of(arguments) is None):
        return _ANYTHING
    installs = "install" in kinds.sure
    if kinds.sure.isdisjoint(("edit", "delete")):
        return Reach(manifests=True) if installs else _NOTHING
    command = None if is_editor(name) else command_of(arguments)
    if command is None:
        is_wide = not _given(arguments)  # what it was given is not recorded
    else:
        parts = [part.text for part in parts_of(command)]
        generates = "edit" in kinds.sure and not any(
            map(_IN_PLACE.match, parts)
        )  # the files that it makes are its own affair
        is_wide = generates or any(
            _WIDE.search(part) or (_TREE.match(part) and not _NAMES_FILES(part)) for part in parts
        )
    if is_wide:
        return _ANYTHING
    return Reach(manifests=installs, text=to_json(arguments if command is not None else _naming(arguments)).decode())


def _naming(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an editor without the text that it writes, which may name other files; of a patch its heads."""
    own = {key: value for key, value in arguments.items() if key not in CONTENTS}
    return {key: (isinstance(value, str) and patched_paths(value)) or value for key, value in own.items()}


class Writers:
    """Which calls can have written a file; each is looked at once."""

    def __init__(self, calls: Iterable[tuple[int, str, Mapping[str, Any]]]) -> None:
        reached = ((at, reach_of(name, arguments)) for at, name, arguments in calls)
        self._rows = [(at, reach) for at, reach in reached if reach is not _NOTHING]
        self._first: dict[str, int | None] = {}

    def first(self, path: str) -> int | None:
        """The number of the first call that can have written the file; None where none can."""
        if path not in self._first:
            self._first[path] = next((at for at, reach in self._rows if reach.has(path)), None)
        return self._first[path]


def changes_code(name: str, arguments: Mapping[str, Any]) -> bool:
    """True for a call that changed a file which a check can cover: no prose, and no list of things to do."""
    kinds = kinds_of_call(name, arguments)
    if "edit" not in kinds.sure:
        return False
    command = None if is_editor(name) else command_of(arguments)
    if command is None:
        paths = _given(arguments)
        return not paths or any(_PROSE.search(path) is None for path in paths)
    return any(_changes(part.text) for part in parts_of(command))


def _changes(text: str) -> bool:
    paths = [word for word in _WORDS.findall(text) if "." in word.strip("./-") or "/" in word]
    if _TREE.match(text):
        return not paths or any(_PROSE.search(path) is None for path in paths)
    return _IN_PLACE.match(text) is not None and any(_CODE.search(path) for path in paths)
