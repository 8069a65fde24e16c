"""What a newcomer types first, and what a wrong wish is answered with."""

import json
import shlex
import subprocess
import sys

import pytest

from sentinel_core.cli.evaluate import _say_how_to_resume
from sentinel_core.cli.options import Many

pytestmark = pytest.mark.unmeasured

ROBOT = {"messages": [{"role": "robot", "content": "I filed the risk report for v2; its id is 7."}]}

PLACES = {
    "nowhere to go": (("--output-format", "parquet"), '--output-format "parquet" needs a place to write to: -o FILE'),
    "another name": (
        ("--output-format", "parquet", "-o", "w.jsonl"),
        '-o "w.jsonl" does not match --output-format "parquet": the file extension stands for another format',
    ),
    "no such format": (
        ("-o", "w.csv"),
        '-o "w.csv": no format has the extension ".csv"; use one of .txt, .json, .jsonl, .html, .sarif, .xml, .md, .parquet',
    ),
    "no name": (("-o", "junit:"), '-o "junit:": the file name is missing after the colon'),
    **{
        f"JSON in .{ending}": (("-o", f"w.{ending}", "--json"), f'-o "w.{ending}" would contain JSON: name it .json')
        for ending in ("csv", "yaml", "CSV", "gz")
    },
    "a table in XML": (
        ("-o", "w.xml", "--output-format", "parquet"),
        '--output-format "parquet" needs a place to write to: -o FILE',
    ),
    "a document in lines, in capitals": (("-o", "w.JSONL", "--json"), '-o "w.JSONL" contains one report per line'),
    "lines in a document": (("--jsonl", "-o", "w.json"), '-o "w.json" would contain lines of JSON: name it .jsonl'),
    "what is read": (("-o", "./t.json", "--json"), '-o "./t.json" is also an input and would be replaced'),
    "what is read, in a folder": ((".", "-o", "t.json", "--json"), '-o "t.json" is also an input'),
    "a document in lines": (
        ("--json", "-o", "w.jsonl"),
        '-o "w.jsonl" contains one report per line: leave out --json and --pretty, or use a file name that ends with .json',
    ),
    "a document in parts": (("--pretty", "-o", "w/"), '-o "w/" contains one report per line'),
    "no folder": (("-o", "gone/x.jsonl"), '"gone/x.jsonl" cannot be written: there is no folder "gone"'),
    "a file for a folder": (("-o", "t.json/x/"), '"t.json/x" cannot be created: Not a directory'),
}


@pytest.mark.parametrize(("arguments", "words"), PLACES.values(), ids=list(PLACES))
def test_an_output_that_cannot_be_as_asked(inside, write, folder, arguments, words):
    write("t.json", "0")
    done = inside("evaluate", "t.json", *arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"sentinel: error: {words}")
    assert not [path for path in folder.iterdir() if path.name.startswith(("w.", ".w."))]


@pytest.mark.parametrize("options", [("--json",), ("--check",), ("--plugins", "./mine.py"), ("--timeout", "3")])
def test_options_of_the_list_of_plugins_are_not_passed_over(inside, options):
    done = inside("plugins", *options, "show", "loop")
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        f'"{options[0]}" before "show" is an option for listing the plugins; write the options of "show" after "show"'
        in done.stderr
    )


def test_a_mistyped_group_of_entry_points_is_told(inside, monkeypatch):
    from sentinel_core.cli import plugins

    monkeypatch.setattr(plugins, "misnamed", lambda: ["single 1.0: no plugins"])
    for arguments in ([], ["show", "single"]):
        assert "sentinel: warning: single 1.0: no plugins" in inside("plugins", *arguments).stderr


def test_the_summary_is_told_with_its_folder(inside, write, folder):
    write("t.json", "0")
    (folder / "out").mkdir()
    done = inside("evaluate", "t.json", "-o", "out/reports.jsonl")
    assert done.stderr.endswith("full summary: out/reports.summary.json\n")


def test_an_unknown_role_is_no_pass(inside, folder):
    (folder / "t.json").write_text(json.dumps(ROBOT))
    done = inside("evaluate", "t.json")
    assert done.returncode == 3
    assert "Nothing to check: no assistant text and no tool call." in done.stdout
    assert '! not read: 1 message with the unknown role "robot"' in done.stdout
    strict = inside("evaluate", "t.json", "--strict")
    assert (strict.returncode, strict.stdout) == (3, "")
    refused = (
        '--strict rejects record 1, because it could not be read completely: 1 message with the unknown role "robot"'
    )
    assert refused in strict.stderr


def test_plugins_given_twice_add_up(inside, write):
    write("t.json", "0")
    done = inside("evaluate", "t.json", "--plugins", "no:cost", "--plugins", "no:loop", "--json")
    rows = {row["signal_name"]: row["state"] for row in json.loads(done.stdout)["coverage"]}
    assert rows["cost"] == rows["loop"] == "left_out"
    assert rows["hallucination"] != "left_out"


