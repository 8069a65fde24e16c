import pytest


@pytest.fixture(autouse=True)
def _not_measured(monkeypatch):
    """These tests look at whole commands from outside: all that they run, smaller tests run too, and are measured."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
