import json
from urllib.parse import quote

from agent_odd import SENTINEL, run_in
from tables import each_row

from sentinel_agent.core import AgentSettings
from sentinel_agent.detective import investigate
from sentinel_agent.events import AttemptFinished, MessageReceived, ToolFinished
from sentinel_agent.journal import encode_event
from sentinel_agent.run_progress import Progress, Step, Text, step_of
from sentinel_core.errors import NetworkError
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.redact import Redactor
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ToolCall, ToolResult

OBJECT = {"type": "object"}
PASSWORD = 'p"ss\\word99xyz'
RELEASE = {
    "version": "v1",
    "changes": [
        'Set password="hunter2hunter2" in the test',
        f"The database takes {PASSWORD} now",
        'Fix link "/login?password=hunter2hunter2" in mail',
        "Removed the leaked -----BEGIN RSA PRIVATE KEY----- block",
        "New icon",
    ],
    "tests": {"passed": 50, "failed": 50, "skipped": 0},
    "deployment_metrics": {"error_rate": 0.5, "response_time_p95": 100},
    "api_key": 12345678901234567890,
    "links": ["https://ci.example.org"],
    "build": 7,
    "owner": "ada@example.org",
}
LEAKS = ("hunter2", "word99xyz", "12345678901234567890")


def test_values_of_the_environment_are_taken_out(tmp_path):
    environ = {
        "MY_API_KEY": "abc-123-xyz",
        "SHORT_KEY": "abc",
        "SSH_KEY": str(tmp_path),
        "HOME": "nothing-secret",
        "ODD": "named-one",
    }
    redactor = Redactor.of_environment(environ, names=("ODD",))
    assert (
        redactor.text(f"abc-123-xyz abc {tmp_path} nothing-secret named-one")
        == f"[redacted] abc {tmp_path} nothing-secret [redacted]"
    )


@each_row("name", ["A_TOKEN", "DB_PASS", "MYSQL_PWD", "AZURE_PAT", "SENTRY_DSN", "GPG_PASSPHRASE"])
@each_row("value", ["/bbbSECRETtwo22/xyz", 'cccc"SECRETthree33', "dd dd\\é%SECRET\nfour", "/" + "x" * 5000])
def test_a_value_is_taken_out_however_it_is_written(name, value):
    redactor = Redactor.of_environment({name: value})
    assert redactor.text(f"<{value}>") == "<[redacted]>"
    for in_ascii in (True, False):
        once = json.dumps(value, ensure_ascii=in_ascii)
        assert redactor.text(once) == '"[redacted]"'
        assert "[redacted]" in redactor.text(json.dumps(once))
        assert "SECRET" not in redactor.text(json.dumps(once, ensure_ascii=in_ascii))
    assert redactor.text(f"a={quote(value, safe='')}") == "a=[redacted]"
    assert redactor.text(quote(value)) == "[redacted]"


def test_the_password_in_a_url_is_taken_out():
    environ = {
        "DATABASE_URL": "postgres://me:p%40ss-of-mine@host/db",
        "DEV_URL": "postgres://postgres:postgres@host/db",
    }
    redactor = Redactor.of_environment(environ)
    assert redactor.text("p%40ss-of-mine p@ss-of-mine postgres host") == "[redacted] [redacted] postgres host"


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


def test_a_release_is_read_without_its_secrets(monkeypatch):
    monkeypatch.setenv("DB_PASSWORD", PASSWORD)
    tools = (
        Tool(name="get_release_summary", description="d", parameters=OBJECT, handler=lambda **_: RELEASE),
        Tool(name="file_risk_report", description="d", parameters=OBJECT, handler=lambda **_: "ok"),
    )
    call = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v1", "password": "hunter2hunter2"})
    model = ScriptedModel([Reply(tool_calls=(call,)), Reply(content="Nothing.")])
    result = investigate("v1", model, tools, settings=AgentSettings(max_attempts=1), toolbox=Toolbox(run=in_process))
    assert json.loads(model.requests[1].messages[2].tool_results[0].content) == RELEASE | {
        "changes": [
            'Set password="[redacted]" in the test',
            "The database takes [redacted] now",
            'Fix link "/login?password=[redacted]" in mail',
            "Removed the leaked [redacted]",
            "New icon",
        ],
        "api_key": "[redacted]",
    }
    assert not [leak for leak in LEAKS if leak in f"{model.requests[1:]} {result}"]


def test_no_file_of_a_run_holds_a_secret_of_the_release(tmp_path):
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "v1.json").write_text(json.dumps(RELEASE))
    done = run_in(
        tmp_path, SENTINEL, "run", "v1", "--provider", "offline", "--releases", "rel", "--json", DB_PASSWORD=PASSWORD
    )
    assert done.returncode in (0, 1), done.stderr
    files = {path: path.read_bytes() for path in (tmp_path / ".sentinel").rglob("*") if path.is_file()}
    assert {"journal.db", "reports", "runs", "traces"} <= {path.relative_to(tmp_path).parts[1] for path in files}
    written = b"".join((*files.values(), done.stdout.encode()))
    assert b"New icon" in written
    assert not [leak for leak in LEAKS if leak.encode() in written]


def test_progress_says_what_happens_and_nothing_else(capsys, monkeypatch):
    monkeypatch.setattr("sentinel_agent.run_progress._rich_console", lambda: None)
    result = ToolResult(tool_call_id="a", content="no\x1b[31m luck", success=False)
    with Progress() as progress:
        progress.show(Text("thinking\x1b[2J\nhard"))
        progress.show(Step(encode_event(ToolFinished(result=result))))
        progress.show(Step(encode_event(MessageReceived(content="hello"))))
        progress.show(Text("more"))
    assert capsys.readouterr().err == "thinking\\x1b[2J\nhard\n  failed: no\\x1b[31m luck\nmore\n".replace(
        "  failed", "failed"
    )
    assert step_of(MessageReceived(content="hello")) is None


def test_progress_uses_rich_where_it_is(capsys):
    with Progress() as progress:
        progress.show(Text("[red]thinking"))
    assert "[red]thinking" in capsys.readouterr().err
