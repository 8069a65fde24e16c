"""The images: nobody in them is root, each has a health check that finds its service, and what they copy is there."""

import json
import os
import re
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from healthy import is_healthy

REPOSITORY = Path(__file__).parents[2]
RECIPE = (REPOSITORY / "container/Dockerfile").read_text(encoding="utf-8")
SERVICES = ("serve", "receive")


@pytest.fixture
def answering():
    """A server that answers ``/N`` with the status N."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(int(self.path[1:]))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (404, True), (405, True), (500, False), (503, False)])
def test_what_answers_is_healthy_and_what_fails_is_not(answering, status, healthy):
    assert is_healthy(f"{answering}/{status}") is healthy


def test_where_nobody_listens_nothing_is_healthy():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert is_healthy(f"http://127.0.0.1:{port}/") is False
    assert is_healthy("no address") is False


@pytest.mark.parametrize("service", SERVICES)
def test_each_image_runs_its_service_with_a_health_check_and_without_root(service):
    stage = re.search(rf"^FROM base AS {service}$(.*?)(?=^FROM |\Z)", RECIPE, re.MULTILINE | re.DOTALL)[1]
    assert "HEALTHCHECK" in stage
    assert json.loads(re.search(r"^CMD (\[.*\])$", stage, re.MULTILINE)[1])[0] == service
    base = RECIPE[RECIPE.index(" AS base") : RECIPE.index(" AS serve")]
    assert re.findall(r"^USER (.+)$", base, re.MULTILINE) == ["10001"]
    assert "USER" not in stage


def test_the_base_is_a_named_release_and_nothing_comes_from_elsewhere():
    """A tag that says Python and Debian; the rest comes from the clone and from pip's own index."""
    told = dict(re.findall(r"^ARG (\w+)=(.+)$", RECIPE, re.MULTILINE))
    stages = re.findall(r"^FROM \S+ AS (\w+)$", RECIPE, re.MULTILINE)
    bases = {base.replace("${PYTHON}", told["PYTHON"]) for base in re.findall(r"^FROM (\S+)", RECIPE, re.MULTILINE)}
    assert {base for base in bases if base not in stages} == {f"python:{told['PYTHON']}"}
    assert re.fullmatch(r"3\.\d+-slim-[a-z]+", told["PYTHON"])
    assert not re.search(
        r"^(ADD|ARG .*_(TOKEN|KEY|PASSWORD))|--(extra-)?index-url|--trusted-host|curl |wget ", RECIPE, re.MULTILINE
    )
    hosts = set(re.findall(r"https?://([^/:\s\"]+)", RECIPE))
    assert hosts == {"127.0.0.1"}


def test_what_is_copied_is_let_into_the_build():
    let_in = {line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for source in ("constraints.txt", "container/healthy.py"):
        assert source in RECIPE
        assert source in let_in
        assert (REPOSITORY / source).is_file()
    assert {"src", "agent", "plugins", "tools", "pyproject.toml", "README.md", "LICENSE", "publishing/*.py"} <= let_in


# Does what the real one does, as far as the script asks: each image is healthy at the second look, or never.
DOCKER = """#!/bin/sh
echo "$*" >> calls
case "$1" in
  run) echo it ;;
  inspect) [ -z "$SICK" ] && [ "$(grep -c ^inspect calls)" -gt 1 ] && echo healthy || echo starting ;;
esac
"""


@pytest.mark.parametrize("sick", [False, True])
def test_the_check_builds_both_and_waits_until_they_are_healthy(tmp_path, sick):
    for name, text in (("docker", DOCKER), ("sleep", "#!/bin/sh\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SICK": "yes" if sick else ""}
    check = ["sh", REPOSITORY / "container/check.sh"]
    done = subprocess.run(check, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    calls = (tmp_path / "calls").read_text().splitlines()
    built = [call.split("--target ")[1].split()[0] for call in calls if call.startswith("build")]
    assert calls[-1] == "rm --force --volumes it"
    assert (done.returncode, built) == ((1, ["serve"]) if sick else (0, list(SERVICES)))
    assert ("sentinel-serve is not healthy" in done.stderr) is sick


def test_the_development_container_is_made_by_make():
    told = json.loads((REPOSITORY / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    assert told["postCreateCommand"].startswith("make setup")
    assert re.fullmatch(r"mcr\.microsoft\.com/devcontainers/python:3\.\d+-[a-z]+", told["image"])
    assert told["remoteUser"] not in ("", "root")
    targets = re.findall(r"^(\$\(\w+\)|\w+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"setup", "$(BROWSER)"} <= set(targets)
    assert told["postCreateCommand"].split()[1:] == ["setup", ".venv/browser"]
