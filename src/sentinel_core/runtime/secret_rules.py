"""What tells a secret beside its shape: a URL, a scheme, a name, an option; the rules by which it is taken out of text."""

from typing import NamedTuple

from sentinel_core.runtime.secret_shapes import word_start

__all__ = ["ARGUMENT_RULES", "BLOCK", "CUT_RULES", "FIRST_RULES", "KEY_RULES", "LAST_RULES", "Rule"]

# A set of letters at the very start makes looking three times as fast; what stands before the word is looked at from there.
_BEFORE = word_start(".")
_BEARER = r"(?i:earer)\s{1,3}(?=[A-Za-z._~+/-]{0,64}?(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9._~+/-]{12,}=*"
_BASIC = r"(?i:asic)\s{1,3}[A-Za-z0-9+/]{12,}={1,2}(?![=A-Za-z0-9])"
_SCHEMES = f"[bB]{_BEFORE}(?:{_BEARER}|{_BASIC})()"

# What stands for a user and a password in a URL: what a program puts there, and the example in many a document.
_EXAMPLE = (
    r"(?:[^\s/:@]{0,64}:(?:\$?\{(?!\w{0,64}:[=-])[^\s@]{1,64}\}|\$[A-Za-z_]{1,64}|%s|\*{3,64})"
    r"|(?i:user(?:name|id)?:(?:pass(?:word|wd)?|pwd)))@"
)
_URL = rf"""(://)(?!{_EXAMPLE})(?:[^\s/:@]{{0,64}}:[^\s/"'\\<>]{{1,128}}|[A-Za-z0-9_-]{{20,255}})(?=@)"""
_URL_CUT = r"""(://)(?:[^\s/:@]{0,64}:(?!\d{1,5}\Z|\$?\{|%s)[^\s/"'\\<>@]{1,128}|[A-Za-z0-9_-]{20,255})\Z"""
_HOOK = (
    r"(hooks\.slack\.com/(?=[\w/-]{16})|/api/webhooks/(?=\d{5,25}/[\w-]{16})"
    r"|webhook\.office\.com/webhookb2/(?=[\w@-]{16})|hooks\.zapier\.com/hooks/catch/(?=\d))[\w/@-]{1,512}"
)
BLOCK = "PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY = rf"-----BEGIN [A-Z ]*{BLOCK}(?:[^-]|-(?!-)){{0,16000}}(?:-----END [A-Z ]*{BLOCK})?()"

# A name, what stands between it and its value (quotes, escaped or not, and what assigns), and the value.
_QUOTE = r"""\\{0,8}["']?"""
_ASSIGNS = rf"(?:{_QUOTE}\]?\s{{0,3}}[:=]{{1,2}}(?![:=])(?:>|(?!>))\s{{0,3}}{_QUOTE}(?![\"'\s]))"
_NEXT = rf"""(?:\s{{1,3}}{_QUOTE}|=|\\{{0,8}}["'],?\s{{0,3}}\\{{0,8}}["'])"""  # of arguments: the one after an option
_PLAIN = r"""[^\s"'\\,;&}]"""
_BACKSLASH = r"""\\(?![\\"'nrt]|u00[23])"""
_QUOTED = "".join(
    rf"(?<=[^\\]{mark})(?=(?:[^\s{mark}\\]|\\.){{6}})[^\s{mark}\\]*(?:\\.[^\s{mark}\\]*)*|" for mark in ('"', "'")
)
_VALUE = rf"(?:{_QUOTED}(?=(?:{_PLAIN}|{_BACKSLASH}){{6}}){_PLAIN}*(?:{_BACKSLASH}{_PLAIN}*)*)"
# Of names that much else has, too: with letters and digits, or long and no name itself.
_LIKELY = rf"(?![/~.<$({{*\[]|[a-z]:[\\/])(?={_PLAIN}{{0,64}}?[a-z])(?={_PLAIN}{{0,64}}?\d|[^\s\"'\\,;&}}._(]{{16}})"

