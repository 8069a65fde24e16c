"""Google ADK: runs an agent by its runner, and holds its answer to the events of the session.

from sentinel_guards.adk import run

async for event in run(runner, user_id="u", session_id="s", new_message=message):  # as runner.run_async(...)
    ...
"""

from typing import TYPE_CHECKING, Any

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.adk import Runner
    from google.adk.events import Event
    from google.genai.types import Content

__all__ = ["run"]

_READER = "adk"


async def run(
    runner: "Runner",
    *,
    user_id: str,
    session_id: str,
    new_message: "Content",
    guard: AnswerGuard | None = None,
    **options: Any,
) -> "AsyncIterator[Event]":
    """As ``runner.run_async`` with these options; an answer that ``guard`` does not accept is sent back with the reason.

    The next one raises ``UnreliableAnswerError``. The caller gets the events of both turns: the last final response is the answer.
    """
    from google.genai.types import Content, Part

    check = guard or AnswerGuard()
    while True:
        async for event in runner.run_async(user_id=user_id, session_id=session_id, new_message=new_message, **options):
            yield event
        session = await runner.session_service.get_session(
            app_name=runner.app_name, user_id=user_id, session_id=session_id
        )
        if session is None:
            return
        objection = check.check(session.model_dump(mode="json"), reader=_READER)
        if objection is None:
            return
        if objection.is_final:
            raise UnreliableAnswerError(objection)
        new_message = Content(role="user", parts=[Part(text=objection.reason)])
