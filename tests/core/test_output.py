import errno
import json
import os
import re
import unicodedata
from pathlib import Path

import attrs
import pytest
from tables import each_row

from sentinel_core import Detection, ExecutionTrace, Finding, Signal, TraceDetails, evaluate_trace
from sentinel_core.errors import InputError
from sentinel_core.judging.output.sink import open_output
from sentinel_core.judging.output.text import render_report, render_summary
from sentinel_core.profile import RS1
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.printable import clipped, first_words, folded, printable, printable_json
from sentinel_core.testing import honest_trace

HARMFUL = {
    "escape": "\x1b",
    "null": "\x00",
    "carriage return": "\r",
    "bell": "\x07",
    "del": "\x7f",
    "c1": "\x9b",
    "soft hyphen": "\xad",
    "zero width": "\u200b",
    "joiner": "\u200d",
    "right to left": "\u202e",
    "isolate": "\u2067",
    "line separator": "\u2028",
    "arabic mark": "\u061c",
    "hangul filler": "\u3164",
    "variation selector": "\ufe0f",
    "byte order mark": "\ufeff",
    "annotation": "\ufff9",
    "tag": "\U000e0041",
    "lone surrogate": "\ud83d",
}


@each_row("character", HARMFUL.values())
def test_harmful_characters_are_shown_as_escapes(character):
    shown = printable(f"a{character}b")
    assert shown == "a" + character.encode("unicode_escape", "surrogatepass").decode() + "b"
    assert shown.isascii()


@each_row("character", [one for one in HARMFUL.values() if one != "\ud83d" and one >= "\x7f"])
def test_json_says_the_same_without_them(character):
    data = json.dumps({"k": f"a{character}\n"}, ensure_ascii=False).encode()
    made = printable_json(data)
    assert made.isascii()
    assert b"\x7f" not in made
    assert json.loads(made) == json.loads(data)


def test_no_character_that_a_terminal_acts_on_is_left():
    left = set(printable("".join(map(chr, [*range(0x20000), *range(0xE0000, 0xE1000)]))))
    assert len(left) > 100_000
    assert not {one for one in left if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")}
    steering = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN"}
    assert not {one for one in left if unicodedata.bidirectional(one) in steering and unicodedata.category(one) != "Cn"}


@pytest.mark.parametrize("text", ["plain", "Grüße, 世界", "🙂", "a \\x1b", "é ✓ █"])
def test_the_rest_is_left_alone(text):
    assert printable(text) == text
    data = json.dumps(text, ensure_ascii=False).encode()
    assert printable_json(data) is data or printable_json(data) == data


ORDERS = {
    "##vso[task.complete]x": r"#\u0023vso[task.complete]x",
    "a ##[error]b": r"a #\u0023[error]b",
    "###[a": r"##\u0023[a",
    "##teamcity[a]": r"#\u0023teamcity[a]",
    "é ##VSO[a": r"é #\u0023VSO[a",
}
LINE_ORDERS = {"::error title=x::y": r"\u003a:error title=x::y", "\u3000 ::add-mask::a": "\u3000 \\u003a:add-mask::a"}


@pytest.mark.parametrize(("text", "shown"), [*ORDERS.items(), *LINE_ORDERS.items()])
def test_nothing_gives_orders_to_a_runner_of_ci(text, shown):
    assert printable(text) == shown


def test_a_line_that_goes_on_below_gives_no_orders():
    assert folded("word word ::error title=x::y\n", 14) == "word word\n    \\u003a:error\n    title=x::y\n"


@pytest.mark.parametrize("text", ORDERS)
def test_json_gives_no_orders_to_a_runner_of_ci(text):
    data = json.dumps({text: text}, ensure_ascii=False).encode()
    made = printable_json(data)
    assert not re.search(rb"(?i)##[a-z]*\[", made)
    assert json.loads(made) == json.loads(data)


@pytest.mark.parametrize("text", ["## [a link](b)", "# [a]", "####", "std::vector", "a ::b", "a: :b", ": a"])
def test_what_runners_of_ci_pass_over_is_left_alone(text):
    assert printable(text) == text
    data = json.dumps(text).encode()
    assert printable_json(data) == data


def test_lines_stay_one_line():
    assert printable("a\nb\tc") == "a\\nb\\tc"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("  a \n b ", 5, "a b"),
        ("0123456789", 10, "0123456789"),
        ("0123456789x", 10, "0123 … 89x"),
        ("", 3, ""),
    ],
)
def test_clipped(text, width, shown):
    assert clipped(text, width) == shown
    assert len(clipped(text * 50, width)) <= width


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("  a \n b ", 5, "a b"),
        ("the last run", 12, "the last run"),
        ("the last run of it", 12, "the last…"),
        ("0123456789x", 10, "012345678…"),
    ],
)
def test_first_words(text, width, shown):
    assert first_words(text, width) == shown


