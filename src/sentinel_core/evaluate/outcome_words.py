"""What results say where a call failed: tables for ``outcome``, loaded when the first result is read.

Each row is one pattern for a part of a result in lower case, tied to the beginning of that part: "start" is the first 300
characters, "last" the last line that says something, "end" its last 60 characters, "short" the whole text where it has at most 200 characters. Repeats have
a limit, so that no row takes longer than its part is long. Most results match no row, so rows begin with letters or a short
repeat: each is then let go after a character or two.
"""

__all__ = ["BESIDE_STATUS", "EXIT_CODES", "FAILED_WORDS", "HTTP_CODES", "ROWS", "WRAPPERS"]

Rows = tuple[tuple[str, str], ...]

# What a call does, as a noun. A build or a job that failed may be what the call asked about, so those are not here.
_OPERATION = (
    r"(?:access|action|api|auth(?:entication|orization|orisation)?|booking|calculation|call|cancell?ation|command|connection|creation"
    r"|deletion|delivery|download|edit|execution|export|fetch|function|import|installation|log-?in|lookup|message|navigation|operation"
    r"|payment|permission|purchase|query|read|refund|registration|request|reservation|search|sign-?in|submission|submit|tool"
    r"|transaction|transfer|update|upload|validation|verification|write)"
)
# What becomes of it, and no person: "Unable to win a sponsor, they paid for it".
_NOT_DONE = (
    r"(?:(?:has|have|had|is|was|were|been) ){0,2}(?:aborted|blocked|declined|denied|failed|forbidden|interrupted|refused|rejected"
    r"|timed out|unauthori[sz]ed|unsuccessful|not (?:accepted|allowed|authori[sz]ed|completed|delivered|permitted|possible"
    r"|processed|sent|successful|supported)|(?:can|could) ?not be \w+)\b"
)
_CANNOT = r"(?:can't|cannot|can not|could not|couldn't|was unable to|were unable to|am unable to|did not|didn't)"
_DEED = (
    r"(?:access|add|allocate|apply|authenticate|be|book|build|cancel|change|complete|compile|compute|connect|convert|copy|create|decode|delete"
    r"|deliver|download|edit|establish|evaluate|execute|fetch|get|handle|import|insert|install|load|make|modify|move|obtain|open"
    r"|parse|perform|post|process|publish|reach|read|refund|remove|rename|replace|reserve|resolve|retrieve|run|save|schedule|send|set"
    r"|start|stat|store|submit|update|upload|use|validate|verify|write)\b"
)
# A shell names the script, which may be any text, and its line.
_SHELL_LINE = r"(?:[^:\n]{0,80}:){1,6}? (?:-c: )?line \d+: (?:syntax error|unexpected eof|[^\n]{1,200}: command not found)"
_SHELL = (
    r"(?:command not found|no such file or directory|permission denied|is a directory|not a directory|file exists"
    r"|not recognized|operation not permitted|connection refused|invalid option|unrecognized option|cannot \w+|missing operand"
    r"|could not \w+|can't \w+|unable to \w+|syntax error)"
)
_NOT_FIND = r"(?:could not|couldn't|cannot|can't|did not|unable to) find\b"
# What an editor was to do with it; a search for "how to change a tyre" is a lookup, and so is what stands in brackets.
_TO_EDIT = (
    r"[^\n\[]{0,200}(?:['\"`]|\b(?:block|code|content|context|line|match|occurrence|section|snippet|string|text)s?\b)"
    r"[^\n\[]{0,200}(?<!\bhow)(?<!\bway) to (?:change|delete|edit|insert|remove|replace|update)\b"
)
_NAMED = r"(?:[\w.]{0,80}(?:error|exception)|[\w.]{0,80}exceptions\.\w{1,80})"

