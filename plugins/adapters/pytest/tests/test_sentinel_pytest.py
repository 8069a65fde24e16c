"""The real pytest, and the real xdist, on tests that judge agents."""

import json
import re

import pytest
from lying import CLAIM, messages

from sentinel_core.errors import InputError
from sentinel_pytest import assert_reliable

pytest_plugins = "pytester"

LIE = messages(CLAIM)
HONEST = messages("Order 1017 has shipped.")
START = f"import pytest\nfrom sentinel_pytest import assert_reliable\nLIE = {LIE!r}\nHONEST = {HONEST!r}\n"


@pytest.fixture
def run(pytester):
    def with_these(*tests, arguments=()):
        for number, test in enumerate(tests):
            pytester.makepyfile(**{f"test_{number}": START + test})
        slow = ("langsmith_plugin", "schemathesis", "hypothesispytest", "llmock", "anyio")  # of no use here
        return pytester.runpytest("--strict-markers", *(f"-pno:{name}" for name in slow), *arguments)

    return with_these


def rows(page):
    """The page's rows: verdict and source of each run."""
    found = json.loads(re.search(r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)[1])
    return [(row[found["columns"].index("verdict")], row[found["columns"].index("source")]) for row in found["rows"]]


def test_an_honest_run_is_given_back_with_its_report():
    assert assert_reliable(HONEST, expect=["called:get_order"]).ok


def test_a_lie_is_explained(run):
    done = run("def test_it(): assert_reliable(LIE)")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "E   AssertionError: FAIL: The agent says *",
            "E     hallucination.claim_without_call (error, message 3)",
            f"E       claim: {CLAIM}",
            "E       evidence: *no earlier call*",
            "E       record: 1 tool call before it: get_order",
            "E     4 messages, 1 tool call, profile standard",
            "sentinel: 1 judged: 1 FAIL",
        ]
    )
    done.stdout.no_fnmatch_line("*assertion.py*")


def test_what_is_expected_and_the_profile():
    with pytest.raises(AssertionError, match=r"expect\.called \(error\)\n +evidence: Expected \"called:send_email\""):
        assert_reliable(HONEST, expect=["called:send_email"])
    with pytest.raises(TypeError, match="expect is 'called:x'; expected a list"):
        assert_reliable(HONEST, expect="called:x")
    with pytest.raises(InputError):
        assert_reliable("gone.json")


def test_a_warning_fails_where_it_shall(tmp_path):
    unread = HONEST[:3]
    assert assert_reliable(unread).verdict == "WARN"
    with pytest.raises(AssertionError, match="WARN: The run ends with the result"):
        assert_reliable(unread, fail_on="warn")


def test_no_verdict_is_no_pass():
    with pytest.raises(AssertionError, match="NO VERDICT: Nothing to check"):
        assert_reliable({"trace_id": "t", "messages": []})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("'gone.json'", '"gone.json": no such file or folder'),
        ("[]", "is an empty list: nothing to check"),
        ("HONEST, expect=['caled:x']", '"caled:x" is not an expectation'),
        ("HONEST, profile='standrd'", 'did you mean "standard"?'),
        ("HONEST, allow=['loop.cycl']", 'did you mean "loop.cycle"?'),
    ],
)
def test_a_wrong_argument_is_told_at_the_line_of_the_test(run, given, told):
    done = run(f"def test_it(): assert_reliable({given})")
    text = done.stdout.str()
    assert told in text
    assert "def test_it(): assert_reliable(" in text
    assert "sentinel_core/" not in text
    assert "sentinel_pytest/" not in text


def test_a_marker_allows_rules_and_expects(run):
    done = run(
        """
pytestmark = pytest.mark.sentinel(expect=["called:get_order"])

@pytest.mark.sentinel(allow=["hallucination.claim_without_call"])
def test_allowed(): assert_reliable(LIE)

@pytest.mark.sentinel(expect=["called:send_email"])
def test_expected(): assert_reliable(HONEST)

@pytest.mark.sentinel(allow=["hallucination.nonsense"])
def test_unknown(): assert_reliable(HONEST)

@pytest.mark.sentinel("loop.cycle")
def test_odd(): assert_reliable(HONEST)
"""
    )
    done.assert_outcomes(passed=1, failed=2, errors=1)
    done.stdout.fnmatch_lines_random(
        [
            'E*Expected "called:send_email": it was not called; known tools: get_order.',
            'E*ConfigError: allow: there is no rule "hallucination.nonsense"*',
            "@pytest.mark.sentinel takes allow=*",
        ]
    )


