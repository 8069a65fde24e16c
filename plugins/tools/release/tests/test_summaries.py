import sys

import pytest
from tables import each_row

from sentinel_core.errors import InputError, NetworkError
from sentinel_tools_release import ReportSettings, SummarySettings, get_release_summary

SUMMARY = {"version": "v1", "changes": ["one"], "extra": {"kept": True}}


def fetch(place, release_id="v1", **settings):
    return get_release_summary(SummarySettings(releases=str(place), **settings), release_id)


def write(path, text='{"version": "v1"}'):
    path.write_text(text, encoding="utf-8")
    return path


def test_file_is_given_as_it_is(tmp_path):
    path = write(tmp_path / "any.json", '{"version": "v1", "tests": {"passed": 3}, "more": null}')
    assert fetch(path) == {"version": "v1", "tests": {"passed": 3}, "more": None}


@pytest.mark.parametrize(("text", "version"), [('{"version": "v2"}', '"v2"'), ("{}", "None"), ('{"version": 1}', "1")])
def test_file_about_another_release_is_refused_naming_both(tmp_path, text, version):
    with pytest.raises(InputError) as caught:
        fetch(write(tmp_path / "a.json", text))
    assert str(caught.value) == f'"{tmp_path}/a.json" describes release {version} (at $.version), not "v1"'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ('{"version": "v1"', "is not JSON: "),
        ('{"version": NaN}', "is not JSON"),
        ("[1]", "must contain a JSON object at the top level ($), not a list"),
        ('"v1"', "not a string"),
        ("3", "not a number"),
        ("2.5", "not a number"),
        ("true", "not true or false"),
        ("null", "not null"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_file_that_is_no_object_is_named(tmp_path, text, said):
    with pytest.raises(InputError) as caught:
        fetch(write(tmp_path / "a.json", text))
    assert said in str(caught.value)
    assert "a.json" in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_document(tmp_path, service):
    marked = '\ufeff{"version": "v1"}'.encode()
    (tmp_path / "a.json").write_bytes(marked)
    service.answers(marked)
    assert fetch(tmp_path / "a.json") == fetch(service.base) == {"version": "v1"}
    with pytest.raises(InputError, match="larger than 19 bytes"):
        fetch(tmp_path / "a.json", max_bytes=len(marked) - 1)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(
        InputError,
        match=r'absent\.json" cannot be read: No such file or directory; --releases, or --repo .*, sets the path',
    ):
        fetch(tmp_path / "absent.json")


def test_size_cap_of_a_file(tmp_path):
    path = write(tmp_path / "a.json")
    assert fetch(path, max_bytes=path.stat().st_size)
    with pytest.raises(InputError, match="larger than 16 bytes"):
        fetch(path, max_bytes=path.stat().st_size - 1)


def test_folder_by_name_first(tmp_path):
    write(tmp_path / "a.json", '{"version": "v1", "from": "a"}')
    write(tmp_path / "v1.json", '{"version": "v1", "from": "v1"}')
    assert fetch(tmp_path)["from"] == "v1"


def test_folder_by_version_first_in_order(tmp_path):
    write(tmp_path / "c.json", '{"version": "v1", "from": "c"}')
    write(tmp_path / "b.json", '{"version": "v1", "from": "b"}')
    write(tmp_path / "a.json", "broken")
    write(tmp_path / "a.txt", '{"version": "v1", "from": "text"}')
    assert fetch(tmp_path)["from"] == "b"


def test_folder_file_of_that_name_about_another_release(tmp_path):
    write(tmp_path / "v1.json", '{"version": "v2"}')
    write(tmp_path / "v2.json", '{"version": "v1"}')
    with pytest.raises(InputError, match=r'v1\.json" describes release "v2"'):
        fetch(tmp_path)


def test_folder_without_the_release_names_what_is_broken(tmp_path):
    write(tmp_path / "release-v1-draft.json", "broken")
    write(tmp_path / "another.json", "broken")
    write(tmp_path / "b.json", '{"version": "v2"}')
    with pytest.raises(InputError, match=r'there is no release "v1" .*; could not be read: release-v1-draft\.json$'):
        fetch(tmp_path)
    with pytest.raises(InputError, match=r'there is no release "v3" in .*: no readable file .* or that "version"$'):
        fetch(tmp_path, "v3")


@pytest.mark.parametrize("release_id", ["../secret", "/etc/passwd", "a/../../secret", "..", "x\0y", "secret.json\n"])
def test_ids_never_become_paths(tmp_path, release_id):
    folder = tmp_path / "releases"
    folder.mkdir()
    write(tmp_path / "secret.json")
    with pytest.raises(InputError, match="there is no release"):
        fetch(folder, release_id)


def test_folder_of_many_files_is_not_searched(tmp_path):
    for number in range(1001):
        write(tmp_path / f"f{number}.json", "{}")
    with pytest.raises(InputError, match="contains 1001 files"):
        fetch(tmp_path)
    (tmp_path / "f0.json").unlink()
    with pytest.raises(InputError, match="there is no release"):
        fetch(tmp_path)


def test_server_is_asked_once_at_its_address(service):
    service.answers(SUMMARY)
    assert fetch(f"{service.base}/api/") == SUMMARY
    ((method, path, headers, _),) = service.asked
    assert (method, path) == ("GET", "/api/release-summary?release_id=v1")
    assert headers["Accept"] == "application/json"


def test_release_id_is_percent_encoded(service):
    odd = "v1&x=/../é #?"
    service.answers({"version": odd})
    assert fetch(service.base, odd) == {"version": odd}
    assert service.asked[0][1] == "/release-summary?release_id=v1%26x%3D%2F..%2F%C3%A9%20%23%3F"


@pytest.mark.parametrize(
    ("version", "about"), [("v9", '"v9"'), (2, "2"), ([1] * 999, r"\[1, 1.*"), ("\x1b" + "x" * 999, '"x{200}[.]{3}"')]
)
def test_server_that_tells_of_another_release_is_refused(service, version, about):
    service.answers({"version": version})
    with pytest.raises(InputError, match=rf'release_id=v1" describes release {about} \(at \$\.version\), not "v1"$'):
        fetch(service.base)


@pytest.mark.parametrize("summary", [{"changes": []}, {"version": None}])
def test_server_that_names_no_version_is_believed(service, summary):
    service.answers(summary)
    assert fetch(service.base, "build-7") == summary


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "answered 404 Not Found; check the address"), (500, "answered 500"), (204, "is not JSON")],
)
def test_status_is_told(service, status, said):
    service.answers(b"", status)
    with pytest.raises((NetworkError, InputError), match=said):
        fetch(service.base)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(service, status):
    service.answers(b"", status, Location=f"{service.base}/elsewhere")
    with pytest.raises(NetworkError, match="redirects are not followed"):
        fetch(service.base)
    assert len(service.asked) == 1


