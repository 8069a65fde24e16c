import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import each_row

from sentinel_core.runtime import redact as module
from sentinel_core.runtime.redact import Redactor, redact, redact_json, redact_value
from sentinel_core.trace import from_json, to_json

KEY = "-----BEGIN RSA PRIVATE KEY-----"
LINE = "MIIEpAIBAAKCAQEA7bq"
TOKEN = "ghp_" + "aB3" * 8


@each_row(
    ("text", "told"),
    [
        (f'{{"links":["https://ci:{LINE}"],"n":1,"owner":"ada@example.org"}}', None),
        ('{"links":["https://ci.example.org"],"n":1,"owner":"ada@example.org"}', None),
        (
            json.dumps(['Fix link "/login?password=hunter2hunter2" in mail', "more"]),
            r'["Fix link \"/login?password=[redacted]\" in mail", "more"]',
        ),
        (
            json.dumps({"changes": [f"Removed the leaked {KEY} block", "more"], "n": 1}),
            '{"changes": ["Removed the leaked [redacted]", "more"], "n": 1}',
        ),
        (json.dumps({"a": f"{KEY}\n{LINE}", "modificationDescription": "more"}), None),
        (json.dumps([KEY, LINE, "-----END RSA PRIVATE KEY-----", LINE, TOKEN]), None),
        ('["Set password=\\"hunter2hunter2\\" in it"]', '["Set password=\\"[redacted]\\" in it"]'),
        ('{"api_key":12345678901234567890}', '{"api_key":"[redacted]"}'),
        ('{"api_key":[12345678901234567890]}', '{"api_key":["[redacted]"]}'),
        ('{"secret_leak": 0.123456, "password": 123456}', '{"secret_leak": 0.123456, "password": "[redacted]"}'),
        (
            '{ "password":"hunter22",\n\t"big": 12345678901234567890123, "f": 1.50, "e": 1e400, "\\u00e9": "\\/", "d": 1, "d": 2}',
            '{ "password":"[redacted]",\n\t"big": 12345678901234567890123, "f": 1.50, "e": 1e400, "\\u00e9": "\\/", "d": 1, "d": 2}',
        ),
        ('{"password": "hunter22", "password": "hunter23"}', '{"password": "[redacted]", "password": "[redacted]"}'),
        (f'["\\u00e9 {TOKEN}", "é {TOKEN}"]', '["\\u00e9 [redacted]", "é [redacted]"]'),
        ('{"Authorization": "Basic dXNlcjpw", "a": "b"}', '{"Authorization": "Basic [redacted]", "a": "b"}'),
        ('["login", "--password",\n "hunter22", "-v"]', '["login", "--password",\n "[redacted]", "-v"]'),
        ('["--password hunter22", "and more text"]', '["--password [redacted]", "and more text"]'),
        ('{"password": null, "next": "hunter22", "password": "a b"}', None),
        (
            json.dumps({"a": json.dumps({"pwd": "hunter22", "n": 1})}),
            json.dumps({"a": '{"pwd": "[redacted]", "n": 1}'}),
        ),
        (json.dumps({TOKEN: 1}), '{"[redacted]": 1}'),
    ],
)
def test_a_document_stays_one(text, told):
    written = redact(text)
    json.loads(written)
    if told is not None:
        assert written == told


def test_lines_of_a_private_key_in_strings_of_their_own_are_taken_out():
    lines = ["cat id_rsa", KEY, LINE, LINE, "-----END RSA PRIVATE KEY-----", LINE, "the rest"]
    assert json.loads(redact(json.dumps(lines))) == [
        "cat id_rsa",
        *["[redacted]"] * 3,
        "-----END RSA PRIVATE KEY-----",
        LINE,
        "the rest",
    ]
    named = json.dumps([{"modificationDescription": line} for line in (KEY, LINE)])
    assert json.loads(redact(named)) == [{"modificationDescription": "[redacted]"}] * 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{'password': 'hunter22'}", "{'password': '[redacted]'}"),
        ('{"password": "hunter22"} and more', '{"password": "[redacted]"} and more'),
        ("[" * 5000 + '"password=hunter22"', "[" * 5000 + '"password=[redacted]"'),
        ('["password=hunter22"' + ",[" * 200_000, '["password=[redacted]"' + ",[" * 200_000),
    ],
    ids=["python", "more", "deep", "deeper"],
)
def test_what_is_no_document_is_flat_text(text, told):
    assert redact(text) == told


