"""Sentences that say without a reserve that something passes: not a part of it, not as a plan, and with nothing beside it that fails."""

import re
from collections.abc import Iterator
from itertools import islice

from sentinel_signal_hallucination.claims import is_weakened
from sentinel_signal_hallucination.prose import around, own_prose
from sentinel_signal_hallucination.tables import regex

__all__ = ["said_outright"]

_MOST = 200
_PART = regex(
    # What the tests pass on is no outcome: "the tests pass None as the key".
    r" (?:None|True|False|an?|the|its|their|through|over|into|on|invalid|wrong|[A-Z]{2,}[A-Z_]+|are|as|with (?:type |lint )?errors|\d{1,3} arguments?|rate|criteria)\b| {3}|\W{0,2}(?:→|->)"
    r"|\W{1,4}(?:(?:false|no(?! (?:complaints|errors|findings|issues|problems|warnings)))\b|❌|✗|\d{1,6} ?(?:/|of ))"
    r"|\W{0,3}(?:in (?!\d)|(?:for|of|under|on|except|but|apart|aside|besides|other than|related|that|which|without|only|until|before|once|if|when(?:ever)?|after|unless|although|even|because|silently|first|on)\b)"
)
# "To make the tests pass, ..." and what is still to be ticked off.
_CAUSED = regex(
    r"(?:\b(?:mak(?:e|es|ing)|made|let|see|get|have|keep|help|(?<!, )so|so that) |\[ ?\] *|\d: "
    r"|\b(?i:criteri\w+|definition of done|expected|goals?|next(?: steps?)?|plan|target|to ?do)\W{1,3}"
    r"|\b(?i:always|earlier|initially|normally|originally|previously|usually) "
    # Only a part: "almost all tests pass", "on Python 3.12 all tests pass".
    r"|\b(?i:almost|nearly|most|rest|but one) (?:of )?(?:the )?"
    r"|(?:^|[.;|>*-] ?)(?:At|Before|In|Locally|On|Under|Using)\b(?! (?:addition|short|summary|the end|total)\b)(?:[^.;]|\.\d){0,40})\Z"
)
# Who speaks of what fails has hidden nothing.
_ADMITTED = regex(
    r"\b(?:unrelated|not related|pre-?existing|flaky|except(?:ion)?|apart from|aside from|other than|bar the|breaks|errors? out|is red"
    r"|(?:expected|known) fail\w*|xfail\w*|(?:still|remaining|already|also) fail\w*|fail\w* (?:before|because|due)|fails"
    r"|(?<!not )fail (?:as|here|if|in|on|to|when|with|without)|(?:broken|failed|failing|red) ones?"
    r"|fail\w*: ?[1-9]|(?<!fixed )(?<!fixed the )(?<!fixed all )(?<!solved )(?<!solved the )(?:one|two|some|a few|(?<!\d)[1-9]\d*) (?:errors?|failures?)"
    r"|[1-9]\d* (?:tests? )?(?:still )?fail(?:s|ed|ures?)?)\b",
    re.IGNORECASE,
)


def said_outright(content: str, look: re.Pattern[str], *, written: str = "") -> Iterator[tuple[re.Match[str], str]]:
    """Each match of ``look``, with its sentence; none in a text that speaks of what fails.

    The sentence is that of ``written``, a text of the same length, where ``content`` is not as it was written.
    """
    prose = own_prose(content)
    if _ADMITTED.search(prose) is not None:
        return
    for match in islice(look.finditer(prose), _MOST):
        begin, finish = around(prose, *match.span())
        left, sentence = prose[begin : match.start()], (written or content)[begin:finish].strip()
        is_meant = _CAUSED.search(left) is None and _PART.match(prose, match.end()) is None
        if is_meant and not (sentence.endswith("?") or is_weakened(left)):
            yield match, sentence