@pytest.mark.parametrize("body", [b"<html>", b"", b"[1]", b"{"])
def test_answer_that_is_no_object(service, body):
    service.answers(body)
    with pytest.raises(InputError, match="release-summary"):
        fetch(service.base)


def test_huge_answer_is_cut_off(service):
    service.answers(b"x" * 5_000_000)
    with pytest.raises(NetworkError, match="sent too large a reply"):
        fetch(service.base, max_bytes=1000)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("hang", "did not answer in time"),
        ("drip", "did not answer in time"),
        ("reset", "could not be reached, or closed the connection"),
        ("cut", "could not be reached, or closed the connection"),
    ],
)
def test_faults_end_in_time(service, fault, said):
    service.answers({"version": "v1"} | {"padding": "x" * 200})
    service.fault = fault
    with pytest.raises(NetworkError, match=said) as caught:
        fetch(service.base, timeout=0.2)
    assert "unknown" not in str(caught.value)


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ValueError, match=r"pip install 'reliability-sentinel\[http\]'"):
        SummarySettings(releases="http://127.0.0.1:9")


def test_nobody_there(service):
    base = service.base
    service.shutdown()
    service.server_close()
    with pytest.raises(NetworkError, match="could not be reached"):
        fetch(base)


@pytest.mark.parametrize(
    "place", ["", "http://", "http://u:p@host", "https://host?x=1", "http://host#f", "http://host:99999", "http://h:x"]
)
def test_unusable_places_are_refused(place):
    with pytest.raises(ValueError, match=r"^'releases' is "):
        SummarySettings(releases=place)


@each_row(
    ("place", "said"),
    [
        ("http://", "it names no host"),
        ("http://:80", "it names no host"),
        ("http://[::1", "Invalid IPv6 URL"),
        ("http://h:abc", "its port is not a number from 1 to 65535"),
        ("http://h:0", "its port is not a number from 1 to 65535"),
        ("HTTP://h:65536", "its port is not a number from 1 to 65535"),
        ("https://h?x=1#y", "it has a query and a fragment"),
        ("https://someone@h", "it has a user name"),
        ("file:///etc/passwd", "it must begin with http:// or https://; a path has no ://"),
        ("ftp://nosuch.invalid", "it must begin with http:// or https://; a path has no ://"),
    ],
)
@each_row(("settings", "field"), [(SummarySettings, "releases"), (ReportSettings, "reports")])
def test_an_address_is_refused_with_what_is_wrong(settings, field, place, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        settings(**{field: place})
    assert str(caught.value) == f"'{field}' is \"{place}\", which is not a base URL: {said}"


def test_a_password_in_an_address_is_not_repeated():
    with pytest.raises(ValueError, match="a user name") as caught:
        SummarySettings(releases="https://someone:opensesame@h")
    assert "opensesame" not in str(caught.value)


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"max_bytes": 0}])
def test_limits_are_positive(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        SummarySettings(**limits)
