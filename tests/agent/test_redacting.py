from sentinel_core.agent.core import AgentSettings
from sentinel_core.agent.detective import investigate
from sentinel_core.agent.event_codec import encode_event
from sentinel_core.agent.events import AttemptFinished, MessageReceived, ToolFinished
from sentinel_core.agent.tools import Toolbox, in_process
from sentinel_core.errors import NetworkError
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.output.progress import Progress, step_of
from sentinel_core.redact import Redactor
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ToolCall, ToolResult

OBJECT = {"type": "object"}


def test_values_of_the_environment_are_taken_out():
    environ = {
        "MY_API_KEY": "abc-123-xyz",
        "SHORT_KEY": "abc",
        "SSH_KEY": "/home/me/.ssh",
        "HOME": "nothing-secret",
        "ODD": "named-one",
    }
    redactor = Redactor.of_environment(environ, names=("ODD",))
    assert (
        redactor.text("abc-123-xyz abc /home/me/.ssh nothing-secret named-one")
        == "[redacted] abc /home/me/.ssh nothing-secret [redacted]"
    )


def test_longer_secret_goes_first():
    redactor = Redactor.of_environment({"A_KEY": "secret-1", "B_KEY": "secret-1-and-more"})
    assert redactor.text("secret-1-and-more") == "[redacted]"


def test_event_without_a_secret_is_itself():
    event = MessageReceived(content="hello", sequence=3, at="now")
    assert Redactor(("x" * 9,)).value(event) is event
    assert Redactor(("hello",)).value(event) == MessageReceived(content="[redacted]", sequence=3, at="now")


def test_model_trace_and_record_see_the_same(monkeypatch):
    monkeypatch.setenv("PROVIDER_TOKEN", "token-of-mine")
    tools = (
        Tool(name="get_release_summary", description="d", parameters=OBJECT, handler=lambda **_: "it is token-of-mine"),
        Tool(name="file_risk_report", description="d", parameters=OBJECT, handler=lambda **_: "ok"),
    )
    call = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v1"})
    model = ScriptedModel([Reply(tool_calls=(call,)), NetworkError("bad key token-of-mine")])
    result = investigate("v1", model, tools, settings=AgentSettings(max_attempts=1), toolbox=Toolbox(run=in_process))
    assert model.requests[1].messages[2].tool_results[0].content == "it is [redacted]"
    failed = [event.error for event in result.events if isinstance(event, AttemptFinished) and event.error]
    assert failed == ["bad key [redacted]"]
    assert result.error == "bad key [redacted]"
    assert "token-of-mine" not in str(result)


def test_progress_says_what_happens_and_nothing_else(capsys, monkeypatch):
    monkeypatch.setattr("sentinel_core.output.progress._rich_console", lambda: None)
    result = ToolResult(tool_call_id="a", content="no\x1b[31m luck", success=False)
    with Progress() as progress:
        progress.show(b"T", b"thinking\x1b[2J\nhard")
        progress.show(b"P", encode_event(ToolFinished(result=result)))
        progress.show(b"P", encode_event(MessageReceived(content="hello")))
        progress.show(b"T", b"more")
    assert capsys.readouterr().err == "thinking\\x1b[2J\nhard\n  failed: no\\x1b[31m luck\nmore\n".replace(
        "  failed", "failed"
    )
    assert step_of(MessageReceived(content="hello")) is None


def test_progress_uses_rich_where_it_is(capsys):
    with Progress() as progress:
        progress.show(b"T", b"[red]thinking")
    assert "[red]thinking" in capsys.readouterr().err
