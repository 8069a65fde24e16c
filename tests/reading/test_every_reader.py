"""Each reader of this repository is held to the contract, of which one test is that no call of an unknown kind is lost in silence."""

import importlib.util
from importlib.metadata import entry_points
from pathlib import Path

from sentinel_core.testing import TraceReaderContract

READERS = Path(__file__).parents[2] / "plugins" / "readers"


def contracts(path, monkeypatch):
    """The contract classes that pytest runs of a test file."""
    monkeypatch.syspath_prepend(path.parent)
    name = f"contracts_of_{path.parents[1].name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [
        one
        for name, one in vars(module).items()
        if name.startswith("Test") and isinstance(one, type) and issubclass(one, TraceReaderContract)
    ]


def test_no_reader_is_without_its_contract(monkeypatch):
    files = [path for path in READERS.glob("*/tests/test_*.py") if "TraceReaderContract" in path.read_text("utf-8")]
    held = {one().make().name for path in files for one in contracts(path, monkeypatch)}
    names = {
        entry.name
        for entry in entry_points(group="sentinel.trace_readers")
        if entry.dist.name.startswith("reliability-sentinel-readers-")
    }
    assert held == names