@pytest.mark.parametrize("name", ["md", "json", "w.d/csv", "w.JSON"])
def test_a_name_that_promises_nothing_else(inside, write, folder, name):
    write("t.json", "0")
    (folder / "w.d").mkdir()
    assert inside("evaluate", "t.json", "-o", name, "--json").returncode == 0
    assert json.loads((folder / name).read_text())["trace_id"] == "t0"


def test_plugins_from_the_environment(inside):
    listed = json.loads(inside("plugins", "--json", SENTINEL_PLUGINS="no:cost,no:loop").stdout)
    assert {row["name"] for row in listed if row["state"] == "left out"} == {"cost", "loop"}
    flagged = json.loads(inside("plugins", "--json", "--plugins", "no:cost", SENTINEL_PLUGINS="no:loop").stdout)
    assert {row["name"] for row in flagged if row["state"] == "left out"} == {"cost"}


def test_plugins_from_the_file(inside, folder):
    (folder / "sentinel.toml").write_text('plugins = ["no:cost", "no:openai-chat"]')
    listed = json.loads(inside("plugins", "--json").stdout)
    assert {row["name"] for row in listed if row["state"] == "left out"} == {"cost", "openai-chat"}
    formats = {row["name"] for row in json.loads(inside("formats", "--json").stdout)}
    assert "openai-responses" in formats
    assert "openai-chat" not in formats


def test_a_plugin_in_the_file_that_is_not_there(inside, folder):
    (folder / "sentinel.toml").write_text('plugins = ["nope"]')
    told = 'sentinel: error: no plugin named "nope" is installed ("sentinel plugins" lists the plugins)\n'
    listed = inside("plugins", "--json")
    assert (listed.returncode, listed.stderr) == (3, told)
    assert {row["state"] for row in json.loads(listed.stdout)} == {"installed"}
    formats = inside("formats")
    assert (formats.returncode, formats.stdout, formats.stderr) == (3, "", told)


def test_a_mistyped_variable_is_told(inside):
    done = inside("config", "show", SENTINEL_FAILON="fail")
    assert done.returncode == 0
    assert done.stderr.startswith(
        'sentinel: warning: the environment variable "SENTINEL_FAILON" is not a setting; did you mean'
    )
    rows = [line.split("  ") for line in done.stdout.splitlines()]
    assert {row[0]: row[-1] for row in rows}["fail_on"] == "default"
    assert not {"None", "True", "False"} & {cell.strip() for row in rows for cell in row}


def test_plugin_facts_stand_in_a_column(inside):
    lines = inside("plugins", "show", "offline").stdout.splitlines()
    starts = {len(line) - len(line.split(":", 1)[1].lstrip()) for line in lines}
    assert len(starts) == 1


def test_how_to_go_on_after_control_c(monkeypatch, capsys):
    given = ["evaluate", "my runs/", "-o", "out.jsonl", "--set", "key=sk-ant-api03-" + "a1B2" * 20]
    monkeypatch.setattr(sys, "argv", ["sentinel", *given])
    _say_how_to_resume(Many(), no_config=False)
    assert capsys.readouterr().err == ""
    _say_how_to_resume(Many(output="out.jsonl"), no_config=False)
    told = capsys.readouterr().err
    assert told.startswith("stopped; to continue: sentinel evaluate 'my runs/' -o out.jsonl --set key=")
    assert shlex.split(told)[-1] == "--resume"
    assert "a1B2" not in told
    for before in ((), ("--no-config",)):
        monkeypatch.setattr(sys, "argv", ["sentinel", *before, *given])
        _say_how_to_resume(Many(output="out.jsonl"), no_config=True)
        assert capsys.readouterr().err.startswith("stopped; to continue: sentinel --no-config evaluate 'my runs/'")


def test_control_c_while_the_command_is_loaded():
    code = """
import sys
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "sentinel_core.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Slow())
from sentinel_core.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "sentinel_core", "--version"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"sentinel ")


def test_a_part_of_a_readers_name_is_told_all_readers_that_begin_so(inside, write):
    write("t.json", json.dumps(ROBOT))
    done = inside("evaluate", "t.json", "--from", "openai")
    assert done.returncode == 3
    assert 'did you mean "openai-agents" or "openai-chat" or "openai-responses"?' in done.stderr


@pytest.mark.parametrize(
    ("key", "flag"), [("baseline", "baseline"), ("expect", "expect"), ("expect_file", "expect-file")]
)
def test_what_is_a_flag_only_is_said_in_a_line(inside, write, folder, key, flag):
    write("t.json", json.dumps(ROBOT))
    (folder / "sentinel.toml").write_text(f'{key} = "x"\n')
    done = inside("evaluate", "t.json")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"it can only be given as a flag: --{flag}" in done.stderr


def test_an_error_of_a_rule_stands_alone(inside, write):
    write("t.json", json.dumps(ROBOT))
    done = inside("evaluate", "t.json", "--rule", "hallucination.nothing=off", "-o", "o.md")
    assert done.returncode == 3
    assert "0 traces" not in done.stdout + done.stderr
