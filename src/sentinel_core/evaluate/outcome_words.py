"""What results say where a call failed: tables for ``outcome``, loaded when the first result is read.

Each row is a pattern, tied to the beginning of a part of the result in lower case. Rows that begin with letters are cheap to try;
others are tried only where the part has one of their group's hints. Repeats have a limit, so that no row takes longer than its
part is long.
"""

from typing import NamedTuple

__all__ = ["BESIDE_STATUS", "DONE", "EXIT_CODES", "FAILED_WORDS", "HTTP_CODES", "ROWS", "WRAPPERS", "Row"]


class Row(NamedTuple):
    """Patterns for one part of the result, and the reason that they give; tried where the part has one of the hints.

    ``part`` is "start", the first 300 characters; "opening", the first 160; "short", the whole text where it has at most 200;
    "last", the last line that says something; or "end", the last 60 characters of that.
    """

    part: str
    hints: tuple[str, ...]
    reason: str
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, part: str, hints: tuple[str, ...], reason: str, *patterns: str) -> "Row":
        """A row with its patterns in a line."""
        return cls(part, hints, reason, patterns)


_OPERATION = (
    r"(?:access|action|api|auth(?:entication|orization|orisation)?|booking|calculation|call|cancell?ation|command|connection|creation"
    r"|deletion|delivery|download|edit|execution|export|fetch|function|import|installation|log-?in|lookup|message|navigation|operation"
    r"|payment|permission|purchase|query|read|refund|registration|request|reservation|search|sign-?in|submission|submit|tool"
    r"|transaction|transfer|update|upload|validation|verification|write)"
)
# What becomes of it.
_NOT_DONE = (
    r"(?:(?:has|have|had|is|was|were|been) ){0,2}(?:aborted|blocked|declined|denied|failed|forbidden|interrupted|refused|rejected"
    r"|timed out|unauthori[sz]ed|unsuccessful|not (?:accepted|allowed|authori[sz]ed|completed|delivered|permitted|possible"
    r"|processed|sent|successful|supported)|timeout after|(?:can|could) ?not be \w+)"
    r"(?=\s{0,4}(?:[.!:;,\n—-]|\Z)| (?:after|as|at|because|by|due|for|from|in|on|since|to|with)\b| \d)"
)
_CANNOT = r"(?:can't|cannot|can not|could not|couldn't|was unable to|were unable to|am unable to|did not|didn't)"
_DEED = (
    r"(?:access|add|allocate|apply|authenticate|be|book|build|cancel|change|complete|compile|compute|connect|convert|copy|create|decode|delete"
    r"|deliver|download|edit|establish|evaluate|execute|fetch|get|handle|import|insert|install|load|make|modify|move|obtain|open"
    r"|parse|perform|post|process|publish|reach|read|refund|remove|rename|replace|reserve|resolve|retrieve|run|save|schedule|send|set"
    r"|start|stat|store|submit|update|upload|use|validate|verify|write)\b"
)
# A shell names the script, which may be any text, and its line.
_SHELL_LINE = (
    r"(?:[^:\n]{0,80}:){1,6}? (?:-c: )?line \d+: (?:syntax error|unexpected eof|[^\n]{1,200}: command not found)"
)
_SHELL = (
    r"(?:command not found|no such file or directory|permission denied|is a directory|not a directory|file exists"
    r"|not recognized|operation not permitted|connection refused|invalid option|unrecognized option|cannot \w+|missing operand"
    r"|could not \w+|can't \w+|unable to \w+|syntax error|unexpected \w+)"
)
_NOT_FIND = r"(?:could not|couldn't|cannot|can't|did not|unable to) find\b"
# What an editor was to do with it; a search for "how to change a tyre" is a lookup, and so is what stands in brackets.
_TO_EDIT = (
    r"[^\n\[]{0,200}(?:['\"`]|\b(?:block|code|content|context|line|match|occurrence|section|snippet|string|text)s?\b)"
    r"[^\n\[]{0,200}(?<!\bhow)(?<!\bway) to (?:change|delete|edit|insert|remove|replace|update)\b"
)
# A figure is a measurement ("mean error: 0.53"), save a status of HTTP, and "none" says that there is no error.
_REASON = r"(?!\s{0,4}(?:n/a|nan|nil|no|none|null|(?![45]\d\d(?![\d.,%]))[-+]?\d[\d.,]{0,20}\s?(?:%|[a-z]{1,3})?)\s{0,4}(?:\n|\Z))"
_OF_ERRORS = (
    r"(?:an?|the|api|argument|assertion|authentication|client|compilation|configuration|connection|critical|database|execution|fatal|http|import"
    r"|internal|io|key|network|parse|parsing|permission|query|request|runtime|server|service|syntax|system|timeout|tool|type|unexpected"
    r"|unhandled|unknown|validation|value)"
)
_NAMED = r"(?:[\w.]{0,80}(?:error|exception)|[\w.]{0,80}exceptions\.\w{1,80})"

