import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from sentinel_core.errors import ConfigError, PluginError
from sentinel_core.host.settings import HostSettings, Layers, find_file, read_layers


@attrs.frozen(kw_only=True)
class Budget:
    tokens: int = attrs.field(default=100, validator=attrs.validators.gt(0))
    share: float = 0.5
    names: tuple[str, ...] = ()
    careful: bool = False


@attrs.frozen(kw_only=True)
class Needy:
    key: str


def layers(folder: Path, flags: dict[str, object] | None = None, **environ: str) -> Layers:
    return read_layers({k: (v, "--flag") for k, v in (flags or {}).items()}, environ=environ, folder=folder)


def toml(folder: Path, text: str, name: str = "sentinel.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_what_nobody_sets_has_its_default(tmp_path):
    assert layers(tmp_path).host() == HostSettings(
        profile="standard", fail_on="warn", timeout=60.0, max_memory_mb=4096, strict=False, plugins=None
    )


def test_the_stronger_layer_wins(tmp_path):
    file = 'fail_on = "never"\ntimeout = 1\nprofile = "f"\n'
    toml(tmp_path, file)
    assert layers(tmp_path).host().fail_on == "never"
    environ = {"SENTINEL_FAIL_ON": "fail", "SENTINEL_TIMEOUT": "2"}
    made = layers(tmp_path, {"fail_on": "warn"}, **environ)
    host = made.host()
    assert (host.fail_on, host.timeout, host.profile, host.strict) == ("warn", 2.0, "f", False)
    origins = {row.key: row.origin for row in made.explain("", host)}
    assert origins["fail_on"] == "--flag"
    assert origins["timeout"] == "SENTINEL_TIMEOUT"
    assert origins["profile"] == "sentinel.toml"
    assert origins["strict"] == "default"


def test_a_plugins_settings_from_every_layer(tmp_path):
    toml(tmp_path, "[signals.cost]\ntokens = 1\nshare = 1\nnames = ['a', 'b']\n")
    made = layers(tmp_path, {"signals.cost.tokens": "3"}, SENTINEL_SIGNALS__COST__CAREFUL="true")
    assert made.of_plugin("signals", "cost", Budget) == Budget(tokens=3, share=1.0, names=("a", "b"), careful=True)
    assert made.of_plugin("signals", "another", Budget) == Budget()
    assert made.of_plugin("signals", "another", None) is None


@pytest.mark.parametrize(("text", "names"), [('["a", "b"]', ("a", "b")), ("[]", ())])
def test_a_list_in_a_flag_is_json(tmp_path, text, names):
    assert layers(tmp_path, {"signals.cost.names": text}).of_plugin("signals", "cost", Budget).names == names


@pytest.mark.parametrize("text", ["[", '["a", 1]', "a,b"])
def test_a_list_in_a_flag_that_cannot_be_used(tmp_path, text):
    with pytest.raises(ConfigError, match=r'^"signals.cost.names" from --flag: '):
        layers(tmp_path, {"signals.cost.names": text}).of_plugin("signals", "cost", Budget)


def test_weights(tmp_path):
    toml(tmp_path, "[weights]\nmine = 1\nloop = 0.5\n")
    assert layers(tmp_path, {"weights.mine": "0.25"}).weights() == {"mine": 0.25, "loop": 0.5}


def test_a_list_of_plugins_in_the_file(tmp_path):
    toml(tmp_path, 'plugins = ["loop", "no:cost"]')
    assert layers(tmp_path).host().plugins == "loop,no:cost"


def test_other_programs_variables_are_left_alone(tmp_path):
    assert layers(tmp_path, SENTINEL_DSN="x", SENTINEL_A__B__C="x", SENTINEL_="x", PATH="x").values == {}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("fail_onn = 1", 'unknown setting "fail_onn" from sentinel.toml; did you mean "fail_on"?'),
        ("[signal.cost]\na = 1", 'unknown setting "signal.cost.a" from sentinel.toml'),
        ("[fail_on]\nx = 1", 'unknown setting "fail_on.x" from sentinel.toml; did you mean "fail_on"?'),
        ("fail_on = 3", '"fail_on" from sentinel.toml: expected one of "warn", "fail", "never", but it is 3'),
        ('fail_on = "no"', '"fail_on" from sentinel.toml: expected one of "warn", "fail", "never", but it is "no"'),
        ('timeout = "5"', '"timeout" from sentinel.toml: expected a number, but it is '),
        (
            "[signal.cost]\nbudget_tokens = 1",
            'unknown setting "signal.cost.budget_tokens" from sentinel.toml; did you mean "signals"?',
        ),
        (
            '[tool.sentinel]\nfail_on = "fail"',
            'unknown setting "tool.sentinel.fail_on" from sentinel.toml; "[tool.sentinel]" is for pyproject.toml: sentinel.toml has its keys at the top',
        ),
        ("strict = 1", '"strict" from sentinel.toml: expected true or false, but it is 1'),
        ("[agent]\nmax_turn = 3", 'unknown setting "agent.max_turn" from sentinel.toml; did you mean "max_turns"?'),
        (
            "[agent]\nmax_turns = 'abc'",
            '"agent.max_turns" from sentinel.toml: expected a whole number, but it is "abc"',
        ),
        (
            "fail_on_risk = 'low'",
            '"fail_on_risk" from sentinel.toml: expected one of "high", "medium", but it is "low"',
        ),
        ("timeout = 0", '"timeout" must be > 0: 0.0 (from sentinel.toml)'),
        ("timeout = inf", '"timeout" must be <= 1000000.0: inf (from sentinel.toml)'),
        ("timeout = nan", '"timeout" must be > 0: nan (from sentinel.toml)'),
        ("max_memory_mb = 0\nstrict = true", '"max_memory_mb" must be > 0: 0 (from sentinel.toml)'),
        ("max_memory_mb = 1073741825", '"max_memory_mb" must be <= 1073741824'),
        ("weights = 3", '"weights" from sentinel.toml must be a table, but it is 3'),
        ("[signals]\ncost = 3", '"signals.cost" from sentinel.toml must be a table, but it is 3'),
        ("tools = []", '"tools" from sentinel.toml must be a table, but it is []'),
    ],
)
def test_host_settings_that_cannot_be_used(tmp_path, text, error):
    toml(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        layers(tmp_path).host()
    assert str(caught.value).startswith(error)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("TIMEOUT", "", '"timeout" from SENTINEL_TIMEOUT: expected a number, but it is ""'),
        ("STRICT", "yes", '"strict" from SENTINEL_STRICT: expected true or false, but it is "yes"'),
        (
            "MAX_MEMORY_MB",
            "4 GB",
            '"max_memory_mb" from SENTINEL_MAX_MEMORY_MB: expected a whole number, but it is "4 GB"',
        ),
    ],
)
def test_variables_that_cannot_be_used_tell_what_is_accepted(tmp_path, name, text, error):
    with pytest.raises(ConfigError) as caught:
        layers(tmp_path, **{f"SENTINEL_{name}": text}).host()
    assert str(caught.value) == error


