"""Text that is made to keep redaction busy."""

import os
import time

import pytest
from tables import each_row

from sentinel_core.runtime.redact import redact_cut

AWS = "AKIA" + "Q" * 16
HOSTILE = each_row(
    "piece",
    [
        "eyJ-",
        "-----BEGIN ",
        "sk-",
        "://a:",
        "secret=",
        "xoxb-",
        "eyJaaaaaaaaa.",
        "bearer ",
        "&sig=",
        "x-amz-signature'  ",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n-a",
        "secret_",
        "secret_a_",
        "secret=\\",
        'secret="\\',
        "secret='\\a",
        "secret=\\a",
        "secret\\\\",
        "token='",
        "token:=a",
        "authorization: basic ",
        "cookie=",
        "cookie:a=",
        "--a-",
        "--password ",
        " -u ",
        " -u a",
        "hooks.slack.com/",
        "/api/webhooks/1",
        "SG.a",
        "sk-sk",
        "bearer  ",
        "\\n",
        "sk-a",
        "sk-a-",
        "secret=a.",
        "secret=a.b(",
        "secret=a[",
        "secret=_a_",
        "secret: a ",
        "secret=<a ",
        "secret={a",
        "secret=*",
        "curl ",
        "curl -u ",
        "curl a\\\n -u a:",
        "://user:{a",
    ],
)


@HOSTILE
def test_hostile_text_comes_to_its_end(piece):
    """What backtracks without end would not."""
    text = piece * (20_000 // len(piece))
    assert redact_cut(f"{text} {AWS}").endswith("[redacted]")


@pytest.mark.skipif(os.environ.get("SENTINEL_SOAK") != "1", reason="needs a quiet machine: make soak")
@HOSTILE
def test_hostile_text_costs_in_proportion_to_its_length(piece):
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        return min(_timed(text) for _ in range(3))

    assert seconds(200_000) < 40 * seconds(20_000) + 0.05


def _timed(text: str) -> float:
    start = time.process_time()
    redact_cut(text)
    return time.process_time() - start
