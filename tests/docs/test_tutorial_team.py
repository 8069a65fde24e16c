"""The page for a team with LangGraph, CI and Langfuse works as it is shown, with a scripted model."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml
from forked_commands import run_forked

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/tutorial-team.md").read_text(encoding="utf-8")
AGENT, CASES, SCORES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(WORKFLOW,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
LIE = "I've cancelled order 17."
GUARD = "middleware=[sentinel_middleware(tools=TOOLS)]"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("agent", None)


def asked(folder, code, *replies):
    """Run the page's cases with an agent whose model replies so."""
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage

    class Scripted(FakeMessagesListChatModel):
        def bind_tools(self, tools, **options):
            return self

    (folder / "agent.py").write_text(code, encoding="utf-8")
    import agent

    answers = [reply if isinstance(reply, AIMessage) else AIMessage(reply) for reply in replies]
    agent.run.__defaults__ = (Scripted(responses=answers),)
    exec(CASES, {})
    return json.loads((folder / "traces/order-17.json").read_text(encoding="utf-8"))


def gate(folder):
    """What the workflow's last step says of the traces."""
    (step,) = [one["run"] for one in yaml.safe_load(WORKFLOW)["jobs"]["agent"]["steps"] if "evaluate" in str(one)]
    return run_forked(*shlex.split(step)[1:], cwd=folder, timeout=120)


def call():
    from langchain_core.messages import AIMessage

    return AIMessage("", tool_calls=[{"name": "cancel_order", "args": {"number": 17}, "id": "c1"}])


def test_an_honest_run_passes_the_gate(folder):
    assert len(asked(folder, AGENT, call(), LIE)["messages"]) == 4
    done = gate(folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "report.html").exists()


def test_the_guard_has_the_agent_do_what_it_only_claimed(folder):
    recorded = asked(folder, AGENT, LIE, call(), LIE)
    assert [one["type"] for one in recorded["messages"]] == ["human", "ai", "human", "ai", "tool", "ai"]
    assert gate(folder).returncode == 0


def test_a_second_lie_is_the_exception_that_the_page_names(folder):
    from langchain_core.exceptions import LangChainException

    with pytest.raises(LangChainException):
        asked(folder, AGENT, LIE, LIE)


def test_without_the_guard_the_gate_fails(folder):
    assert GUARD in AGENT
    asked(folder, AGENT.replace(GUARD, "middleware=[]"), LIE)
    done = gate(folder)
    assert done.returncode == 2
    assert "claim_without_call" in done.stdout


def test_the_scores_are_python():
    """An adapter's test runs them against a server (with_langfuse.py)."""
    compile(SCORES, "scores.py", "exec")
