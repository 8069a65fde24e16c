"""The agent: asks the model and runs the tools that it calls, until it answers or reaches a limit."""

from collections.abc import Callable, Iterable
from typing import Any

import attrs

from sentinel_agent.conversation import Conversation, ConversationContext, context_of, conversation_of, to_trace
from sentinel_agent.events import Event, MessageReceived, Outcome, RunStarted
from sentinel_agent.loop import Guide, LiveCheck, Loop, Objects
from sentinel_agent.model_call import Asker
from sentinel_agent.recorder import Observer, Record, as_it_is
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox
from sentinel_core.model import Model
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult

__all__ = ["Agent", "AgentSettings", "Answer"]


@attrs.frozen(kw_only=True)
class Answer:
    """The result of ``send_message``: the model's last text, how the run ended, and the id of its trace."""

    content: str
    outcome: Outcome
    run_id: str


@attrs.define(eq=False, kw_only=True)
class Agent:
    """A model with tools and a conversation.

    Synchronous, and for one thread at a time. ``observers`` are called with every event, in order, as it happens, after
    ``clean`` has changed it; ``on_text`` with the pieces of each reply's text. ``check`` looks at each message and may
    stop the run; ``objects`` says why a call must not run. ``guide`` is for
    guided mode, and for a model that goes in circles. With a ``record`` the agent continues
    that one, and the deadline counts from ``started``, a reading of the stopwatch; else it counts from each message.
    """

    model: Model
    system_prompt: str = ""
    tools: Iterable[Tool] = ()
    provider: str = ""
    model_name: str | None = None
    settings: AgentSettings = attrs.field(factory=AgentSettings)
    observers: tuple[Observer, ...] = ()
    clock: Clock = attrs.field(factory=Clock)
    toolbox: Toolbox = attrs.field(factory=Toolbox)
    clean: Callable[[Event], Event] = as_it_is
    on_text: Callable[[str], None] | None = None
    check: LiveCheck | None = None
    objects: Objects = lambda _call, _messages: ""
    guide: Guide = attrs.field(factory=Guide)
    record: Record | None = None
    rerun_of: str | None = None
    started: float | None = None
    _record: Record = attrs.field(init=False)
    _conversation_id: str = attrs.field(init=False)
    _asker: Asker = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        for tool in self.tools:
            self.register_tool(tool)
        if self.toolbox.max_result_chars is None:
            self.toolbox.max_result_chars = self.settings.max_result_chars
        self._begin(self.record or self._new_record())

    def send_message(self, content: str, *, metadata: dict[str, Any] | None = None) -> Answer:
        """Run until the model answers or a limit is reached. ``metadata`` goes into the trace.

        Raises ``ModelError`` if the model gave no usable reply; the record then ends with the outcome ``model_error``, and
        ``trace()`` has everything up to there.
        """
        run_id = self._start(content, metadata or {})
        loop = Loop(
            asker=self._asker,
            record=self._record,
            toolbox=self.toolbox,
            settings=self.settings,
            clock=self.clock,
            run_id=run_id,
            started=self.clock.stopwatch() if self.started is None else self.started,
            guide=attrs.evolve(self.guide, is_on=self.settings.tool_mode == "guided"),
            check=self.check,
            objects=self.objects,
        )
        outcome, text = loop.run()
        return Answer(content=text, outcome=outcome, run_id=run_id)

    def register_tool(self, tool: Tool) -> None:
        """Offer one more tool from the next run on. Raises ``ConfigError`` for a taken name or an unusable schema."""
        self.toolbox.register(tool)

    def get_tools(self) -> tuple[Tool, ...]:
        """Every registered tool, in the order of registration."""
        return self.toolbox.tools

    def execute_tool(self, tool_call: ToolCall) -> ToolResult:
        """Run one call outside the conversation. A failure is a result with ``success`` False."""
        return self.toolbox.execute(tool_call)

    def get_history(self, limit: int | None = None) -> tuple[Message, ...]:
        """The messages, oldest first; at most the last ``limit``. Raises ``ValueError`` for a negative limit."""
        if limit is not None and limit < 0:
            raise ValueError(f"limit must not be negative, got {limit}")
        messages = self._record.messages
        return tuple(messages if limit is None else messages[len(messages) - min(limit, len(messages)) :])

    def get_context(self) -> ConversationContext:
        """Facts about the conversation so far."""
        return context_of(self._conversation_id, self.provider, self._record.conversation)

    def new_conversation(self) -> None:
        """Forget the messages; model, tools, prompt and settings stay."""
        self._begin(self._new_record())

    @property
    def conversation(self) -> Conversation:
        """The conversation as a value. Raises ``ValueError`` before the first message."""
        return conversation_of(self._record.conversation)

    @property
    def events(self) -> tuple[Event, ...]:
        """The record of the conversation so far."""
        return tuple(self._record.conversation)

    def trace(self) -> ExecutionTrace:
        """The conversation so far as a trace. Raises ``ValueError`` before the first message."""
        return to_trace(self._record.conversation)

    def _new_record(self) -> Record:
        return Record(self.clock.now, self.observers, self.clean)

    def _begin(self, record: Record) -> None:
        self._record = record
        self._conversation_id = self.clock.new_id()
        self._asker = Asker(
            model=self.model,
            record=record,
            clock=self.clock,
            settings=self.settings,
            provider=self.provider,
            system_prompt=self.system_prompt,
            on_text=self.on_text,
        )

    def _start(self, content: str, metadata: dict[str, Any]) -> str:
        started = RunStarted(
            run_id=self.clock.new_id(),
            conversation_id=self._conversation_id,
            system_prompt=self.system_prompt,
            provider=self.provider,
            tools=self.toolbox.schemas,
            metadata=metadata,
            model=self.model_name,
            settings=self.settings.as_dict(),
            rerun_of=self.rerun_of,
        )
        run_id = self._record.emit(started).run_id
        self._record.emit(MessageReceived(content=content))
        return run_id
