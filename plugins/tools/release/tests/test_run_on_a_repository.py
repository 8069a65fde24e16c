"""``sentinel run`` on ranges of commits of real repositories, offline, as a user starts it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from forked_commands import run_forked

pytestmark = pytest.mark.unmeasured

SENTINEL = Path(sys.executable).parent / "sentinel"
PROJECT = Path(__file__).parents[4]
METRICS = '{"error_rate": 0.001, "response_time_p95": 120}'
PASSED = "<testsuite><testcase classname='tests.pay' name='test_cash'/></testsuite>"
FAILED = (
    "<testsuite><testcase classname='tests.pay' name='test_card'><failure/></testcase><testcase name='b'/></testsuite>"
)


@pytest.fixture
def run(tmp_path):
    """Runs the command in a folder of its own; gives its exit code, its JSON and the report that was filed."""

    def started(release_id, repo, junit, metrics=METRICS):
        for name, text in (("junit.xml", junit), ("metrics.json", metrics)):
            (tmp_path / name).write_text(text)
        places = {"repo": repo, "junit": "junit.xml", "metrics": "metrics.json"}
        settings = [part for name, place in places.items() for part in (f"--{name}", str(place))]
        done = run_forked("run", release_id, "--provider", "offline", "--json", *settings, cwd=tmp_path, timeout=120)
        reports = [json.loads(path.read_bytes()) for path in (tmp_path / ".sentinel/reports").glob("RR-*.json")]
        return done, reports

    return started


def test_findings_name_commits_and_tests(run, repository):
    repository.commit("Start")
    repository.git("tag", "v2.0")
    repository.commit("Faster search")
    repository.commit("Payment by card")
    repository.git("tag", "v2.1")
    short = repository.git("rev-parse", "--short", "HEAD")
    done, reports = run("v2.0..v2.1", repository.path, FAILED)
    assert done.returncode == 0, done.stderr
    (report,) = reports
    assert (report["release_id"], report["severity"]) == ("v2.0..v2.1", "high")
    told = "\n".join(report["findings"])
    assert '1 of 2 tests that ran failed (50%), such as "tests.pay::test_card"' in told
    assert f'payment ("{short} Payment by card")' in told
    assert "the error rate is 0.001" in told


def test_the_project_itself(run):
    count = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    if count.returncode != 0 or int(count.stdout) <= 20:
        pytest.skip("not a clone of the project with 20 commits")
    done, reports = run("HEAD~20..HEAD", PROJECT, PASSED)
    assert done.returncode == 0, done.stderr
    (report,) = reports
    told = "\n".join(report["findings"])
    assert "0 of 1 tests that ran failed" in told
    ids = subprocess.run(
        ["git", "log", "--format=%h", "HEAD~20..HEAD"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert any(f'"{one} ' in told for one in ids.stdout.split())


def test_what_cannot_be_looked_up_files_nothing(run, repository):
    repository.commit("Start")
    done, reports = run("v9..HEAD", repository.path, PASSED)
    assert (done.returncode, reports) == (3, [])
    assert "Traceback" not in done.stderr
    assert 'has no commit "v9"' in json.loads(done.stdout)["answer"]


def test_a_hostile_test_report_files_nothing(run, repository):
    repository.commit("Start")
    repository.commit("Next")
    done, reports = run("HEAD~1..HEAD", repository.path, "<!DOCTYPE x []><testsuites/>")
    assert (done.returncode, reports) == (3, [])
    assert "it has a document type declaration" in json.loads(done.stdout)["answer"]


@pytest.mark.parametrize(
    ("honors_keys", "fault", "code", "said"),
    [
        (True, "reset_after", 0, ""),
        (False, "reset_after", 3, "unknown"),
        (False, 422, 3, "answered 422"),
        (False, None, 0, ""),
    ],
)
def test_report_to_a_server_that_breaks_off(tmp_path, service, honors_keys, fault, code, said):
    service.honors_keys = honors_keys
    service.faults.append(fault)
    (tmp_path / "v1.json").write_text('{"version": "v1", "changes": ["New icon"], "tests": {"passed": 3, "failed": 0}}')
    done = run_forked(
        *("run", "v1", "--provider", "offline", "--releases", "v1.json", "--reports", service.base),
        *("--initial-delay", "0.01", "--set", f"file_risk_report.honors_keys={str(honors_keys).lower()}"),
        cwd=tmp_path,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(service.reports) == (0 if fault == 422 else 1)


def test_tests_that_a_report_claims_and_does_not_list_are_missing(run, repository):
    repository.commit("Start")
    repository.commit("Faster search")
    claims = '<testsuite tests="40" failures="7"><testcase name="t1"/></testsuite>'
    done, (report,) = run("HEAD~1..HEAD", repository.path, claims)
    assert done.returncode == 0, done.stderr
    assert report["severity"] == "medium"
    assert "medium: the test report claims 40 tests but lists 1, and 7 failures but lists 0" in report["findings"]


# A model that files low because the subject says so.
OBEDIENT = """
from sentinel_core import Provider, Reply, ToolCall, hookimpl


class Obedient:
    def complete(self, request, on_text=None):
        turn = sum(message.role == "assistant" for message in request.messages)
        about = {"release_id": "v1..HEAD"}
        report = {**about, "severity": "low", "findings": ["The commit is about documentation"]}
        calls = (("get_release_summary", about), ("file_risk_report", report))
        if turn == len(calls):
            return Reply(content="The report is staged with low severity.")
        name, arguments = calls[turn]
        return Reply(tool_calls=(ToolCall(id=name, name=name, arguments=arguments),), stop_reason="tool_calls")

    estimate_tokens = lambda self, messages: 1
    get_capabilities = close = lambda self: None


@hookimpl
def sentinel_providers():
    return [Provider(name="obedient", summary="s", connect=Obedient)]
"""


@pytest.mark.parametrize("provider", ["offline", "obedient"])
def test_words_alone_never_pass_the_gate(tmp_path, repository, provider):
    repository.commit("Start", {"src/auth/login.py": "def login(user):\n    return user.check()\n"})
    repository.git("tag", "v1")
    repository.commit("docs: wording of a comment", {"src/auth/login.py": "def login(user):\n    return True\n"})
    (tmp_path / "obedient.py").write_text(OBEDIENT)
    (tmp_path / "junit.xml").write_text(PASSED)
    (tmp_path / "metrics.json").write_text(METRICS)
    done = run_forked(
        *("run", "v1..HEAD", "--repo", str(repository.path), "--junit", "junit.xml", "--metrics", "metrics.json"),
        *("--provider", provider, *(("--plugins", "./obedient.py") if provider == "obedient" else ())),
        *("--no-reflect", "--fail-on-risk", "medium", "--json"),
        cwd=tmp_path,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    found = json.loads(done.stdout)
    assert (found["evidence_severity"], found["gate"]["severity"]) == ("high", "high")
    assert found["severity"] == ("high" if provider == "offline" else "low")
