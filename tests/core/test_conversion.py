"""Values of settings: what their types take, what nothing takes, and where the paths among them start."""

import os
import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from tables import each_row

from sentinel_core.errors import ConfigError
from sentinel_core.host.conversion import Setting, in_order, printed, settable
from sentinel_core.host.settings import Layers, read_layers


@attrs.frozen(kw_only=True)
class Limit:
    warn: float = 0.5
    fail: float = 0.9


@attrs.frozen(kw_only=True)
class Odd:
    pattern: str | None = None
    either: list[str] | str = ""
    ratio: float = 0.5
    share: float | None = None
    pair: tuple[int, int] = (1, 2)
    limit: Limit = Limit()
    limits: dict[str, Limit] = attrs.field(factory=dict)
    steps: tuple[Limit, ...] = ()
    words: frozenset[str] = frozenset({"b", "a", "c"})
    place: Path | None = None
    places: tuple[Path, ...] = ()
    file: str = attrs.field(default="", metadata={"path": True})
    rx: re.Pattern[str] = re.compile("x")
    maker: type | None = None
    renamed_: int = attrs.field(default=3, alias="renamed")
    _hidden: int = 3
    counted: int = attrs.field(init=False, default=4)


def filled(text: str, name: str) -> object:
    made = read_layers({f"signals.odd.{name}": (text, "--set")}, environ={}, folder=Path("/"))
    odd = made.of_plugin("signals", "odd", Odd)
    return getattr(odd, settable(Odd)[name].name)


@each_row(
    ("name", "text", "value"),
    [
        ("pattern", "[a-z]+", "[a-z]+"),
        ("pattern", '["a"]', '["a"]'),
        ("pattern", "{}", "{}"),
        ("either", '["a"]', ["a"]),
        ("either", "[a", "[a"),
        ("ratio", ".5", 0.5),
        ("ratio", "-.25", -0.25),
        ("ratio", "1e3", 1000.0),
        ("share", "+.5", 0.5),
        ("words", '["z", "y"]', frozenset({"y", "z"})),
        ("place", "a/b", Path("a/b")),
        ("places", '["a", "/b"]', (Path("a"), Path("/b"))),
        ("file", "a/b", "a/b"),
        ("rx", "[a-z]+", re.compile("[a-z]+")),
        ("renamed", "4", 4),
        ("hidden", "5", 5),
    ],
)
def test_texts_that_can_be_used(name, text, value):
    assert filled(text, name) == value


@each_row(
    ("name", "text", "error"),
    [
        ("ratio", ".", '"signals.odd.ratio" from --set: expected a number, but it is "."'),
        ("pair", "[1]", '"signals.odd.pair" from --set: Expected array of length 2, got 1, but it is "[1]"'),
        ("pair", "1", 'expected a list, written as ["one", "two"], but it is "1"'),
        ("rx", "[a-z", "expected a regular expression (unterminated character set at position 0), but it is "),
        ("maker", "int", "expected no value, because only Python code can set it, but it is "),
        ("limit", '{"wran": 1}', 'unknown setting "signals.odd.limit.wran" from --set; did you mean "warn"?'),
        ("limits", '{"a": {"wran": 1}}', 'unknown setting "signals.odd.limits.a.wran" from --set; did you mean'),
        ("steps", '[{"warn": 1}, {"fial": 1}]', 'unknown setting "signals.odd.steps[1].fial" from --set; did'),
        ("_hidden", "4", 'unknown setting "signals.odd._hidden" from --set; did you mean "hidden"?'),
        ("counted", "4", 'unknown setting "signals.odd.counted" from --set'),
    ],
)
def test_texts_that_cannot_be_used(name, text, error):
    with pytest.raises(ConfigError) as caught:
        read_layers({f"signals.odd.{name}": (text, "--set")}, environ={}, folder=Path("/")).of_plugin(
            "signals", "odd", Odd
        )
    assert error in str(caught.value)


def test_a_path_in_a_file_is_text(tmp_path):
    (tmp_path / "sentinel.toml").write_text("[signals.odd]\nplace = 3\n")
    with pytest.raises(ConfigError, match=r'^"signals.odd.place" from sentinel.toml: expected text, but it is 3$'):
        read_layers({}, environ={}, folder=tmp_path).of_plugin("signals", "odd", Odd)


def test_a_path_that_is_one_already_is_taken():
    made = Layers(values={"signals.odd.place": Setting("signals.odd.place", Path("a"), "the suite")})
    assert made.of_plugin("signals", "odd", Odd).place == Path("a")


def test_an_unknown_key_in_a_file_is_refused_too(tmp_path):
    (tmp_path / "sentinel.toml").write_text("[signals.odd.limit]\nwran = 0.4\n")
    made = read_layers({}, environ={}, folder=tmp_path)
    with pytest.raises(
        ConfigError, match=r'^unknown setting "signals.odd.limit.wran" from sentinel.toml; did you mean'
    ):
        made.of_plugin("signals", "odd", Odd)


