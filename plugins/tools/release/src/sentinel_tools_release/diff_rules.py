"""What a diff is read for: kinds of files and areas by their paths, and lines that are dangerous in themselves. Pure tables."""

import re

__all__ = [
    "AREAS",
    "COMMENT",
    "DANGERS",
    "DOCUMENTATION",
    "GENERATED",
    "GUARD",
    "KINDS",
    "MEDIA",
    "OF_SYMBOLS",
    "SIGNS",
    "SYMBOL",
    "SYMBOL_SIGNS",
    "TEST",
    "TEST_BEGINS",
    "UNDONE",
]

# Words of paths, file names and symbols, split at capitals, digits and signs.
AREAS: dict[str, frozenset[str]] = {
    "authentication": frozenset(
        [
            "auth",
            "authentication",
            "authenticate",
            "authn",
            "authz",
            "authorization",
            "authorize",
            "oauth",
            "oidc",
            "saml",
            "sso",
            "login",
            "logins",
            "signin",
            "logout",
            "password",
            "passwords",
            "passwd",
            "credential",
            "credentials",
            "mfa",
            "totp",
            "otp",
            "jwt",
            "permission",
            "permissions",
            "rbac",
            "acl",
            "csrf",
        ]
    ),
    "payment": frozenset(
        [
            "payment",
            "payments",
            "pay",
            "payout",
            "payouts",
            "billing",
            "checkout",
            "invoice",
            "invoices",
            "refund",
            "refunds",
            "charge",
            "charges",
            "pricing",
            "subscription",
            "subscriptions",
            "stripe",
            "paypal",
            "ledger",
            "wallet",
        ]
    ),
    "migrations": frozenset(["migration", "migrations", "migrate", "alembic", "flyway", "liquibase"]),
}
"""Found in paths of any file, and in the names of functions and classes that a change stands in."""

OF_SYMBOLS = ("authentication", "payment")
"""The areas that a function's name tells, too."""

# By the whole path, in small letters.
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("migrations", re.compile(r"(?:^|/)(?:db/migrate|migrations?|alembic|schema)/|(?:^|/)schema\.(?:sql|rb|prisma)$|\.sql$")),
    (
        "infrastructure",
        re.compile(
            r"(?:^|/)(?:dockerfile[\w.-]*|containerfile|jenkinsfile|procfile|vagrantfile|nginx[\w.-]*\.conf|docker-compose[\w.-]*|compose\.ya?ml"
            r"|\.gitlab-ci\.yml|azure-pipelines\.yml)$|\.tf(?:vars)?$|\.hcl$|(?:^|/)\.(?:github/(?:workflows|actions)|circleci|buildkite)/"
            r"|(?:^|/)(?:terraform|k8s|kubernetes|helm|charts?|ansible|deploy|deployment|infra(?:structure)?|ops)/"
        ),
    ),
    (
        "dependencies",
        re.compile(
            r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|pipfile|package\.json|go\.mod"
            r"|cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|gemfile|[\w.-]+\.gemspec|composer\.json|[\w.-]+\.csproj|packages\.config|mix\.exs|\.npmrc"
            r"|(?:package-lock|npm-shrinkwrap)\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|cargo\.lock|go\.sum|gemfile\.lock|pipfile\.lock"
            r"|composer\.lock|\.gitmodules)$|(?:^|/)(?:vendor|node_modules|third_party)/"
        ),
    ),
    ("public interface", re.compile(r"(?:^|/)(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$|\.(?:proto|graphql|graphqls|thrift|avsc|wsdl|idl)$")),
    (
        "configuration",
        re.compile(
            r"(?:^|/)(?:config|conf|configs|configuration|settings|environments?)/|(?:^|/)(?:settings|config|configuration|feature_?flags?)[\w.-]*\.\w+$"
            r"|(?:^|/)\.env[\w.-]*$|\.(?:ini|cfg|conf|properties|env)$|(?:^|/)(?:application|appsettings)[\w.-]*\.(?:ya?ml|json|properties)$"
        ),
    ),
)  # fmt: skip

TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_[\w.-]+|conftest)\.\w+$|[._-](?:test|tests|spec)\.\w+$|(?:test|tests|spec)\.(?:java|kt|cs|swift|scala)$"
)
GENERATED = re.compile(
    r"(?:^|/)(?:vendor|node_modules|third_party|dist|generated|__generated__|__snapshots__)/|\.min\.(?:js|css)$|\.map$|\.snap$"
    r"|_pb2(?:_grpc)?\.pyi?$|\.pb\.go$|\.g\.(?:cs|dart)$|(?:^|/)(?:package-lock|npm-shrinkwrap)\.json$|\.lock$|(?:^|/)(?:go\.sum|pnpm-lock\.yaml)$"
)
DOCUMENTATION = re.compile(
    r"(?:^|/)docs?/(?:.*\.(?:html?|css|ya?ml|json)|[^.]*)$|\.(?:md|mdx|rst|adoc|txt|tex)$|(?:^|/)(?:readme|changelog|changes|license|licence|authors|contributing|notice|code_of_conduct)(?:\.\w+)?$"
)
MEDIA = re.compile(
    r"\.(?:png|jpe?g|gif|webp|ico|svg|pdf|woff2?|ttf|otf|eot|mp[34]|mov|wav|webm|avif|zip|gz|xlsx?|docx?|pptx?|psd|icns)$"
)
COMMENT = re.compile(
    r"^\s*(?:#(?:\s|#|$)|//|--(?:\s|-|$)|/\*(?!.*\*/\s*\S)|\*(?:\s|/\s*$|$)|<!--(?!.*-->\s*\S)|rem\s|$)", re.IGNORECASE
)
"""A line without code."""

UNDONE = re.compile(
    r"\b(?:def|function|async|fn|func)\s+(?:downgrade|down|rollback|revert|undo)\b|\b(?:self|async)?\s*down\s*\(|\bdown\.sql$|/down/",
    re.IGNORECASE,
)
"""Where a migration undoes itself: what it drops there, it has made before."""

TEST_BEGINS = re.compile(
    r"^\s*(?:async )?def test\w*\(|^\s*(?:it|test|describe)(?:\.each)?\s*\(|^\s*@(?:Test|ParameterizedTest)\b|^func (?:Test|Benchmark|Fuzz)\w*\(|^\s*#\[(?:tokio::)?test\]|^\s*\[(?:Fact|Theory|Test)\]"
)
"""A line that begins a test."""

SYMBOL = re.compile(
    r"\b(?:def|class|function|func|fn|sub|interface|struct|module|trait|impl)\s+(?:\([^)]*\)\s*)?(?:self\.)?(\w+)"
    r"|^\s*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|final\s+|const\s+|let\s+|var\s+)+(?:[\w<>\[\],.?]+\s+)?(\w+)\s*[(=]"
)
"""A line that begins a function or a class, and its name."""
_KEYWORDS = (
    "def class function func fn sub interface struct module trait impl export public private protected static async"
    " final const let var"
)
SYMBOL_SIGNS = tuple(f"{word} " for word in _KEYWORDS.split())
"""One of these is in every such line."""
_PROTECTION_SIGNS = (
    "return => -> if true verify cert_none rejectunauthorized tls csrf permit allowany alg chmod access-control skip auth"
    " login 0.0.0.0/0 privileged privilegeescalation curl rm ssl"
)
SIGNS = {
    "destructive_sql": ("drop", "truncate", "delete", "update", "remove_column", "removefield", "deletemodel"),
    "protection_removed": tuple(_PROTECTION_SIGNS.split()),
    "tests_skipped": ("skip", "xfail", "todo", "xit", "xtest", "xdescribe", "disabled", "ignore", "pending"),
}
"""One of these is in every line with such a danger, in small letters: looking for them first is much faster."""
GUARD = re.compile(
    r"@(?:login_required|permission_required|requires?_?auth\w*|require_\w+|authenticated|jwt_required|PreAuthorize|Secured|RolesAllowed|UseGuards)\b"
    r"|\bbefore_action\s+:(?:authenticate|authorize|require)\w*|\b(?:check|verify|require|assert|ensure)_?(?:permissions?|passwords?|signature|auth\w*|login|token|csrf|roles?|access|admin)\w*\s*[(!]"
    r"|\[Authorize\b|\bauthori[sz]e!|\bauthenticate_user!|\bprotect_from_forgery\b|\bcompare_digest\(|\bbcrypt\.\w+\(|\bcheckpw\(|\bisAuthenticated\b|\bverifyToken\b",
    re.IGNORECASE,
)
"""A line that protects; dangerous where it goes, and comes back nowhere."""