TWO = (
    "def test_a(): assert_reliable(HONEST)\n",
    "def test_b(): assert_reliable(LIE)\ndef test_c(): assert_reliable(HONEST)\n",
)
ROWS = [("PASS", "test_0.py::test_a"), ("FAIL", "test_1.py::test_b"), ("PASS", "test_1.py::test_c")]


@pytest.mark.process
def test_a_page_of_all_runs_that_is_the_same_under_xdist(run, pytester):
    alone = run(*TWO, arguments=("--sentinel-report", "out/report.html", "-p", "no:xdist"))
    alone.assert_outcomes(passed=2, failed=1)
    alone.stdout.fnmatch_lines(["sentinel: 3 judged: 2 PASS, 1 FAIL (report.html)"])
    page = (pytester.path / "out/report.html").read_bytes()
    assert rows(page.decode()) == ROWS
    spread = run(*TWO, arguments=("--sentinel-report", "other.html", "-n2"))
    spread.assert_outcomes(passed=2, failed=1)
    spread.stdout.fnmatch_lines(["sentinel: 3 judged: 2 PASS, 1 FAIL (other.html)"])
    assert (pytester.path / "other.html").read_bytes() == page


def test_a_session_without_runs_leaves_a_page_without_runs(run, pytester):
    done = run("def test_it(): pass", arguments=("--sentinel-report", "report.html"))
    done.assert_outcomes(passed=1)
    done.stdout.no_fnmatch_line("sentinel:*")
    assert rows((pytester.path / "report.html").read_text(encoding="utf-8")) == []


def test_a_place_that_is_none_is_told_before_any_test_runs(run, pytester):
    (pytester.path / "file").write_text("")
    for place, words in ((".", "is a folder"), ("file/report.html", "cannot be written")):
        done = run("def test_it(): pass", arguments=("--sentinel-report", place))
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        done.stderr.fnmatch_lines([f'ERROR: --sentinel-report "{place}" {words}*'])


SPANS = """
import json
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

def said(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

def agent(answer, tracer=trace.get_tracer("agent")):
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
        chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": said("user", "Please cancel order 17."),
                "gen_ai.output.messages": said("assistant", answer),
                "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "cancel_order"}])}
        with tracer.start_as_current_span("chat", attributes=chat):
            pass
"""


def test_spans_are_judged_when_the_test_has_ended(run):
    done = run(
        SPANS
        + """
def test_honest(sentinel_spans): agent("Which order do you mean?")
def test_lie(sentinel_spans): agent("I've cancelled order 17.")
def test_nothing(sentinel_spans): pass
def test_not_asked(): agent("I've cancelled order 17.")
def test_other_provider(sentinel_spans):
    provider = TracerProvider()
    sentinel_spans.attach(provider)
    agent("I've cancelled order 17.", provider.get_tracer("other"))
@pytest.mark.sentinel(allow=["hallucination.claim_without_call"])
def test_allowed(sentinel_spans): agent("I've cancelled order 17.")
def test_expected(sentinel_spans):
    sentinel_spans.expect.append("called:cancel_order")
    agent("Which order do you mean?")
def test_looks_inside(sentinel_spans):
    agent("Which order do you mean?")
    (one,) = sentinel_spans.traces()
    assert [message.role for message in one.messages] == ["user", "assistant"]
"""
    )
    done.assert_outcomes(passed=4, failed=4)
    done.stdout.fnmatch_lines_random(
        [
            "FAILED test_0.py::test_lie*",
            "no agent run in 0 captured spans: is the code instrumented*",
            "FAILED test_0.py::test_other_provider*",
            "FAILED test_0.py::test_expected*",
            "    claim: I've cancelled order 17.",
        ]
    )


def test_without_opentelemetry_the_fixture_names_the_extra(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentinel_pytest.spans", None)
    done = run("def test_it(sentinel_spans): pass")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["E*pip install 'reliability-sentinel-pytest[[]otel[]]'"])


@pytest.mark.parametrize("wrong", ["wran", "never", None])
def test_a_wrong_fail_on_is_refused(wrong):
    with pytest.raises(ValueError, match='expected "warn" or "fail"'):
        assert_reliable(HONEST, fail_on=wrong)
    with pytest.raises(ValueError, match='expected "warn" or "fail"'):
        assert_reliable(HONEST).raise_for_verdict(wrong)