# What stands where a secret would, and is none: a reference to it, a blank to fill in, a type, or what is said of it.
_END = r"(?![\w+/=$@#%^*-]|[.!]\w)"
_REFERENCE = (
    r"\$\(|\$\{(?!\w{0,64}:[=-]?\w)|\$(?:[A-Z_][A-Z0-9_]{0,64}|[A-Za-z_]{1,64})(?![\w$!@#%^*=])"
    r"|%[A-Za-z_]{1,64}%(?!\w)|%\(|%[sdrv](?!\w)"
    r"|\{\{|\{%|#\{|\{[\w.()\[\]!:]{1,64}\}(?![\w$/+])|<%|<[\w .:|-]{1,64}(?:>|\Z)"
    r"|[*.xX\u2022]{4,64}(?![\w$*.\u2022])|!(?:secret|Ref|Sub)\b|arn:aws|op://|vault:|env:"
)
_SAID = (
    r"(?:(?:std::)?string|str|(?:secret|any|byte)str(?:ing)?|int(?:eger)?|number|bool(?:ean)?|bytes|object|any"
    "|none|null|nil|true|false|optional|required|undefined|unknown|missing|invalid|incorrect|expired|disabled|enabled"
    f"|hidden|masked|omitted|removed|your[_-][a-z_-]{{1,64}}){_END}"
)
# In code, where no quotes are around it: a call, an item, a type with its arguments, a short name that is an argument.
_NAME = r"[A-Za-z_]\w{0,64}"
_DOT = r"(?:\.|::|->|\?\.)"
_PATH = rf"\$?{_NAME}(?:{_DOT}{_NAME}){{0,6}}"
_CODE = (
    rf"{_PATH}\((?:[\"'\s\\)\[{{*&$<:]|\Z|\d{{1,6}}[),]|[A-Za-z_][\w.]{{0,64}}(?:[\s(),=\[+\\\]-]|\Z))"
    rf"|{_PATH}\[(?:[\"'\s\\$:\]-]|\Z|\w{{1,64}}\s?[\].,|\[:])"
    rf"|{_PATH}<[\w\s,.<>\[\]:&']{{1,64}}>{_END}|[A-Za-z_]{{1,5}}[)\]](?=[)\]:>,;.|\s\"'\\]|\Z)"
    rf"|\{{[A-Za-z]{{1,24}}:|\((?:lambda\b|[A-Za-z ]{{1,24}}\))|[:@][A-Za-z_]{{1,64}}{_END}"
)
# The name of a variable or attribute, and prose; not in NAME=value or NAME: value, as files of settings have it.
_LETTERS = r"[A-Za-z_]{1,64}\d?"
_VARIABLE = (
    rf"\$?{_LETTERS}(?:{_DOT}{_LETTERS}){{1,6}}{_END}|(?i:api_?key|pass(?:word|wd|phrase)|secret|credentials?){_END}"
    rf"|(?:[a-z]{{1,24}}(?:_[a-z]{{1,24}}){{1,6}}|[A-Z]{{1,24}}(?:_[A-Z]{{1,24}}){{1,6}}"
    rf"|_[A-Za-z_]{{1,64}}|[A-Za-z]{{1,24}}(?:Passw(?:or)?d|Secret|Token|Key|Credentials?|Str(?:ing)?|Bytes)){_END}"
)
_PROSE = r"(?<=: )[A-Z]?[a-z']{1,24}(?:[,.!?)]? [(\"'`]?[a-z][a-z_'-]{0,24}(?=[\s,.!?;)\"'`]|\Z)|[.!?](?!\S))"
_BARE = rf"(?<![\"'])(?:{_CODE}|(?<![A-Z0-9]=)(?<![A-Z0-9]: )(?:{_VARIABLE}|{_PROSE}))"
_HELD = rf"(?-i:(?!{_REFERENCE}|(?i:{_SAID})|{_BARE}))"

