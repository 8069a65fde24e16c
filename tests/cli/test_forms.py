"""What is written where: text, JSON, JSON Lines, files, standard input."""

import errno
import gzip
import json
import mmap
import os
import re
import stat
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

HONEST = str(Path(__file__).parents[2] / "examples" / "traces" / "honest-coding-session.json")


def ids(text: str) -> list[str]:
    return [json.loads(line)["trace_id"] for line in text.splitlines()]


def test_json_is_an_object_for_one_trace(inside, write, knob):
    write("t.json", "0.5")
    done = inside("evaluate", "t.json", "--json", *knob)
    report = json.loads(done.stdout)
    assert (report["trace_id"], report["verdict"], report["overall_score"]) == ("t0", "WARN", 0.5)
    assert report["findings"][0]["rule"] == "knob.said"
    assert report["metadata"] == {"total_messages": 1, "total_tool_calls": 0, "total_tokens": None}
    assert done.stdout.count("\n") == 1
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("count", [2, 3])
def test_json_is_a_list_for_many(inside, write, knob, count):
    write("t.jsonl", *["0"] * count)
    done = inside("evaluate", "t.jsonl", "--json", *knob)
    assert [report["trace_id"] for report in json.loads(done.stdout)] == [f"t{number}" for number in range(count)]


def test_json_lines(inside, write, knob):
    write("t.jsonl", "0", "0", "0")
    done = inside("evaluate", "t.jsonl", "t.jsonl", "--jsonl", *knob)
    assert ids(done.stdout) == ["t0", "t1", "t2"] * 2


def test_pretty_says_the_same(inside, write, knob):
    write("t.jsonl", "0", "1")
    plain = inside("evaluate", "t.jsonl", "--json", *knob)
    pretty = inside("evaluate", "t.jsonl", "--pretty", *knob)
    assert json.loads(plain.stdout) == json.loads(pretty.stdout)
    assert '\n  "trace_id": "t0",\n' in pretty.stdout
    assert inside("evaluate", "t.jsonl", "--json", "--pretty", *knob).stdout == pretty.stdout


def test_text_for_people(inside, write, knob):
    write("t.jsonl", "0.5 of it", "0")
    done = inside("evaluate", "t.jsonl", *knob)
    assert done.stdout.splitlines() == [
        "! WARN  t0  (t.jsonl, record 1)",
        "  ! message 0: It was said. “0.5 of it” (knob.said)",
        "✓ PASS  t1  (t.jsonl, record 2)",
        "2 traces: 1 PASS, 1 WARN",
    ]


def test_verbose_text_tells_each_in_full(inside, write, knob):
    write("t.jsonl", "0.5 of it", "0")
    done = inside("evaluate", "t.jsonl", "-v", *knob)
    first, second, summary = done.stdout.split("\n\n")[0], *done.stdout.split("\n\n")[1].rsplit("\n", 2)[:2]
    assert first.splitlines()[0] == "! WARN  t0  (t.jsonl, record 1)"
    assert "  ! message 0 knob.said: It was said.\n      “0.5 of it”" in first
    assert second.startswith("✓ PASS  t1  (t.jsonl, record 2)")
    assert summary == "2 traces: 1 PASS, 1 WARN"


def test_forty_traces_with_ten_bad_ones_fit_on_sixty_lines(inside, write, knob):
    write("t.jsonl", *["0" if number % 4 else "0.5 of it" for number in range(40)])
    for options in ((), ("-j", "2")):
        done = inside("evaluate", "t.jsonl", *options, *knob)
        assert len(done.stdout.splitlines()) <= 60
        assert done.stdout.count("✓ PASS") == 30
        assert done.stdout.count("message 0: It was said. “0.5 of it”") == 10
        assert "\n40 traces: 30 PASS, 10 WARN\n" in done.stdout


def test_one_trace_is_told_in_full(inside, write, knob):
    write("t.jsonl", "0.5 of it")
    done = inside("evaluate", "t.jsonl", *knob)
    assert (
        "  ! message 0 knob.said: It was said.\n      “0.5 of it”\n      record: no tool call before it\n"
        in done.stdout
    )


def test_verbose_tells_settings_and_coverage(inside, write):
    write("t.json", "0")
    quiet, verbose = inside("evaluate", "t.json"), inside("evaluate", "t.json", "-v")
    assert "settings of cost: budget_tokens=" in verbose.stdout
    assert "  loop: checked" in verbose.stdout
    assert "settings of" not in quiet.stdout
    assert verbose.returncode == quiet.returncode == 0


@pytest.mark.parametrize("arguments", [("-",), ("--stdin",), ("-", "--stdin")])
def test_standard_input(sentinel, write, knob, arguments):
    data = write("t.jsonl", "0.5", "0").read_bytes()
    done = sentinel("evaluate", *arguments, "--jsonl", *knob, stdin=gzip.compress(data))
    assert (done.returncode, ids(done.stdout), done.stderr) == (1, ["t0", "t1"], "")


def test_standard_input_has_its_place_among_files(sentinel, write, knob):
    data = write("t.json", "0").read_bytes()
    done = sentinel("evaluate", "t.json", "-", "t.json", *knob, stdin=data)
    origins = [line for line in done.stdout.splitlines() if "record" in line]
    assert [line.rpartition("(")[2] for line in origins] == [
        "t.json, record 1)",
        "stdin, record 1)",
        "t.json, record 1)",
    ]


