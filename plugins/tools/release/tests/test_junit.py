import errno
import os
import subprocess
import sys

import pytest

from sentinel_core.errors import InputError
from sentinel_tools_release import SourceSettings, SummarySettings, get_release_summary, get_test_details
from sentinel_tools_release.junit import read_junit

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testsuite name="api" tests="99" failures="77">
    <properties><property name="x" value="y"/></properties>
    <testcase classname="tests.pay" name="test_card" time="1.5"><failure message="assert 1 == 2">long text</failure></testcase>
    <testcase classname="tests.pay" name="test_cash" time="0.25"/>
    <testcase classname="tests.pay" name="test_gold" time="1,000.5"><skipped/><system-out>noise</system-out></testcase>
    <testsuite name="inner">
      <testcase name="test_both" time="x"><failure message="first"/><error message="second"/></testcase>
      <testcase name="test_text"><error type="E">
        only &lt;text&gt; &#233;
      </error></testcase>
      <testcase/>
    </testsuite>
  </testsuite>
</testsuites>
"""


@pytest.fixture
def report(tmp_path):
    path = tmp_path / "results.xml"
    path.write_text(REPORT, encoding="utf-8")
    return path


def details(report, **asked):
    return get_test_details(SourceSettings(junit=str(report)), "v1", **asked)


def test_counts_are_counted_and_larger_claims_are_told(report):
    counts = {"passed": 2, "failed": 3, "skipped": 1, "claimed": {"tests": 99, "failures": 77}}
    assert read_junit(str(report), 10_000).counts() == counts


def test_failed_tests_with_their_reasons(report):
    found = details(report)
    assert found["counts"]["failed"] == 3
    assert found["tests"] == [
        {"name": "tests.pay::test_card", "status": "failed", "seconds": 1.5, "message": "assert 1 == 2"},
        {"name": "test_both", "status": "failed", "seconds": None, "message": "first"},
        {"name": "test_text", "status": "failed", "seconds": None, "message": "only <text> é"},
    ]
    assert found["left_out"] == 0


@pytest.mark.parametrize(
    ("asked", "names", "left_out"),
    [
        ({"status": "skipped"}, ["tests.pay::test_gold"], 0),
        ({"status": "passed"}, ["tests.pay::test_cash", "(a test without a name)"], 0),
        ({"status": "all", "name": "pay"}, ["tests.pay::test_card", "tests.pay::test_cash", "tests.pay::test_gold"], 0),
        ({"limit": 1}, ["tests.pay::test_card"], 2),
        ({"name": "no such"}, [], 0),
    ],
)
def test_which_tests(report, asked, names, left_out):
    found = details(report, **asked)
    assert [one["name"] for one in found["tests"]] == names
    assert found["left_out"] == left_out


def test_thousands_in_durations(report):
    assert details(report, status="skipped")["tests"][0]["seconds"] == 1000.5


def test_a_folder_of_reports(tmp_path):
    for name, case in (
        ("b/TEST-one.xml", "<testcase name='1'/>"),
        ("TEST-two.xml", "<testcase name='2'><error/></testcase>"),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"<testsuite>{case}</testsuite>")
    run = read_junit(str(tmp_path), 10_000)
    assert run.counts() == {"passed": 1, "failed": 1, "skipped": 0}
    assert [case.name for case in run.cases] == ["2", "1"]


BOMB = "<!DOCTYPE t [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;&a;'>]><testsuites><testcase name='&b;'/></testsuites>"
OUTSIDE = "<!DOCTYPE t [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><testsuites>&a;</testsuites>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "it has a document type declaration .* at line 1"),
        (OUTSIDE, "it has a document type declaration"),
        ("<!DOCTYPE html><html/>", "it has a document type declaration"),
        ("<html/>", "its root element is <html>, not <testsuites> or <testsuite>"),
        ("<testsuites>&a;</testsuites>", "undefined entity at line 1"),
        ("<testsuites>\n<testcase>", "no element found at line 2"),
        ("", "no element found"),
        ("not xml", "syntax error"),
        ("<testsuites></testsuite>", "mismatched tag"),
        ("<testsuite>" * 101, "nested deeper than 100"),
        ("<testsuites>\0</testsuites>", "not well-formed"),
        ("<?xml version='1.0' encoding='no-such'?><testsuites/>", "unknown encoding"),
    ],
)
def test_what_is_no_report_is_said_with_its_line(tmp_path, text, said):
    path = tmp_path / "results.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        read_junit(str(path), 10_000)
    assert str(caught.value).startswith(f'"{path}" is not JUnit XML: ')


def test_places_that_cannot_be_read(tmp_path, report):
    with pytest.raises(
        InputError, match=r'absent\.xml" cannot be read: No such file or directory; --junit sets the path'
    ):
        read_junit(str(tmp_path / "absent.xml"), 10_000)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"contains no \*\.xml file"):
        read_junit(str(tmp_path / "empty"), 10_000)
    with pytest.raises(InputError, match='the test reports exceed 100 bytes; raise "max_junit_bytes"'):
        get_test_details(SourceSettings(junit=str(report), max_junit_bytes=100), "v1")


def test_too_many_files_and_tests(tmp_path, report, monkeypatch):
    monkeypatch.setattr("sentinel_tools_release.junit._MAX_CASES", 5)
    with pytest.raises(InputError, match="it contains more than 5 tests at line"):
        read_junit(str(report), 10_000)
    monkeypatch.setattr("sentinel_tools_release.junit._MAX_FILES", 0)
    with pytest.raises(InputError, match=r"contains 1 \*\.xml files, more than 0"):
        read_junit(str(tmp_path), 10_000)


def test_long_texts_are_cut(tmp_path):
    path = tmp_path / "results.xml"
    text = "x" * 100_000
    path.write_text(f"<testsuite><testcase name='{text}'><failure>{text}</failure></testcase></testsuite>")
    (case,) = read_junit(str(path), 1_000_000).cases
    assert (len(case.name), len(case.message)) == (503, 503)


def test_beside_a_summary_it_wins(report, tmp_path):
    release = tmp_path / "v1.json"
    release.write_text(
        '{"version": "v1", "tests": {"passed": 9}, "deployment_metrics": {"error_rate": 0.5}, "changes": []}'
    )
    metrics = tmp_path / "metrics.json"
    for text in ('{"error_rate": 0.01}', '{"deployment_metrics": {"error_rate": 0.01}, "host": "a"}'):
        metrics.write_text(text)
        found = get_release_summary(
            SummarySettings(releases=str(release), junit=str(report), metrics=str(metrics)), "v1"
        )
        assert found["deployment_metrics"] == {"error_rate": 0.01}
        assert (found["tests"]["passed"], found["tests"]["failed"], found["changes"]) == (2, 3, [])
        assert [one["name"] for one in found["tests"]["failures"]] == ["tests.pay::test_card", "test_both", "test_text"]


def test_a_folder_below_that_cannot_be_read_is_told(tmp_path, report, monkeypatch):
    (tmp_path / "locked").mkdir()
    look = os.scandir

    def scandir(place):
        if str(place).endswith("locked"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), place)
        return look(place)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(
        InputError, match=r'locked" cannot be read: Permission denied; --junit sets the path of the test report$'
    ):
        read_junit(str(tmp_path), 100_000)


def test_metrics_that_are_no_object(tmp_path, report):
    metrics = tmp_path / "metrics.json"
    settings = SummarySettings(releases=str(tmp_path / "v1.json"), metrics=str(metrics))
    (tmp_path / "v1.json").write_text('{"version": "v1"}')
    metrics.write_text("[]")
    with pytest.raises(InputError, match=r'metrics\.json" must contain a JSON object'):
        get_release_summary(settings, "v1")
    metrics.unlink()
    with pytest.raises(InputError, match=r'metrics\.json" cannot be read: .*; --metrics sets the path'):
        get_release_summary(settings, "v1")


@pytest.mark.unmeasured
def test_what_pytest_writes_is_read(tmp_path):
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 'é' == 1\n"
        "@pytest.mark.skip(reason='not now')\ndef test_later(): pass\n"
        "@pytest.mark.parametrize('x', ['a&<b', '\\x1b'])\ndef test_odd(x): pass\n"
        "@pytest.fixture\ndef broken(): raise ValueError('no')\n"
        "def test_setup(broken): pass\n"
    )
    report = tmp_path / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-pno:langsmith_plugin",
        "-p",
        "no:cacheprovider",
        f"--junit-xml={report}",
        "--rootdir=.",
    ]
    subprocess.run([*command, "test_some.py"], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert read_junit(str(report), 100_000).counts() == {"passed": 3, "failed": 2, "skipped": 1}
    found = details(report)
    assert {one["name"] for one in found["tests"]} == {"test_some::test_bad", "test_some::test_setup"}
    assert details(report, status="skipped")["tests"][0]["message"] == "not now"
