"""The last line says what was judged and written; a wrong path writes nothing, and a wrong ending is an error."""

import json

import pytest

OUTPUTS = ["page.html", "report.txt", "report.json", "reports.jsonl", "text:report.log", "report.htm"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_counts_name_the_file(inside, write, knob, output):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "-o", output, *knob)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[0] == f"1 trace: 1 PASS -> {output.removeprefix('text:')}"


def test_the_counts_name_all_files(inside, write, knob):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "-o", "o.sarif", "-o", "o.xml", "--format", "github", *knob)
    assert done.stderr.splitlines()[0] == "1 trace: 1 PASS -> o.sarif, o.xml"


@pytest.mark.parametrize("output", [*OUTPUTS, "o.sarif"])
@pytest.mark.parametrize("path", ["nope.jsonl", "none*.json", "hollow"])
def test_a_wrong_path_writes_nothing(inside, folder, knob, path, output):
    (folder / "hollow").mkdir()
    kept = folder / output.removeprefix("text:")
    kept.write_text("before")
    done = inside("evaluate", path, "-o", output, *knob)
    assert (done.returncode, done.stdout) == (3, "")
    first, last = done.stderr.splitlines()
    assert first.startswith(f'sentinel: error: "{path}')
    assert last == "nothing was written"
    assert kept.read_text() == "before"


def test_settings_that_cannot_be_used_write_nothing(inside, write, folder):
    write("t.json", "0")
    (folder / "page.html").write_text("before")
    done = inside("evaluate", "t.json", "-o", "page.html", "--weight", "nobody=1")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (3, "nothing was written")
    assert (folder / "page.html").read_text() == "before"


def test_a_file_that_gives_no_trace_is_on_the_page(inside, folder, knob):
    (folder / "broken.jsonl").write_text("no json\n")
    done = inside("evaluate", "broken.jsonl", "nope.json", "-o", "page.html", *knob)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "2 traces: 2 unreadable -> page.html"
    assert "broken.jsonl" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("outputs", "ending", "near"),
    [
        (["x.hmtl"], "hmtl", '; did you mean "html"?'),
        (["x.foo"], "foo", ""),
        (["x.html", "-o", "x.foo"], "foo", ""),
    ],
)
def test_an_unknown_ending_is_an_error(inside, write, folder, outputs, ending, near):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "-o", *outputs)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f'sentinel: error: -o "x.{ending}": no format has the extension ".{ending}"; use one of .txt, .json, .jsonl, '
        f'.html, .sarif, .xml, .md, .parquet, or name the format, as in "text:x.{ending}"{near}\n'
    )
    assert not list(folder.glob("x.*"))


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_a_format_that_is_named_makes_any_ending_right(inside, write, folder, knob, form):
    write("t.json", "0")
    assert inside("evaluate", "t.json", form, "-o", "x.foo", *knob).returncode == 0
    assert json.loads((folder / "x.foo").read_text())["verdict"] == "PASS"


def test_a_new_baseline_is_told(inside, write, folder, knob):
    write("t.json", "0.9")
    update = ("evaluate", "t.json", "--baseline", "known.json", "--update-baseline", *knob)
    done = inside(*update)
    number = len(json.loads((folder / "known.json").read_text())["findings"])
    assert (done.returncode, number) == (0, 1)
    assert done.stderr.splitlines()[-1] == 'made the baseline "known.json": 1 finding'
    assert inside(*update).stderr.splitlines()[-1] == 'updated the baseline "known.json": 1 finding'
