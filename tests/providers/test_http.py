"""The guarded client keeps what it promises, whatever a server does."""

import math
import sys
import time

import httpcore2
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import each_row

from sentinel_core import errors
from sentinel_core.errors import ConfigError, ModelError, NetworkError, ProviderError, ValidationError
from sentinel_core.runtime.http import (
    HTTP_FAILURES,
    error_of,
    guarded_client,
    http_errors,
    one_line,
    retry_after,
    status_error,
)
from sentinel_core.runtime.http_guard import _SAME_NAME
from sentinel_faults import DIALECTS, FAULTS, FaultServer, Turn

NOW = 1_000_000_000.0
BODY = {"messages": []}


@pytest.fixture
def server():
    with FaultServer(DIALECTS["openai"], [Turn(text="Hello.")]) as made:
        yield made


def post(client, **more):
    return client.post("/chat/completions", json=BODY, **more)


def get(client, url="/", **more):
    with http_errors('provider "x"'):
        return client.get(url, **more)


def subclasses(root, module):
    yield root
    for one in root.__subclasses__():
        if one.__module__.partition(".")[0] == module:
            yield from subclasses(one, module)


def test_every_exception_of_httpx2_is_mapped():
    roots = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, httpx2.StreamError)
    known = {one for root in roots for one in subclasses(root, "httpx2")}
    offered = {one for one in (getattr(httpx2, name) for name in httpx2.__all__) if isinstance(one, type)}
    raised = {one for one in offered if issubclass(one, Exception) and not issubclass(one, Warning)}
    assert raised <= known
    assert len(known) > 25
    for kind in known - {httpx2.HTTPError, httpx2.RequestError}:  # these two are never raised themselves
        made = kind.__new__(kind)
        made.response = httpx2.Response(500)
        assert isinstance(error_of(made, "x"), ModelError), kind


def test_every_exception_of_httpcore2_has_its_like():
    kinds = {one for one in vars(httpcore2).values() if isinstance(one, type) and issubclass(one, Exception)}
    assert kinds - set(_SAME_NAME) == {httpcore2.ConnectionNotAvailable}  # the pool's own affair


def test_what_is_not_known_is_said_to_be_unknown():
    with pytest.raises(LookupError):
        error_of(ZeroDivisionError(), "x")
    outer = ZeroDivisionError()
    outer.__cause__ = httpx2.ReadTimeout("slow")
    assert isinstance(error_of(outer, "x"), NetworkError)


def test_a_call_may_be_given_less_time_and_never_more(server):
    for limit, asked, wanted in ((5.0, 0.1, 0.1), (0.1, 5.0, 0.1)):
        server.play(FAULTS["drip_body"], times=9)
        start = time.monotonic()
        with guarded_client(base_url=server.base_url, timeout=limit) as client, pytest.raises(httpx2.ReadTimeout):
            post(client, timeout=asked)
        assert wanted <= time.monotonic() - start < wanted + 30


def test_the_time_of_a_call_goes_on_through_a_stream(server):
    server.play(FAULTS["drip_body"])
    start = time.monotonic()
    with (
        guarded_client(base_url=server.base_url, timeout=0.2) as client,
        client.stream("POST", "/chat/completions", json=BODY) as response,
        pytest.raises(httpx2.ReadTimeout),
    ):
        list(response.iter_bytes())
    assert time.monotonic() - start < 30


def test_a_redirect_within_the_origin_is_followed_in_the_same_time(server):
    server.play(FAULTS["redirect_within"], times=9)
    with guarded_client(base_url=server.base_url, timeout=5) as client:
        assert post(client).status_code == 200
        server.play(FAULTS["redirect_in_circles"], times=9)
        with pytest.raises(httpx2.TooManyRedirects):
            post(client)
        with pytest.raises(httpx2.TimeoutException, match="did not finish within 1e-09 s"):
            post(client, timeout=1e-9)


@pytest.mark.parametrize("url", ["http://127.0.0.2:1/x", "https://127.0.0.1/x", "http://127.0.0.1/x"])
def test_another_origin_is_refused(server, url):
    with guarded_client(base_url=server.base_url, timeout=5) as client, pytest.raises(ProviderError) as caught:
        get(client, url, headers={"authorization": "secret"})
    assert "another origin" in str(caught.value)
    assert not caught.value.retryable


def test_the_cap_counts_what_comes_out(server):
    server.play(FAULTS["gzip_bomb"], times=9)
    with guarded_client(base_url=server.base_url, timeout=5, max_bytes=1000) as client:
        with pytest.raises(httpx2.RequestError, match="larger than 1,000 bytes"):
            post(client)
        server.play(None)
        assert post(client).json()["model"] == "test-model"


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://box", "http://", "http://[::1", "http://a\x00b"])
def test_addresses_that_are_none(url):
    with pytest.raises(ConfigError, match="is not an address"):
        guarded_client(base_url=url, timeout=5)


