import re

from hypothesis import given
from hypothesis import strategies as st
from tables import each_row

from sentinel_core.runtime import redact as module
from sentinel_core.runtime.redact import redact, redact_cut
from sentinel_core.runtime.secret_shapes import without_shapes

A = "aB3" * 20
HEX = "0123456789abcdef"
SIGNED = "X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]"
SECRETS = {
    "anthropic": f"sk-ant-{A}",
    "openai": f"sk-{A[:16]}",
    "aws": "AKIA" + "Q" * 16,
    "aws session": "ASIA" + "7" * 16,
    "github": f"ghp_{A[:20]}",
    "github, fine-grained": f"github_pat_{A[:20]}",
    "gitlab": f"glpat-{A[:16]}",
    "slack": f"xoxb-{A[:10]}",
    "google": f"AIza{A[:30]}",
    "jwt": f"eyJ{A[:8]}.{A[:8]}.{A[:4]}",
    "long jwt": f"eyJ{'a' * 256}.{'b' * 4096}.{'c' * 1024}",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIC\nabc\n-----END RSA PRIVATE KEY-----",
    "half a private key": "-----BEGIN PRIVATE KEY-----\nMIIC",
    "pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: a-b\n\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----",
    "npm": f"npm_{A[:36]}",
    "hugging face": f"hf_{A[:34]}",
    "stripe": f"sk_live_{A[:24]}",
    "sendgrid": f"SG.{A[:22]}.{A[:43]}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{A[:20]}",
    "google, of a login": f"ya29.{A[:30]}",
    "google, of a client": f"GOCSPX-{A[:28]}",
    "slack, of an app": f"xapp-1-{A[:12]}",
    "docker": f"dckr_pat_{A[:27]}",
    "digital ocean": f"dop_v1_{'0123456789abcdef' * 4}",
    "age": f"AGE-SECRET-KEY-1{'Q' * 58}",
    "basic": "Basic dXNlcjpwYXNzd29yZDEyMzQ=",
}
SAID = [
    ("Authorization: Bearer abcdefghijkl==", "Authorization: [redacted]"),
    ("postgres://user:pa55@host/db", "postgres://[redacted]@host/db"),
    (f"https://ghp_{A[:20]}:x-oauth-basic@host", "https://[redacted]@host"),
    ('{"api_key": "abc123"}', '{"api_key": "[redacted]"}'),
    ("PASSWORD=hunter22;", "PASSWORD=[redacted];"),
    ("passwd : 'hunter22'", "passwd : '[redacted]'"),
    ("access-token=abcdef&x=1", "access-token=[redacted]&x=1"),
    ("client_secret=abcdef", "client_secret=[redacted]"),
    (f"https://s3/a?X-Amz-Credential={HEX}%2F2026&X-Amz-Signature={HEX}&x=1", f"https://s3/a?{SIGNED}&x=1"),
    ("X-Amz-Security-Token: FwoGZXIvYXdz//8", "X-Amz-Security-Token: [redacted]"),
    ('{"x-goog-signature": "abcdef12"}', '{"x-goog-signature": "[redacted]"}'),
    (
        "?to=https%3A%2F%2Fs3%3FX-Amz-Signature%3Dabcdef12&x",
        "?to=https%3A%2F%2Fs3%3FX-Amz-Signature%3D[redacted]&x",
    ),
    (f"https://blob/a?sv=2026&sig={HEX}%3D&se=1", "https://blob/a?sv=2026&sig=[redacted]&se=1"),
    (f"https://cdn/a?Expires=1\\u0026Signature={HEX}", "https://cdn/a?Expires=1\\u0026Signature=[redacted]"),
    (f"https://web/a?token={HEX}", "https://web/a?token=[redacted]"),
    (f"SignedHeaders=host, Signature={HEX * 4}", "SignedHeaders=host, Signature=[redacted]"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI\\nx", "AWS_SECRET_ACCESS_KEY=[redacted]\\nx"),
    ('{\\"password\\": \\"hunter2hunter2\\"}', '{\\"password\\": \\"[redacted]\\"}'),
    (r"{\\\"secret\\\":\\\"abcdef\\\"}", r"{\\\"secret\\\":\\\"[redacted]\\\"}"),
    (r"password=ab\cdef\ghi d", "password=[redacted] d"),
    ('{"password":"Tr0&b4,d}or;3", "a":1}', '{"password":"[redacted]", "a":1}'),
    (r'{"password":"ab\"cd\\ef", "a":1}', '{"password":"[redacted]", "a":1}'),
    ("SECRET_KEY = 'a&b\"cdef'", "SECRET_KEY = '[redacted]'"),
    ("export GITHUB_TOKEN=abcdef1234567", "export GITHUB_TOKEN=[redacted]"),
    ("DB_PASS=hunter2hunter", "DB_PASS=[redacted]"),
    ("SECRET_KEY_BASE: abcdefgh", "SECRET_KEY_BASE: [redacted]"),
    ("api_key_2=abcdef", "api_key_2=[redacted]"),
    ('{"apiKey":"abcdef"}', '{"apiKey":"[redacted]"}'),
    ('{"secretAccessKey":"abcdef"}', '{"secretAccessKey":"[redacted]"}'),
    ('{"token":"abcdef1234"}', '{"token":"[redacted]"}'),
    ('{"refresh_token":"abcdef"}', '{"refresh_token":"[redacted]"}'),
    ('{"private_key":"abcdef"}', '{"private_key":"[redacted]"}'),
    ("PRIVATE-TOKEN: abcdef12", "PRIVATE-TOKEN: [redacted]"),
    ("//registry/:_authToken=abc-12", "//registry/:_authToken=[redacted]"),
    ("$config['password'] => 'abcdef'", "$config['password'] => '[redacted]'"),
    ("passphrase=abcdef", "passphrase=[redacted]"),
    ("Server=a;Uid=b;Pwd=hunter22;", "Server=a;Uid=b;Pwd=[redacted];"),
    ("AccountName=a;AccountKey=ab+/cd==;", "AccountName=a;AccountKey=[redacted];"),
    ("Authorization: Basic dXNlcjpw", "Authorization: Basic [redacted]"),
    ("authorization: token abcdef", "authorization: token [redacted]"),
    ("'Authorization': 'abcdef123'", "'Authorization': '[redacted]'"),
    ("Cookie: a=1; sid=abcdef123", "Cookie: [redacted]"),
    ("Set-Cookie: sid=abcdef123; Path=/\nx", "Set-Cookie: [redacted]\nx"),
    ("login --password hunter22 -v", "login --password [redacted] -v"),
    ("login --api-key=hunter22", "login --api-key=[redacted]"),
    ('["--auth-token", "hunter22"]', '["--auth-token", "[redacted]"]'),
    ("curl -u admin:hunter22 x", "curl -u admin:[redacted] x"),
    ("curl --user admin:hunter22 x", "curl --user admin:[redacted] x"),
    ("/bin/curl 'https://a?b=1&c=2' \\\n -u admin:hunter22", "/bin/curl 'https://a?b=1&c=2' \\\n -u admin:[redacted]"),
    ("curl --proxy-user a:hunter22 -u b:hunter23 x", "curl --proxy-user a:[redacted] -u b:[redacted] x"),
    ("['curl', '-s', '-u', 'admin:hunter22']", "['curl', '-s', '-u', 'admin:[redacted]']"),
    ("password: swordfish\nhost: a", "password: [redacted]\nhost: a"),
    ("password = swordfish", "password = [redacted]"),
    ("PASSWORD=my_secret.word", "PASSWORD=[redacted]"),
    ("SECRET=$ecret12x", "SECRET=[redacted]"),
    ("secret=abc)def9x", "secret=[redacted]"),
    ("secret=hunter(2x9y", "secret=[redacted]"),
    ("password=${DB:-hunter22}", "password=[redacted]}"),
    ("postgres://ada:${DB:-hunter22}@host", "postgres://[redacted]@host"),
    ("password=****hunter22", "password=[redacted]"),
    ("password=changeme", "password=[redacted]"),
    ("password='get_secret.name'", "password='[redacted]'"),
    ('{"password": "settings.PASSWORD"}', '{"password": "[redacted]"}'),
    ("token: MTIzNDU2.Gabc1x.AbCdEf-12345", "token: [redacted]"),
    ("sk-lf-12345678-1234-1234-1234-123456789abc", "[redacted]"),
    ("Bearer abcdefGHIJKLM", "[redacted]"),
    ('["-u", "admin:hunter22"]', '["-u", "admin:[redacted]"]'),
    ("redis://:hunter2@host", "redis://[redacted]@host"),
    ("postgres://user:p@ss:w@host/db", "postgres://[redacted]@host/db"),
    (f"https://{HEX}{HEX}@github.com/a", "https://[redacted]@github.com/a"),
    ("https://hooks.slack.com/services/T0/B0/" + A[:24], "https://hooks.slack.com/[redacted]"),
    ("https://discord.com/api/webhooks/12345678/" + A, "https://discord.com/api/webhooks/[redacted]"),
    ('<add key="Password" value="hunter2" />', '<add key="Password" value="[redacted]" />'),
    ('<add key="Db.Password" value="hunter2"/>', '<add key="Db.Password" value="[redacted]"/>'),
    ("<add value='hunter2' key='SmtpPassword'/>", "<add value='[redacted]' key='SmtpPassword'/>"),
    ('<property name="api-key"\n  value = "abcd1234"/>', '<property name="api-key"\n  value = "[redacted]"/>'),
    (
        r'{"xml": "<add key=\"Password\" value=\"hunter2\"/>"}',
        r'{"xml": "<add key=\"Password\" value=\"[redacted]\"/>"}',
    ),
    (r"<add key=\"Password\" value=\"hunter2\"/> and", r"<add key=\"Password\" value=\"[redacted]\"/> and"),
    ("<password>hunter2</password>", "<password>[redacted]</password>"),
    ("<server><password>hunter2</password></server>", "<server><password>[redacted]</password></server>"),
    ("<passphrase>\n  hunter2\n</passphrase>", "<passphrase>\n  [redacted]\n</passphrase>"),
    ("<db:password type='text'>hunter2</db:password>", "<db:password type='text'>[redacted]</db:password>"),
    ('<property name="jdbc.password">hunter2</property>', '<property name="jdbc.password">[redacted]</property>'),
    ("<password><![CDATA[hunter2]]></password>", "<password><![CDATA[[redacted]]]></password>"),
    ("&lt;password&gt;hunter2&lt;/password&gt;", "&lt;password&gt;[redacted]&lt;/password&gt;"),
    ("<key>ApiKey</key>\n<string>hunter2</string>", "<key>ApiKey</key>\n<string>[redacted]</string>"),
    (r"<apiKey>hunter2<\/apiKey>", r"<apiKey>[redacted]<\/apiKey>"),
    ("DJANGO_SIGNING_KEY=hunter2x", "DJANGO_SIGNING_KEY=[redacted]"),
    ("export JWT_SIGNING_KEY='hunter2x'", "export JWT_SIGNING_KEY='[redacted]'"),
    ("signing-key: hunter2x", "signing-key: [redacted]"),
    ('{"signingKey": "hunter2x"}', '{"signingKey": "[redacted]"}'),
    ("ENCRYPTION_KEY=hunter2x", "ENCRYPTION_KEY=[redacted]"),
    ("RAILS_MASTER_KEY=hunter2x", "RAILS_MASTER_KEY=[redacted]"),
    (f"root:$6$saltsalt${'aB1.' * 21}xy:19000:0:99999:7:::", "root:[redacted]:19000:0:99999:7:::"),
    (f"$5$saltsalt${'aB1.' * 10}xyz", "[redacted]"),
    (f"$1$saltsalt${'aB1.' * 5}xy", "[redacted]"),
    (f"$apr1$saltsalt${'aB1.' * 5}xy", "[redacted]"),
    (f"$y$j9T$saltsalt${'aB1.' * 10}xyz", "[redacted]"),
    (f"users=ada:$$2y$$10$${'aB1.' * 13}x", "users=ada:[redacted]"),
    (rf"useradd -p \$6\$salt\${'aB1.' * 21}xy ada", "useradd -p [redacted] ada"),
    (f"pcsk_{A[:5]}_{A[:31]}{A[:32]}", "[redacted]"),
    (f"pcsk_{A[:6]}_{A[:31]}{A[:33]}", "[redacted]"),
    (f"ext_{A[:8].lower()}.{A[:4].lower()}.acc-{A[:12].lower()}.{A}", "[redacted]"),
]
BEFORE = {
    "a line's end in JSON": "one\\n",
    "a tab in JSON": "\\t",
    "a colour": "\x1b[31m",
    "a bright colour": "\x1b[01;31m",
    "what grep writes": "\x1b[01;31m\x1b[K",
    "a colour in JSON": "\\u001b[31m",
    "an underscore": "_",
    "an escape of JSON": "\\u0022",
    "an escape of a URL": "%3D",
}


@each_row("secret", SECRETS.values())
def test_secrets_are_taken_out(secret):
    assert redact(f"it is {secret} here").startswith("it is [redacted]")
    assert redact(f"«{secret}»").count("[redacted]") == 1
    assert secret[10:] not in redact(f"it is {secret} here")


@each_row("secret", [SECRETS["aws"], SECRETS["github"], SECRETS["anthropic"]])
@each_row("before", BEFORE.values())
def test_a_secret_is_seen_behind(before, secret):
    assert redact(before + secret) == f"{before}[redacted]"


@each_row(("text", "told"), SAID)
def test_what_is_said_to_be_secret_is_taken_out(text, told):
    assert redact(text) == told


PLAIN = [
    "",
    "The password was wrong.",
    "task-1234567890123456789",
    "sk-short",
    "AKIA too short",
    "https://example.org:8080/path",
    "the secret: it is",
    "eyJ alone",
    "bearer of news",
    "the X-Amz-Signature is missing",
    "f(x?sig=1&token=next)",
    f"design={HEX}",
    f"signature={HEX}",
    f"pageToken={HEX}",
    f'"next_page_token": "{HEX}"',
    '{"max_tokens": 100, "tokens": 512345678, "total_tokens": 1234567, "token_count": 1234567}',
    "token_count = 5",
    "token_type: bearer_of_1",
    '"token": 123456789',
    '"eos_token": "<|end_of_text_1|>"',
    '"password": null, "secret": false',
    "the password is reset",
    "secret_santa: yes",
    "password_expires_at: 2026-01-01",
    "secret_name: database-1",
    "first_pass: completed",
    "tokenizer.pad_token = tokenizer.eos_token",
    "headers['Authorization'] = _basic_auth_str(username, password)",
    'special["pad_token"] = DEFAULT_PAD_TOKEN',
    "PWD=/home/me/work1",
    "You booked basic economy for a basic fare",
    "sort -u file:1",
    "git push -u https://example.org/a.git",
    "docker run -u 1000:1000 image",
    "date -u +%Y-%m-%dT%H:%M:%SZ",
    "use --password to set it, or --token-file",
    "the cookie: it is eaten",
    "npm_config_registry, hf_hub_download",
    "Authorization: required",
    "git@github.com:a/b.git ssh://git@host/a",
    "https://example.org/docs/webhooks/12345",
    '<add key="PasswordLength" value="12-characters" />',
    '<add key="Timeout" value="1234567" />',
    '<input type="password" value="${PASSWORD}"/>',
    "<password>${env.DB_PASSWORD}</password>",
    "<password>string</password> <password></password> <password/>",
    "<password>the password of the user</password>",
    "<Password>{value}</Password>",
    "<label>Password</label><input>hunter2</input>",
    "<td>token</td><td>hunter2</td>",
    "costs $6$ or $1$ each, $2 for $5$ more",
    "awk '{print $1$2$6$7}'",
    "signing_key_id: key-1",
    "master_key_path: /etc/keys/one1",
    "t1.start_time and t1.end_time",
    "the .acc_total of sc_one.two",
    "current_status_before_action_2_3",
]


@each_row("text", PLAIN)
def test_the_rest_is_left_alone(text):
    assert redact(text) == text


PIECES = (
    *SECRETS.values(),
    "API-Key=",
    "pAsswd: ",
    "auth_TOKEN='",
    "Secret",
    *("secret_key=", "Access-Key: ", "passphrase=", "_PASS=a1", "_pat=a1", "pwd=a1", "Private_Key=", "accountkey="),
    *(
        "authorization: ",
        "Authorization: Basic ",
        "cookie: a=",
        "--password ",
        "curl -u a:",
        "--proxy-user a:",
        "hooks.slack.com/",
    ),
    *(
        "discord.com/api/webhooks/12345678/",
        "AccessSignature=",
        "ap\u0130key=",
        "author\u0131zation: basic ",
        "redis://:",
    ),
    "X-Amz-SIGNATURE=",
    "&\u017fig=",
    "?Token=",
    "\u212aey",
    "\u017fecret=",
    "BEARER ",
)


@given(st.lists(st.sampled_from(PIECES) | st.text("ab1 _-:=/@.kK\u017f", max_size=12), max_size=8))
def test_what_cannot_hold_a_secret_is_seen_without_looking_for_each(pieces):
    text = "".join(pieces)
    everything = everywhere(module.FIRST_RULES, text)
    everything = everywhere(module.LAST_RULES, without_shapes(everything, module.MASK))
    assert redact(text) == everything


def everywhere(rules, text):
    for rule in rules:
        text = re.sub(rule.pattern, rf"\1{module.MASK}", text)
    return text


def test_no_expression_needs_what_python_3_11_2_has_broken():
    """Possessive quantifiers and atomic groups."""
    rules = (*module.FIRST_RULES, *module.LAST_RULES, *module.CUT_RULES)
    parsed = [repr(re._parser.parse(rule.pattern)) for rule in rules]
    assert [text for text in parsed if "POSSESSIVE" in text or "ATOMIC" in text] == []
    assert "ATOMIC" in repr(re._parser.parse("(?>a)"))
    assert "POSSESSIVE" in repr(re._parser.parse("a++"))


FILLING = "Error: " + "x " * 80


@each_row(
    ("end", "told"),
    [
        ("https://deploy:Sup3rS3", "https://[redacted]"),
        (f"https://{HEX}{HEX}", "https://[redacted]"),
        ("AIzaSyA1", "[redacted]"),
        ("ghp_a1", "[redacted]"),
        ("(sk-ant-api03-abc", "([redacted]"),
        ("eyJabc.ab", "[redacted]"),
        ('{"password": "hun', '{"password": "[redacted]'),
        ("GITHUB_TOKEN=abc", "GITHUB_TOKEN=[redacted]"),
        ("see http://localhost:8080", "see http://localhost:8080"),
        ("see https://example.org/a", "see https://example.org/a"),
        ("in basic economy", "in basic economy"),
        ("PWD=/home", "PWD=/home"),
        ("tokens: 123", "tokens: 123"),
        ("sk-a, and more", "sk-a, and more"),
        ("see sk-learn", "see sk-learn"),
        ("from hf_hub", "from hf_hub"),
        ("pad_token = tokeniz", "pad_token = tokeniz"),
        ("(token: Optional[st", "(token: Optional[st"),
        ("password=<PASSW", "password=<PASSW"),
        ('{"token": "abc', '{"token": "[redacted]'),
    ],
)
def test_what_is_left_of_a_secret_that_was_cut_is_taken_out(end, told):
    assert redact_cut(FILLING + end) == FILLING + told
    assert redact_cut(end) == redact(end)  # too short to have been cut