FILE = """
profile = "p/strict.toml"
plugins = ["no:cost", "./mine.py", "my.module", "/a/b.py"]
store = "x/loops.sqlite3"
provider = "replay:run.jsonl"
[signals.odd]
file = "f.json"
place = "d"
places = ["e", "/f"]
pattern = "g/h"
"""


@pytest.fixture
def below(tmp_path) -> Path:
    """A folder below the one of the settings' file."""
    (tmp_path / "sentinel.toml").write_text(FILE)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    return folder


def test_paths_in_a_file_start_in_its_folder(below):
    made = read_layers({}, environ={}, folder=below)
    host = made.host()
    assert (host.profile, host.store, host.provider) == (
        "../../p/strict.toml",
        "../../x/loops.sqlite3",
        "replay:../../run.jsonl",
    )
    assert host.plugins == "no:cost,../../mine.py,my.module,/a/b.py"
    odd = made.of_plugin("signals", "odd", Odd)
    assert (odd.file, odd.pattern) == ("../../f.json", "g/h")
    assert (odd.place, odd.places) == (Path("../../d"), (Path("../../e"), Path("/f")))


def test_paths_in_a_file_of_this_folder_are_as_they_are_written(below):
    odd = read_layers({}, environ={}, folder=below.parents[1])
    assert odd.host().plugins == "no:cost,./mine.py,my.module,/a/b.py"
    assert odd.of_plugin("signals", "odd", Odd).file == "f.json"


def test_paths_of_flags_and_variables_start_where_the_command_does(below):
    flags = {"signals.odd.file": ("f", "--set"), "plugins": ("./other.py", "--plugins")}
    made = read_layers(flags, environ={"SENTINEL_STORE": "s"}, folder=below)
    assert (made.host().plugins, made.host().store) == ("./other.py", "s")
    assert made.of_plugin("signals", "odd", Odd).file == "f"


@pytest.mark.parametrize(
    ("key", "value", "seen"),
    [
        ("store", "memory:", "memory:"),
        ("store", "postgresql://h/d", "postgresql://h/d"),
        ("store", "sqlite:a.db", "sqlite:../../a.db"),
        ("store", "/a.db", "/a.db"),
        ("profile", "rs1", "rs1"),
        ("provider", "offline", "offline"),
        ("plugins", "no:cost, ./mine.py", "no:cost,../../mine.py"),
    ],
)
def test_what_is_no_relative_path_stays(below, key, value, seen):
    (below.parents[1] / "sentinel.toml").write_text(f'{key} = "{value}"\n')
    assert getattr(read_layers({}, environ={}, folder=below).host(), key) == seen


def test_an_address_in_a_file_is_no_path(below):
    (below.parents[1] / "sentinel.toml").write_text('[signals.odd]\nfile = "https://example.org/x"\n')
    assert read_layers({}, environ={}, folder=below).of_plugin("signals", "odd", Odd).file == "https://example.org/x"


def test_a_value_of_a_wrong_type_in_a_file_above_is_told_as_ever(below):
    (below.parents[1] / "sentinel.toml").write_text("store = 3\nprofile = ['x']\n")
    with pytest.raises(ConfigError, match=r'^"store" from sentinel.toml: expected text'):
        read_layers({}, environ={}, folder=below).host()


def test_settings_are_printed_without_what_only_python_knows():
    shown = printed(Odd(place=Path("a"), either=["x"], limits={"l": Limit()}))
    assert (shown["words"], shown["place"], shown["rx"], shown["limits"]) == (
        ["a", "b", "c"],
        "a",
        "x",
        {"l": {"warn": 0.5, "fail": 0.9}},
    )
    assert in_order({"a": ({3, 1, 2}, [frozenset("ba")])}) == {"a": ([1, 2, 3], [["a", "b"]])}


SETS = """
import attrs
from sentinel_core import ExecutionTrace, Signal, evaluate_trace
from sentinel_core.traces.codec import encode_report

@attrs.frozen
class S:
    words: frozenset[str] = frozenset({"sorry", "apologize", "apologise", "pardon"})

signal = Signal(name="s", summary="s", detect=lambda index, settings: 0.0, settings=S)
print(encode_report(evaluate_trace(ExecutionTrace(trace_id="t"), signals=[signal])))
"""


def test_a_set_gives_the_same_bytes_in_every_process():
    told = {
        subprocess.run(
            [sys.executable, "-c", SETS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(told) == 1


def test_layers_explain_what_can_be_set_and_nothing_else():
    rows = {row.key: row.value for row in Layers().explain("signals.odd.", Odd())}
    assert "signals.odd.counted" not in rows
    assert (rows["signals.odd.hidden"], rows["signals.odd.renamed"]) == (3, 3)