@pytest.mark.parametrize("port", [0, 65_536, 83_837])
def test_a_port_that_there_is_none_of_is_no_other_port(port, monkeypatch):
    with pytest.raises(ConfigError, match=f"is not an address: port {port} is not between 1 and 65535"):
        guarded_client(base_url=f"http://127.0.0.1:{port}", timeout=5)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{port}")
    with pytest.raises(ConfigError, match=f'"127.0.0.1:{port}" is not an address: port {port}'):
        guarded_client(base_url="http://models.example", timeout=5)


def test_an_address_that_no_system_takes():
    base_url = f"http://{'a' * 70}.example"  # longer than a part of a name may be
    with guarded_client(base_url=base_url, timeout=5) as client, pytest.raises(ValidationError):
        get(client)


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan])
def test_time_limits_that_cannot_be_used(seconds):
    with pytest.raises(ConfigError, match="must be above 0 seconds"):
        guarded_client(base_url="http://127.0.0.1", timeout=seconds)


def test_nobody_there():
    with guarded_client(base_url="http://127.0.0.1:9", timeout=5) as client, pytest.raises(NetworkError) as caught:
        get(client)
    assert str(caught.value).startswith('provider "x" could not be reached, or closed the connection: ')
    with guarded_client(base_url="http://no.such.host.invalid", timeout=5) as client, pytest.raises(NetworkError):
        get(client)


def test_a_header_that_cannot_be_sent_is_not_quoted(server):
    client = guarded_client(base_url=server.base_url, timeout=5, headers={"x-key": "secret\n"})
    with client, pytest.raises(ValidationError) as caught:
        get(client)
    assert "secret" not in str(caught.value)


def test_a_proxy_of_the_environment(server, monkeypatch):
    for name in ("HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.origin.removeprefix("http://"))
    with guarded_client(base_url="http://models.example", timeout=5) as client:
        assert client.get("/models").status_code == 404  # the proxy answered, for a host that there is none of
    monkeypatch.setenv("http_proxy", "socks5://box:1")
    with pytest.raises(ConfigError, match="is not an http"):
        guarded_client(base_url="http://models.example", timeout=5)
    guarded_client(base_url="http://localhost:1", timeout=5).close()
    monkeypatch.setenv("no_proxy", "models.example")
    guarded_client(base_url="http://models.example", timeout=5).close()


def test_tls_is_spoken_where_the_address_says_so(server):
    base_url = server.base_url.replace("http://", "https://")
    with guarded_client(base_url=base_url, timeout=5) as client, pytest.raises(NetworkError):
        get(client)


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ConfigError, match=r"pip install 'reliability-sentinel\[http\]'"):
        guarded_client(base_url="http://127.0.0.1", timeout=5)


@each_row(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "0"}, 0.0),
        ({"retry-after": "12"}, 12.0),
        ({"RETRY-AFTER": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "junk", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "-1"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Sun, 09 Sep 2001 01:47:10 GMT"}, 30.0),
        ({"retry-after": "Sun, 09 Sep 2001 03:47:10 +0200"}, 30.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:46:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 99 Sep 2001 01:46:00 GMT"}, None),
        ({"retry-after": "Fri, 31 Dec 99999 23:59:59 GMT"}, None),
    ],
)
def test_when_to_come_back(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=60))
def test_when_to_come_back_is_never_nonsense(text):
    seconds = retry_after({"retry-after": text}, NOW)
    assert seconds is None or (math.isfinite(seconds) and seconds >= 0)


@each_row(
    ("status", "name", "retryable"),
    [
        (302, "ProviderError", False),
        (400, "ValidationError", False),
        (401, "AuthenticationError", False),
        (402, "ValidationError", False),
        (403, "AuthenticationError", False),
        (404, "ValidationError", False),
        (408, "NetworkError", True),
        (409, "ProviderError", True),
        (413, "ValidationError", False),
        (422, "ValidationError", False),
        (429, "RateLimitError", True),
        (500, "ProviderError", True),
        (503, "ProviderError", True),
        (529, "RateLimitError", True),
        (599, "ProviderError", True),
    ],
)
def test_each_status_has_its_error(status, name, retryable):
    error = status_error("x", status, "because")
    assert (type(error), error.retryable, error.status) == (getattr(errors, name), retryable, status)


def test_what_servers_say_is_one_short_line_without_secrets():
    told = one_line("a\r\nb\tc  sk-" + "a" * 40 + " " + "x" * 900)
    assert told.startswith("a b c [redacted] xxx")
    assert len(told) == 301


def test_the_table_is_of_names_that_there_are():
    for name in HTTP_FAILURES:
        package, _, kind = name.partition(".")
        home = {"sentinel_core": "sentinel_core.runtime.http_guard"}.get(package, package)
        assert issubclass(getattr(sys.modules[home], kind), Exception)