# Names without their first letters, which a set of letters stands for.
_INITIALS = "[aAbBcCeEgGmMnNpPrRsS\u017ftT_]"
_NAMES = (
    "ecret|assw(?:or)?d|assphrase|pi[_-]?key|(?:ccess|uth|efresh|ession)[_-]?token|(?:rivate|ccount|ccess)[_-]?key"
    "|ccesssignature|(?:igning|ncryption|aster)[_-]?key"
)
_PAGES = "".join(f"(?<!{before}[_-]token)" for before in ("page", "next", "sync", "continuation"))
_UNSURE = (
    f"oken(?<![a-z]token){_PAGES}|(?:pi|ot|pm|it(?:hub|lab)|earer|srf)token"
    "|pass(?<=_pass)|pat(?<=_pat)|wd(?<![a-z]pwd)|uthorization"
)
# What may follow a name, as in SECRET_ACCESS_KEY; not where that makes it the name of something that is no secret.
_TELLS = "count|type|names?|arn|expir[a-z]{1,8}|expires_(?:at|in)|length|limit|policy|usage|url|uri|file|path|version"
_MORE = (
    "(?:(?:[a-z]{1,10}[_-]?)?key"
    rf"|[_-](?!(?:[a-z0-9]{{1,20}}[_-]){{0,2}}(?:{_TELLS})(?![a-z0-9_-]))[a-z0-9_-]{{1,40}}(?![a-z0-9_-]))?"
)
_SCHEME = rf"uthorization{_ASSIGNS}(?:basic|bearer|token|digest|apikey|negotiate)\s{{1,3}}"
_ASSIGNED = (
    rf"({_INITIALS}(?i:(?:(?:{_NAMES}){_MORE}{_ASSIGNS}|{_SCHEME}|(?:{_UNSURE}){_ASSIGNS}(?={_LIKELY})){_HELD}))"
    rf"(?i:{_VALUE})"
)
# What such a name of much else ends in where it is cut: a word of code.
_BARE_WORD = r"(?<![\"'])(?-i:(?<![A-Z0-9]=)(?<![A-Z0-9]: )[A-Za-z_.]{1,16}\Z)"
_ASSIGNED_CUT = (
    rf"({_INITIALS}(?i:(?:(?:{_NAMES}){_MORE}{_ASSIGNS}|(?:{_UNSURE}){_ASSIGNS}(?!{_BARE_WORD})){_HELD}))"
    rf"(?![/~]|\d+\Z){_PLAIN}{{1,256}}\Z"
)
_OPTION = (
    rf"(--(?i:(?:[a-z0-9]{{1,20}}-){{0,3}}[aprst](?:{_NAMES}|oken|ass|wd){_NEXT}(?={_LIKELY})(?!{_SAID})))(?i:{_VALUE})"
)
# Of the options that other commands have, too, in a command that fetches, and as an argument of its own.
_FETCH = r"(?:curl|wget|https?)(?:\.exe)?[\"']?,?\s"
_SAME_COMMAND = rf"(?:(?!{_FETCH}|&&\s|[|;]\s)[^\r\n]|\\\r?\n){{0,600}}?"
_ARGUMENT = r"""(?<=["'])-(?:u|-user)\\{0,8}["'],?\s{0,3}\\{0,8}["']"""
_USER = rf"""[\w.@-]{{1,64}}:)(?!//|{_REFERENCE}){_VALUE}"""
_LOGIN = rf"""((?:\b{_FETCH}{_SAME_COMMAND}(?:(?<=[\s"'])-u|--user){_NEXT}|{_ARGUMENT}){_USER}"""
_PROXY_LOGIN = rf"(--proxy-user{_NEXT}{_USER}"
_COOKIE = rf"((?i:cookie{_ASSIGNS})(?!{_REFERENCE}|{_PATH}\()){_PLAIN}{{1,64}}?=[^\"'\\\r\n]{{6,}}"
# In XML: <password>VALUE</password>, <add key="Password" value="VALUE"/> in either order, <key>ApiKey</key><string>VALUE</string>.
_MARK = r"""\\{0,8}["']"""
_WRITTEN = rf"""(?!{_REFERENCE}|(?i:{_SAID}))(?:[^\s"'<>\\]|\\(?!\\{{0,8}}["'/])){{4,512}}"""
_XML_NAME = rf"{_INITIALS}(?i:(?:{_NAMES}|wd){_MORE})"
_OPENED = rf"(?:(?:{_MARK})?(?:\s[^<>]{{0,200}})?(?:>|&gt;)|</key>\s{{0,20}}<string>)\s{{0,20}}(?:<!\[CDATA\[)?"
_ELEMENT = rf"({_XML_NAME}{_OPENED}){_WRITTEN}(?=(?:\]\]>)?\s{{0,20}}(?:<|&lt;)\\?/)"
_ATTRIBUTE = rf"({_XML_NAME}{_MARK}\s{{1,20}}(?i:value) ?=\s{{0,3}}{_MARK}){_WRITTEN}(?={_MARK})"
_ATTRIBUTE_BEFORE = (
    rf"(\b[vV](?i:alue) ?=\s{{0,3}}{_MARK}){_WRITTEN}"
    rf"(?={_MARK}\s{{1,20}}(?:key|name)\s{{0,3}}=\s{{0,3}}{_MARK}[\w.:-]{{0,64}}?{_XML_NAME}{_MARK})"
)
# What signs a URL is as good as a password. "sig" and "token" are so in a query alone, and not where they are short.
_SIGNERS = (
    r"""x-(?:amz|goog|oss)-(?:signature|credential|security-token)(?:%3d|["']?\s{0,3}[:=]\s{0,3}["']?)""",
    r"""(?:(?<=[?&;])|(?<=u0026))(?:sig(?:nature)?|token)=(?=[^\s"',;&}]{16})""",
    r"\bsignature=(?=[0-9a-f]{64})",
)
_SIGNED = rf"""(?i)({"|".join(_SIGNERS)})([^\s"',;&}}]{{6,}})"""