VALUES = ('p"ss\\word99xyz', "/abcSECRET/def+ghi==", "line one\nline two", "12345678", "line one\\nline two")


@each_row("value", VALUES)
@each_row("write", [json.dumps, lambda it: json.dumps(it).replace("/", "\\/")])
def test_a_document_loses_values_of_the_environment(value, write):
    redactor = Redactor.of_environment({"DB_PASSWORD": value})
    document = {"a": f"see {value} here", "b": [value, 1.5], "c": json.dumps({"d": value})}
    clean = {"a": "see [redacted] here", "b": ["[redacted]", 1.5], "c": '{"d": "[redacted]"}'}
    assert json.loads(redactor.text(write(document))) == clean


def test_numbers_that_are_values_of_the_environment_become_text():
    redactor = Redactor.of_environment({"PIN_TOKEN": "12345678"})
    assert redactor.text('{"build": 12345678, "n": 1}') == '{"build": "[redacted]", "n": 1}'


def test_line_ends_written_as_two_characters_are_line_ends_in_a_document():
    redactor = Redactor.of_environment({"SIGNING_KEY": "first line\\nsecond line"})
    assert json.loads(redactor.text(json.dumps(["first line\nsecond line"]))) == ["[redacted]"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"password": "hunter22", "n": 123456}, {"password": "[redacted]", "n": 123456}),
        ({"api_key": 12345678, "secret": True}, {"api_key": "[redacted]", "secret": True}),
        ({"argv": ["login", "--api-key", "hunter22"]}, {"argv": ["login", "--api-key", "[redacted]"]}),
        ({"content": '{"pwd":"hunter22","n":1.50}'}, {"content": '{"pwd":"[redacted]","n":1.50}'}),
        ({"max_tokens": 1234567, "secret_leak": 0.123456}, {"max_tokens": 1234567, "secret_leak": 0.123456}),
        ({"tool": "get_token", "required": ["password", "username"]}, None),
    ],
)
def test_what_is_decoded_is_redacted_in_the_same_way(value, told):
    told = value if told is None else told
    assert redact_value(value) == told
    assert from_json(redact_json(to_json(value))) == told
    assert Redactor().plain(value) == told


def test_keys_that_become_the_same_are_numbered():
    keys = ["ghp_" + letter + "1a" * 12 for letter in "abc"]
    value = {keys[0]: 1, "x": 2, keys[1]: 3, "[redacted] 2": 4, keys[2]: 5}
    told = {"[redacted]": 1, "x": 2, "[redacted] 2": 3, "[redacted] 2 2": 4, "[redacted] 3": 5}
    assert redact_value(value) == told
    assert from_json(redact_json(to_json(value))) == told
    assert redact_value(told) == told


TEXTS = st.sampled_from(
    [
        "password",
        "x",
        "--password",
        "-u",
        "Authorization",
        "Cookie",
        "api_key",
        "n: 1",
        'pwd="',
        "token=",
        "\\",
        'a"b',
        "é\n",
    ]
)
MARK = st.integers(100_000, 999_999).map(lambda number: f"s3c{number}xyz")
STRINGS = TEXTS | MARK | st.builds("{}{}".format, TEXTS, MARK) | MARK.map("a:{}".format) | MARK.map("a={}".format)
DOCUMENTS = st.recursive(
    STRINGS | st.integers() | st.none() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4) | inner.map(json.dumps),
    max_leaves=12,
)


@given(DOCUMENTS.filter(lambda it: isinstance(it, dict | list)), st.booleans(), st.sampled_from([None, 1]))
def test_a_document_loses_all_that_flat_text_would(document, in_ascii, indent):
    text = json.dumps(document, ensure_ascii=in_ascii, indent=indent)
    written, flat = redact(text), module._flat(text)
    json.loads(written)
    assert {mark for mark in _marks(text) if mark in written} <= {mark for mark in _marks(text) if mark in flat}


def _marks(text):
    return set(module.re.findall(r"s3c\d{6}xyz", text))
