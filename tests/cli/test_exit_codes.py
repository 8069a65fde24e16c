import itertools

import pytest
from tables import each_row

from sentinel_core.judging.tally import Tally

pytestmark = pytest.mark.unmeasured

VERDICTS = {"PASS": "0", "WARN": "0.4", "FAIL": "0.7"}


@pytest.mark.parametrize(("score", "code"), [("0.3999", 0), ("0.4", 1), ("0.6999", 1), ("0.7", 2)])
def test_a_verdict_gives_its_code(sentinel, write, knob, score, code):
    write("t.json", score)
    done = sentinel("evaluate", "t.json", *knob)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout[2:6] == ("PASS", "WARN", "FAIL")[code]


def test_of_many_the_worst(sentinel, write, knob):
    write("t.jsonl", "0", "0.9", "0.5", "0")
    done = sentinel("evaluate", "t.jsonl", *knob)
    assert done.returncode == 2
    assert done.stdout.endswith("4 traces: 2 PASS, 1 WARN, 1 FAIL\n")


@pytest.mark.parametrize(("fail_on", "codes"), [("warn", (0, 1, 2)), ("fail", (0, 0, 2)), ("never", (0, 0, 0))])
def test_fail_on_moves_verdicts(inside, write, knob, fail_on, codes):
    found = []
    for score in VERDICTS.values():
        write("t.json", score)
        found.append(inside("evaluate", "t.json", "--fail-on", fail_on, *knob).returncode)
    assert tuple(found) == codes


@pytest.mark.parametrize("fail_on", ["warn", "fail", "never"])
def test_fail_on_leaves_3_alone(inside, write, knob, fail_on):
    write("t.json", "no number")
    done = inside("evaluate", "t.json", "--fail-on", fail_on, *knob)
    assert done.returncode == 3
    assert "NO VERDICT" in done.stdout
    assert 'signal "knob" raised ValueError' in done.stdout


COUNTS = ("PASS", "WARN", "FAIL", "no verdict", "unreadable")


@each_row("present", [p for n in range(6) for p in itertools.combinations(COUNTS, n)])
def test_every_mixture(present):
    tally = Tally()
    for name in present:
        tally.counts[name] = 3
    assert tally.total == 3 * len(present)
    judged = set(present) <= set(VERDICTS) and bool(present)
    worst = 2 if "FAIL" in present else int("WARN" in present)
    assert tally.exit_code("warn") == (worst if judged else 3)
    assert tally.exit_code("fail") == ((2 if worst == 2 else 0) if judged else 3)
    assert tally.exit_code("never") == (0 if judged else 3)
    tally.broken = True
    assert tally.exit_code("never") == 3


USAGE = {
    "no command": ((), "Usage: sentinel"),
    "no such command": (
        ("evalute",),
        'there is no command "evalute"; did you mean "evaluate"? (see "sentinel --help")',
    ),
    "no such option": (("evaluate", "--jsno"), "No such option"),
    "no path": (("evaluate",), 'nothing to evaluate: give a file, a folder, a glob, or - for standard input (see "'),
    "bad choice": (("evaluate", "x", "--fail-on", "maybe"), "'maybe' is not one of 'warn', 'fail', 'never'"),
    "bad number": (("evaluate", "x", "--timeout", "soon"), "'soon' is not a valid float"),
    "bad assignment": (("evaluate", "x", "--set", "budget"), '"budget" must be KEY=VALUE'),
    "bad weight": (("evaluate", "x", "--weight", "=1"), '"=1" must be NAME=W'),
    "two formats": (("evaluate", "x", "--json", "--jsonl"), "--jsonl cannot be combined with --json or --pretty"),
    "no config command": (("config",), "Usage: sentinel config"),
    "no name": (("plugins", "show"), "Missing argument 'NAME'"),
}


