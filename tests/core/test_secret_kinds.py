"""Each kind of secret in the table is taken out, wherever it stands; hashes and names of things stay."""

import json
import re

from secret_examples import example, harmless, odd_examples
from tables import each_row

from sentinel_core.runtime.redact import redact, redact_cut, redact_json
from sentinel_core.runtime.secret_kinds import LISTS
from sentinel_core.runtime.secret_shapes import KINDS, ODD

MASK = "[redacted]"
SEEDS = range(5)
SECRETS = {kind.name: [example(kind, seed) for seed in SEEDS] for kind in KINDS} | {
    odd.name: [odd_examples(seed)[odd.name] for seed in SEEDS] for odd in ODD
}
PLACES = ("{}", "it is {} here", "({})", "key\n{}\n", "<{}>", "a={}", "curl -H 'x: {}' https://example.org")


@each_row("name", SECRETS)
def test_a_secret_is_taken_out_wherever_it_stands(name):
    for secret in SECRETS[name]:
        for place in PLACES:
            assert redact(place.format(secret)) == place.format(MASK), place
        assert json.loads(redact_json(json.dumps({"content": [f"use {secret}"]}).encode())) == {
            "content": [f"use {MASK}"]
        }


@each_row("kind", KINDS)
def test_the_first_half_of_a_secret_that_was_cut_is_taken_out(kind):
    for seed in SEEDS:
        secret = example(kind, seed)
        cut = "x " * 60 + secret[: len(kind.start) + (len(secret) - len(kind.start)) // 2]
        told = redact_cut(cut)
        assert told.endswith(MASK)
        assert len(told) <= len("x " * 60 + kind.start + MASK)


def test_300_kinds_are_known_each_once_and_each_from_somewhere():
    names = [row.name for row in (*KINDS, *ODD)]
    assert len(names) >= 300
    assert len(set(names)) == len(names)
    assert {
        row.source for row in (*KINDS, *ODD) if not re.fullmatch(r"[\w.-]+\.[a-z]{2,}(?:/[\w./-]*)?", row.source)
    } <= {*LISTS}
    assert {name for name in LISTS if all(row.source != name for row in (*KINDS, *ODD))} == set()


def test_hashes_and_names_of_things_stay():
    texts = [text for seed in range(250) for text in harmless(seed)]
    assert len(texts) >= 6_500
    assert [text for text in texts if redact(text) != text] == []
    assert [text for text in texts if redact(f'{{"id": "{text}"}}') != f'{{"id": "{text}"}}'] == []


@each_row(
    "text",
    [
        "test_a_long_name_of_a_test_2",
        "test_ThisTestHasALongNameInCamelCase",
        "app-server-configuration-manager",
        "app-routing.module.ts",
        "live_server_update_handler",
        "secret_santa_list_of_2026",
        "api-gateway-deployment-7f9c6d5b8-x2x9k",
        "fc-cache: /usr/share/fonts/truetype",
        "sdk-build-tools-android-34",
        "re_compile_patterns_at_import_time",
        "key-value-store-with-replication",
        "dataset-loader-for-multilingual-text",
        "t1.large.example.internal.hostname",
        "st.session_state.conversation_history",
        "tr_dev_environment_settings",
        "up_arrow_key_pressed_handler",
        "console-log-statements-in-production",
        "sk-learn-compatible-estimators",
        "SK HYNIX 0123456789",
        "patch-2024-11-23.diff",
        "https://example.org/api-reference/v1.0-beta/secret-manager",
        "ticket SKU-00112233445566778899",
        "web_accessible_resources app_settings_page",
    ],
)
def test_names_that_begin_as_secrets_do_stay(text):
    assert redact(text) == text
    assert redact_cut("x " * 60 + text) == "x " * 60 + text


@each_row("piece", ["AKIA", ":AA", "Q~a", "s.aB3", "AAAAAAAAAA", ".aaaaaa.", "+ASt", "eyJa.", "1//0", "|aaa"])
def test_text_that_looks_like_the_starts_of_many_secrets_comes_to_its_end(piece):
    """What backtracks without end would not."""
    redact_cut(piece * (100_000 // len(piece)))
    redact_cut(f"{piece}{'a1' * 40} " * (100_000 // (len(piece) + 81)))


def test_the_starts_of_all_kinds_together_come_to_their_end():
    redact_cut("".join(kind.start for kind in KINDS) * 50)
    redact_cut("-".join(kind.start + "a1" * 8 for kind in KINDS) * 5)
