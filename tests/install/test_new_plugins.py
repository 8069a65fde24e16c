"""A new project of each kind, installed into a fresh environment from the wheels: its own tests pass there, and it is found."""

import re
import subprocess

import pytest

pytestmark = pytest.mark.unmeasured

KINDS = ("command", "guardrail", "provider", "reader", "signal", "tool")


@pytest.fixture(scope="module")
def projects(make_environment, wheelhouse, tmp_path_factory):
    """The environment, and the folder of the six projects that its own command has written."""
    environment = make_environment("reliability-sentinel[standard]")
    folder = tmp_path_factory.mktemp("new")
    for kind in KINDS:
        done = environment.sentinel("plugins", "new", kind, f"new-{kind}", "--into", kind, cwd=folder)
        assert done.returncode == 0, done.stderr
    environment.install(*(f"{folder / kind}[test]" for kind in KINDS), wheelhouse=wheelhouse)
    return environment, folder


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_tests_pass(projects, kind):
    environment, folder = projects
    done = subprocess.run(
        [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder / kind,
        env={"HOME": str(folder)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 6
    assert "skipped" not in done.stdout


def test_all_are_found_and_nothing_is_wrong(projects):
    environment, folder = projects
    done = environment.sentinel("doctor", cwd=folder)
    assert done.returncode == 0, done.stdout
    listed = environment.sentinel("plugins", cwd=folder).stdout
    assert {kind for kind in KINDS if f"sentinel-{kind}-new-{kind}" in listed} == set(KINDS)
    called = environment.sentinel("new-command", "--help", cwd=folder)
    assert "Print the verdict on each of TRACES" in called.stdout
    explained = environment.sentinel("explain", "new_signal.said", cwd=folder)
    assert (explained.returncode, "An agent that only assumes has not looked." in explained.stdout) == (0, True)
