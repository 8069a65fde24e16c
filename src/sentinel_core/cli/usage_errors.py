"""The text of a wrong use of the command line, on one line, with a suggestion for a mistyped choice."""

import re

import click

__all__ = ["usage_text"]

_CHOICES = r"'[{\[][^'{}\[\]]*[}\]]'"  # how click writes an argument with choices


def usage_text(error: click.ClickException) -> str:
    """Click's message on one line; an argument has its name, not its list of choices."""
    text = " ".join(error.format_message().split())
    parameter = getattr(error, "param", None)
    if parameter is None or not isinstance(parameter.type, click.Choice):
        return text
    if isinstance(parameter, click.Argument):
        text = re.sub(_CHOICES, lambda _: f"'{str(parameter.name).upper()}'", text, count=1)
    given = re.search(r"'([^']*)' is not one of", text)
    if given is None:
        return text
    from sentinel_core.host.selection import did_you_mean

    return f"{text.removesuffix('.')}{did_you_mean(given[1], map(str, parameter.type.choices))}"
