"""Rules: each built-in one is explained with an example in which it fires; levels are put over what a signal finds."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from commanding import run_command
from tables import each_row

from sentinel_core import Detection, Finding, Signal, evaluate_trace
from sentinel_core.cli.firing_rate import firing_rate
from sentinel_core.errors import ConfigError
from sentinel_core.host.conversion import Setting
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.rule_levels import check_rules, with_levels

REPOSITORY = Path(__file__).parents[2]
DETECTION = REPOSITORY / "src" / "sentinel_core" / "cli" / "detection.json"
CODING = REPOSITORY / "examples" / "traces" / "coding-session.jsonl"
SIGNALS = [plugin.offer for plugin in load(installed(("signals",)))[0]]
RULES = [(signal, rule) for signal in SIGNALS for rule in signal.rules]


@pytest.fixture
def sentinel(tmp_path):
    return partial(run_command, tmp_path)


@each_row(("signal", "rule"), RULES)
def test_every_rule_is_explained_with_an_example_in_which_it_fires(signal, rule):
    explanation = signal.explain()[rule.id]
    assert explanation.why.endswith(".")
    assert explanation.mend.endswith(".")
    report = evaluate_trace(explanation.trace)
    assert not report.failures
    assert f"{signal.name}.{rule.id}" in [finding.rule for finding in report.findings]


def test_nothing_is_explained_that_is_no_rule():
    assert len(RULES) >= 24
    for signal in SIGNALS:
        assert set(signal.explain()) == {rule.id for rule in signal.rules}


def test_all_rules_in_markdown_are_the_pages_one_after_the_other(sentinel):
    pages = sorted((REPOSITORY / "docs" / "rules").glob("*.md"), key=lambda page: page.stem)
    bodies = [page.read_text(encoding="utf-8").partition("\n")[2] for page in pages]
    assert sentinel("explain", "--all", "--markdown").stdout == "\n".join(bodies)


def test_the_list_names_each_rule_with_its_level(sentinel, tmp_path):
    (tmp_path / "sentinel.toml").write_text('[rules]\n"loop.cycle" = "warning"\n')
    lines = sentinel("rules").stdout.splitlines()
    assert len(lines) == len(RULES) + 1
    assert [line.split()[0] for line in lines[1:]] == sorted(f"{signal.name}.{rule.id}" for signal, rule in RULES)
    assert "error, set to warning" in next(line for line in lines if line.startswith("loop.cycle "))
    rows = json.loads(sentinel("rules", "--json").stdout)
    assert {row["level"] for row in rows} == {None, "warning"}


def test_the_list_says_how_often_a_rule_fires_on_failed_and_on_good_runs(sentinel):
    figures = json.loads(DETECTION.read_text())
    failed, good = (sum(row[kind] for row in figures["sets"].values()) for kind in ("failed", "good"))
    rows = {row["rule"]: row["fires_on"] for row in json.loads(sentinel("rules", "--json").stdout)}
    for rule, (on_failed, on_good) in figures["rules"]["fired"].items():
        assert rows[rule] == {"failed": on_failed, "good": on_good, "of_failed": failed, "of_good": good}
    head, *lines = sentinel("rules").stdout.splitlines()
    assert f"failed of {failed:,}  good of {good:,}" in head
    on_failed, on_good = figures["rules"]["fired"]["loop.cycle"]
    assert next(line for line in lines if line.startswith("loop.cycle ")).split()[2:4] == [str(on_failed), str(on_good)]
    told = sentinel("explain", "loop.cycle").stdout
    assert (
        f"{on_failed} of the {failed:,} labelled runs that failed and {on_good or 'none'} of the {good:,} that" in told
    )


def test_of_a_strangers_rule_no_rate_is_told(sentinel, tmp_path):
    assert firing_rate("loop.cycle", "reliability-sentinel-signal-loop") is not None
    assert firing_rate("loop.cycle", "sentinel-signal-loop") is None
    assert firing_rate("loop.cycle", None) is None
    (tmp_path / "mine.py").write_text(
        "from sentinel_core import Rule, Signal, hookimpl\n"
        "RULE = Rule(id='sorry', severity='note', title='Says sorry', help='It says sorry.', since='1')\n"
        "@hookimpl\n"
        "def sentinel_signals():\n"
        "    return [Signal(name='mine', summary='s', detect=lambda index: 0.0, rules=(RULE,))]\n"
    )
    lines = sentinel("rules", "--plugins", "signals:loop,./mine.py").stdout.splitlines()
    assert next(line for line in lines if line.startswith("mine.sorry ")).split()[1:4] == ["note", "–", "–"]


@pytest.mark.parametrize("name", ["contradicted_checks", "hallucination.contradicted_checks"])
def test_a_rule_is_explained_with_its_evidence(sentinel, name):
    told = sentinel("explain", name).stdout
    for words in (
        "The answer says that checks pass",
        "Why",
        "“All tests pass now.”",
        "What to do",
        '"hallucination.contradicted_checks" = "off"',
    ):
        assert words in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("explain", "contradicted_check"), 'there is no rule "contradicted_check"'),
        (("explain",), "give one rule, or --all"),
        (("evaluate", CODING, "--rule", "loop.cycel=off"), 'there is no such rule; did you mean "loop.cycle"?'),
        (("evaluate", CODING, "--rule", "lop.cycle=off"), "there is no such rule"),
        (
            ("evaluate", CODING, "--rule", "loop.cycle=maybe"),
            "'maybe' is not a level; expected off, note, warning, error",
        ),
    ],
)
def test_wrong_wishes_are_told(sentinel, arguments, words):
    done = sentinel(*arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


def test_what_is_off_is_not_found_and_the_report_says_so(sentinel):
    off = [
        word
        for rule in ("claim_without_call", "contradicted_checks")
        for word in ("--rule", f"hallucination.{rule}=off")
    ]
    report = json.loads(sentinel("evaluate", CODING, "--json", *off).stdout)
    assert report["verdict"] == "PASS"
    assert [one["rule"] for one in report["findings"]] == ["tool_misuse.failed_call"]
    gaps = next(one["gaps"] for one in report["coverage"] if one["signal_name"] == "hallucination")
    assert "The rule contradicted_checks is switched off; it would have had 1 finding." in gaps
    one_off = json.loads(sentinel("evaluate", CODING, "--json", *off[:2]).stdout)
    assert one_off["verdict"] == "FAIL"


def found(*severities):
    return Detection(
        score=0.9, findings=[Finding(rule=f"r{at}", severity=one, text="Found.") for at, one in enumerate(severities)]
    )


@pytest.mark.parametrize(
    ("severities", "levels", "expected", "score"),
    [
        (["error", "warning"], {"s.r0": "off"}, ["warning"], 0.9),
        (["error", "warning"], {"s.r0": "off", "s.r1": "off"}, [], 0.0),
        (["error"], {"s.r0": "note"}, ["note"], 0.0),
        (["note"], {"s.r0": "off"}, [], 0.9),
        (["note"], {"s.r0": "error"}, ["error"], 0.9),
        (["error"], {"other.r0": "off"}, ["error"], 0.9),
    ],
)
def test_levels_are_put_over_findings(severities, levels, expected, score):
    detection = with_levels(lambda _: found(*severities), "s", levels)(None)
    assert ([one.severity for one in detection.findings], detection.score) == (expected, score)


def test_a_bare_score_stays():
    assert with_levels(lambda _: 0.4, "s", {"s.r": "off"})(None) == 0.4


def test_a_signal_that_declares_nothing_may_have_any_rule():
    stranger = Signal(name="stranger", summary="s", detect=found)
    setting = Setting(key="rules.stranger.anything", value="off", origin="sentinel.toml")
    assert check_rules([setting], [stranger]) == {"stranger.anything": "off"}
    assert check_rules([setting], [], ["stranger"]) == {"stranger.anything": "off"}
    with pytest.raises(ConfigError):
        check_rules([setting], [])


def test_rules_of_expectations_are_explained(sentinel):
    from sentinel_core.evaluate.expectations import _CHECKS

    for rule in _CHECKS:
        told = sentinel("explain", f"expect.{rule}")
        assert told.returncode == 0
        assert told.stdout.startswith(f"expect.{rule} (error)\n")
    assert "--expect 'called:TOOL'" in sentinel("explain", "expect.called").stdout
    assert 'did you mean "expect.called"?' in sentinel("explain", "expect.caled").stderr


def test_a_rule_that_never_fired_is_said_to_have_had_little_to_fire_on(sentinel):
    told = sentinel("explain", "tool_misuse.arguments_not_json").stdout
    assert re.search(r"\b0 of", told) is None
    assert "which contain few cases to which the rule could apply" in " ".join(told.split())
