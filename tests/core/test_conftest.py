"""What all tests share works with less than all that is installed."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_without_xdist_the_shared_conftest_can_be_used(pytestconfig):
    (shared,) = (
        plugin
        for plugin in pytestconfig.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(ROOT / "conftest.py")
    )
    bare = pytest.PytestPluginManager()
    bare.register(shared)
    bare.check_pending()  # raises where a hook is unknown and not optional
    assert bare.is_registered(shared)
