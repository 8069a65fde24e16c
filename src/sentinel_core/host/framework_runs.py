"""What agent frameworks hand out as a run, turned into what ``json.load`` would give; no framework is imported for it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from sentinel_core.trace import from_json

__all__ = ["plain_run"]


def plain_run(what: Any) -> Any:
    """The messages of a framework's result as plain lists and dicts; anything else as it is.

    Known: a result of the OpenAI Agents SDK (``to_input_list``), of Pydantic AI (``all_messages_json``), and messages of
    LangChain, in a list or in a graph's state (``messages``).
    """
    if callable(give := getattr(what, "to_input_list", None)):
        return give()
    if callable(give := getattr(what, "all_messages_json", None)):
        return from_json(give())
    if isinstance(what, Mapping) and _has_models(listed := what.get("messages")):
        return _plain(listed)
    return _plain(what) if _has_models(what) else what


def _has_models(listed: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of messages that are pydantic's models, as LangChain's are."""
    return isinstance(listed, list | tuple) and any(hasattr(one, "model_dump") for one in listed)


def _plain(listed: Sequence[Any]) -> list[Any]:
    """A value that JSON does not have, such as a tool's artifact, becomes its text."""
    return [one.model_dump(mode="json", fallback=str) if hasattr(one, "model_dump") else one for one in listed]
