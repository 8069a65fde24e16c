"""Coding agents themselves, with the hook in their settings and a scripted model behind them: the lie is sent back, and once only.

``SENTINEL_E2E_AGENTS`` is the folder in which ``make e2e`` installs them with npm.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_models import Run, scripted

BIN = Path(sys.executable).parent
AGENTS = Path(os.environ.get("SENTINEL_E2E_AGENTS") or "no/agents") / "node_modules" / ".bin"
TIMEOUT = 240
TESTS = "#!/bin/sh\necho 'FAILED test_cart.py::test_total'\necho '1 failed, 2 passed in 0.12s'\nexit 1\n"
LIE, MENDED = "All tests pass now.", "You are right: one test still fails."
COMMAND = ".venv/bin/pytest -q"  # a login shell has a path of its own
PROMPT = "Fix the cart and run the tests."

pytestmark = pytest.mark.unmeasured


def claude_code(address, home, prompt):
    command = [AGENTS / "claude", "-p", prompt, "--allowedTools", "Bash", "--model", "claude-sonnet-5"]
    return command, {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def codex(address, home, prompt):
    provider = f'{{name="scripted", base_url="{address}/v1", wire_api="responses", env_key="SCRIPTED_KEY"}}'
    options = ["-c", 'model_provider="scripted"', "-c", f"model_providers.scripted={provider}", "-m", "gpt-5.1-codex"]
    trust = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return [AGENTS / "codex", "exec", *trust, *options, prompt], {"SCRIPTED_KEY": "none"}


def gemini_cli(address, home, prompt):
    command = [AGENTS / "gemini", "-p", prompt, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"]
    return command, {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "none", "GEMINI_TELEMETRY_ENABLED": "false"}


def copilot(address, home, prompt):
    return [AGENTS / "copilot", "-p", prompt, "--allow-all-tools"], {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_PROVIDER_WIRE_API": "responses",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-5.1",
    }


TOOLS = {
    "claude-code": (claude_code, "claude"),
    "codex": (codex, "codex"),
    "copilot": (copilot, "copilot"),
    "gemini-cli": (gemini_cli, "gemini"),
}
STREAMS = {
    "codex": ("--json",),
    "gemini-cli": ("--output-format", "stream-json"),
}


REPOSITORY = Path(__file__).parents[2]
PLUGIN, EXTENSION = (str(REPOSITORY / "integrations" / name) for name in ("claude-code", "gemini-cli"))
NAME, MARKETPLACE = "sentinel@reliability-sentinel", "reliability-sentinel"


def by_plugin(program, add="install", remove="uninstall"):
    """The plugin from this repository as a marketplace, and without either again."""
    plugin = [AGENTS / program, "plugin"]
    return (
        [[*plugin, "marketplace", "add", REPOSITORY], [*plugin, add, NAME]],
        [[*plugin, remove, NAME], [*plugin, "marketplace", "remove", MARKETPLACE]],
    )


def by_settings(tool):
    hook = [BIN / "sentinel", "hook"]
    return [[*hook, "install", tool, "--user"]], [[*hook, "uninstall", tool, "--user"]]


VALIDATED = [[AGENTS / "claude", "plugin", "validate", "--strict", path] for path in (REPOSITORY, PLUGIN)]
# How the hook comes to the agent, and how it goes.
WAYS = {
    **{f"hook {tool}": by_settings(tool) for tool in TOOLS},
    "plugin claude-code": (VALIDATED + by_plugin("claude")[0], by_plugin("claude")[1]),
    "plugin codex": by_plugin("codex", "add", "remove"),
    "plugin copilot": by_plugin("copilot"),
    "extension gemini-cli": (
        [
            [AGENTS / "gemini", "extensions", "validate", EXTENSION],
            [AGENTS / "gemini", "extensions", "install", "--consent", EXTENSION],
        ],
        [[AGENTS / "gemini", "extensions", "uninstall", "sentinel"]],
    ),
}


@pytest.fixture(params=WAYS)
def hooked(request, tmp_path):
    """Runs the agent in a project whose tests fail, with a home of its own."""
    tool = request.param.rpartition(" ")[2]
    start, program = TOOLS[tool]
    if not (AGENTS / program).exists() or shutil.which("node") is None:
        pytest.skip(f'no {program}: SENTINEL_E2E_AGENTS names no folder with it ("make e2e" installs it where npm is)')
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home / ".gemini", project / ".venv" / "bin"):
        folder.mkdir(parents=True)
    (home / ".gemini" / "settings.json").write_text(
        '{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}}}'
    )
    (project / ".venv" / "bin" / "pytest").write_text(TESTS)
    (project / ".venv" / "bin" / "pytest").chmod(0o755)
    (home / ".codex").mkdir()
    kept = {name: os.environ[name] for name in ("LANG", "TERM", "TMPDIR") if name in os.environ}
    path = os.pathsep.join((str(BIN), os.environ["PATH"]))
    environ = {**kept, "HOME": str(home), "PATH": path, "IS_SANDBOX": "1", "SHELL": "/bin/sh"}

    def run(*command, **more):
        done = subprocess.run(
            [str(one) for one in command],
            cwd=project,
            env={**environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done

    def change(commands):
        for command in commands:
            run(*command)

    def ask(*script, stream=False):
        with scripted(*script) as server:
            command, more = start(server.address, home, PROMPT)
            done = run(*command, *(STREAMS[tool] if stream else ()), **more)
        return done, [json.dumps(one) for one in server.asked]

    install, uninstall = WAYS[request.param]
    change(install)
    ask.uninstall = lambda: change(uninstall)
    ask.home = home
    return ask


def test_a_lie_is_sent_back_with_the_evidence(hooked):
    done, asked = hooked(Run(COMMAND), LIE, MENDED)
    assert MENDED in done.stdout
    assert len(asked) == 3
    assert "The last run of tests, `pytest -q`, ended with" in asked[2]
    assert "1 failed, 2 passed" in asked[2].rpartition("The last run of tests")[2]
    assert "The last run of tests" not in asked[1]


def test_the_same_lie_is_sent_back_once(hooked):
    done, asked = hooked(Run(COMMAND), LIE, LIE, "Never asked for.")
    assert len(asked) == 3
    assert "Never asked for." not in done.stdout


def test_the_truth_is_not_held_up(hooked):
    _, asked = hooked(Run(COMMAND), "One of the three tests fails: test_total.")
    assert len(asked) == 2


def left_of(home):
    """The lines in the agent's settings that call or switch on Sentinel; copies that a tool keeps of what it removed are none."""
    names = ("settings.json", "config.toml", "hooks.json", "sentinel.json", "installed_plugins.json")
    files = [path for path in home.rglob("*") if path.name in names and path.is_file() and "cache" not in path.parts]
    found = [line.strip() for path in files for line in path.read_text().splitlines() if "sentinel" in line]
    return [line for line in found if not line.endswith((": false", ": false,"))]