ERRORS: Rows = (
    (
        "start",
        r"\W{0,4}(?:\w{1,20} ){0,4}error(?: (?:\w+ing|at|code|during|encountered|from|in|occurred|on|when|while|with|\d+)(?: [\w./'\"-]+){0,4})? ?[\]>:!\n]",
    ),
    ("start", r"(?:an? )?(?:\w{1,30} ){0,2}error (?:has |was )?(?:encountered|occurred|raised|returned|thrown)\b"),
    ("start", r"(?:<\w{0,30}error>|error\[|\[\w{0,30} ?error\])"),
    ("start", rf"{_NAMED}: "),
    ("start", r"(?:aborted|denied|error|fail|failed|failure|forbidden|rejected|time ?out|timed out|unauthori[sz]ed)[.!]?\s*\Z"),
    # Not of a person: "Unable to win a sponsor, they paid for it".
    ("start", r"(?:failed|unable) to (?!find\b)\w+(?![^.:\n]{0,200}, (?:he|she|they)\b)"),
    ("start", rf"(?:\S{{1,100}}: |sorry,? |but |i |we |the (?:server|system|tool) ){{0,3}}{_CANNOT} {_DEED}"),
    ("start", r"(?:fatal|panic|failure|exception|npm err!|npm error|segmentation fault|thread '[^'\n]{1,80}' panicked)\b"),
    ("start", r"[╭─\s]{0,200}traceback \(most recent call last\)"),
    ("start", r"-{10,200}\n\w{1,80}(?:error|exception|interrupt)\s"),
    # Python could not compile it; then there is no traceback.
    ("start", r"file \"[^\"\n]{1,200}\", line \d+\n(?:[^\n]{0,300}\n){1,6}?\w*error: |cell in ?\[\d+\], line \d+\n"),
    ("start", r"usage: [^\n]{0,300}\n(?:[^\n]{0,300}\n){0,3}?error: "),
    (
        "start",
        r"(?:illegal|invalid|malformed|missing(?: required)?|required|unexpected|unrecogni[sz]ed|unsupported)"
        r" (?:action|api key|argument|command|field|format|input|json|option|parameter|request|syntax|token|tool|value)s?\b",
    ),
    ("start", rf"(?:the |this |that |your )?(?:[\w'-]{{1,30}} ){{0,2}}?{_OPERATION} {_NOT_DONE}"),
    (
        "start",
        r"(?:http(?:/[\d.]{1,3})?(?: error| status)?(?: code)?[: ]{1,2}[45]\d\d\b|[45]\d\d[: ]{1,2}(?:client error|server error|bad|conflict"
        r"|forbidden|gateway|internal|method not|not|request time|service un|too many|unauthorized|unprocessable))",
    ),
    (
        "start",
        r"(?:access denied|insufficient (?:\w{1,20} )?(?:balance|credits?|funds|permissions?|privileges|quota|rights)|quota exceeded"
        r"|not (?:allowed|authenticated|authori[sz]ed|enough|implemented|logged in|permitted|supported)\b"
        r"|no (?:permission|such (?:file|column|command|container|device|host|module|option|table)))",
    ),
    ("start", r"(?:file|directory|folder|module|path) \S{1,200} (?:was )?(?:not found|does not exist|doesn't exist)"),
    ("start", r"temporar(?:y|ily) [^\n]{0,100}\b(?:retry|try again)\b"),
    ("start", rf"\S{{0,80}}\b(?:ba|z|da|k|c)?sh: .*{_SHELL}"),
    ("start", rf"[\w./+-]{{1,60}}(?: \(child\))?: (?:.*: )?{_SHELL}"),
    ("start", _SHELL_LINE),
    ("start", rf"{_NOT_FIND}{_TO_EDIT}"),
    ("start", r"syntax ?error\b"),
    ("start", r"(?:[\w'-]{1,30} ){0,6}?(?:contains?|found|has|have|introduced)(?: \w+){0,2} syntax ?errors?\b"),
    ("short", r"(?:\S{1,60} ){0,8}?not (?:provided )?in the (?:correct|right|expected|required) format"),
    ("last", r"\w{0,80}(?:error|exception)(?:: |$)"),
    ("last", r"[\w./-]{1,80}: (?:error: |\*\*\* |.*: no such file or directory$)"),
    ("last", r"(?:npm err!|npm error|fatal: |× |segmentation fault|aborted\b)"),
    ("last", _SHELL_LINE),
    (
        "short",
        r"(?:\S{1,60} ){0,6}?(?:rate[ -]limit(?:ed(?! to\b)| (?:was |has been |is )?(?:error|exceeded|hit|reached)|\W{1,3}(?:please )?(?:re)?try)|too many requests)",
    ),
    ("short", r"(?:\S{1,60} ){0,6}?(?:exceeded|hit|reached) (?:\w+ ){0,3}rate limit"),
    # Few words, and no colon after them, may stand before these: a ticket may be about something that timed out.
    (
        "short",
        r"(?:\S{1,60}(?<![:,;]) ){0,4}?(?:timed out|timeout exceeded|service unavailable|temporarily unavailable)\b",
    ),
)
"""Texts that mean failure."""