@pytest.mark.parametrize(("arguments", "words"), USAGE.values(), ids=list(USAGE))
def test_wrong_usage_is_3(inside, arguments, words):
    done = inside(*arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


def test_wrong_usage_is_3_for_the_shell(sentinel):
    done = sentinel("evaluate", "--no-such-option")
    assert done.returncode == 3
    assert done.stderr.startswith("sentinel: error: No such option")
    assert done.stderr.count("\n") == 1


INPUTS = {
    "missing": (None, '"t.json": no such file or folder'),
    "empty": (b"", '"t.json": is empty: nothing to check'),
    "blank": (b" \n\n", '"t.json": is empty: nothing to check'),
    "not JSON": (b'{"trace_id": "messages"', "is not JSON: Input data was truncated at $"),
    "unknown format": (
        b"Dear diary",
        '"t.json": is in no format that an installed reader can read: it looks like text that is not JSON',
    ),
    "no record": (b'[]  "trace_id"', '"t.json": is not JSON'),
    "an empty list": (b"[\n]", ""),
    "half a gzip": (b"\x1f\x8b\x08\x00rubbish", '"t.json": cannot be read completely: '),
    "too new": (b'{"trace_id": "t", "messages": [], "schema": 3}', "version 3 of the trace format is unknown"),
}


@pytest.mark.parametrize(("data", "words"), INPUTS.values(), ids=list(INPUTS))
def test_input_that_cannot_be_judged_is_3(inside, folder, data, words):
    if data is not None:
        (folder / "t.json").write_bytes(data)
    done = inside("evaluate", "t.json", "--fail-on", "never")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr
    assert done.stderr.startswith("sentinel: error: ")
    assert done.stderr.count("\n") == 1


def test_no_message_is_nothing_to_check(sentinel, folder):
    (folder / "t.json").write_text('{"trace_id": "t", "messages": []}')
    done = sentinel("evaluate", "t.json", "--fail-on", "never")
    assert done.returncode == 3
    assert "Nothing to check: the trace has no messages." in done.stdout


def test_a_folder_that_may_not_be_written(sentinel, write):
    write("t.json", "0")
    done = sentinel("evaluate", "t.json", "-o", "gone/report.txt")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == 'sentinel: error: "gone/report.txt" cannot be written: there is no folder "gone"\n'


CONFIG = {
    "unknown signal": (
        ("--weight", "lop=1"),
        '--weight "lop": no such signal is installed; did you mean "loop"? ("sentinel plugins"',
    ),
    "negative weight": (("--weight", "loop=-1"), 'the weight of "loop" is -1.0; it must be a finite number, 0 or more'),
    "no number": (("--weight", "loop=heavy"), '"weights.loop" from --weight: expected a number'),
    "no such profile": (
        ("--profile", "rs2"),
        '"rs2" is not a profile: it is neither "rs1" nor "standard" nor a readable file',
    ),
    "no such plugin": (("--plugins", "lop"), 'no plugin named "lop" is installed; did you mean "loop"?'),
    "no such file": (("--plugins", "./gone.py"), 'plugin "./gone.py": there is no such file'),
    "no such module": (("--plugins", "no.such"), 'plugin "no.such" cannot be imported'),
    "no such setting": (
        ("--set", "cost.budget=1"),
        'unknown setting "signals.cost.budget" from --set; did you mean "budget_tokens"?',
    ),
    "no such owner": (("--set", "cots.x=1"), '--set cots.x: no plugin "cots" is installed; did you mean "cost"?'),
    "bad value": (
        ("--set", "cost.budget_tokens=lots"),
        '"signals.cost.budget_tokens" from --set: expected a whole number',
    ),
    "bad host value": (("--set", "fail_on=always"), '"fail_on" from --set: expected one of'),
    "no time": (("--timeout", "0"), '"timeout" must be > 0: 0.0 (from --timeout)'),
    "endless time": (("--timeout", "inf"), '"timeout" must be <= 1000000.0: inf (from --timeout)'),
    "no memory": (("--max-memory-mb", "0"), '"max_memory_mb" must be > 0: 0 (from --max-memory-mb)'),
    "nothing left": (
        (
            "--plugins",
            "+loop",
            "--weight",
            "loop=0",
            "--set",
            "weights.cost=0",
            "--set",
            "weights.hallucination=0",
            "--set",
            "weights.tool_misuse=0",
        ),
        "every signal's weight is 0",
    ),
}


@pytest.mark.parametrize(("arguments", "words"), CONFIG.values(), ids=list(CONFIG))
def test_configuration_that_cannot_be_used_is_3(inside, write, arguments, words):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "--json", *arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_defect_of_ours_is_3(inside, monkeypatch, folder):
    """Python's own exit code for an uncaught exception, 1, would say WARN."""
    from sentinel_core.cli import cli

    monkeypatch.setattr(cli, "main", lambda *_, **__: 1 // 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        inside("evaluate")
    monkeypatch.setattr(cli, "main", lambda *_, **__: bytes(1 << 62))
    done = inside("evaluate")
    assert (done.returncode, done.stderr) == (3, "sentinel: error: out of memory\n")
    monkeypatch.setattr(cli, "main", lambda *_, **__: open(folder / "gone"))  # noqa: PTH123, SIM115
    done = inside("evaluate")
    assert (done.returncode, done.stderr) == (3, f"sentinel: error: {folder / 'gone'}: No such file or directory\n")


def test_what_earlier_commands_wrote_costs_the_next_nothing(inside, write, folder):
    write("t.jsonl", "0")
    outputs = (("--emit", "otel"), ("-o", "out/"), ("-o", "reports.jsonl"), ("--emit", "otel"), ())
    for options in outputs:
        done = inside("evaluate", ".", *options)
        assert (done.returncode, "unreadable" in done.stdout + done.stderr) == (0, False), options
    assert inside("evaluate", "reports.jsonl").returncode == 3
