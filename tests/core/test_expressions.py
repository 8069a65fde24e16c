"""Alternatives of expressions are chosen by the letters that a text begins with."""

import re

from tables import each_row

from sentinel_core.evaluate.expressions import matching
from sentinel_core.evaluate.facts import command_table as table

WORDS = sorted(set(re.findall(r"[\w.+-]+", " ".join(table.DOES.values()))))
ROWS = [*table.DOES.values(), *table.CHECKS.values(), table.TELLS, table.FORMATTERS, table.WRAPPERS]


@each_row(
    ("source", "text", "chosen"),
    [
        ("git|npm", "git push", "git"),
        ("git push|git(?: x|y)|go", "git", "git(?: x|y)"),
        ("pips?|pi|pipx", "pip", "pips?|pi"),
        ("(?:npm|yarn) t|(?:npm|yarn)?t|[|(]x|go", "yarn t", "(?:npm|yarn) t|(?:npm|yarn)?t|[|(]x"),
        (r"a\|b|\Sc", "xc", r"\Sc"),
        ("git|npm", "cargo", None),
    ],
)
def test_alternatives_that_may_match_are_chosen(source, text, chosen):
    assert matching(source, text) == chosen


@each_row("row", ROWS)
def test_the_chosen_ones_match_what_the_whole_matches(row):
    whole = re.compile(f"(?:{row})")
    texts = [f"{first} {second}".strip() for first in WORDS for second in ("", "run test", "push", "-i x")]
    for text in texts:
        chosen = matching(row, text)
        found = None if chosen is None else re.compile(f"(?:{chosen})").match(text)
        expected = whole.match(text)
        assert (found and found.span()) == (expected and expected.span()), text
