"""What other package managers and the registry of MCP servers are given: of this version, with the built files' checksums, in their form."""

import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest

from recipes import main, rendered
from sentinel_core import __version__
from wheels import REPOSITORY

SERVER = json.loads((REPOSITORY / "publishing/mcp-registry/server.json").read_text(encoding="utf-8"))
PACKAGE = json.loads((REPOSITORY / "publishing/npm/package.json").read_text(encoding="utf-8"))
pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def recipes(wheelhouse):
    return rendered(wheelhouse)


def test_every_place_is_filled(recipes):
    assert set(recipes) == {"reliability-sentinel.rb", "recipe.yaml"}
    assert [name for name, text in recipes.items() if re.search(r"@[A-Z0-9]+@", text)] == []


def test_the_checksums_are_those_of_the_built_files(recipes, wheelhouse):
    pairs = re.findall(r"- url: \S+/(\S+)\n    sha256: (\w+)", recipes["recipe.yaml"])
    assert len(pairs) > 20
    built = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in wheelhouse.glob("*.tar.gz")}
    assert all(built[name] == digest for name, digest in pairs)
    assert f'sha256 "{built[f"reliability_sentinel-{__version__}.tar.gz"]}"' in recipes["reliability-sentinel.rb"]


def test_the_conda_recipe_has_what_its_plugins_need(recipes):
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(recipes["recipe.yaml"])
    assert (recipe["schema_version"], recipe["package"]["version"]) == (1, __version__)
    assert recipe["build"]["noarch"] == "python"
    folders = {one["target_directory"] for one in recipe["source"]}
    assert {f"./{folder}" for folder in folders} <= set(recipe["build"]["script"].split())
    names = {one.split()[0] for one in recipe["requirements"]["run"]}
    assert {"python", "attrs", "click", "msgspec", "mcp"} <= names
    assert not any("sentinel" in name for name in names)


def test_the_formula_is_ruby_and_has_what_a_formula_has(recipes, tmp_path):
    text = recipes["reliability-sentinel.rb"]
    parts = ("desc", "homepage", "url", "sha256", "license", "depends_on", "def install", "test do")
    assert [part for part in parts if not re.search(rf"^  {part}", text, re.MULTILINE)] == []
    assert len(re.search(r'desc "(.*)"', text)[1]) < 80
    if shutil.which("ruby") is None:
        assert os.environ.get("CI") != "true", "the formula is checked with ruby"
        pytest.skip("there is no ruby")
    (tmp_path / "formula.rb").write_text(text)
    done = subprocess.run(["ruby", "-wc", tmp_path / "formula.rb"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "Syntax OK"), done.stderr


def test_the_server_is_described_as_the_registry_wants_it():
    """The limits of its schema of 2025-12-11, and that each package names the server."""
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 1 <= len(SERVER["description"]) <= 100
    assert SERVER["version"] == __version__
    for package in SERVER["packages"]:
        assert package["version"] == __version__
        assert {"registryType", "identifier", "transport"} <= package.keys()
        assert package["transport"] == {"type": "stdio"}
        for argument in (*package.get("runtimeArguments", ()), *package["packageArguments"]):
            assert argument["type"] in ("named", "positional")
            assert ("name" in argument) == (argument["type"] == "named")
    assert PACKAGE["mcpName"] == SERVER["name"]
    assert f"mcp-name: {SERVER['name']}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_they_are_written_where_one_says(wheelhouse, tmp_path, capsys):
    assert main([str(wheelhouse), str(tmp_path / "made")]) == 0
    assert {path.name for path in (tmp_path / "made").iterdir()} == {"reliability-sentinel.rb", "recipe.yaml"}
    assert main([]) == 1
    assert "say where" in capsys.readouterr().err