def report(findings=(), *, score: float | None = 0.5, trace: ExecutionTrace | None = None, **more: object):
    signals = [Signal(name="loop", summary="s", detect=lambda _: Detection(score=score, findings=findings, **more))]
    return evaluate_trace(honest_trace() if trace is None else trace, signals=signals)


def finding(rule: str = "again", **more: object) -> Finding:
    return Finding(**{"rule": rule, "severity": "warning", "text": "Twice.", **more})


def lines(*arguments: object, **options: object) -> list[str]:
    return render_report(*arguments, **options).splitlines()


def test_a_report_has_verdict_bars_and_findings():
    one = finding(message_index=3, quote="word for word", severity="error")
    shown = lines(report([one], score=0.9, details="why"), origin="a.json, record 1")
    assert shown[0] == "✗ FAIL  honest  (a.json, record 1)"
    assert shown[1] == "  FAIL: Twice (loop.again)."
    assert shown[2] == "  loop  ██████████████████░░ 0.90 × 0.25  why"
    assert shown[3:] == [
        "  ✗ message 3 loop.again: Twice.",
        "      “word for word”",
        "  → look first at message 3 (loop.again)",
        '  Profile standard. For sorting: risk 0.225, triage 0.900. "sentinel explain RULE" explains a finding.',
    ]


def test_the_risk_stands_beside_a_verdict_only_where_it_decided():
    signals = [Signal(name=name, summary="s", detect=lambda _: 0.6) for name in ("cost", "loop", "tool_misuse")]
    decided = lines(evaluate_trace(honest_trace(), signals=signals, profile=RS1))
    assert decided[:2] == ["✓ PASS (hallucination left out)  honest", "  PASS: overall risk 0.39 is below 0.4."]
    signals.append(Signal(name="hallucination", summary="s", detect=lambda _: 0.39))
    decided = lines(evaluate_trace(honest_trace(), signals=signals))
    assert decided[1] == "  WARN: overall risk 0.5265, WARN from 0.4."
    assert not any("risk" in line for line in lines(report([finding()]))[:-1])


def test_the_worst_findings_come_first_and_the_rest_is_counted():
    found = [finding(f"r{number}", severity="note") for number in range(6)] + [finding("bad", severity="error")]
    shown = lines(report(found))
    assert shown[3] == "  ✗ loop.bad: Twice."
    assert shown[-3] == "  and 2 more findings (--verbose shows all)"
    assert sum("loop.r" in line for line in shown) == 4
    assert not lines(report(found[:5]))[-2].endswith("(--verbose shows all)")
    assert sum("loop.r" in line for line in lines(report(found), verbose=True)) == 6


def test_a_sub_agents_finding_says_where():
    child = attrs.evolve(honest_trace("b"), details=TraceDetails(children=(honest_trace("c"),)))
    trace = attrs.evolve(honest_trace(), details=TraceDetails(children=(honest_trace("a"), child)))
    assert lines(report([finding(trace_path=(1, 0), message_index=2)], trace=trace))[3].startswith(
        "  ! sub-agent 1 sub-agent 0 message 2 loop.again"
    )


def test_what_was_not_measured():
    shown = lines(report(score=None, details="nothing to see"))
    assert shown[0] == "? NO VERDICT  honest"
    assert shown[2] == "  loop  not measured                nothing to see"


def test_what_a_pass_is_worth():
    told = report()
    assert told.scope == (
        "Checked by loop; left out: cost, ending, hallucination, tool_misuse. Whether the outcome is right was not checked."
    )
    shown = lines(told)
    assert shown[0] == "✓ PASS (cost left out, ending left out, hallucination left out, tool_misuse left out)  honest"
    assert shown[-1] == f"  Profile standard. For sorting: risk 0.125, triage 0.500. {told.scope}"


def test_a_signal_that_could_not_be_measured_stands_in_the_verdict_line():
    signals = [Signal(name=name, summary="s", detect=lambda _: 0.0) for name in ("ending", "hallucination", "loop")]
    unmeasured = Detection(score=None, details="No call.")
    signals.append(Signal(name="tool_misuse", summary="s", detect=lambda _: unmeasured))
    signals.append(Signal(name="mine", summary="s", detect=lambda _: unmeasured))
    told = evaluate_trace(honest_trace(), signals=[*signals, Signal(name="cost", summary="s", detect=lambda _: 0.0)])
    assert lines(told)[0] == "✓ PASS (tool_misuse not measured)  honest"
    assert "not measured: mine, tool_misuse" in told.scope


def test_failures_and_advice_are_marked():
    signals = [
        Signal(name="mine", summary="s", detect=lambda _: 0.25),
        Signal(name="loop", summary="s", detect=lambda _: 7),
        Signal(name="odd", summary="s", detect=lambda _: None),
    ]
    told = evaluate_trace(honest_trace(), signals=signals)
    shown = lines(
        attrs.evolve(told, failures=tuple(attrs.evolve(one, distribution="d", version="1") for one in told.failures))
    )
    assert "  mine  █████░░░░░░░░░░░░░░░ 0.25 advisory" in shown
    assert '  ✗ signal "loop" (d 1) returned the score 7; expected a finite number from 0 to 1' in shown
    assert any(line.startswith('  ✗ advisory signal "odd" (d 1) returned NoneType') for line in shown)


