"""Every signal that measures its branches declares them, and is as severe as their odds allow."""

from pathlib import Path

import pytest
from tables import each_row

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.odds import OddsTable
from sentinel_core.host.plugins import installed, load
from sentinel_core.offers import Rule

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("plugins/signals/*/src/*/data/odds.toml"))
SIGNALS = {plugin.source.name: plugin.offer for plugin in load(installed(("signals",)))[0]}
GRAVITY = ["note", "warning", "error"]
EXAMPLES = 2


def table(folder):
    return OddsTable(folder, SIGNALS[folder.parents[2].name].rules)


TABLES = {folder.parents[2].name: table(folder) for folder in FOLDERS}
BRANCHES = [
    (name, rule, branch) for name, one in TABLES.items() for rule, rows in one.declared.items() for branch in rows
]


def test_these_signals_keep_odds():
    assert {"hallucination", "loop", "tool_misuse"} <= set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_what_was_measured_is_declared(name):
    declared = {f"{rule}.{branch}" for signal, rule, branch in BRANCHES if signal == name}
    assert set(TABLES[name].measured) <= declared
    assert set(TABLES[name].declared) <= {rule.id for rule in SIGNALS[name].rules}
    assert all(row.accused <= row.honest and row.found <= row.lies for row in TABLES[name].measured.values())


@each_row(("name", "rule", "branch"), BRANCHES)
def test_a_branch_is_explained_and_no_more_severe_than_its_rule(name, rule, branch):
    told, *examples = TABLES[name].declared[rule][branch]
    assert told.endswith(".")
    assert len(set(examples)) == EXAMPLES
    highest = next(one.severity for one in SIGNALS[name].rules if one.id == rule)
    explained = {one.name: one for one in SIGNALS[name].explain()[rule].branches}[branch]
    assert GRAVITY.index(explained.severity) <= GRAVITY.index(highest)
    assert GRAVITY.index(explained.severity) <= GRAVITY.index(TABLES[name].severity_of(rule, branch))


def test_a_branch_without_a_row_is_a_note_and_says_that_it_was_not_measured(tmp_path):
    (tmp_path / "branches.toml").write_text('[again]\nnew = ["Seen for the first time.", "a", "b"]\n', encoding="utf-8")
    (tmp_path / "odds.toml").write_text("", encoding="utf-8")
    own = OddsTable(tmp_path, (Rule(id="again", severity="error", title="t", help="h", since="1"),))
    (shown,) = own.explained("again")
    assert (shown.severity, shown.odds) == ("note", "not measured")
    assert own.explained("other") == ()


@pytest.mark.parametrize("name", ["loop", "tool_misuse"])
def test_the_findings_of_the_examples_are_as_severe_as_their_odds(name):
    signal, seen = SIGNALS[name], 0
    for explanation in signal.explain().values():
        found = signal.detect(TraceIndex(explanation.trace), signal.settings()).findings
        for one in found:
            if one.branch is not None:
                seen += 1
                assert one.severity == TABLES[name].severity_of(one.rule, one.branch)
    assert seen


def test_a_branch_may_be_held_below_its_odds(tmp_path):
    (tmp_path / "branches.toml").write_text('[again]\nnew = ["Seen.", "a", "b"]\n', encoding="utf-8")
    row = 'kind = "k"\naccused = 0\nhonest = 9000\nfound = 90\nlies = 100\n'
    (tmp_path / "odds.toml").write_text(f"[again.new]\n{row}", encoding="utf-8")
    rules = (Rule(id="again", severity="error", title="t", help="h", since="1"),)
    assert OddsTable(tmp_path, rules).severity_of("again", "new") == "error"
    assert OddsTable(tmp_path, rules, {"again.new": "warning"}).severity_of("again", "new") == "warning"
