"""What starts Sentinel without an installation: uvx from the built wheels, and the npm package from its tarball."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sentinel_core import __version__
from wheels import REPOSITORY, write_wheel

NPM = REPOSITORY / "publishing" / "npm"
UV = Path(sys.executable).parent / "uv"
SAYS = "import sys\n\ndef main():\n    print('told', *sys.argv[1:])\n    sys.exit(len(sys.argv) - 1)\n"
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def tarball(tmp_path_factory):
    """The package as ``npm pack`` makes it, unpacked."""
    if shutil.which("npm") is None:
        assert os.environ.get("CI") != "true", "the npm package is tested with npm"
        pytest.skip("there is no npm")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(
        ["npm", "pack", "--json", "--pack-destination", str(folder)],
        cwd=NPM,
        capture_output=True,
        text=True,
        check=True,
    )
    (told,) = json.loads(done.stdout)
    assert {one["path"] for one in told["files"]} == {"README.md", "package.json", "sentinel.mjs"}
    return folder / told["filename"]


@pytest.fixture
def npx(tarball, tmp_path):
    """The package's command out of its tarball, where only these programs are on the path, with a package that says what it is told."""
    wheel = write_wheel(tmp_path, "told", {"told": SAYS}, {"console_scripts": {"sentinel": "told:main"}})
    shutil.unpack_archive(tarball, tmp_path / "unpacked", "gztar")
    (tmp_path / "bin").mkdir()

    def run(*arguments, programs=(), package=str(wheel), **environ):
        for program in map(Path, ("/bin/sh", shutil.which("node"), *programs)):
            (tmp_path / "bin" / program.name).unlink(missing_ok=True)
            (tmp_path / "bin" / program.name).symlink_to(program)
        return subprocess.run(
            ["node", tmp_path / "unpacked/package/sentinel.mjs", *arguments],
            env={
                "PATH": str(tmp_path / "bin"),
                "HOME": str(tmp_path / "home"),
                "SENTINEL_PACKAGE": package,
                "UV_OFFLINE": "1",
                "UV_PYTHON": sys.executable,
                "PIP_NO_INDEX": "1",
                **environ,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.mark.parametrize("program", [UV, Path(sys.executable).resolve()], ids=["uv", "python3"])
def test_it_makes_an_environment_once_and_passes_on_what_it_is_told(npx, program, tmp_path):
    python = tmp_path / "python3"
    python.symlink_to(program)
    first = npx("receipt", "--latest", "any", programs=[UV if program == UV else python])
    assert (first.stdout, first.returncode) == ("told receipt --latest any\n", 3), first.stderr
    assert first.stderr.startswith("sentinel: setting up ")
    second = npx(programs=[])
    assert (second.stdout, second.stderr, second.returncode) == ("told\n", "", 0)
    assert [path.name for path in (tmp_path / "home/.local/share/reliability-sentinel/npx").iterdir()] == [__version__]


def test_without_uv_and_python_it_says_what_to_install(npx):
    done = npx("--version")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith("sentinel: error: needs uv or Python 3.11: install uv (https://docs.astral.sh/uv)")


def test_an_installation_that_fails_is_one_line_and_leaves_nothing(npx, tmp_path):
    done = npx("--version", programs=[UV], package="no-such-package-here==9")
    assert done.returncode == 3
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["sentinel", "sentinel"]
    assert "failed: " in done.stderr
    assert not list((tmp_path / "home/.local/share/reliability-sentinel/npx").iterdir())


def test_the_package_is_of_this_version():
    told = json.loads((NPM / "package.json").read_text())
    assert (told["version"], told.get("dependencies")) == (__version__, None)


@pytest.mark.parametrize("command", ["sentinel", "reliability-sentinel"])
def test_uvx_runs_the_built_wheels(wheelhouse, tmp_path, command):
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [
            *(UV, "tool", "run", "--offline", "--quiet", "--python", sys.executable, "--find-links", wheelhouse),
            *("--constraints", REPOSITORY / "constraints.txt", "--with", "reliability-sentinel[standard]"),
            *("--from", "reliability-sentinel", command, "evaluate", REPOSITORY / "examples/traces/coding-session.jsonl"),
        ],
        env={**kept, "UV_TOOL_DIR": str(tmp_path), "HOME": str(tmp_path), "UV_CACHE_DIR": cache()},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )  # fmt: skip
    assert "contradicted_checks" in done.stdout, done.stderr
    assert done.returncode == 2


def cache():
    return subprocess.run([UV, "cache", "dir"], capture_output=True, text=True, check=True).stdout.strip()
