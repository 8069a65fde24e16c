"""What others will read as the agent's word: a description in a fence, in a file of text, in the command that carries it."""

from collections.abc import Iterator

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.shell import command_of
from sentinel_signal_hallucination.tables import regex

__all__ = ["descriptions"]

_FENCE = regex(r"(?ms)^[ \t]*```(?:markdown|md|text|txt)?[ \t]*\n(.*?)^[ \t]*```")
_NAMED = regex(
    r"(?i)\b(?:pr|pull request|merge request|commit message|description|changelog|release notes?|summary|comment)\b"
)
_FILE = regex(r"(?i)\.(?:md|markdown|txt|rst)\Z")
_CARRIES = regex(r"\b(?:gh|glab) (?:pr|mr|issue|release)\b|\bgit commit\b")
# What a command is given is the agent's word, and no quote.
_GIVEN = regex(r"(?<=[\s=])(?:'([^']*)'|\"((?:[^\"\\]|\\.)*)\")")
_PATHS, _CONTENTS = (
    ("file_path", "path", "filename", "target_file"),
    ("content", "contents", "file_text", "new_string", "new_str", "code_edit", "text"),
)
_LONGEST = 20_000


def descriptions(index: TraceIndex) -> Iterator[Text]:
    """Each as a text of its own, with the place of the message that holds it, in order."""
    found = [
        Text(match[1], text.message_index, text.calls_before)
        for text in index.texts
        if "```" in text.content and not text.is_copied and _NAMED.search(text.content)
        for match in _FENCE.finditer(text.content[:_LONGEST])
    ]
    for call in index.calls:
        content = None if call.is_copied else _written(call.call.arguments)
        if content is not None:
            found.append(Text(content[:_LONGEST], call.message_index, call.position))
    yield from sorted(found, key=lambda text: text.message_index)


def _written(arguments: object) -> str | None:
    if not isinstance(arguments, dict):
        return None
    path = next((arguments[key] for key in _PATHS if isinstance(arguments.get(key), str)), "")
    if _FILE.search(path):
        return next((arguments[key] for key in _CONTENTS if isinstance(arguments.get(key), str)), None)
    command = command_of(arguments)
    if command is None or not _CARRIES.search(command):
        return None
    given = [match[1] or match[2] or "" for match in _GIVEN.finditer(command[:_LONGEST])]
    return "\n\n".join(text for text in given if " " in text) or command
