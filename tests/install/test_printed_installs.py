"""Every ``pip install`` that Sentinel prints, in its documents and in its messages, can be done with what is built."""

import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from distributions import projects
from sentinel_core import __version__
from sentinel_core.cli.commands import _PACKAGES
from sentinel_core.host.selection import PROVIDER_EXTRAS
from wheels import REPOSITORY, Environment

pytestmark = pytest.mark.unmeasured

ENDINGS = (
    ".md",
    ".py",
    ".toml",
    ".yaml",
    ".yml",
    ".js",
    ".html",
    ".json",
    ".sh",
    ".tmpl",
    ".txt",
    "Dockerfile",
    "Makefile",
)
OURS = re.compile(r"reliability-sentinel(?:-[a-z]+)*(?:\[[a-z,-]+\])?")
PRINTED = re.compile(r"pip install((?: +(?:-[\w-]+|[\"']?[\w.*/\[\],-]+[\"']?))+)")


def texts() -> list[Path]:
    """The files of the project that a user reads or that print; what tests say is no promise."""
    told = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    names = [name for name in told.split("\0") if name.endswith(ENDINGS) and "tests/" not in name]
    return [REPOSITORY / name for name in names if (REPOSITORY / name).is_file()]


def printed() -> dict[str, str]:
    """What is asked for, and a file that asks for it."""
    found = dict.fromkeys(_PACKAGES.values(), "sentinel_core/cli/commands.py")
    found |= {f"reliability-sentinel[{extra}]": "sentinel_core/host/selection.py" for extra in PROVIDER_EXTRAS.values()}
    for path in texts():
        for words in PRINTED.findall(path.read_text(encoding="utf-8")):
            found |= {one: str(path.relative_to(REPOSITORY)) for one in OURS.findall(words)}
    action = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
    hooks = (REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return found | dict.fromkeys(OURS.findall(action), "action.yml") | dict.fromkeys(OURS.findall(hooks), "hooks")


ASKED = printed()


@pytest.fixture(scope="module")
def metadata(wheelhouse):
    """Of each wheel, by its distribution's name."""
    found = {}
    for wheel in wheelhouse.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
            told = message_from_bytes(archive.read(name))
            found[canonicalize_name(told["Name"])] = told
    return found


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("empty") / "venv")


def test_installs_are_found():
    assert {"reliability-sentinel[standard]", "reliability-sentinel[dask]", "reliability-sentinel-faults"} <= set(ASKED)
    assert len(ASKED) > 25


def test_each_provider_that_is_not_standard_has_an_extra():
    """The table from which a message names what to install, against the projects themselves."""
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    offered = {}
    for project in projects():
        told = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        offered |= dict.fromkeys(told.get("entry-points", {}).get("sentinel.providers", {}), told["name"])
    wanted = {name: one for name, one in offered.items() if not any(one in text for text in extras["standard"])}
    assert PROVIDER_EXTRAS.keys() == wanted.keys()
    assert all(wanted[name] in extras[extra][0] for name, extra in PROVIDER_EXTRAS.items())


def test_all_projects_are_built(wheelhouse):
    """Other tests put wheels of strangers beside them."""
    for project in projects():
        name = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
        stem = f"{name.replace('-', '_')}-{__version__}"
        assert (wheelhouse / f"{stem}-py3-none-any.whl").is_file()
        assert (wheelhouse / f"{stem}.tar.gz").is_file()


@pytest.mark.parametrize("asked", sorted(ASKED))
def test_what_is_printed_is_there_with_its_extras(metadata, asked):
    wanted = Requirement(asked)
    told = metadata[canonicalize_name(wanted.name)]
    assert wanted.extras <= set(told.get_all("Provides-Extra", [])), ASKED[asked]


def test_all_that_is_printed_can_be_installed_from_the_built_wheels(wheelhouse, empty):
    for asked in sorted(ASKED):
        command = [
            *(sys.executable, "-m", "uv", "pip", "install", "--dry-run", "--strict"),
            *("--python", empty.python, "--constraint", REPOSITORY / "constraints.txt"),
            *("--find-links", wheelhouse, asked),
        ]
        # What the tests do not install themselves may be in no cache; the index knows it.
        for where in (["--offline"], []):
            told = subprocess.run([*command, *where], capture_output=True, text=True, check=False)
            if told.returncode == 0:
                break
        assert told.returncode == 0, f"{ASKED[asked]}: {told.stderr}"
        assert "Would install" in told.stderr


def test_the_source_distributions_hold_what_is_theirs_and_the_licence(wheelhouse):
    import tarfile

    for source in wheelhouse.glob("reliability_sentinel*.tar.gz"):
        with tarfile.open(source) as archive:
            names = {name.split("/", 1)[1] for name in archive.getnames()}
        assert {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO"} <= names
        assert not [name for name in names if name.startswith(("plugins/", "examples/", "benchmarks/", "docs/"))]
