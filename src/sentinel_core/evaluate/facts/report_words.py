"""Expressions for what reports and answers about a release say in words. Pure data; all but names are matched in small letters."""

import re

from sentinel_core.evaluate.facts.areas import CRITICAL_AREAS, RISKY_CHANGES

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s")
ITEM = re.compile(r"\s*(?:[-*•|]|\d+[.)])")
SUBJECT = r"(?:tests?|test cases?|cases|specs|checks|(?:test )?suites?)"
PART = re.compile(
    r"\b(?:not|n't|other|others|rest|remaining|but|except|apart|besides|if|unless|until|once|when|should|must"
    r"|says?|said|tells?|claims?|reads|states|header|title|first|initially|originally)\b"
)
ALL_PASS = re.compile(
    rf"\b(?:all|every|each|100 ?%(?: of)?)\b(?: \w+){{0,3}} {SUBJECT}\b[^.;,]{{0,20}}\b(?:pass\w*|succe\w+|green|clean|ok)\b"
    rf"|^(?:\W*the |\W*our )?(?:\W*unit |\W*integration )?\W*{SUBJECT} (?:\w+ ){{0,2}}?(?:all )?(?:pass(?:ed|es|ing)?|succeed(?:ed)?|green|clean)\b"
    rf"|\b(?:no|zero|0|without(?: any)?|not a single) (?:\w+ ){{0,2}}?(?:failures?|fail(?:ed|ing) {SUBJECT}|{SUBJECT} (?:\w+ )?fail\w*)\b"
    rf"|\bfail(?:ure)? rate\W+(?:is |of |was )?0 ?%|\b100 ?% pass|\bpass rate\W+(?:is |of |was )?100\b"
    rf"|\bnone of (?:the |its |our )?(?:\w+ )?{SUBJECT} (?:\w+ )?fail\w*"
)
ALL_FAIL = re.compile(
    rf"\b(?:all|every|each)\b(?: \w+){{0,3}} {SUBJECT}\b[^.;,]{{0,20}}\bfail\w*|\bno {SUBJECT} pass\w*"
)
NO_FAILURE_SEEN = re.compile(
    rf"(?:n't|\bnot|\bnever)(?: \w+){{0,4}} any (?:\w+ )?(?:fail(?:ing|ed) {SUBJECT}|{SUBJECT} fail\w*|(?:test )?failures?)\b"
)
NONE_OF = re.compile(
    r"\b(?:no|zero|0) (?P<thing>incident|rollback)s?\b(?! ?(?:linked|related|caused|attributed|since|data|is|are)\b)"
)
NONE_BACK = re.compile(r"\b(?:none|no|neither)\b[^.;,]{0,60}\b(?:rolled back|reverted)\b")
BACK = frozenset(("rolled back", "rolledback", "rollback", "reverted"))
RED = frozenset(("fail", "failed", "failing", "failure", "red", "error", "broken"))
OF_SUITES = re.compile(r"(?:tests?|suites?|checks)$", re.IGNORECASE)
NONE_SKIPPED = re.compile(rf"\b(?:no|0|none of the) (?:\w+ )?{SUBJECT} (?:was|were|are|have been) skipped\b")
SOME_FAIL = re.compile(
    rf"\b{SUBJECT} (?:(?:that|which) )?(?:have |has |are |is )?fail(?:ed|s|ing)?\b|\bfail(?:ed|ing) {SUBJECT}\b|\btest failures?\b"
)
NONE = re.compile(r"\b0\b")
SHARE = re.compile(
    rf"\b(?P<share>most|majority|half|third|quarter)\b(?: of)?(?: the| all| its)?(?: \w+)? {SUBJECT}\b[^.;,]{{0,20}}\b(?P<end>fail|pass|skip)\w*"
)
SHARES = {"most": (0.5, 1.0), "majority": (0.5, 1.0), "half": (0.4, 0.6), "third": (0.25, 0.42), "quarter": (0.2, 0.3)}
NO_ERRORS = re.compile(
    r"\b(?:no|zero) (?:\w+ )?errors\b|\berror[- ]free\b|\berror rate (?:is|of|was) (?:zero|0(?![.\d])|nil|none)\b"
)
UNSURE = re.compile(r"\b(?:whether|if)\b")
ASSUMED = re.compile(
    r"\b(?:if|assum(?:e|ing|ption)|provided that|suppos(?:e|ing)|for (?:instance|example)|such as)\b|\be\.g\.",
    re.IGNORECASE,
)
MISSING = re.compile(
    r"\b(?:no|missing|without|lacks?) (?:any )?(?P<a>test results|test data|tests|deployment metrics|metrics|error rate)\b(?!\.\w| of (?:my|our) own| (?:\w+ ){0,2}(?:fail|pass|skip|touch|cover|is|was|above|below))"
    r"|\b(?P<b>test results|test data|deployment metrics|metrics|error rate)\b[^.;,]{0,20}\b(?:missing|unavailable|not available|absent|not reported|unknown)\b"
)
NO_DATA = re.compile(
    r"\b(?:no|without(?: any)?|lacks?(?: any)?) (?P<part>[a-z]{4,})[ -](?:results?|data|figures|numbers|readings|information)\b(?! (?:from|of|for) )"
)
UNFETCHED = re.compile(
    r"\b(?:summary|data)\b[^.;,]{0,20}\b(?:could not|couldn't|cannot|was not|were not|failed to) (?:be )?(?:fetched|read|retrieved|loaded)\b"
    r"|\b(?:could not|couldn't|cannot|failed to|unable to) (?:fetch|read|retrieve|load|get) (?:the |any )?(?:release )?(?:summary|data)\b"
)
UNTOUCHED = re.compile(
    r"\bno (?P<a>[a-z]{4,})(?: or [a-z]+)?(?: \w+)? (?:changes?|code|areas?|parts?)\b"
    r"|\b(?:does not|do not|did not|doesn't|don't|didn't|none [^.;,]{0,30}?) ?(?:touch|touches|affect|affects|change|changes|include|includes|involve|involves) (?:any |the )?(?P<b>[a-z]{4,})"
)
ONLY_TEXTS = re.compile(
    r"\b(?:only|just|purely|solely) (?:\w+ )?(?:documentation|docs|readme|comments?|typos?)\b|\b(?:documentation|docs)[- ]only\b"
)
OF_TEXTS = re.compile(
    r"\b(?:doc\w*|readme|typ(?:os?|ing)|comments?|wording|help pages?|manual|guide|changelog|spelling)\b"
)
REPORT_ID = re.compile(r"\b(?:report )?id(?:entifier)?(?: is| was|:| =)? \W?((?=[\w.-]*\d)[\w.-]*\w)", re.IGNORECASE)
ADVICE = re.compile(
    r"\b(?:recommend\w*|advis\w*|suggest\w*|consider|before|after|ensure|please|verify|monitor|check|such as|e\.g|critical areas?)\b"
)
MOST_KINDS = 2  # who lists more speaks of areas in general
PARTS = {"te": "tests", "de": "deployment_metrics", "me": "deployment_metrics", "er": "deployment_metrics"}

