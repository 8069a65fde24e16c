"""What ``sentinel plugins --check`` says of a signal whose findings have rules that it does not declare."""

import pytest

pytestmark = pytest.mark.unmeasured

UNDECLARED = """
from sentinel_core import Detection, Finding, Signal, hookimpl


def detect(index):
    return Detection(score=0.5, findings=[Finding(rule="odd", severity="note", text="Odd.")])


@hookimpl
def sentinel_signals():
    return [Signal(name="mine", summary="s", detect=detect)]
"""


def test_check_warns_of_rules_that_a_signal_does_not_declare(inside, folder):
    (folder / "mine.py").write_text(UNDECLARED, encoding="utf-8")
    done = inside("plugins", "--check", "--plugins", "./mine.py")
    assert 'warning: plugin "./mine.py" reports findings of rules that it does not declare: odd' in done.stderr
    assert done.stderr.count("does not declare") == 1
    assert done.returncode == 0
