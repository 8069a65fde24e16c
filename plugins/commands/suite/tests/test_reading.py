import json

import pytest
from tables import each_row

from sentinel_command_suite.evaluation import decode_suite, read_suite
from sentinel_core.errors import InputError

SMALL = b'name = "s"\n[[scenarios]]\nid = "a"\n'


@each_row(
    ("text", "told"),
    [
        (
            'name = "s"\n[[scenarios]]\nid = "a"\ntrails = 3\n',
            'unknown key "trails"; did you mean "trials"? at $.scenarios[0]',
        ),
        ('name = "s"\n[[scenarios]]\nid = "a"\ntrials = "3"\n', "at $.scenarios[0].trials"),
        ('name = "s"\n[[scenarios]]\nid = "a"\n[scenarios.expect.decision_quality]\nseverity = "grave"\n', '"grave"'),
        ('name = "s"\n[[scenarios]]\nid = "a"\n[scenarios.expect.tool_use]\n', 'did you mean "tool_usage"?'),
        ('name = "s"\n[[scenarios]]\nid = "a"\n[[scenarios]]\nid = "a"\n', 'two scenarios are named "a"'),
        ('name = "s"\n[[scenarios]]\nid = "../a"\n', '"../a"'),
        ('name = "s"\nscenarios = []\n', "scenarios"),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\ntools.x.steps = [{ error = "e", timeout = true }]\n',
            "a step can do only one thing",
        ),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\ntools.x.steps = [{ eror = "e" }]\n',
            "at $.scenarios[0].tools.x.steps[0]",
        ),
        ('name = "s"\n[[scenarios]]\nid = "a"\nrubric = [{ id = "r" }]\n', "needs either a question or a predicate"),
        ('name = "s"\n[[scenarios]]\nid = "a"\nsweep = { vary = "x", values = [1] }\n', "values"),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\nsweep = { vary = "x", values = [1, 2], severity = ["low"] }\n',
            "1 entries",
        ),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\nsweep = { vary = "x", values = [1, 2], severity = ["low", "x"] }\n',
            '"x"',
        ),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\n[scenarios.expect.decision_quality]\nrisks = [{ regex = "(" }]\n',
            "regex",
        ),
        (
            'name = "s"\n[[scenarios]]\nid = "a"\n[scenarios.expect.decision_quality]\nrisks = [{}]\n',
            "needs one of the keys any",
        ),
        ('name = "s"\n[[scenarios]]\nid = "a"\npass_rate = 0.0\n', "'pass_rate' must be > 0: 0.0 at $.scenarios[0]"),
        ("name = \n", "is not TOML"),
        ('name = "s"\n[[scenarios]]\nid = "a"\nrelease_file = "gone.json"\n', '"gone.json" cannot be read'),
        ('name = "s"\n[[scenarios]]\nid = "a"\nrelease_file = "x"\nrelease = {}\n', "leave one of them out"),
    ],
)
def test_what_is_wrong_and_where(text, told):
    with pytest.raises(InputError) as caught:
        decode_suite(text.encode(), "mine.toml")
    assert told in str(caught.value)
    assert str(caught.value).startswith('suite "mine.toml"')
    assert "\n" not in str(caught.value)


def test_yaml_says_the_same():
    text = "name: s\nscenarios:\n  - id: a\n    trials: 3\n    release: {version: v9}\n"
    suite = decode_suite(text.encode(), "s.yaml")
    assert (suite.scenarios[0].trials, suite.scenarios[0].release_id) == (3, "v9")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &x [1, 2]\nb: [*x, *x]\n", "uses the alias *x"),
        ("a: [\n", "is not YAML"),
        ("- 1\n", "must contain a table"),
        ("!!python/object/apply:os.system ['true']\n", "is not YAML"),
        ("a: " + "[" * 3000 + "]" * 3000, "too deeply"),
    ],
)
def test_hostile_yaml(text, told):
    with pytest.raises(InputError, match="suite") as caught:
        decode_suite(text.encode(), "s.yml")
    assert told in str(caught.value)


def test_a_release_file_is_read_beside_the_suite(tmp_path):
    (tmp_path / "release.json").write_text(json.dumps({"version": "v7"}))
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "s.toml").write_bytes(SMALL + b'release_file = "release.json"\n')
    scenario = read_suite(tmp_path / "s.toml").scenarios[0]
    assert (scenario.release, scenario.release_id, scenario.release_file) == ({"version": "v7"}, "v7", None)
    for name, told in (("list.json", "JSON object"), ("broken.json", "is not JSON")):
        (tmp_path / "s.toml").write_bytes(SMALL + f'release_file = "{name}"\n'.encode())
        with pytest.raises(InputError, match=told):
            read_suite(tmp_path / "s.toml")


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    (tmp_path / "release.json").write_text('\ufeff{"version": "v7"}')
    (tmp_path / "s.toml").write_bytes("\ufeff".encode() + SMALL + b'release_file = "release.json"\n')
    assert read_suite(tmp_path / "s.toml").scenarios[0].release == {"version": "v7"}
    text = "\ufeffname: small\nscenarios: [{id: s0, release: {version: v7}}]\n"
    assert decode_suite(text.encode(), "s.yaml").name == "small"


def test_a_suite_is_found_by_name_or_file_and_a_mistyped_one_told():
    assert len(read_suite("release-risk").scenarios) >= 30
    with pytest.raises(InputError, match='did you mean "release-risk"'):
        read_suite("release-risks")
    with pytest.raises(InputError, match="cannot be read"):
        read_suite("gone.toml")
    with pytest.raises(InputError, match="larger than 4 MB"):
        decode_suite(b"#" * (5 << 20), "s.toml")


def test_defaults_are_merged_table_by_table():
    text = '[defaults.expect.decision_quality]\nknown_numbers = [5]\nseverity = "low"\n'
    own = '[scenarios.expect.decision_quality]\nseverity = "high"\n'
    scenario = decode_suite(
        SMALL.split(b"\n", 1)[0] + b"\n" + text.encode() + SMALL.split(b"\n", 1)[1] + own.encode(), "s.toml"
    )
    expect = scenario.scenarios[0].expect.decision_quality
    assert (expect.severity, expect.known_numbers) == ("high", (5,))


def test_the_digest_is_of_what_is_said():
    assert decode_suite(SMALL, "s.toml").digest == decode_suite(b"# a comment\n" + SMALL, "other.toml").digest
    assert decode_suite(SMALL, "s.toml").digest != decode_suite(SMALL + b"trials = 2\n", "s.toml").digest