# What a text without such secrets has none of, in small letters: looking for these takes a tenth of the time, the more as most
# texts lack what each group of them begins with.
_KEYS = ("api", "private", "account", "access", "signing", "encryption", "master")
_Marks = tuple[tuple[str, tuple[str, ...]], ...]
_NAME_MARKS: _Marks = (
    ("pass", ("passw", "_pass", "passphrase")),
    ("key", tuple(name + mark for name in _KEYS for mark in ("key", "_key", "-key"))),
    ("", ("secret", "token", "_pat", "pwd", "authorization", "accesssignature")),
)


_OF_XML = tuple(mark for _, marks in _NAME_MARKS for mark in marks)
_VALUE_MARKS: _Marks = (("value=", _OF_XML), ("value =", _OF_XML))


class Rule(NamedTuple):
    """What is taken out, but for the expression's first group, of a text that has one of the marks.

    ``assigned``: only where ":" or "=" is in it.
    """

    pattern: str
    marks: _Marks
    assigned: bool = False


# Before what is known by its shape: names in URLs may look like keys, and a scheme goes with its credentials.
FIRST_RULES = (
    Rule(_URL, (("://", ("",)),)),
    Rule(_HOOK, (("hook", ("hooks.slack.com/", "/api/webhooks/", "webhook.office.com/", "hooks.zapier.com/")),)),
    Rule(_PRIVATE_KEY, (("-----begin", ("",)),)),
    Rule(_SCHEMES, (("", ("bearer", "basic")),)),
)
LAST_RULES = (
    Rule(_ASSIGNED, _NAME_MARKS, assigned=True),
    Rule(_ELEMENT, (("</", _OF_XML), ("<\\/", _OF_XML), ("&lt;/", _OF_XML))),
    Rule(_ATTRIBUTE, _VALUE_MARKS, assigned=True),
    Rule(_ATTRIBUTE_BEFORE, _VALUE_MARKS, assigned=True),
    Rule(_OPTION, (("--", ("",)),)),
    Rule(_LOGIN, (("-u", ("-u ", "-u'", '-u"', "-u\\", "-u=", "-user")),)),
    Rule(_PROXY_LOGIN, (("--proxy-user", ("",)),)),
    Rule(_COOKIE, (("cookie", ("",)),), assigned=True),
    Rule(_SIGNED, (("x-", ("x-amz-", "x-goog-", "x-oss-")), ("=", ("sig=", "signature=", "token=")))),
)
CUT_RULES = (
    Rule(_URL_CUT, (("://", ("",)),)),
    Rule(_ASSIGNED_CUT, _NAME_MARKS, assigned=True),
)
# What a key names, and what an argument does; the marks are looked for in the key or argument alone.
KEY_RULES = tuple(rule for rule in LAST_RULES if rule.pattern in (_ASSIGNED, _COOKIE, _SIGNED))
ARGUMENT_RULES = tuple(rule for rule in LAST_RULES if rule.pattern in (_OPTION, _LOGIN, _PROXY_LOGIN))