_IN_CODE, _IN_TESTS, _IN_AUTH = "code", "tests", "authentication"
# The kind, where it counts (in code, in tests, in code of authentication), whether it is an added line, and the line.
DANGERS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "destructive_sql",
        _IN_CODE,
        re.compile(
            r"\bdrop\s+(?:table|database|schema|column|view|index|tablespace|collection|keyspace)\s+[\w\[{$%`\"\'.]|\btruncate\s+(?:table\s+)?[\"'`\w.]+\s*(?:;|[\"'`)]|$|,|cascade)"
            r"|\bdelete\s+from\s+[\"'`\w.]+\s*(?:;|[\"'`)]|$)|\balter\s+table\b.{0,80}\bdrop\b|\bupdate\s+[\"'`\w.]+\s+set\b(?!.*\bwhere\b).*;"
            r"|\b(?:op\.)?drop_(?:table|column|constraint|database)\s*\(?|\b(?:remove_column|RemoveField|DeleteModel|dropTable|dropColumn|dropDatabase|dropCollection|deleteMany\(\s*\{?\s*\}?\s*\))",
            re.IGNORECASE,
        ),
    ),
    (
        "protection_removed",
        _IN_AUTH,
        re.compile(r"^\s*(?:return|=>|->)\s*\(?(?:true|True|1|nil, nil|None|Ok\(true\)|\{ ?ok: true ?\})\)?\s*;?\s*\}?\s*$|\bif\s*\(?\s*(?:true|True|1)\b|\bor True\b|\|\|\s*true\b"),
    ),
    (
        "protection_removed",
        _IN_CODE,
        re.compile(
            r"\bverify\s*=\s*False\b|\bCERT_NONE\b|InsecureSkipVerify\s*:\s*true|rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED"
            r"|\bcsrf_exempt\b|\bpermit_?all\b|\bAllowAny\b|\balg(?:orithms?)?[\"']?\s*[:=]\s*\[?\s*[\"']none[\"']|\bchmod\s+(?:-R\s+)?0?777\b"
            r"|Access-Control-Allow-Origin[\"']?\s*[:,=]\s*[\"']\*|\bskip_?(?:auth|authentication|verification|before_action :authenticate\w*)\b"
            r"|\b(?:auth|authentication|authorization|require_login|verify_ssl|ssl_verify|csrf(?:_protection)?|tls)(?:_enabled|_required|\.enabled)?[\"']?\s*[:=]\s*(?:false|False|0|off)\b"
            r"|0\.0\.0\.0/0|\b(?:privileged|allowPrivilegeEscalation)\s*:\s*true|\bcurl\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba)?sh\b|\brm\s+-rf\s+/(?:\s|$)|--no-verify\b"
        ),
    ),
    ("tests_skipped", _IN_TESTS, re.compile(
        r"@(?:pytest\.mark\.)?(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail)\(|@unittest\.skip|\bself\.skipTest\(|\b(?:it|test|describe|context)\.(?:skip|todo)\b|^\s*x(?:it|test|describe)\("
        r"|\bt\.Skip(?:Now|f)?\(|@(?:Disabled|Ignore)\b|#\[ignore\]|\[(?:Ignore|Fact\(Skip)|\bpending\b\s*[\"'(]")),
)  # fmt: skip
