"""Outputs: those of the host keep the contract that plugins keep, and a plugin's runs in a process of its own."""

import io
import re

import pytest

from sentinel_core.errors import PluginError
from sentinel_core.host.validate_offers import checked
from sentinel_core.judging.output.formats import OWN
from sentinel_core.judging.output.registry import endings, formats
from sentinel_core.offers import Output
from sentinel_core.testing import OutputContract


def contract(name: str) -> type:
    return type(f"Test{name.capitalize()}", (OutputContract,), {"make": lambda self: OWN[name], "__module__": __name__})


globals().update({f"Test{name.capitalize()}": contract(name) for name in OWN})


def test_every_format_and_every_ending_once():
    assert list(formats())[: len(OWN)] == list(OWN)
    assert endings() == {
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


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "c"}, '"c" cannot name an output'),
        ({"name": "My Table"}, "cannot name an output"),
        ({"endings": ["csv"]}, "endings must be a tuple"),
        ({"endings": (".csv",)}, "endings must be a tuple"),
        ({"open": None}, "open is not callable"),
        ({"summary": ""}, "without a summary"),
    ],
)
def test_an_offer_that_cannot_be_used_is_refused(fields, words):
    with pytest.raises(PluginError, match=re.escape(words)):
        checked(Output(**{"name": "csv", "summary": "s", "open": io.BytesIO, **fields}), "outputs")


def test_the_contract_finds_a_raw_control_character(tmp_path):
    class Raw:
        def __init__(self, stream, settings):
            self.stream = stream

        def add(self, record):
            self.stream.write(bytes(record.report) if record.is_judged else record.error.message.encode())

        def finish(self):
            pass

    made = contract("text")
    made.make = lambda self: Output(name="raw", summary="s", open=Raw)
    with pytest.raises(AssertionError, match="a control character must be escaped"):
        made().test_hostile_text_is_harmless(tmp_path)
