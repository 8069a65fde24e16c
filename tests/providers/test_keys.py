"""Keys come from the environment, and get out nowhere."""

import logging

import pytest

from sentinel_core.errors import AuthenticationError, ModelError, ProviderError
from sentinel_core.providers import hide, read_key
from sentinel_faults import actions
from sentinel_faults.table import Fault


def fault(act):
    return Fault(name="echo", act=act, outcome="ValidationError")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_server_that_echoes_the_key(connection, status, stream):
    text = f"bad key {connection.key}, I say"
    act = actions.error_in_200(400) if status == 200 else actions.status(status, text)
    body = actions.body(f'{{"error": "{text}"}}'.encode())
    connection.server.play(fault(body if status == 200 else act))
    with pytest.raises(ModelError) as caught:
        connection.ask(stream=stream)
    told = str(caught.value)
    assert connection.key not in told
    assert caught.value.__cause__ is None
    assert status == 200 or "[redacted]" in told or connection.name == "anthropic"


def test_a_wrong_key_names_its_variable(connection):
    connection.server.play(fault(actions.status(401, "no such key")))
    with pytest.raises(AuthenticationError) as caught:
        connection.ask()
    assert str(caught.value) == (
        f'provider "{connection.name}" at {connection.server.base_url} answered 401: no such key; '
        f"check the key in {connection.variable}, and that it is for this address (--base-url)"
    )


def test_a_page_for_people_names_the_flag_for_another_address(connection):
    connection.server.play(fault(actions.body(b"<!doctype html><title>Welcome</title>", kind="text/html")))
    with pytest.raises(ProviderError, match=r"sent an HTML page instead of JSON; set another address with --base-url$"):
        connection.ask()


def test_the_key_is_in_no_log_and_no_repr(connection, caplog):
    model = connection.connect()
    with caplog.at_level(logging.DEBUG):
        model.note(f"the key is {connection.key}")
        connection.ask()
    model.close()
    assert connection.key not in repr(model)
    assert "the key is [redacted]" in caplog.text
    assert connection.key not in "".join(f"{record.getMessage()}" for record in caplog.records)


def test_which_variable_counts(monkeypatch):
    for name in ("A_KEY", "B_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(AuthenticationError, match='provider "x" needs a key: set A_KEY in the environment'):
        read_key("x", ("A_KEY", "B_KEY"))
    monkeypatch.setenv("B_KEY", " second \n")
    assert read_key("x", ("A_KEY", "B_KEY")) == ("B_KEY", "second")
    monkeypatch.setenv("A_KEY", "fir\x00st".replace("\x00", "\x07"))
    with pytest.raises(AuthenticationError, match="the key in A_KEY contains characters that no key can contain"):
        read_key("x", ("A_KEY", "B_KEY"))


def test_a_short_key_hides_nothing():
    assert str(hide(ProviderError("abc"), "a")) == "abc"
    assert str(hide(ProviderError("the word", status=5), "")) == "the word"