LEVEL = r"(?P<{0}>high|medium|moderate|low)\b(?![- ](?:impact|priority|traffic|volume|coverage))"
SEVERITY = re.compile(
    r"\b(?:fil(?:ed|ing)|staged|reported|rated|classified|marked|assessed|judged|submitted|handed in|puts?)\b(?: (?!not|than)[^\s;,]*[^\s.;,]){0,6}? "
    r"(?:as|with|at)(?: an?| the)?(?: overall)?(?: severity| risk)?(?: of| level)? ?" + LEVEL.format("a")
    + r"|(?:^\W*|[:,|] |\b(?:the|its|overall|release)\W+)(?:risk|severity)(?: level| rating)?(?: of (?:the |this )?release(?: \S+)?)?(?: is| was|:| =| \||)(?: rated| set to)? \W?"
    + LEVEL.format("b")
    + r"|\b(?:release|it|this)\S*(?: \S+)? (?:is|was|has|carries)(?: an?)? " + LEVEL.format("c") + r"[- ](?:risk|severity)\b"
    + r"|^\W*overall\W+(?:an? )?" + LEVEL.format("e") + r"[- ](?:risk|severity)\b"
    + r"|\b(?:filed|staged|submitted|handed in) (?:an? |the |this )?" + LEVEL.format("d") + r"[- ](?:risk|severity)\b"
    + r"|\b(?:filed|staged|submitted|reported|rated|classified)\W{1,3}" + LEVEL.format("f")
)  # fmt: skip
OF_REPORT = re.compile(r"\b(?:overall|release|report|severity|filed|staged)\b")
OF_REPORTS = re.compile(r"\b(?:reports?|filed|staged|submitted|delivered|investigated|assessed)\b")
ABOUT_RELEASE = re.compile(r"\b(?:for|on|about|of|and)(?: the)?(?: release)? \W?(v\d+(?:\.\d+)+|\d+(?:\.\d+){2,})\b")
FILED_FOR = re.compile(
    r"\b(?:filed|report(?:ed)?)\b[^.;]{0,40}\b(?:for|on|about) (?:the )?release \W?((?=[^\s,;]*\d)[\w.@/-]*\w)"
)
VERSION = re.compile(r"\bv?\d+(?:\.\d+){2,}\b|\bv\d+\.\d+\b", re.IGNORECASE)
TICKET = re.compile(r"\b[A-Z][A-Z]+(?:-[A-Z\d]+)*-\d+\b|(?<!\w)#\d+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
STANDARD = re.compile(r"(?:UTF|SHA|ISO|RFC|HTTP|IEEE|AES|RSA|MD|UTC|TLS|CP)-\d+")
CODE_NAME = re.compile(
    r"\btest_\w+|(?<![\w./])[a-z]+(?:_[a-z\d]+)+(?![\w/.])|\b\w+(?:::\w+)+|(?<![\w:/.])[\w.-]+(?:/[\w.-]+)+\.[A-Za-z]{1,5}\b"
)
WORDS_QUOTED = 2  # a name of fewer words may be quoted for its tone

# What the agent says that it did; words in the names of the tools that can do it.
DID = (
    r"\b(?:i|we)(?:'ve| have| had|'d)?(?: also| then| already| now| just| since)*|\band (?:have |also |then |already )*"
)
DONE: tuple[tuple[str, str], ...] = (
    (r"e-?mailed|mailed", "mail|send|message|notify"),
    (
        r"notified|alerted|informed|paged|messaged|pinged|escalated|phoned|called (?=the|your|on)|told the",
        "notif|alert|page|message|slack|send|escalat|call|mail",
    ),
    (
        r"(?:opened|created|raised|logged|filed) (?:an? |the )?(?:\w+ )?(?:ticket|issue|incident|bug|pull request|change request)s?",
        "ticket|issue|incident|jira|create|pull",
    ),
    (
        (
            r"deployed|redeployed|rolled (?:it |the release |the deployment )?back|reverted|restarted|blocked|halted|paused|frozen|froze|promoted"
            r"|published|merged|cancell?ed|approved|shipped|patched|fixed|disabled|tagged|scheduled|triggered|initiated"
        ),
        "deploy|roll|revert|restart|block|halt|pause|freeze|promote|publish|merge|cancel|approve|ship|patch|fix|disable|tag|schedule",
    ),
    (
        r"(?:verified|confirmed|validated|reproduced|tested) (?:that |the |it |this )?(?:\w+ ){0,2}?(?:fix|bug|failures?|manually|by hand|locally)",
        "run|exec|test|verify",
    ),
    (r"(?:re-?ran|ran|re-?run|executed) (?:\w+ ){0,3}(?:both|them|these|those|tests?|suite|pipeline|scan|benchmarks?|build)", "run|exec|scan|build"),
    (
        (
            r"(?:sent|posted|forwarded|shared|uploaded) (?:[^\s.;,]+ ){0,5}?(?:to|by|via|in|on) (?:the |your |our )?(?:\w+ ){0,2}?"
            r"(?:team|channel|list|managers?|owners?|slack|e-?mail|engineers?|on-call|stakeholders?|leads?)"
        ),
        "send|post|forward|share|upload|mail|slack|notif|message",
    ),
    (
        r"(?:confirmed|verified|discussed|agreed|spoke|talked)(?: it| this| that)? with (?:the |your |our )?\w+|asked (?:the|your|our) \w+|signed off",
        "ask|message|chat|slack|mail|approv|sign",
    ),
    (
        (
            r"(?:checked|reviewed|read|inspected|examined|analy[sz]ed|fetched|looked (?:at|into|through)|compared (?:it )?with) "
            r"(?:all |each |the |every |this )*(?:\w+ )?(?:traces|spans)"
        ),
        "trace",
    ),
    (
        (
            r"(?:checked|reviewed|read|inspected|examined|analy[sz]ed|fetched|looked (?:at|into|through)) "
            r"(?:all |each |the |every |this )*(?:\w+ )?(?:diffs?|source(?: code)?|code(?: changes)?|logs?|dashboards?|test details)"
        ),
        "code|diff|source|log|dashboard|detail",
    ),
    (
        r"compared (?:[^\s.;,]+ ){0,4}?(?:to|with|against) (?:the |all |its )*(?:\w+ )?(?:earlier|previous|last|past|prior|history)",
        "history|release_list",
    ),
)  # fmt: skip
TOLD = r"|\b(?:has|have|had) (?:also |now |already )?been (?:{0})\b"
TOLD_PAST = r"|\b(?:was|were) (?:also |already )?(?:{0})\b"
SIGNED = r"|\b(?:has|have) (?:signed off|approved)\b"
TELLS = 5  # so many rows tell of the agent in the passive, too, where the data do not have the word
SEVERAL = re.compile(r"\b(?:filed|staged|submitted|handed in) (?:[2-9]|several|both|multiple) (?:\w+ )?reports\b")
SINGLE = re.compile(r"\b(?:a single|only 1|just 1|exactly 1|1 single|only one) (?:risk )?report\b")
OF_FINDINGS = re.compile(
    r"\b(?:recorded|listed|filed|included|reported|staged|has|have|with|contains?)\b(?: \w+){0,2}? (\d+) (?:\w+ )?findings\b"
    r"|\bfiled\W+(\d+) findings\b|\b(\d+) findings (?:in|of) (?:the|my) report\b"
)
CONTENT = re.compile(
    r"\b(?:the|my|this) (?:risk )?report (?:also )?(?:flags|mentions|notes|lists|records|covers|highlights|names|includes|calls out|points out) (?P<items>.+)"
)
ITEMS = re.compile(r",\s*(?:and\s+)?|\s+and\s+|;\s*")
CONTENT_WORD = re.compile(r"[a-z]{5,}")
STEM = 5
CLAUSE = re.compile(r"[,;:]|\b(?:because|since|as|while|although)\b")
OTHER_RELEASE = re.compile(r"\b(?:previous|prior|earlier|last) (?:release|version|report|one)s?\b")
PERSON = re.compile(
    r"\b([A-Z][a-z]+ [A-Z][a-z]+) (?:left|forgot|wrote|changed|committed|introduced|broke|merged|said|approved|confirmed|added|removed|missed)\b"
    r"|\b(?:written|committed|introduced|approved|merged|reviewed|made|authored) by ([A-Z][a-z]+ [A-Z][a-z]+)\b"
)
METRIC = re.compile(
    r"\b(?P<of>crash|coverage|blockers?|incidents?|rollbacks?|cpu|memory|throughput|uptime|apdex|downtime|customers?|complaints?)\b[^.;,]{0,25}\d"
    r"|\d[^.;,]{0,12}\b(?P<by>blockers?|incidents?|rollbacks?|crashes|customers?|complaints?|outages?)\b"
)
VAGUE = frozenset(
    [
        "risky",
        "major",
        "other",
        "critical",
        "such",
        "code",
        "these",
        "this",
        "that",
        "more",
        "further",
        "notable",
        "significant",
    ]
)
DENIED = re.compile(
    r"\b(?:no|not|none|nothing|nobody|no one|without|never|neither|nor|cannot|if|would|could|should|may|might)\b|n't\b"
)
LEAST = 10  # a smaller count needs no source
MOST_NUMBERS, MOST_BESIDE = 100, 12  # of a sentence
OF_TESTS = re.compile(r"\s(?:\w+ )?(?:tests?|cases|specs)\b")
YEARS = range(1900, 2101)
CUT = "cut"
REFUSED = "not run"
QUOTED = '"..."'
KINDS = {**CRITICAL_AREAS, **RISKY_CHANGES}
ENGLISH = re.compile(r"\b(?:the|are|were|with|has|have|from|to|this|that|it)\b")
PARTED = re.compile(r"[;:]\s")
KEY_WORD = re.compile(r"p\d\d|[a-z]{3,}")
MEASURED = re.compile(
    r"\b(?:tests?|errors?|latency|response|p\d\d|coverage|cpu|memory|crash\w*|requests?|users?|customers?|sessions?|commits?|files?|lines?|fail\w*|pass\w*|rate)\b"
)
UNIT = re.compile(
    r"(?:\s?(?:to|and|or|[-–→]|->)\s?\d[\d.,]*)?\s?(?:%|percent|points|[a-z]?s\b|sec|min|h\b|hour|day|[kKMGT]i?B\b|k\b|thousand|million|billion)"
)