# The order decides: an unknown tool is a failure too, and an empty lookup may use a failure's words.
ROWS = (
    Row.of("start", ("",), "exit_code",
        r"(?:<(?:\w{1,30}>)?|error: |\[)?(?:(?:command|process|program|script) )?(?:exit(?:ed|s)?|failed|finished|returned|terminated)"
        r"(?: with)?(?: non-zero)?(?: exit)?[ _]?(?:code|status)?[:=> ]{1,3}-?\d+",
    ),
    Row.of("start", ("",), "unknown_tool",
        r"(?:error: ?)?(?:unknown|no such|invalid|undefined|unrecogni[sz]ed) (?:tool|function|action)\b",
        r"(?:error: ?)?(?:the )?(?:tool|action|function) (?:\S{1,60} )?(?:(?:is |was )?not (?:found|available|registered)|does not exist)",
    ),
    Row.of("start", ("",), "no_match",
        rf"{_NOT_FIND}(?!{_TO_EDIT})",
        r"no (?:\w+ ){0,2}(?:match|matches|result|results|records|rows|documents|entries)\b(?: (?:found|were found|for|in)|[.!]?(?:\n|\Z))",
        r"(?:nothing|not|none|0 \w+|page not|file not) found\b",
    ),
    Row.of("start", ("",), "error_text",
        r"(?:(?:aborted|denied|forbidden|rejected|timed out|unauthori[sz]ed): |(?:aborted|denied|error|fail|failed|failure|forbidden|killed"
        r"|rejected|timeout|timed out|unauthori[sz]ed)[.!]?\s{0,9}\Z)",
        r"(?:illegal|invalid|malformed|missing(?: required)?|required|unexpected|unrecogni[sz]ed|unsupported)"
        r" (?:action|api key|argument|command|field|format|input|json|option|parameter|request|syntax|token|tool|value)s?\b",
        r"http(?:/[\d.]{1,3})?(?: error| status)?(?: code)?[: ]{1,2}[45]\d\d\b",
        r"error(?: code)?[: ]{1,2}[45]\d\d(?![\d.,%]|\s?(?:ms|s|px|k|[kmg]i?b)\b)",
        r"[45]\d\d[: ]{1,2}(?:client error|server error|bad|conflict|forbidden|gateway|internal|method not|not|request time"
        r"|service un|too many|unauthorized|unprocessable)",
        r"insufficient (?:\w{1,20} )?(?:balance|credits?|funds|permissions?|privileges|quota|rights)|quota exceeded",
        r"no (?:permission|such (?:file|column|command|container|device|host|module|option|table))",
        r"not (?:allowed|authenticated|authori[sz]ed|enough|implemented|logged in|permitted|supported)\b",
        r"temporar(?:y|ily) [^\n]{0,100}\b(?:retry|try again)\b|(?:sorry|oops)?[,.! ]{0,3}something went wrong",
        r"\[errno -?\d+\]|(?:fatal|panic|failure|exception): |npm err(?:!|or)|segmentation fault|thread '[^'\n]{1,80}' panicked",
        # Not of a person: "Unable to win a sponsor, they paid for it".
        r"(?:failed|unable) to (?!find\b)\w+(?![^.:\n]{0,200}(?:, (?:he|she|they)| (?:is|was) an?)\b)",
        r"(?:file|directory|folder|module|path) \S{1,200} (?:was )?(?:not found|does not exist|doesn't exist)(?=[.!]?\s{0,4}(?:\n|\Z)|: )",
        # Python could not compile it; then there is no traceback.
        r"file \"[^\"\n]{1,200}\", line \d+\n(?:[^\n]{0,300}\n){1,6}?\w*error: |cell in ?\[\d+\], line \d+\n",
        r"you (?:do not|don't) have (?:\w+ ){0,2}(?:access|permissions?|rights)\b",
        r"usage: [^\n]{0,300}\n(?:[^\n]{0,300}\n){0,3}?error: |syntax ?error\b",
        rf"{_NOT_FIND}{_TO_EDIT}",
    ),
    Row.of("start", ("error", "xception", "traceback", "interrupt"), "error_text",
        rf"\W{{0,4}}(?:{_OF_ERRORS} ){{0,3}}error(?: (?:\w+ing|at|code|during|encountered|from|in|occurred|on|when|while|with|\d+)"
        rf"(?: [\w./'\"-]+){{0,4}})? ?[\]>:!\n]{_REASON}",
        r"(?:an? )?(?:\w{1,30} ){0,2}error (?:has |was )?(?:encountered|occurred|raised|returned|thrown)\b",
        r"<\w{0,30}error>|error\[|\[\w{0,30} ?error\]|error [a-z]{0,4}\d{2,5}(?: \(\w{1,9}\))?: ",
        rf"{_NAMED}: {_REASON}",
        r"\[?\d[\d:.,/t+z-]{3,30}\]? [\w.-]{1,40}: error: |[^\s:]{1,120}:\d+:(?:\d+:)? (?:fatal )?error: ",
        r"[╭─\s]{0,200}traceback \(most recent call last\)",
        r"-{10,200}\n\w{1,80}(?:error|exception|interrupt)\s",
        r"(?:[\w'-]{1,30} ){0,6}?(?:contains?|found|has|have|introduced)(?: \w+){0,2} syntax ?errors?\b",
    ),
    Row.of("opening", ("fail", "not ", "n't", "unable", "denied", "time", "reject", "refus", "declin", "abort", "unauthori", "forbid", "unsucc", "block"), "error_text",
        rf"(?:\S{{1,100}}: |sorry,? |but |i |we |the (?:server|system|tool) ){{0,3}}{_CANNOT} {_DEED}",
        rf"(?:the |this |that |your )?(?:[\w'-]{{1,30}} ){{0,2}}?{_OPERATION} {_NOT_DONE}",
    ),
    Row.of("opening", (": ",), "error_text",
        rf"\S{{0,80}}\b(?:ba|z|da|k|c)?sh: .*{_SHELL}",
        rf"[\w./+-]{{1,60}}(?: \(child\))?: (?:\(\d+\) |.*: )?{_SHELL}",
        _SHELL_LINE,
    ),
    Row.of("short", ("rate", "too many", "not ", "n't", "timed", "timeout", "unavailable"), "error_text",
        r"(?:\S{1,60} ){0,6}?(?:rate[ -]limit(?:ed(?! to\b)| (?:was |has been |is )?(?:error|exceeded|hit|reached)"
        r"|\W{1,3}(?:please )?(?:re)?try)|too many requests|(?:exceeded|hit|reached) (?:\w+ ){0,3}rate limit)",
        r"(?:[\w'-]{1,30} ){1,4}?(?:is|are) not authori[sz]ed to\b",
        r"(?:[\w'-]{1,30} ){1,3}?(?:(?:(?:is|was|were) )?not|(?:can|could) ?not be) (?:booked|completed|created|deleted|delivered"
        r"|executed|loaded|opened|parsed|processed|reached|read|saved|sent|submitted|updated|verified|written)(?=[.!:]|\s{0,9}\Z)",
        r"(?:the )?(?:search|old)[ _]?(?:block|str|string|text|content)\b[^\n]{0,60}\b(?:does|did|was|were|could)(?: not|n't) (?:match|exist|found|be found)\b",
        r"(?:\S{1,60} ){0,8}?not (?:provided )?in the (?:correct|right|expected|required) format",
        # Few words, and no colon after them, may stand before these: a ticket may be about something that timed out.
        r"(?:\S{1,60}(?<![:,;]) ){0,4}?(?:timed out|timeout exceeded|service unavailable|temporarily unavailable)\b",
    ),
    Row.of("last", ("",), "error_text",
        rf"[\w.]{{0,80}}(?:error|exception)(?:: {_REASON}|\Z)",
        r"[\w./-]{1,80}: (?:error: |\*\*\* |[^\n]*(?:: (?:no such file or directory|operation not permitted|permission denied|read-only file system|(?:404 )?not found|connection [a-z ]+)|\(http [45]\d\d\))$)",
        r"npm err(?:!|or)|fatal: |failed: [a-z]|denied: |unauthorized: |× |segmentation fault|aborted\b|killed\Z|! \[(?:remote )?rejected\]",
        r"automatic merge failed|could not apply |the stash entry is kept|nothing to commit\b|curl: \(\d|rsync error: |error response from daemon: |job for \S{1,80} failed because|psql:\S{1,120}: error: "
        r"|(?:[\w-]{1,20} ){1,4}failed: [a-z]|[\d :-]{0,24}error [45]\d\d: ",
    ),
    Row.of("last", ("timed out",), "exit_code",
        r"\W?(?:the )?(?:command|process) timed out after \d",
    ),
    Row.of("last", (" line ",), "error_text",
        _SHELL_LINE,
    ),
    Row.of("end", ("exit",), "exit_code",
        r".{0,50}?\b(?:exit(?:ed with)?[ _]?(?:code|status)?|returned non-zero exit status)[:= ]{1,3}-?\d+\W{0,9}\Z",
    ),
    Row.of("end", ("unknown tool",), "unknown_tool",
        r".{0,60}?\bunknown tool(?: name)?: ",
    ),
)  # fmt: skip

DONE = r"successfully \w|(?:\w{1,20} ){0,3}(?:completed|finished) successfully|\S{1,100} (?:configured|created|unchanged)\Z"
"""A last line that says that it went well after all, whatever stands before it."""

EXIT_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status")
"""Keys of JSON whose value is 0 where a program worked."""

HTTP_CODES = ("status_code", "statusCode", "http_status", "status", "code")
"""Keys of JSON whose value is a status of HTTP."""

FAILED_WORDS = frozenset(("error", "failed", "failure", "denied", "rejected"))
"""Values of ``status`` that mean failure, in lower case."""

WRAPPERS = ("result", "results", "response", "content", "output", "stderr", "text", "message", "body", "error_message")
"""Keys of JSON that hold a whole result, where nothing else stands beside them."""

BESIDE_STATUS = frozenset((
    "code", "detail", "details", "error", "errors", "http_status", "isError", "is_error", "message", "msg", "ok",
    "reason", "request_id", "status", "statusCode", "status_code", "success", "timestamp", "tool_call_id", "type",
))  # fmt: skip
"""Where a key beside these has a value, ``status`` is that of the thing that was asked about, such as a build."""
