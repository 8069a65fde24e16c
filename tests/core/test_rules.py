"""A signal declares what it can find."""

import ast
import warnings
from pathlib import Path

import attrs
import pytest

from sentinel_core import Detection, Finding, Rule, Signal, evaluate_trace
from sentinel_core.errors import PluginError
from sentinel_core.host.panel import undeclared_rules
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.validate_offers import checked
from sentinel_core.testing import SAMPLES, SignalContract
from sentinel_core.traces.codec import decode_trace

REPOSITORY = Path(__file__).parents[2]
PLUGINS, _ = load([one for one in installed() if one.kind == "signals"])
BUILT_IN = {plugin.offer.name: plugin.offer for plugin in PLUGINS}
EXAMPLES = sorted((REPOSITORY / "examples" / "traces").glob("*.json"))
RULE = Rule(id="odd", severity="note", title="Odd", help="Look at it.", since="1.0")


def signal(*rules: Rule) -> Signal:
    found = Finding(rule="odd", severity="note", text="Odd.")
    return Signal(name="mine", summary="s", detect=lambda _: Detection(score=0.5, findings=[found]), rules=rules)


def literals(name: str) -> set[str]:
    """Every text that stands in the source of a built-in signal, save in the table of its rules."""
    paths = (REPOSITORY / "plugins" / "signals" / name / "src").rglob("*.py")
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths if path.name != "declared.py"]
    return {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def test_the_four_built_in_signals_declare_their_rules():
    assert {"cost", "hallucination", "loop", "tool_misuse"} <= BUILT_IN.keys()
    assert all(one.rules for one in BUILT_IN.values())


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_each_declared_rule_can_be_found_and_stands_in_the_readme(name):
    readme = (REPOSITORY / "plugins" / "signals" / name / "README.md").read_text(encoding="utf-8")
    for rule in BUILT_IN[name].rules:
        assert rule.id in literals(name)
        assert f"`{rule.id}`" in readme or f"`{name}.{rule.id}`" in readme


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_each_rule_that_the_source_names_is_declared(name):
    named: set[str] = set()
    for path in (REPOSITORY / "plugins" / "signals" / name / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.keyword)
                and node.arg == "rule"
                and not isinstance(node.value, (ast.Name, ast.Attribute))
            ):
                named |= {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)}
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) in {"Fault", "_finding", "_Mark", "Mark"}
                and node.args
            ):
                named |= {one.value for one in node.args[:1] if isinstance(one, ast.Constant)}
    assert named <= {rule.id for rule in BUILT_IN[name].rules}


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_no_sample_gets_a_finding_with_an_undeclared_rule(name):
    assert undeclared_rules(BUILT_IN[name], SAMPLES) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_finding_on_an_example_has_a_declared_rule_of_that_severity_or_worse(path):
    worst = ("note", "warning", "error")
    declared = {f"{name}.{rule.id}": rule for name, one in BUILT_IN.items() for rule in one.rules}
    for finding in evaluate_trace(decode_trace(path.read_bytes())).findings:
        assert worst.index(finding.severity) <= worst.index(declared[finding.rule].severity)


def test_an_undeclared_rule_is_named():
    assert undeclared_rules(signal(), SAMPLES[:1]) == ["odd"]
    assert undeclared_rules(signal(RULE), SAMPLES[:1]) == []


def test_the_contract_suite_warns_of_an_undeclared_rule():
    class Undeclared(SignalContract):
        def make(self):
            return signal()

        def risky(self):
            return SAMPLES[0]

        def clean(self):
            return SAMPLES[0]

    with pytest.warns(UserWarning, match="^'mine' does not declare its rules odd$"):
        Undeclared().test_rules_are_declared()


def test_the_contract_suite_is_silent_where_all_are_declared():
    class Declared(SignalContract):
        def make(self):
            return signal(RULE)

        def risky(self):
            return SAMPLES[0]

        def clean(self):
            return SAMPLES[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Declared().test_rules_are_declared()


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (RULE, "rules must be a tuple of Rule"),
        (("odd",), "rules must be a tuple of Rule"),
        ((RULE, RULE), '"mine" declares a rule twice'),
        ((attrs.evolve(RULE, help=""),), 'rule "odd" has no help'),
        ((attrs.evolve(RULE, since=1),), 'rule "odd" has no since'),
        ((attrs.evolve(RULE, severity="bad"),), 'rule "odd": severity must be note, warning or error'),
    ],
)
def test_rules_that_cannot_be_used_are_refused(rules, told):
    with pytest.raises(PluginError, match=told):
        checked(attrs.evolve(signal(), rules=rules), "signals")
