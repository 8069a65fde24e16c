"""Where values stand in the record, in whatever spelling."""

from sentinel_core.evaluate.facts.values import values_in
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.tables import regex

__all__ = ["Recorded", "plain_word"]

_SEPARATORS, _TOKEN = regex(r"[-_# ,$€£]"), regex(r"[^\s\"'(){}\[\]:;=<>]{2,60}")


class Recorded:
    """Where the values of results, arguments and users' words stand, by their normal forms."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._parts: dict[int, str] = {}
        self._known: dict[tuple[frozenset[str], int], int | None] = {}

    def last(self, forms: frozenset[str], core: str, until: int) -> int | None:
        """The last message before ``until`` that holds one of the forms, in a line that has ``core``."""
        key = forms, until
        if key not in self._known:
            rows = (at for at in range(until - 1, -1, -1) if core in self._part(at))
            self._known[key] = next((at for at in rows if not forms.isdisjoint(self._forms(at, core))), None)
        return self._known[key]

    def _part(self, at: int) -> str:
        if at not in self._parts:
            message = self._index.messages[at]
            parts = [result.content for result in message.tool_results]
            parts += [to_json(call.arguments).decode().replace("\\n", "\n") for call in message.tool_calls]
            parts += [message.content or ""] if message.role != "assistant" else []
            self._parts[at] = "\n".join(parts)
        return self._parts[at]

    def _forms(self, at: int, core: str) -> set[str]:
        part = self._part(at)
        lines = "\n".join([line for line in part.split("\n") if core in line]) if core else part
        forms = set(map(plain_word, _TOKEN.findall(lines)))
        forms.update(f"{value.kind} {form}" for value in values_in(lines) for form in value.forms)
        return forms


def plain_word(written: str) -> str:
    """A word without what separates its parts: ``$1,166.90`` is ``1166.9``."""
    word = _SEPARATORS.sub("", written.lower()).rstrip(".")
    return word.rstrip("0").rstrip(".") if "." in word and word.replace(".", "").isdigit() else word
