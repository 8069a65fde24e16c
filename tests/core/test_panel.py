import attrs
import pytest

from sentinel_core import Detection, Signal
from sentinel_core.errors import ConfigError
from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import make_panel, read_profile, weighted, with_weights
from sentinel_core.host.plugins import Installed, LoadFailure, Plugin
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.profile import RS1, STANDARD, CriticalRule
from sentinel_core.testing import honest_trace


@attrs.frozen(kw_only=True)
class Risk:
    risk: float = 0.25


@attrs.frozen(kw_only=True)
class Needy:
    key: str


def plugin(name: str, settings: type | None = None) -> Plugin:
    def detect(_, filled=None):
        return Detection(score=0.0 if filled is None else filled.risk)

    source = Installed(kind="signals", name=name, distribution="dist", version="1.0")
    return Plugin(source=source, offer=Signal(name=name, summary="s", detect=detect, settings=settings))


def layers(**values: object) -> Layers:
    return Layers(values={key: Setting(key=key, value=value, origin="--set") for key, value in values.items()})


def test_signals_are_bound_to_their_settings():
    given = layers(**{"signals.b.risk": "0.75", "weights.b": "1"})
    panel = make_panel([plugin("b", Risk), plugin("a", Risk), plugin("c")], [], [], given)
    report = evaluate(TraceIndex(honest_trace()), panel)
    assert [(score.signal_name, score.score) for score in report.signal_scores] == [
        ("a", 0.25),
        ("b", 0.75),
        ("c", 0.0),
    ]
    assert report.settings == {"a": {"risk": 0.25}, "b": {"risk": 0.75}}
    assert (panel.signals[0].distribution, panel.signals[0].version) == ("dist", "1.0")


def test_only_signals_make_a_panel():
    reader = Plugin(source=Installed(kind="trace_readers", name="r"), offer=None)
    gone = [Installed(kind="signals", name="cost"), Installed(kind="tools", name="t")]
    failures = [
        LoadFailure(source=Installed(kind="signals", name="loop", distribution="d", version="2"), error="broke"),
        LoadFailure(source=Installed(kind="tools", name="x"), error="broke too"),
    ]
    panel = make_panel([reader, plugin("a")], failures, gone, layers())
    assert [signal.name for signal in panel.signals] == ["a"]
    assert [(one.signal_name, one.error, one.version) for one in panel.failures] == [("loop", "broke", "2")]
    assert panel.left_out == {"cost"}


def test_a_signal_that_lacks_a_setting_costs_nobody_else():
    panel = make_panel([plugin("a"), plugin("needy", Needy)], [], [], layers())
    assert [signal.name for signal in panel.signals] == ["a"]
    (failure,) = panel.failures
    assert (failure.signal_name, failure.distribution) == ("needy", "dist")
    assert failure.error.startswith('needs the setting "signals.needy.key"')


def test_a_failed_or_left_out_signal_may_have_a_weight():
    failed = LoadFailure(source=Installed(kind="signals", name="broken"), error="e")
    gone = Installed(kind="signals", name="gone")
    panel = make_panel([], [failed], [gone], layers(**{"weights.broken": "1", "weights.gone": "2"}))
    assert {"broken": 1.0, "gone": 2.0}.items() <= panel.profile.weights.items()


def test_weights_go_over_the_profiles():
    profile = with_weights(RS1, {"mine": 0.5, "cost": 0}, ["mine"])
    assert profile.weights == {"hallucination": 0.35, "loop": 0.25, "mine": 0.5, "tool_misuse": 0.25}
    assert list(profile.weights) == sorted(profile.weights)


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ({"mine": 1.0}, "Unknown signal: mine"),
        ({"lop": 1.0}, 'Unknown signal: lop; did you mean "loop"?'),
        ({"loop": -0.1}, 'the weight of "loop" is -0.1; it must be a finite number, 0 or more'),
        ({"loop": float("nan")}, 'the weight of "loop" is nan; it must be a finite number, 0 or more'),
        ({"loop": float("inf")}, 'the weight of "loop" is inf; it must be a finite number, 0 or more'),
        (dict.fromkeys(RS1.weights, 0.0), "every signal's weight is 0; give at least one of them a weight"),
    ],
)
def test_weights_that_cannot_be_used(weights, error):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        with_weights(RS1, weights, ["cost"])
    assert str(caught.value) == error
    assert isinstance(caught.value, ConfigError)


