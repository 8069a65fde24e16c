"""The faults, by name: what the server does, and what a client must make of it."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from sentinel_faults import actions as do
from sentinel_faults.turns import Asked

__all__ = ["FAULTS", "Fault", "Outcome"]

Outcome = Literal[
    "reply",
    "AuthenticationError",
    "ContextLengthError",
    "NetworkError",
    "ProviderError",
    "RateLimitError",
    "ValidationError",
]


@attrs.frozen(kw_only=True)
class Fault:
    """One way to answer badly.

    ``outcome`` is the error class that a client must come to, by name, or ``reply`` where the answer is still one; ``retryable``
    says whether the same request may do better. ``retry_after`` is what the client must have read, in seconds. ``adds_turn`` is
    True where the answer is a turn of its own in the conversation, and the script's turn is still due. ``stop`` is the
    reason to stop that the reply must have. ``slow`` faults last until the client gives up. ``only`` names the wire formats
    that can have the fault, None being all.
    """

    name: str
    act: do.Act = attrs.field(repr=False)
    outcome: Outcome
    retryable: bool = False
    retry_after: float | None = None
    adds_turn: bool = False
    stop: str | None = None
    slow: bool = False
    only: frozenset[str] | None = None

    def fits(self, dialect: str) -> bool:
        """False where a wire format cannot have this fault."""
        return self.only is None or dialect in self.only


def _fault(name: str, act: do.Act, outcome: Outcome, **more: Any) -> Fault:
    return Fault(name=name, act=act, outcome=outcome, **more)


def _network(name: str, act: do.Act, **more: Any) -> Fault:
    return _fault(name, act, "NetworkError", retryable=True, **more)


def _broken(name: str, act: do.Act, **more: Any) -> Fault:
    return _fault(name, act, "ProviderError", retryable=True, **more)


def _limit(name: str, act: do.Act, **more: Any) -> Fault:
    return _fault(name, act, "RateLimitError", retryable=True, **more)


_OPENAI = frozenset({"openai", "openrouter"})
_NAMED = frozenset({"anthropic", "openrouter"})  # their errors say what they are, inside a 200 too
_REFUSING = _OPENAI | {"anthropic"}

_STATUSES = (
    _fault("status_304", do.status(304), "ProviderError"),
    _fault("status_400", do.status(400), "ValidationError"),
    _fault("status_401", do.status(401), "AuthenticationError"),
    _fault("status_402", do.status(402), "ValidationError"),
    _fault("status_403", do.status(403), "AuthenticationError"),
    _fault("status_404", do.status(404), "ValidationError"),
    _network("status_408", do.status(408)),
    _broken("status_409", do.status(409)),
    _fault("status_413", do.status(413), "ValidationError"),
    _fault("status_418", do.status(418), "ValidationError"),
    _fault("status_422", do.status(422), "ValidationError"),
    _limit("status_429", do.status(429)),
    _broken("status_500", do.status(500)),
    _broken("status_502_html", do.body(b"<html><h1>Bad Gateway</h1></html>", 502, kind="text/html")),
    _broken("status_503", do.status(503)),
    _broken("status_504", do.status(504)),
    _limit("status_529", do.status(529)),
    _fault("too_long_for_the_model", do.status(400, "the maximum context length is 4096 tokens"), "ContextLengthError"),
)
_WAITS = (
    _limit("wait_none", do.status(429, retry_after="0"), retry_after=0.0),
    _limit("wait_fraction", do.status(429, retry_after="0.01"), retry_after=0.01),
    _limit("wait_milliseconds", do.status(429, retry_after_ms="5", retry_after="30"), retry_after=0.005),
    _limit("wait_date_over", do.status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), retry_after=0.0),
    _limit("wait_hour", do.status(429, retry_after="3600"), retry_after=3600.0),
    _limit("wait_junk", do.status(429, retry_after="soon")),
    _limit("wait_negative", do.status(429, retry_after="-5")),
    _limit("wait_nan", do.status(429, retry_after="nan")),
    _limit("wait_infinite", do.status(429, retry_after="inf")),
    _limit("wait_of_503", do.status(503, retry_after="0"), retry_after=0.0),
    _limit("wait_of_529", do.status(529, retry_after="0.01"), retry_after=0.01),
)
_CONNECTION = (
    _network("reset_before_reply", do.reset),
    _network("close_before_reply", do.close),
    _network("cut_head", do.cut_head),
    _network("reset_in_body", do.cut_body(do.reset)),
    _network("close_in_body", do.cut_body(do.close)),
    _fault("reset_after_reply", do.reset_after_reply, "reply"),
    _network("hang", do.hang, slow=True),
    _network("drip_body", do.drip_body, slow=True),
    _network("drip_head", do.drip_head, slow=True),
    _network("endless_continue", do.endless_continue, slow=True),
    _network("no_http", do.raw(b"SSH-2.0-OpenSSH_9.2\r\n")),
    _network("bad_chunk", do.raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n")),
    _network("two_lengths", do.raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ")),
    _network("huge_header", do.body(b"{}", x_long="a" * 200_000)),
    _fault("redirect_elsewhere", do.body(b"", 307, location="http://127.0.0.2:9/elsewhere"), "ProviderError"),
    _fault("redirect_in_circles", do.circle, "ProviderError"),
    _fault("redirect_within", do.moved, "reply"),
    _fault("gzip_bomb", do.gzip_bomb, "ProviderError"),
    _fault("too_much_text", do.too_long, "ProviderError"),
    _broken("no_gzip", do.body(b"{}", content_encoding="gzip")),
)
_BODIES = (
    _broken("empty_200", do.body(b"")),
    _broken("status_204", do.body(b"", 204)),
    _broken("html_200", do.body(b"<html>Sign in</html>", kind="text/html")),
    _broken("array_200", do.body(b"[]")),
    _broken("string_200", do.body(b'"ok"')),
    _broken("null_200", do.body(b"null")),
    _broken("bad_utf8", do.body(b'{"choices": "\xff"}')),
    _broken("deep_json", do.body(b"[" * 100_000)),
    _broken("cut_json", do.body(b'{"content": [{"type": "te')),
    _broken("bad_event", do.bad_event),
    _broken("answer_null", do.without_answer(None)),
    _broken("answer_empty", do.without_answer("")),
    _broken("answer_missing", do.without_answer(gone=True)),
    _broken("choices_empty", do.without_answer([]), only=_OPENAI),
    _broken("message_null", do.replaced(choices=[{"message": None, "finish_reason": "stop"}]), only=_OPENAI),
    _broken("choice_error", do.replaced(choices=[{"finish_reason": "error", "error": {"code": 502}}]), only=_OPENAI),
    _broken("error_in_200", do.error_in_200(502)),
    _broken("error_in_stream", do.error_in_stream(502)),
    _limit("overload_in_200", do.error_in_200(429), only=_NAMED),
    _fault("bad_key_in_200", do.error_in_200(401), "AuthenticationError", only=_NAMED),
    _fault("not_done", do.replaced(done=False), "NetworkError", retryable=True, only=frozenset({"ollama"})),
)
_ODD = "get_release_summary"
_REPORT = Asked(
    name="file_risk_report",
    arguments={"release_id": "v2.1.0", "severity": "high", "findings": ["2 of 144 tests failed"]},
)
_REPLIES = (
    _fault("usage_nan", do.turn(usage={"prompt": math.nan, "completion": math.nan}), "reply"),
    _fault("usage_negative", do.turn(usage={"prompt": -1, "completion": -1}), "reply"),
    _fault("usage_missing", do.turn(usage=None), "reply"),
    _fault("half_a_character", do.turn(text="\ud800 and so on"), "reply"),
    _fault("cut_off", do.turn(stop="max_tokens"), "reply", stop="max_tokens"),
    _fault("refused", do.turn(stop="refusal", text="No.", calls=()), "reply", stop="refusal", only=_REFUSING),
    _fault("filtered", do.turn(stop="content_filter"), "reply", stop="content_filter", only=_OPENAI),
    _fault("arguments_cut", do.calls(Asked(name=_ODD, arguments='{"release_id": "v2')), "reply", adds_turn=True),
    _fault("arguments_list", do.calls(Asked(name=_ODD, arguments="[1]")), "reply", adds_turn=True),
    _fault("arguments_half_character", do.calls(Asked(name=_ODD, arguments={"x": "\ud800"})), "reply", adds_turn=True),
    _fault("tool_unknown", do.calls(Asked(name="rm_rf", arguments={"path": "/"})), "reply", adds_turn=True),
    _fault("tool_nameless", do.calls(Asked(name="")), "reply", adds_turn=True),
    _fault("reports_at_once", do.calls(_REPORT, _REPORT), "reply", adds_turn=True),
    _fault("ids_missing", do.calls(Asked(name=_ODD, id=""), Asked(name=_ODD, id="")), "reply", adds_turn=True),
    _fault("ids_twice", do.calls(Asked(name=_ODD, id="same"), Asked(name=_ODD, id="same")), "reply", adds_turn=True),
)


def _by_name(faults: Iterable[Fault]) -> Mapping[str, Fault]:
    return {fault.name: fault for fault in faults}


FAULTS: Mapping[str, Fault] = _by_name((*_STATUSES, *_WAITS, *_CONNECTION, *_BODIES, *_REPLIES))
