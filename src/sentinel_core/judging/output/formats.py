"""The formats of results, and the file endings for them."""

from typing import Literal, get_args

__all__ = ["ENDINGS", "FORMATS", "Format"]

Format = Literal["text", "json", "jsonl", "html", "sarif", "junit", "markdown", "github", "gitlab"]

FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[str, Format] = {
    "html": "html",
    "htm": "html",
    "json": "json",
    "jsonl": "jsonl",
    "md": "markdown",
    "ndjson": "jsonl",
    "sarif": "sarif",
    "txt": "text",
    "xml": "junit",
}
