"""The decision alone: what is wanted, what stands in its way, and that every family ends."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

from sentinel_core.guardrails.bound import BoundGuardrail, ask_all, bind_guardrails, bound
from sentinel_core.guardrails.decide import MOST_RERUNS, Quality, decide
from sentinel_core.guardrails.facts import LIFTS, Attempt, History, Override, Reflection, Ruling
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import open_store
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.offers import Guardrail

ALLOW = Ruling(action="allow")
LIMIT = Ruling(action="finalize", reason="max_reruns_reached", detail="Enough.")


def history(*scores):
    return History(
        attempts=tuple(
            Attempt(loop_id=str(number), alignment_score=alignment, drift_score=drift)
            for number, (alignment, drift) in enumerate(scores)
        )
    )


def override(number=1, **kinds):
    return Override(override_id=str(number), actor="me", reason="go", at="t", **kinds)


@each_row(
    ("alignment", "drift", "valid", "triggers"),
    [
        (0.75, 0.25, True, ()),
        (1.0, 0.0, True, ()),
        (0.7499999999, 0.25, True, ("alignment",)),
        (0.75, 0.2500000001, True, ("drift",)),
        (0.75, 0.25, False, ("summary",)),
        (0.1 + 0.2, 0.1 + 0.2, False, ("alignment", "drift", "summary")),
        (None, 0.0, True, ("alignment",)),
        (1.0, None, True, ("drift",)),
    ],
)
def test_when_a_rerun_is_wanted(alignment, drift, valid, triggers):
    attempt = Attempt(loop_id="a", alignment_score=alignment, drift_score=drift, summary_valid=valid)
    decision = decide(History(attempts=(attempt,)), {}, Quality())
    assert decision.rerun_trigger == triggers
    assert decision.decision == ("rerun" if triggers else "finalize")
    reasons = {
        "alignment": "alignment_threshold_not_met",
        "drift": "drift_threshold_exceeded",
        "summary": "summary_invalid",
    }
    assert decision.rerun_reason == (reasons[triggers[0]] if triggers else "thresholds_met")


def test_thresholds_are_what_they_are_set_to():
    strict = Quality(alignment_threshold=0.95, drift_threshold=0.0)
    assert decide(history((0.9, 0.01)), {}, strict).rerun_trigger == ("alignment", "drift")
    with pytest.raises(ValueError, match="alignment_threshold"):
        Quality(alignment_threshold=1.5)
    with pytest.raises(ValueError, match="drift_threshold"):
        Quality(drift_threshold=float("nan"))


def test_nothing_to_decide():
    with pytest.raises(ValueError, match="no attempt"):
        decide(History(attempts=()), {}, Quality())


@pytest.mark.parametrize("action", ["finalize", "stop_attempt"])
def test_a_guardrail_that_does_not_allow_ends_the_family(action):
    stop = Ruling(action=action, reason="enough", detail="Enough.")
    decision = decide(history((0, 1)), {"a": ALLOW, "b": stop}, Quality())
    assert (decision.decision, decision.rerun_reason, decision.rerun_trigger) == ("finalize", "enough", ("b",))
    assert decision.force_finalize


def test_the_worst_reason_is_told_first():
    reasons = ("other", "reflection_fatigue", "max_reruns_reached", "bias_echo", "guardrail_failed")
    rulings = {f"g{number}": Ruling(action="finalize", reason=it, detail=f"{it}.") for number, it in enumerate(reasons)}
    decision = decide(history((0, 1)), rulings, Quality())
    assert decision.rerun_reason == "guardrail_failed"
    assert decision.rerun_reason_detail == " ".join(f"{reason}." for reason in reversed(reasons))
    assert decision.rerun_trigger == ("g4", "pessimist", "rerun_limit", "fatigue", "g0")


@pytest.mark.parametrize("kind", LIFTS)
def test_an_override_lifts_its_own_reason_and_no_other(kind):
    given_override = override(**{kind: True})
    for reason in (*LIFTS.values(), "guardrail_failed", "other", ""):
        stop = {"g": Ruling(action="finalize", reason=reason, detail="No.")}
        decision = decide(history((0, 1)), stop, Quality(), [given_override])
        lifted = LIFTS[kind] == reason
        assert (decision.decision == "rerun") == lifted
        assert decision.used == (("1",) if lifted else ())
        assert decision.overridden_by == ("me" if lifted else None)


def test_an_override_that_is_not_needed_is_not_used():
    decision = decide(history((0, 1)), {"g": ALLOW}, Quality(), [override(override_max_reruns=True)])
    assert (decision.decision, decision.used, decision.overridden_by) == ("rerun", (), None)


def test_the_oldest_override_is_used_first():
    both = [override(1, override_max_reruns=True), override(2, override_max_reruns=True)]
    assert decide(history((0, 1)), {"g": LIMIT}, Quality(), both).used == ("1",)


def test_no_override_lifts_the_last_limit():
    attempts = history(*[(0.0, 1.0)] * (MOST_RERUNS + 1))
    decision = decide(attempts, {"g": LIMIT}, Quality(), [override(override_max_reruns=True)])
    assert (decision.decision, decision.rerun_reason) == ("finalize", "max_reruns_reached")
    assert f"no family gets more than {MOST_RERUNS}" in decision.rerun_reason_detail


def broken(history):
    raise RuntimeError("no idea")


def leaves(history):
    raise SystemExit


async def ruled(_history):
    return Ruling(action="allow")


@each_row(
    ("check", "detail"),
    [
        (broken, f'Guardrail "g" raised RuntimeError: no idea (test_decide.py:{broken.__code__.co_firstlineno + 1}).'),
        (leaves, f'Guardrail "g" raised SystemExit (test_decide.py:{leaves.__code__.co_firstlineno + 1}).'),
        (lambda _: "allow", 'Guardrail "g" returned str; expected a Ruling.'),
        (lambda _: Ruling(action="go on"), 'Guardrail "g" returned the unknown action "go on".'),
        (
            lambda _: Ruling(action="allow", facts={"a": object()}),
            'Guardrail "g" returned a ruling that cannot be encoded as JSON: Encoding objects of type object is unsupported.',
        ),
        (
            lambda _: Ruling(action="allow", facts=None),
            'Guardrail "g" returned facts that are a NoneType; expected a dict.',
        ),
        (ruled, 'Guardrail "g" returned coroutine; expected a Ruling.'),
        (lambda _: Ruling(action="finalize"), 'Guardrail "g" returned the ruling "finalize" without a reason.'),
        (
            lambda _: Ruling(action="stop_attempt", reason=" "),
            'Guardrail "g" returned the ruling "stop_attempt" without a reason.',
        ),
        (
            lambda _: Ruling(action="finalize", reason=None),
            'Guardrail "g" returned the ruling "finalize" without a reason.',
        ),
    ],
)
def test_a_guardrail_that_fails_means_finalize(check, detail):
    rulings = ask_all([BoundGuardrail(name="g", check=check)], history((0, 1)))
    decision = decide(history((0, 1)), rulings, Quality())
    assert (decision.decision, decision.rerun_reason) == ("finalize", "guardrail_failed")
    assert decision.rerun_reason_detail == detail


def test_ctrl_c_is_nobodys_failure():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_all([BoundGuardrail(name="g", check=interrupted)], history((0, 1)))


def test_a_guardrail_that_cannot_be_loaded_means_finalize():
    from sentinel_core.host.plugins import Installed, LoadFailure

    failure = LoadFailure(source=Installed(kind="guardrails", name="g"), error="cannot be imported.")
    rulings = ask_all(bind_guardrails([], [failure], Layers()), history((0, 1)))
    assert rulings["g"].reason == "guardrail_failed"


def test_a_guardrail_without_a_setting_that_it_needs_means_finalize():
    import attrs

    from sentinel_core.host.plugins import Installed, Plugin

    needs = attrs.make_class("Needs", {"most": attrs.field(type=int)}, frozen=True)
    offer = Guardrail(name="g", summary="s", check=lambda history, settings: ALLOW, settings=needs)
    plugin = Plugin(source=Installed(kind="guardrails", name="g"), offer=offer)
    assert (
        'needs the setting "guardrails.g.most"'
        in ask_all(bind_guardrails([plugin], [], Layers()), history())["g"].detail
    )
    given_most = Layers(values={"guardrails.g.most": Setting(key="guardrails.g.most", value=1, origin="a.toml")})
    assert ask_all(bind_guardrails([plugin], [], given_most), history()) == {"g": ALLOW}


ATTEMPT = st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.sets(st.sampled_from("abc")))


@settings(max_examples=30, database=None)
@given(
    attempts=st.lists(ATTEMPT, min_size=1, max_size=6),
    max_reruns=st.integers(0, 8),
    overrides=st.lists(st.tuples(st.sampled_from(sorted(LIFTS)), st.integers(0, 12), st.booleans()), max_size=5),
    with_guardrails=st.booleans(),
)
def test_every_family_ends(attempts, max_reruns, overrides, with_guardrails):
    """Whatever attempts bring and people override: after the limit and one rerun for each override, or after 100."""
    from sentinel_guardrail_rerun_limit import RerunLimitSettings, sentinel_guardrails

    limit = [bound(guardrail, RerunLimitSettings(max_reruns=max_reruns)) for guardrail in sentinel_guardrails()]
    loops = Orchestrator(store=open_store("memory:"), guardrails=limit if with_guardrails else ())
    timed = any(for_an_hour for *_, for_an_hour in overrides)
    loop_id, reruns = "loop", 0
    while loop_id is not None:
        alignment, drift, valid, tags = attempts[reruns % len(attempts)]
        reflection = Reflection(
            alignment_score=alignment, drift_score=drift, summary_valid=valid, bias_tags=tuple(sorted(tags))
        )
        loops.submit(loop_id, reflection)
        for number, (kind, when, for_an_hour) in enumerate(overrides):
            if when == reruns:
                loops.override(
                    loop_id, {kind: True}, actor="me", reason=f"{number}", seconds=3600 if for_an_hour else None
                )
        told = loops.complete(loop_id)["decision_result"]
        loop_id, reruns = told["new_loop_id"], told["rerun_count"]
        assert reruns <= MOST_RERUNS
        if with_guardrails and not timed:
            assert reruns <= max_reruns + len(overrides)


PURE = ("guardrails/audit", "guardrails/decide", "guardrails/facts", "guardrails/family", "guardrails/reflection_rules")
IMPURE = {
    "asyncio",
    "datetime",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "socket",
    "sqlite3",
    "sys",
    "threading",
    "time",
}


@pytest.mark.parametrize("name", PURE)
def test_what_is_pure_imports_nothing_that_is_not(name):
    import sentinel_core

    path = Path(sentinel_core.__path__[0]) / f"{name}.py"
    nodes = list(ast.walk(ast.parse(path.read_text())))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported
    assert not {one.partition(".")[0] for one in imported} & IMPURE
