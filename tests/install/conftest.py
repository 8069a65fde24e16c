import sys
from pathlib import Path

import pytest

from distributions import build

sys.path.insert(0, str(Path(__file__).parent))

from wheels import Environment


@pytest.fixture(scope="session")
def wheelhouse(tmp_path_factory):
    """What ``make dist`` builds, as an index for pip and uv."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    build(folder)
    return folder


@pytest.fixture(scope="session")
def make_environment(tmp_path_factory, wheelhouse):
    def make(*requirements: str) -> Environment:
        environment = Environment(tmp_path_factory.mktemp("environment") / "venv")
        environment.install(*requirements, wheelhouse=wheelhouse)
        return environment

    return make
