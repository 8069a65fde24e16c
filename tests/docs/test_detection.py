"""The card says what the figures say."""

import hashlib
import importlib.util
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_FIGURES = 6
FIGURES = ROOT / "src/sentinel_core/cli/detection.json"


def _card():
    spec = importlib.util.spec_from_file_location("detection_card", ROOT / "benchmarks/detection_card.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_figures():
    card = _card()
    assert card.PAGE.read_text(encoding="utf-8") == card.render(json.loads(card.FIGURES.read_text(encoding="utf-8")))


def test_the_readme_says_the_same():
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))["summary"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.search(
        r"precision of FAIL is ([\d.]+).*?AUROC of ([\d.]+),\s+compared\s+with\s+(\d\.\d+)", readme, re.DOTALL
    )
    assert [float(one) for one in told.groups()] == [figures["precision"], figures["triage"], figures["messages"]]
    part = readme.partition("## How good is it?")[2].partition("\n## ")[0]
    assert f"{figures['recall']:.0%} of the failed runs" in part
    assert len(re.findall(r"\b0\.\d+|\d+%|\d+ were accused", part)) == MOST_FIGURES


def test_every_rule_on_the_page_is_declared():
    from sentinel_core.host.in_process import _installed_panel
    from sentinel_core.host.plugins import load, select
    from sentinel_core.host.selection import Selection

    plugins, _ = load(select(Selection(), ("signals",))[0])
    declared = {f"{plugin.offer.name}.{rule.id}" for plugin in plugins for rule in plugin.offer.rules}
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    assert set(figures["rules"]["fired"]) <= declared
    assert {signal.name for signal in _installed_panel().signals} <= set(figures["signals"])


def test_a_task_is_in_the_half_that_its_name_gives():
    spec = importlib.util.spec_from_file_location("split", ROOT / "benchmarks/split.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert [module.split_by_task(name) for name in ("task-1", "task-2", "é")] == [
        module.HALVES[hashlib.sha256(name.encode("utf-8")).digest()[0] % 2] for name in ("task-1", "task-2", "é")
    ]
    assert {module.split_by_task(str(number)) for number in range(20)} == {"read", "unread"}
