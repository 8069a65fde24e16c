"""The adapters' own tests with the newest version of each framework, in an environment of its own. It asks the package index."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRAMEWORKS = {
    "openai_agents/tests": "openai-agents",
    "langchain/tests": "langchain langgraph",
    "pydantic_ai/tests": "pydantic-ai-slim",
    "pytest/tests": "pytest",
    "evals/tests/with_deepeval.py": "deepeval",
    "evals/tests/with_inspect_ai.py": "inspect-ai",
    "evals/tests/with_langfuse.py": "langfuse",
    "evals/tests/with_phoenix.py": "arize-phoenix",
    "evals/tests/with_pydantic_evals.py": "pydantic-evals",
    "guards/tests/with_adk.py": "google-adk",
    "guards/tests/with_agno.py": "agno",
    "guards/tests/with_crewai.py": "crewai>=1.15",
    "guards/tests/with_llama_index.py": "llama-index-core",
    "guards/tests/with_smolagents.py": "smolagents",
    "guards/tests/with_strands.py": "strands-agents>=1.62",
}
SLOW = ("langsmith_plugin", "anyio")

pytestmark = pytest.mark.skipif(
    not os.environ.get("SENTINEL_E2E_NEWEST"), reason='SENTINEL_E2E_NEWEST is not set ("make e2e" sets it)'
)


def uv(*arguments):
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("tests", FRAMEWORKS)
def test_the_adapter_with_the_newest_version(tests, tmp_path):
    adapter = tests.partition("/")[0]
    python = tmp_path / "venv" / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, str(python.parents[1]))
    plugins = (path for path in ROOT.glob("plugins/*/*/") if path.parent.name not in ("adapters", "providers"))
    plugins = (path for path in plugins if path.name != "mcp")  # its SDK and a framework's may exclude each other
    folders = [f"{path}/" for path in (ROOT / "agent", ROOT / "plugins/providers/offline", *plugins)]
    tools = ("pytest", "pytest-xdist", *FRAMEWORKS[tests].split())
    install = ("pip", "install", "--quiet", "--upgrade", "--python", str(python), *tools)
    uv(*install, f"{ROOT}[otel]", str(ROOT / "plugins/adapters" / adapter), *folders)
    folder = ROOT / "plugins/adapters" / adapter
    options = ("-c", os.devnull, "--rootdir", str(folder), "--confcutdir", str(folder), "--import-mode=importlib")
    done = subprocess.run(
        [python, "-m", "pytest", "-q", *options, *(f"-pno:{name}" for name in SLOW), str(folder.parent / tests)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tests")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