def test_once_uninstalled_it_leaves_no_trace_and_holds_nobody_up(hooked):
    assert left_of(hooked.home) or (hooked.home / ".gemini/extensions/sentinel").is_dir()
    hooked.uninstall()
    assert left_of(hooked.home) == []
    assert not (hooked.home / ".gemini/extensions/sentinel").exists()
    _, asked = hooked(Run(COMMAND), LIE, "Never asked for.")
    assert len(asked) == 2


@pytest.mark.parametrize("told", [LIE, "One of the three tests fails: test_total."])
@pytest.mark.parametrize("hooked", [f"hook {tool}" for tool in STREAMS], indirect=True)
def test_its_stream_is_read_with_the_call_and_the_lie(hooked, told, request):
    from sentinel_core import evaluate_trace
    from sentinel_core.host.plugins import load, select
    from sentinel_core.host.selection import Selection
    from sentinel_core.testing import BytesSource
    from sentinel_core.traces.sources import choose_reader

    done, _ = hooked(Run(COMMAND), told, told, stream=True)
    source = BytesSource(data=done.stdout.encode(), name="stream.jsonl")
    reader = choose_reader(source, [plugin.offer for plugin in load(select(Selection(), ("trace_readers",))[0])[0]])
    assert reader.name == request.node.callspec.params["hooked"].rpartition(" ")[2]
    (trace,) = reader.read(source)
    assert "reading_gaps" not in trace.metadata
    (call,) = (call for message in trace.messages for call in message.tool_calls)
    assert COMMAND in call.arguments["command"]
    assert any("1 failed" in result.content for message in trace.messages for result in message.tool_results)
    assert trace.messages[-1].content.endswith(told)
    assert trace.token_usage is not None
    rules = {finding.rule for finding in evaluate_trace(trace).findings}
    assert ("hallucination.contradicted_checks" in rules) == (told == LIE)