def profile_of(tmp_path, text: str):
    path = tmp_path / "strict.toml"
    path.write_text(text)
    return read_profile(str(path))


def test_the_built_in_profiles():
    assert read_profile("rs1") is RS1
    assert read_profile("standard") is STANDARD


def test_a_weight_of_0_takes_the_critical_rules_of_its_signal_away():
    profile = with_weights(STANDARD, {"cost": 0, "ending": 0}, ["ending"])
    assert {rule.signal_name for rule in profile.critical} == {"hallucination", "loop", "tool_misuse"}
    assert profile.deciding == {"hallucination", "loop", "tool_misuse"}


def test_a_profile_takes_from_rs1_what_it_leaves_out(tmp_path):
    assert profile_of(tmp_path, "") == attrs.evolve(RS1, name="strict")
    assert profile_of(tmp_path, "warn_at = 0\nfail_at = 1").fail_at == 1.0
    assert profile_of(tmp_path, "\ufeffwarn_at = 0\nfail_at = 1").fail_at == 1.0
    made = profile_of(
        tmp_path,
        'name = "ours"\n[weights]\nmine = 2\nloop = 1\n[critical]\nmine = {threshold = 0.5, verdict = "WARN"}\n',
    )
    assert (made.name, made.weights, made.warn_at) == ("ours", {"loop": 1.0, "mine": 2.0}, 0.4)
    own = CriticalRule(signal_name="mine", threshold=0.5, verdict="WARN")
    assert made.critical == (CriticalRule(signal_name="loop", threshold=0.8, verdict="FAIL"), own)
    assert profile_of(tmp_path, "critical = {}").critical == RS1.critical
    fewer = profile_of(tmp_path, "critical = {cost = false, loop = false}")
    assert [rule.signal_name for rule in fewer.critical] == ["hallucination", "tool_misuse"]


CRITICAL = 'profile "strict.toml": critical.loop must be { threshold = 0.8, verdict = "FAIL" or "WARN" }, or false'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("warn_a = 1", 'unknown key "warn_a"'),
        ("warn_at = 0.8", 'profile "strict.toml": warn_at is above fail_at'),
        ("warn_at = 1.01", 'profile "strict.toml": warn_at must be from 0 to 1, but it is 1.01'),
        ("fail_at = -0.01", 'profile "strict.toml": fail_at must be from 0 to 1, but it is -0.01'),
        ("fail_at = true", 'profile "strict.toml": fail_at must be a number, but it is True'),
        ("fail_at = nan", 'profile "strict.toml": fail_at must be a number, but it is nan'),
        ('[weights]\nloop = "1"', "profile \"strict.toml\": weights.loop must be a number, but it is '1'"),
        ("[weights]\nloop = -1", 'the weight of "loop" is -1.0'),
        ("[weights]\nloop = 0", "every signal's weight is 0"),
        ("weights = 3", 'profile "strict.toml": weights must be a table, but it is 3'),
        ("critical = 3", 'profile "strict.toml": critical must be a table, but it is 3'),
        ("name = 3", 'profile "strict.toml": name must be text, but it is 3'),
        ("[critical]\nloop = 1", CRITICAL),
        ("[critical.loop]\nthreshold = 1", CRITICAL),
        ('[critical.loop]\nthreshold = 1\nverdict = "PASS"', CRITICAL),
        (
            '[critical.loop]\nthreshold = 2\nverdict = "FAIL"',
            "critical.loop.threshold must be from 0 to 1, but it is 2",
        ),
        ("= 1", "is not TOML: "),
    ],
)
def test_profiles_that_cannot_be_used(tmp_path, text, error):
    with pytest.raises(ConfigError) as caught:
        profile_of(tmp_path, text)
    assert error in str(caught.value)


def test_no_such_profile(tmp_path):
    with pytest.raises(
        ConfigError, match=r'^"rs2" is not a profile: it is neither "rs1" nor "standard" nor a readable file'
    ):
        read_profile("rs2")


def test_a_critical_rule_for_no_signal_is_told(tmp_path):
    profile_of(tmp_path, "[critical]\nlop = {threshold = 0.5, verdict = 'FAIL'}")
    with pytest.raises(ConfigError) as caught:
        weighted(layers(profile=str(tmp_path / "strict.toml")), [])
    assert 'profile "strict": critical.lop: no such signal is installed; did you mean "loop"?' in str(caught.value)
