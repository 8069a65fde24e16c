import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def runs():
    """The framework, imported where a test asks for it: each process of a run collects all tests, and one of them pays."""
    import openai_agents_runs

    return openai_agents_runs
