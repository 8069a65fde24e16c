"""What ``sentinel_core`` offers, and that looking does not load it."""

import importlib
import pkgutil
import subprocess
import sys
import typing

import pytest
from tables import each_row

import sentinel_core


@each_row("name", sentinel_core.__all__)
def test_every_name_is_there(name):
    value = getattr(sentinel_core, name)
    assert getattr(value, "__name__", name) in (name, "hookimpl")
    assert name in dir(sentinel_core)


def test_names_are_listed_as_they_are_looked_up():
    assert sorted([*sentinel_core._MODULE_OF, "__version__"]) == sorted(sentinel_core.__all__)


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="module 'sentinel_core' has no attribute 'nothing'"):
        _ = sentinel_core.nothing


def test_the_version_is_the_distributions():
    from importlib.metadata import version

    assert sentinel_core.__version__ == version("reliability-sentinel")


def modules() -> list[str]:
    walked = pkgutil.walk_packages(sentinel_core.__path__, "sentinel_core.")
    return [one.name for one in walked if not one.name.endswith("__main__")]


@each_row("name", modules())
def test_offers_of_each_module_exist_and_are_sorted(name):
    module = importlib.import_module(name)
    offered = getattr(module, "__all__", [])
    assert set(offered) <= set(dir(module))
    assert sorted(offered, key=lambda one: (not one.isupper(), not one[0].isupper(), one)) == list(offered)


def test_importing_costs_nothing_that_is_not_used():
    code = "import sys, sentinel_core; print(*sorted(one for one in sys.modules if one.partition('.')[0] not in sys.stdlib_module_names))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = {
        one for one in done.stdout.split() if one.partition(".")[0] in ("sentinel_core", "attrs", "msgspec", "pluggy")
    }
    assert loaded == {"sentinel_core", "sentinel_core._lazy", "sentinel_core._version"}


TYPED = ("Attempt", "Guardrail", "History", "Provider", "ReadError", "Ruling", "Signal", "Tool", "TraceReader")


@each_row("name", [*TYPED, "evaluate_trace"])
def test_type_hints_can_be_asked_for(name):
    assert typing.get_type_hints(getattr(sentinel_core, name))
