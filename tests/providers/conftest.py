"""Every provider that asks a server, behind a server of our own that can break."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from sentinel_core.host.plugins import installed, load
from sentinel_core.model import Model, Reply, Request
from sentinel_core.offers import Provider, Tool
from sentinel_core.trace import Message
from sentinel_faults import DIALECTS, Asked, FaultServer, Turn

PROVIDERS = ("anthropic", "ollama", "openai", "openrouter")
KEY = "test-key-0123456789abcdef"
VARIABLES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "ollama": "OLLAMA_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
}
QUESTION = Message(role="user", content="How risky is v2.1.0?")
SUMMARY = Tool(
    name="get_release_summary",
    description="Get a release's summary.",
    parameters={
        "type": "object",
        "properties": {"release_id": {"type": "string"}},
        "required": ["release_id"],
        "additionalProperties": False,
    },
    handler=str,
)
ASKS = Turn(text="I look it up.", calls=(Asked(name="get_release_summary", arguments={"release_id": "v2.1.0"}),))


@attrs.define
class Desk:
    """Takes reports, and counts them."""

    reports: list[dict[str, object]] = attrs.field(factory=list)

    def file(self, **report: object) -> dict[str, str]:
        self.reports.append(report)
        return {"report_id": f"r-{len(self.reports)}"}

    def tools(self) -> tuple[Tool, ...]:
        release = {"release_id": {"type": "string"}}
        more = {"severity": {"enum": ["high", "medium", "low"]}, "findings": {"type": "array"}}
        return (
            self.tool(
                "get_release_summary",
                release,
                lambda release_id: {"release_id": release_id, "tests": {"failed": 2, "total": 144}},
                "read",
            ),
            self.tool("file_risk_report", {**release, **more}, self.file, "write"),
        )

    def tool(self, name, properties, handler, effect) -> Tool:
        schema = {
            "type": "object",
            "properties": properties,
            "required": sorted(properties),
            "additionalProperties": False,
        }
        return Tool(name=name, description=name, parameters=schema, handler=handler, effect=effect)


@functools.cache
def offers() -> dict[str, Provider]:
    """The installed providers, found and loaded as the host does it."""
    plugins, failures = load([one for one in installed(("providers",)) if one.name in PROVIDERS])
    assert not failures
    return {plugin.source.name: plugin.offer for plugin in plugins}


@attrs.frozen(kw_only=True)
class Connection:
    """A provider, its server, and how to connect them."""

    name: str
    server: FaultServer
    key: str = KEY
    variable: str = ""

    def ask(self, *, stream: bool = False, timeout: float = 5.0, **more: Any) -> Reply:
        """One question with one tool on offer, by a model of its own."""
        model = self.connect(call_timeout=timeout)
        request = Request(system_prompt="Be brief.", messages=(QUESTION,), tools=(SUMMARY,), **more)
        try:
            return model.complete(request, (lambda _text: None) if stream else None)
        finally:
            model.close()

    desk = Desk

    def connect(self, **settings: Any) -> Model:
        offer = offers()[self.name]
        given = {"base_url": self.server.base_url, "model": "test-model", "call_timeout": 5.0, **settings}
        return offer.connect(offer.settings(**given))


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, FaultServer]]:
    """One server for each wire format, started once."""
    made = {name: FaultServer(DIALECTS[name], [ASKS, Turn(text="It is fine.")]) for name in PROVIDERS}
    yield made
    for server in made.values():
        server.close()


@pytest.fixture
def desk() -> Desk:
    """An empty one."""
    return Desk()


@pytest.fixture
def provider() -> Callable[[str], Provider]:
    """An installed provider, by its name."""
    return lambda name: offers()[name]


@pytest.fixture(params=PROVIDERS)
def connection(request, servers, monkeypatch) -> Connection:
    """Each provider, with a key in the environment."""
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)
    server = servers[request.param]
    server.script = (ASKS, Turn(text="It is fine."))
    server.play(None)
    return Connection(name=request.param, server=server, variable=VARIABLES[request.param])
