"""What ``sentinel_core.traces.readers`` offers, and that a trace of Sentinel's own format loads none of the other formats' shapes."""

import subprocess
import sys

import pytest
from tables import each_row

from sentinel_core.traces import readers as reading


@each_row("name", reading.__all__)
def test_every_name_is_there(name):
    assert getattr(reading, name).__name__ == name
    assert name in dir(reading)


def test_names_are_listed_as_they_are_looked_up():
    assert sorted(reading._MODULE_OF) == sorted(reading.__all__)


def test_an_unknown_name():
    with pytest.raises(AttributeError, match=r"module 'sentinel_core\.traces\.readers' has no attribute 'nothing'"):
        _ = reading.nothing


def test_the_codec_loads_no_other_formats_shapes():
    code = "import sys, sentinel_core.traces.codec; print(*(name for name in sys.modules if name.startswith('sentinel_core.traces.readers.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["sentinel_core.traces.readers.layout", "sentinel_core.traces.readers.lines"]