EXITED: Rows = (
    (
        "start",
        r"(?:<\w{1,30}>|error: |\[)?(?:(?:command|process|program|script) )?(?:exit(?:ed|s)?|failed|finished|returned|terminated)"
        r"(?: with)?(?: non-zero)?(?: exit)?[ _]?(?:code|status)?[:= ]{1,3}-?\d+",
    ),
    (
        "end",
        r".{0,40}?\b(?:exit(?:ed with)?[ _]?(?:code|status)?|returned non-zero exit status)[:= ]{1,3}-?\d+\W{0,9}\Z",
    ),
)
"""Texts that tell an exit code. The code is the group's last word."""

UNKNOWN_TOOL: Rows = (
    ("start", r"(?:error: ?)?(?:unknown|no such|invalid|undefined|unrecognized) (?:tool|function|action)\b"),
    ("end", r".{0,60}?\bunknown tool(?: name)?: "),
    (
        "start",
        r"(?:error: ?)?(?:the )?(?:tool|action|function) (?:\S{1,60} )?(?:(?:is |was )?not (?:found|available|registered)|does not exist)",
    ),
)
"""Texts that mean that there is no such tool."""

NO_MATCH: Rows = (
    ("start", rf"{_NOT_FIND}(?!{_TO_EDIT})"),
    (
        "start",
        r"no (?:\w+ ){0,2}(?:match|matches|result|results|records|rows|documents|entries)\b(?: (?:found|were found|for|in)|[.!]?(?:\n|\Z))",
    ),
    ("start", r"(?:nothing|not|none|0 \w+|page not|file not) found\b"),
)
"""Texts with which a lookup says that it found nothing."""

ROWS: tuple[tuple[str, Rows], ...] = (
    ("exit_code", EXITED),
    ("unknown_tool", UNKNOWN_TOOL),
    ("no_match", NO_MATCH),
    ("error_text", ERRORS),
)
"""All of them, by reason. The order decides: an unknown tool is a failure too, and an empty lookup may use a failure's words."""

EXIT_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status")
"""Keys of JSON whose value is 0 where a program worked."""

HTTP_CODES = ("status_code", "statusCode", "http_status", "status", "code")
"""Keys of JSON whose value is a status of HTTP."""

FAILED_WORDS = frozenset(("error", "failed", "failure", "denied", "rejected"))
"""Values of ``status`` that mean failure, in lower case."""

WRAPPERS = ("result", "results", "response", "content", "output", "stderr", "text", "message", "body", "error_message")
"""Keys of JSON that hold a whole result, where nothing else stands beside them."""

BESIDE_STATUS = frozenset(
    (
        *("code", "detail", "details", "error", "errors", "http_status", "isError", "is_error", "message", "msg", "ok", "reason"),
        *("request_id", "status", "statusCode", "status_code", "success", "timestamp", "tool_call_id", "type"),
    )
)
"""Where a key beside these has a value, ``status`` is that of the thing that was asked about, such as a build."""
