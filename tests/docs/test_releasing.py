"""The workflow that publishes: it holds no secret, only the job that publishes may speak for it, and the tag is the version."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from sentinel_core import __version__

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / ".github/workflows/release.yml").read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)
JOBS = WORKFLOW["jobs"]


def test_it_runs_for_tags_alone_and_holds_no_secret():
    assert WORKFLOW[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+*"]}}  # YAML reads "on" as true
    assert "secrets." not in TEXT
    assert WORKFLOW["permissions"] == {"contents": "read"}


def test_each_job_may_do_what_it_does_and_no_more():
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "build": {"contents": "read", "id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
        "release": {"contents": "write"},
    }
    assert JOBS["publish"]["environment"]["name"] == "pypi"
    assert not any("run" in step for step in JOBS["publish"]["steps"])


def test_what_is_built_is_attested_and_published_without_the_sbom():
    (attested,) = [step for step in JOBS["build"]["steps"] if "attest" in step.get("uses", "")]
    packages, sbom = [step for step in JOBS["build"]["steps"] if "upload-artifact" in step.get("uses", "")]
    assert (
        attested["with"]["subject-path"].split() == packages["with"]["path"].split() == ["dist/*.whl", "dist/*.tar.gz"]
    )
    assert sbom["with"]["path"] == "dist/sentinel.cdx.json"
    (taken,) = [step for step in JOBS["publish"]["steps"] if "download-artifact" in step["uses"]]
    assert taken["with"]["name"] == packages["with"]["name"]


@pytest.mark.parametrize(
    ("tag", "code"), [(f"v{__version__}", 0), (f"v{__version__}1", 1), (__version__ + "v", 1), ("v", 1)]
)
def test_a_tag_that_is_not_the_version_ends_the_build(tag, code):
    (check,) = [step["run"] for step in JOBS["build"]["steps"] if step.get("name") == "The tag is the version"]
    done = subprocess.run(
        ["bash", "-c", check], cwd=REPOSITORY, env={**os.environ, "GITHUB_REF_NAME": tag}, check=False
    )
    assert done.returncode == code


def test_the_page_on_releasing_names_what_is_there():
    page = (REPOSITORY / "docs/releasing.md").read_text(encoding="utf-8")
    targets = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for name in ("version", "changelog", "test", "dist"):
        assert f"make {name}" in page
        assert f"\n{name}:" in targets
