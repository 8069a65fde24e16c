"""A plugin's format of results: written by a process of its own, whatever it does."""

import pytest

pytestmark = pytest.mark.unmeasured

OUTPUT = """
import os
from sentinel_core import Output, hookimpl

{at_import}


class Lines:
    extras = frozenset({{"text", "nonsense"}})

    def __init__(self, stream, settings):
        self.stream = stream

    def add(self, record):
        {add}
        self.stream.write(f"{{record.source}} {{bool(record.text)}}\\n".encode())

    def finish(self):
        self.stream.write(b"end\\n")


@hookimpl
def sentinel_outputs():
    return [Output(name="lines", summary="a line for each", open=Lines, endings=("lines", "json"))]
"""


@pytest.fixture
def plugin(distribution):
    """Installs the output, which does something at import and for each record."""

    def make(add: str = "pass", at_import: str = "") -> str:
        module = OUTPUT.format(add=add, at_import=at_import)
        return str(
            distribution("strange-lines", {"strange_lines": module}, {"sentinel.outputs": {"lines": "strange_lines"}})
        )

    return make


@pytest.mark.parametrize("options", [(), ("-j", "2")])
def test_it_writes_a_file_and_to_standard_output(sentinel, plugin, write, folder, options):
    path = plugin()
    write("t.jsonl", "0", "0")
    done = sentinel("evaluate", "t.jsonl", "-o", "made.lines", *options, PYTHONPATH=path)
    assert (done.returncode, (folder / "made.lines").read_text()) == (0, "t.jsonl True\nt.jsonl True\nend\n")
    printed = sentinel("evaluate", "t.jsonl", "--format", "lines", *options, PYTHONPATH=path)
    assert printed.stdout == (folder / "made.lines").read_text()
    sentinel("evaluate", "t.jsonl", "-o", "made.json", *options, PYTHONPATH=path)
    assert (folder / "made.json").read_text().startswith("[")  # the host's own endings stay


@pytest.mark.parametrize(
    ("add", "words"),
    [
        ("raise ValueError('odd')", "ValueError: odd"),
        ("os._exit(3)", "ended the process with exit code 3"),
        ("print('PASS')", "wrote to standard output"),
    ],
)
def test_one_that_goes_wrong_is_named_and_writes_nothing(sentinel, plugin, write, folder, add, words):
    path = plugin(add)
    write("t.jsonl", "0")
    done = sentinel("evaluate", "t.jsonl", "-o", "made.lines", PYTHONPATH=path)
    assert done.returncode == 3
    assert 'output "lines" (strange-lines 1.0)' in done.stderr
    assert words in done.stderr
    assert not (folder / "made.lines").exists()


def test_one_that_cannot_be_loaded_costs_help_and_others_nothing(sentinel, plugin, write):
    path = plugin(at_import="os._exit(4)")
    write("t.jsonl", "0")
    assert sentinel("evaluate", "--help", PYTHONPATH=path).returncode == 0
    assert sentinel("evaluate", "t.jsonl", "-o", "made.md", PYTHONPATH=path).returncode == 0
    assert "no format has the extension" in sentinel("evaluate", "t.jsonl", "-o", "made.lines", PYTHONPATH=path).stderr