def test_verbose_tells_what_was_checked():
    shown = lines(report(gaps=["no flags"]), verbose=True)
    assert "  6 messages, 2 tool calls, tokens: 480" in shown
    assert "  loop: checked; no flags" in shown
    assert "  cost: left out (left out by the user)" in shown
    assert shown[-1] == "  profile standard: cost 0.15, hallucination 0.35, loop 0.25, tool_misuse 0.25"
    bare = attrs.evolve(honest_trace(), token_usage=None)
    assert "  6 messages, 2 tool calls, tokens: unknown" in lines(report(trace=bare), verbose=True)
    told = attrs.evolve(report(), settings={"loop": {"limit": 5, "share": 0.5}})
    assert "  settings of loop: limit=5, share=0.5" in lines(told, verbose=True)


def test_colour_is_asked_for():
    assert "\x1b" not in render_report(report([finding()]))
    assert render_report(report([finding()]), color=True).startswith("\x1b[33m! WARN\x1b[0m")


def test_nothing_harmful_is_left_in_any_part():
    nasty = "".join(HARMFUL.values())
    one = finding(rule=f"r{nasty}", text=f"t{nasty}", quote=f"q{nasty}")
    told = report([one], details=f"d{nasty}", gaps=[f"g{nasty}"])
    told = attrs.evolve(
        told,
        trace_id=f"id{nasty}",
        reasoning=f"why{nasty}",
        settings={"loop": {"x": nasty}},
        profile={**told.profile, "name": nasty},
    )
    shown = render_report(told, origin=f"o{nasty}", verbose=True)
    assert not set(shown) & set(HARMFUL.values())


def test_a_summary_counts():
    assert render_summary({"PASS": 2, "WARN": 0, "FAIL": 1}) == "3 traces: 2 PASS, 1 FAIL\n"


def test_an_empty_panel_is_shown():
    empty = ExecutionTrace(trace_id="t")
    assert lines(evaluate_trace(empty, signals=[], profile=RS1))[:2] == [
        "? NO VERDICT  t",
        "  Nothing to check: the trace has no messages.",
    ]


def test_lines_are_folded_at_words_and_indented():
    text = "  one two three\n\nfour\n  a-very-long-word\n"
    assert folded(text, 9) == "  one two\n      three\n\nfour\n  a-very-long-word\n"
    assert folded(text, 0) == text


ROWS = [("key", "value", "origin"), ("signals.cost.budget_tokens", "one two three four five", "default")]


def test_a_table_has_a_line_for_each_row():
    assert list(in_columns(ROWS)) == list(in_columns(ROWS, 62))
    assert list(in_columns(ROWS)) == [
        "key                         value                    origin",
        "signals.cost.budget_tokens  one two three four five  default",
    ]


def test_a_table_is_folded_to_fit_cell_by_cell():
    assert "\n".join(in_columns(ROWS, 52)).splitlines() == [
        "key                         value            origin",
        "signals.cost.budget_tokens  one two three    default",
        "                            four five",
    ]
    assert "\n".join(in_columns(ROWS, 33)).splitlines() == [
        "key                value  origin",
        "signals.cost.      one    default",
        "budget_tokens      two",
        "                   three",
        "                   four",
        "                   five",
    ]


@pytest.mark.parametrize("width", [9, 20, 26, 33, 47])
def test_a_folded_table_loses_nothing(width):
    first, second = (text.splitlines() for text in in_columns(ROWS, width))
    assert max(map(len, [*first, *second])) <= width
    assert sorted("".join(second).replace(" ", "")) == sorted("".join(ROWS[1]).replace(" ", ""))


def written(path, *, before=None, data=b"new"):
    with open_output(path) as stream:
        stream.write(data)
        if before is not None:
            before()


@pytest.mark.parametrize("place", ["out.txt", "/dev/null"])
def test_only_errors_of_the_output_are_told_as_its_own(tmp_path, place):
    path = tmp_path / place
    with pytest.raises(FileNotFoundError, match=r"input\.json"):
        written(path, before=(tmp_path / "input.json").read_bytes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_full_disk_is_the_output_s_own(size):
    with pytest.raises(InputError, match=r'^"/dev/full" cannot be written: No space left on device$'):
        written(Path("/dev/full"), data=b"x" * size)


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_what_fails_in_the_end_is_the_output_s_own_and_leaves_the_old_one(tmp_path, monkeypatch, call):
    def refuses(*_):
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    path = tmp_path / "out.txt"
    written(path, data=b"old")
    monkeypatch.setattr(*((os, "fsync") if call == "fsync" else (Path, "replace")), refuses)
    with pytest.raises(InputError, match=r'out\.txt" cannot be written: Disk quota exceeded'):
        written(path)
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"old"]
