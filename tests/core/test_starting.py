"""Which tests start processes is found out, and whoever starts one unseen fails in ``make quick``."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from starting import DOORS

pytestmark = pytest.mark.unmeasured

TESTS = Path(__file__).parents[1]
SEEN = "import subprocess\n\n\ndef test_seen():\n    subprocess.run(['true'])\n"
BY_HELPER = "import helper\n\n\ndef test_by_helper():\n    helper.start()\n"
HELPER = "def start():\n    import subprocess\n    subprocess.run(['true'])\n"
HIDDEN = "import importlib\n\n\ndef test_hidden():\n    importlib.import_module('subprocess').run(['true'])\n"
PURE = "def test_pure():\n    assert 1 + 1 == 2\n"
SAYS_SO = HIDDEN.replace(
    "import importlib\n", "import importlib\n\nimport pytest\n\npytestmark = pytest.mark.process\n"
)


@pytest.fixture
def outcomes(tmp_path):
    """Names of tests that pass, fail, and are left out, of these files."""

    def run(**files):
        for name, source in files.items():
            (tmp_path / f"{name}.py").write_text(source)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "starting", "-o", "markers=process", "-m", "not process", "-rA", "-q"],
            cwd=tmp_path, env={"PYTHONPATH": f"{TESTS}:{tmp_path}"}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        lines = [line.split() for line in done.stdout.splitlines()]
        return {line[1].partition("::")[2]: line[0] for line in lines if line and line[0] in ("PASSED", "FAILED")}, done

    return run


def test_what_imports_a_starter_itself_or_through_a_helper_is_left_out(outcomes):
    ran, done = outcomes(test_seen=SEEN, test_by_helper=BY_HELPER, helper=HELPER, test_pure=PURE)
    assert (ran, done.returncode) == ({"test_pure": "PASSED"}, 0), done.stdout


def test_what_starts_a_process_unseen_fails_and_says_what_to_do(outcomes):
    ran, done = outcomes(test_hidden=HIDDEN, test_pure=PURE)
    assert ran == {"test_hidden": "FAILED", "test_pure": "PASSED"}
    assert "without the mark `process`" in done.stdout


def test_what_says_so_itself_is_left_out(outcomes):
    ran, done = outcomes(test_hidden=SAYS_SO, test_pure=PURE)
    assert (ran, done.returncode) == ({"test_pure": "PASSED"}, 0), done.stdout


@pytest.mark.parametrize("door", DOORS)
def test_each_door_is_a_module(door):
    assert find_spec(door) is not None