@pytest.mark.parametrize(("seconds", "fits"), [("0.001", True), ("1e6", True), ("0", False), ("1000001", False)])
def test_bounds_of_the_time_limit(tmp_path, seconds, fits):
    made = layers(tmp_path, {"timeout": seconds})
    if fits:
        assert made.host().timeout == float(seconds)
    else:
        with pytest.raises(ConfigError, match=r"from --flag"):
            made.host()


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        ({"signals.cost.token": "1"}, 'unknown setting "signals.cost.token" from --flag; did you mean "tokens"?'),
        (
            {"signals.cost.tokens": "many"},
            '"signals.cost.tokens" from --flag: expected a whole number, but it is "many"',
        ),
        (
            {"signals.cost.names": "sorry,pardon"},
            '"signals.cost.names" from --flag: expected a list, written as ["one", "two"], but it is "sorry,pardon"',
        ),
        ({"signals.cost.tokens": "0"}, '"signals.cost.tokens" must be > 0: 0 (from --flag)'),
        (
            {"signals.cost.careful": "perhaps"},
            '"signals.cost.careful" from --flag: expected true or false, but it is "perhaps"',
        ),
    ],
)
def test_a_plugins_settings_that_cannot_be_used(tmp_path, flags, error):
    with pytest.raises(ConfigError) as caught:
        layers(tmp_path, flags).of_plugin("signals", "cost", Budget)
    assert str(caught.value) == error or str(caught.value).startswith(error)


def test_a_setting_without_default_and_value_is_the_plugins_failure(tmp_path):
    with pytest.raises(PluginError, match=r'^needs the setting "signals.mine.key": give it in sentinel.toml'):
        layers(tmp_path).of_plugin("signals", "mine", Needy)
    assert layers(tmp_path, {"signals.mine.key": "k"}).of_plugin("signals", "mine", Needy) == Needy(key="k")


def test_an_error_without_text_is_told(tmp_path):
    def refuse(*_):
        raise ValueError

    wanted = attrs.make_class("Odd", {"field": attrs.field(type=int, validator=refuse)}, kw_only=True)
    with pytest.raises(ConfigError, match=r"^signals\.odd\. \(from --flag\)$"):
        layers(tmp_path, {"signals.odd.field": "1"}).of_plugin("signals", "odd", wanted)


def test_settings_that_refuse_their_own_defaults_are_the_plugins_failure(tmp_path):
    wanted = attrs.make_class("Odd", {"field": attrs.field(default=0, validator=lambda *_: {}["no"])}, kw_only=True)
    for flags in ({}, {"signals.odd.field": "1"}):
        with pytest.raises(PluginError, match=r"^its settings class failed: KeyError: 'no'$"):
            layers(tmp_path, flags).of_plugin("signals", "odd", wanted)


def test_settings_for_a_plugin_that_takes_none(tmp_path):
    with pytest.raises(ConfigError, match=r'"signals.mine.x" from --flag: mine has no settings'):
        layers(tmp_path, {"signals.mine.x": "1"}).of_plugin("signals", "mine", None)


