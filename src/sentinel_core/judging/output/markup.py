"""Escapes text for XML and Markdown, so that every character is shown as it is."""

import re
from collections.abc import Iterable, Mapping

from sentinel_core.runtime.printable import printable

__all__ = ["cut_markdown", "junit_case", "junit_suite", "markdown_text", "xml_attribute", "xml_text"]

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~@&:=^$])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", ":": "&#58;"}
_MOST_BYTES = 900 << 10  # a job summary of GitHub holds a megabyte


def xml_text(text: str) -> str:
    """Text as the content of an element."""
    from xml.sax.saxutils import escape  # imports what speaks HTTP, too: most outputs have no XML

    return escape(_ILLEGAL.sub("�", printable(text)))


def xml_attribute(text: str) -> str:
    """Text as the value of an attribute, in quotes."""
    from xml.sax.saxutils import quoteattr

    return quoteattr(_ILLEGAL.sub("�", printable(text)))


def markdown_text(text: str) -> str:
    """Text as one line of Markdown, also for a table's cell."""
    folded = " ".join(printable(text).split())
    return _MARKUP.sub(lambda match: _ENTITIES.get(match[1], f"\\{match[1]}"), folded)


def cut_markdown(text: str) -> str:
    """Cut Markdown to the size limit of a job summary."""
    data = text.encode()
    if len(data) <= _MOST_BYTES:
        return text
    return data[:_MOST_BYTES].decode("utf-8", "ignore").rpartition("\n")[0] + "\n\nThe rest is left out.\n"


def junit_case(classname: str, name: str, inner: str = "") -> str:
    """A JUnit test case; ``inner`` is XML."""
    head = f"<testcase classname={xml_attribute(classname)} name={xml_attribute(name)}"
    return f"{head}>{inner}</testcase>" if inner else f"{head}/>"


def junit_suite(name: str, cases: list[str], properties: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The lines of a JUnit suite; the cases are XML."""
    counts: Mapping[str, int] = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": 0,
    }
    lines = [f"<property name={xml_attribute(key)} value={xml_attribute(value)}/>" for key, value in properties]
    head = " ".join(f'{key}="{value}"' for key, value in counts.items())
    return [
        f"<testsuite name={xml_attribute(name)} {head}>",
        *(("<properties>", *lines, "</properties>") if lines else ()),
        *cases,
        "</testsuite>",
    ]
