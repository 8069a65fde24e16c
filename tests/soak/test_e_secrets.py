"""E: secrets of every kind in random documents, deep, escaped, among names and hashes: none comes through, nothing else goes.

A kind is missed where no sample of it is taken out; 3 of 300 may be.
"""

import json

import pytest
from secret_examples import example, harmless, odd_examples, of_shape
from soaking import SOAK, chance_of, seeds

from sentinel_core.runtime.redact import Redactor, redact, redact_json
from sentinel_core.runtime.secret_shapes import KINDS, ODD

PLACES = (
    "{}", "see {}.", "[{}]", "{}\n", "curl https://example.org/?q=1 -H 'x: {}'", "first line\n{}\nlast", "a,{},b", "'{}'",
    "\x1b[31m{}\x1b[0m", "value={}", "{}/", "`{}`", "({})", "<b>{}</b>",
)  # fmt: skip


def document(chance, texts, depth=0):
    """A random JSON value that holds all the texts."""
    if len(texts) <= 1 or depth > 6:
        text = texts[0] if len(texts) == 1 else list(texts)
        return json.dumps({"inner": text}) if depth == 3 and chance.random() < 0.5 else text
    middle = chance.randrange(1, len(texts))
    parts = [document(chance, texts[:middle], depth + 1), document(chance, texts[middle:], depth + 1)]
    return parts if chance.random() < 0.5 else {f"field {number}": part for number, part in enumerate(parts)}


@pytest.mark.parametrize("seed", seeds(3, 200))
def test_no_secret_comes_through_a_document_and_nothing_else_goes(seed):
    chance = chance_of("documents", seed)
    secrets = [example(kind, seed) for kind in KINDS] + list(odd_examples(seed).values())
    others = harmless(seed)
    texts = [chance.choice(PLACES).format(secret) for secret in secrets] + others
    chance.shuffle(texts)
    data = json.dumps(document(chance, texts), ensure_ascii=chance.random() < 0.5)
    for told in (redact_json(data.encode()).decode(), Redactor().text(data), redact(data)):
        whole = told.replace("\\/", "/").replace('\\"', '"').replace("\\\\", "\\")
        assert [secret for secret in secrets if secret in whole] == []
        assert [text for text in others if text not in whole] == []


def test_at_most_3_of_300_kinds_are_missed():
    """Of each kind so many samples as chance makes them, without any choice."""
    samples = 200 if SOAK else 10
    missed, lost, count = {}, 0, 0
    for kind in KINDS:
        chance = chance_of("samples", kind.name)
        secrets = [kind.start + of_shape(kind.shape, chance) for _ in range(samples)]
        through = sum(secret in redact(f"it is {secret} here") for secret in secrets)
        lost, count = lost + through, count + samples
        if through == samples:
            missed[kind.name] = through
    kinds = len(KINDS) + len(ODD)
    print(f"{kinds} kinds, {len(missed)} missed; {lost} of {count} samples came through")  # noqa: T201 - a figure
    assert kinds >= 300
    assert len(missed) <= 3, missed
    assert lost <= count * 0.001


def test_0_of_6_500_hashes_and_names_are_taken_out():
    texts = [text for seed in range(1_000, 1_250) for text in harmless(seed)]
    assert len(texts) >= 6_500
    assert [text for text in texts if redact(text) != text] == []