def test_folders_globs_and_packed_files(inside, write, knob, folder):
    write("runs/b.jsonl", "0")
    write("runs/deep/a.json", "0", "0")
    packed = folder / "runs" / "z.jsonl.gz"
    packed.write_bytes(gzip.compress(write("other/z.jsonl", "0").read_bytes()))
    assert len(ids(inside("evaluate", "runs", "--jsonl", *knob).stdout)) == 4
    assert len(ids(inside("evaluate", "runs/*.jsonl*", "--jsonl", *knob).stdout)) == 2
    assert len(ids(inside("evaluate", "**/*.json", "--jsonl", *knob).stdout)) == 2


def test_a_file_takes_its_name_when_it_is_whole(inside, write, knob, folder):
    write("t.jsonl", "0", "0.5")
    (folder / "out.json").write_text("before")
    done = inside("evaluate", "t.jsonl", "--json", "-o", "out.json", *knob)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "2 traces: 1 PASS, 1 WARN -> out.json\n")
    assert len(json.loads((folder / "out.json").read_bytes())) == 2
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder / "out.json").stat().st_mode) == 0o666 & ~mask
    assert not list(folder.glob(".out*"))


def test_a_file_is_left_alone_where_nothing_was_judged(inside, write, folder):
    write("t.json", "0")
    (folder / "out.txt").write_text("before")
    for form in ("--json", "--jsonl", "-v"):
        done = inside("evaluate", "t.json", form, "-o", "out.txt", "--weight", "nobody=1")
        assert done.returncode == 3
        assert (folder / "out.txt").read_text() == "before"
    assert not list(folder.glob(".out*"))


def test_a_link_keeps_leading_to_its_file(inside, write, knob, folder):
    write("t.json", "0")
    (folder / "link").symlink_to("out.txt")
    assert inside("evaluate", "t.json", "-o", "link", *knob).returncode == 0
    assert (folder / "link").is_symlink()
    assert (folder / "out.txt").read_text().startswith("✓ PASS")


def test_a_device_is_written_to_and_not_replaced(inside, write, knob):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "-o", "/dev/null", *knob)
    assert (done.returncode, done.stderr) == (0, "1 trace: 1 PASS -> /dev/null\n")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116 - as short as it gets


@pytest.mark.parametrize(
    ("target", "reason"),
    [(".", "is not empty; give a new folder"), ("/dev/full", "cannot be written: No space left on device")],
)
def test_places_that_take_no_reports(inside, write, knob, target, reason):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "-o", target, *knob)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f'sentinel: error: "{target}" {reason}\n'


@pytest.mark.parametrize("place", [(), ("-o", "out.txt")])
def test_what_is_no_fault_of_the_output_is_not_told_as_one(inside, write, knob, monkeypatch, place):
    def refuses(*_):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    write("t.json", "0")
    monkeypatch.setattr(mmap, "mmap", refuses)
    done = inside("evaluate", "t.json", *place, *knob)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "sentinel: error: the operating system reported: Cannot allocate memory\n"


def test_the_same_bytes_whatever_the_seed_and_the_folder(sentinel, write, folder, tmp_path):
    source = folder / "t.jsonl"
    write("t.jsonl", "I have sent the mail to Ann.", "0", "According to the search results, it rains.")
    told = set()
    for seed, cwd, path in (("0", folder, "t.jsonl"), ("1", tmp_path, "folder/t.jsonl"), ("2", "/", source)):
        for form in ("--jsonl", "-v"):
            done = sentinel("evaluate", path, form, cwd=cwd, PYTHONHASHSEED=seed)
            assert done.returncode < 3
            told.add((form, done.stdout))
    assert len(told) == 2


def test_colour_is_for_terminals(inside, write, knob):
    write("t.json", "0")
    assert "\x1b" not in inside("evaluate", "t.json", *knob).stdout
    painted = inside("evaluate", "t.json", *knob, FORCE_COLOR="1")
    assert painted.stdout.startswith("\x1b[32m✓ PASS\x1b[0m")
    assert "\x1b" not in inside("evaluate", "t.json", *knob, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b" not in inside("evaluate", "t.json", "--json", *knob, FORCE_COLOR="1").stdout


def test_files_of_one_name_are_told_apart_from_any_folder(inside, write, knob, folder):
    for name in ("runs/a/t.json", "runs/b/t.json"):
        write(name, "0")
    (folder / "runs/b/bad.json").write_text("{")
    for paths in (("runs",), ("runs/*/*.json",), (folder / "runs",)):
        told = inside("evaluate", *paths, *knob).stdout
        assert re.findall(r"\((.*), record 1\)", told) == ["a/t.json", "b/t.json"]
        rows = inside("evaluate", *paths, "--jsonl", *knob).stdout.splitlines()
        assert [json.loads(row)["error"]["source"] for row in rows if row.startswith('{"error"')] == ["b/bad.json"]


def test_what_it_wrote_before_is_no_input(inside, write, knob):
    write("in/t.json", "0")
    for output in ("in/reports.jsonl", "in/reports.jsonl", "in/out/", "in/reports.jsonl"):
        done = inside("evaluate", "in", "-o", output, *knob, *(("--resume",) if output == "in/out/" else ()))
        assert "1 PASS" in done.stderr, output
        assert (done.returncode, "has no format" in done.stderr) == (0, False), output


def test_one_risk_is_rounded_one_way(inside, write, knob):
    write("t.jsonl", "0.2975", "0.2975")
    shown = inside("evaluate", "t.jsonl", "--jobs", "2", "-v", *knob).stdout
    assert "For sorting: risk 0.298, triage" in shown
    assert "risk: p50 0.298," in shown


def test_the_ledger_lists_claims_with_what_the_record_shows(sentinel):
    done = sentinel("evaluate", HONEST, "--ledger")
    assert '  ✓ message 9: “All 42 tests pass.”\n      backed: tests: "pytest -q" passed' in done.stdout
    assert "backed:" not in sentinel("evaluate", HONEST).stdout
