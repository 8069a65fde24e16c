"""Which figure a name is of."""

import re

from sentinel_core.evaluate.facts import measures


def test_a_figure_is_of_the_name_with_the_fewest_letters_between_them():
    figures = list(re.finditer(r"\d+", "12 of error_rate, and 450"))
    begin, end = 6, 16
    assert measures._nearest((begin, end, ()), figures)[0] == "12"
    assert measures._nearest((begin, end + 6, ()), figures)[0] == "450"
