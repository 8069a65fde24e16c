"""The looks of a page: its width, and its theme."""

import pytest

__all__ = ["each_look"]


def each_look(narrow: int) -> pytest.MarkDecorator:
    """Each width and each theme once: the width decides what fits, the theme what is legible. ``make soak`` has the other pairs."""
    looks = (
        pytest.param(1280, "light"),
        pytest.param(narrow, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.exhaustive),
        pytest.param(narrow, "light", marks=pytest.mark.exhaustive),
    )
    return pytest.mark.parametrize(("width", "theme"), looks)