def test_settings_for_a_plugin_that_is_not_installed(tmp_path):
    made = layers(tmp_path, {"signals.cots.x": "1"})
    made.refuse_unknown_plugins([("signals", "cots")])
    made.refuse_unknown_plugins([("signals", "cost")], kinds=("tools",))
    with pytest.raises(ConfigError, match=r'no signals plugin "cots" is installed; did you mean "cost"\?'):
        made.refuse_unknown_plugins([("signals", "cost"), ("tools", "cots")])


@pytest.mark.parametrize(
    ("name", "text"), [("sentinel.toml", "strict = true"), ("pyproject.toml", "[tool.sentinel]\nstrict = true")]
)
def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path, name, text):
    toml(tmp_path, f"\ufeff{text}", name)
    assert layers(tmp_path).host().strict is True


def test_the_nearest_file_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    outer = toml(tmp_path, "")
    assert find_file(inner) == outer
    project = toml(tmp_path / "a", "[tool.sentinel]\nstrict = true", "pyproject.toml")
    assert find_file(inner) == project
    assert layers(inner).host().strict is True
    toml(inner, "[project]\nname = 'other'", "pyproject.toml")
    assert find_file(inner) == project
    own = toml(inner, "strict = false")
    assert find_file(inner) == own


@pytest.mark.parametrize(
    "text",
    [
        "[tool.sentinel]\nstrict = true",
        "[tool]\nsentinel.strict = true",
        "[tool]\nsentinel = {strict = true}",
        "tool.sentinel.strict = true",
        "tool = {sentinel = {strict = true}}",
        "[project]\nname = 'x'\r\n  [ 'tool' . \"sentinel\" ]\nstrict = true",
    ],
)
def test_a_projects_table_is_found_however_it_is_spelled(tmp_path, text):
    assert find_file(tmp_path) is None
    project = toml(tmp_path, text, "pyproject.toml")
    assert find_file(tmp_path) == project
    assert layers(tmp_path).host().strict is True


@pytest.mark.parametrize(
    "text", ["", "[tool.other]\nsentinel = 1", "[tool]\nother = 1", "[project]\nname = 'sentinel'"]
)
def test_a_project_that_sets_nothing_here_is_passed_over(tmp_path, text):
    toml(tmp_path, text, "pyproject.toml")
    assert find_file(tmp_path) is None


def test_a_project_with_our_table_that_is_not_toml(tmp_path):
    toml(tmp_path, "[tool.sentinel]\nstrict = what", "pyproject.toml")
    with pytest.raises(ConfigError, match=r'^"pyproject.toml" is not TOML: '):
        layers(tmp_path)


def test_a_variable_that_looks_like_a_setting_is_told(tmp_path):
    found = read_layers({}, environ={"SENTINEL_FAILON": "fail", "SENTINEL_HOME": "/srv", "OTHER": "x"}, folder=tmp_path)
    assert found.values == {}
    assert found.suspects == (
        'the environment variable "SENTINEL_FAILON" is not a setting; did you mean "SENTINEL_FAIL_ON"?',
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("SENTINEL_WEIGHTS__LOOP", "; set a weight with --weight, or in sentinel.toml"),
        ("SENTINEL_SIGNAL__COST__TOKENS", "; did you mean SENTINEL_SIGNALS__NAME__FIELD?"),
        ("SENTINEL_TOOLS__TOKENS", "; did you mean SENTINEL_TOOLS__NAME__FIELD?"),
        ("SENTINEL_AGENT__MAX__TURNS", "; did you mean SENTINEL_AGENT__FIELD?"),
        ("SENTINEL_HOME__DIR", None),
    ],
)
def test_a_variable_that_looks_like_a_setting_of_a_table_is_told(tmp_path, name, told):
    found = read_layers({}, environ={name: "0"}, folder=tmp_path)
    assert found.values == {}
    assert found.suspects == (() if told is None else (f'the environment variable "{name}" is not a setting{told}',))


def test_the_agents_settings_are_not_imported_where_none_is_set(tmp_path):
    code = "import sys; from sentinel_core.host.settings import Layers; Layers().host(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "sentinel_core.host.settings" in done.stdout.split()
    assert "sentinel_agent" not in done.stdout.split()


def test_files_that_cannot_be_read(tmp_path):
    toml(tmp_path, "= what")
    with pytest.raises(ConfigError, match=r'^"sentinel.toml" is not TOML: '):
        layers(tmp_path)
    (tmp_path / "sentinel.toml").write_bytes(b'a = "\xff"')
    with pytest.raises(ConfigError, match=r'^"sentinel.toml" is not TOML: '):
        layers(tmp_path)


def test_a_file_that_the_system_refuses(tmp_path, monkeypatch):
    toml(tmp_path, "strict = true")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ConfigError, match=r'^"sentinel.toml" cannot be read: Permission denied$'):
        layers(tmp_path)


def test_a_folder_of_that_name_is_no_settings_file_and_is_not_passed_over(tmp_path):
    (tmp_path / "sentinel.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        read_layers({}, environ={}, folder=tmp_path)
