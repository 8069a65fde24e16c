"""What the suites of a JUnit report claim beyond what they list."""

import subprocess
import sys

import pytest

from sentinel_tools_release.junit import read_junit

GOOD = "<testcase name='good'/>"
BAD = "<testcase name='bad'><failure/></testcase>"
BOTH = "<testcase name='both'><failure/><error/></testcase>"


def claimed(tmp_path, *texts):
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.xml").write_text(text)
    return read_junit(str(tmp_path), 100_000).claimed


def suite(inner="", **claims):
    return f"<testsuite {' '.join(f'{name}={value!r}' for name, value in claims.items())}>{inner}</testsuite>"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (suite(GOOD, tests="40", failures="7"), {"tests": 40, "failures": 7}),
        (suite(BAD, tests="1", failures="3", errors="2"), {"failures": 5}),
        (suite(GOOD, errors="2"), {"failures": 2}),
        (suite("", tests="1,000"), {"tests": 1000}),
        (suite(GOOD + BAD, tests="2", failures="1", errors="0", skipped="0"), {}),
        (suite(GOOD + BAD, tests="1", failures="0"), {}),
        (suite(BOTH, tests="1", failures="1", errors="1"), {}),
        (suite(BAD, tests="1", failures="1", errors="1"), {}),
        (suite(GOOD), {}),
        *((suite(GOOD, tests=odd), {}) for odd in ("", "many", "-5", "nan", "0", "1.0")),
        *((suite(GOOD, tests=huge), {"tests": 10**9}) for huge in ("inf", "9" * 5000)),
    ],
)
def test_claims_of_one_suite(tmp_path, text, told):
    assert claimed(tmp_path, text) == told


@pytest.mark.parametrize(
    ("inner", "claims", "told"),
    [
        (suite(GOOD, tests="40"), {"tests": "40"}, {"tests": 40}),
        (suite(GOOD, tests="40"), {}, {"tests": 40}),
        (suite(GOOD, tests="40"), {"tests": "50"}, {"tests": 50}),
        (suite(GOOD, tests="1") + suite(BAD, tests="3"), {"tests": "2"}, {"tests": 4}),
        (suite(GOOD, tests="1") + suite(BAD, tests="1", failures="1"), {"tests": "2", "failures": "1"}, {}),
        (suite(suite(suite(BAD * 3, tests="3"), failures="4"), tests="3"), {}, {"failures": 4}),
    ],
)
def test_suites_in_suites_are_counted_once(tmp_path, inner, claims, told):
    assert claimed(tmp_path, suite(inner, **claims)) == told
    assert (
        claimed(
            tmp_path,
            suite(inner, **claims).replace("testsuite", "testsuites", 1)[: -len("</testsuite>")] + "</testsuites>",
        )
        == told
    )


def test_several_files_are_added_up(tmp_path):
    assert claimed(tmp_path, suite(GOOD, tests="4"), suite(GOOD * 2), suite(BAD, tests="3", failures="1")) == {
        "tests": 9
    }


@pytest.mark.unmeasured
def test_what_pytest_claims_of_subtests_is_no_lack(tmp_path):
    (tmp_path / "test_some.py").write_text(
        "def test_many(subtests):\n"
        "    for number in range(5):\n"
        "        with subtests.test(number=number):\n"
        "            assert number != 3\n"
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
    assert 'tests="1"' not in report.read_text()
    assert read_junit(str(report), 100_000).counts() == {"passed": 0, "failed": 1, "skipped": 0}
    merged = report.read_text().replace("<testsuites", "<testsuites tests='90'").replace('name="pytest tests"', "")
    report.write_text(merged)
    assert read_junit(str(report), 100_000).counts()["claimed"] == {"tests": 90}
