"""What loops do, behaviour by behaviour, through the library calls."""

from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.loops import (
    get_guardrails_status,
    override_guardrails,
    process_loop_completion,
    submit_loop,
)

POOR = (0.72, 0.28)
GOOD = (0.9, 0.1)


def submit(orchestrator, loop_id="loop_001", alignment=0.72, drift=0.28, **more):
    return submit_loop(loop_id, alignment_score=alignment, drift_score=drift, orchestrator=orchestrator, **more)


def decisions(answers):
    return [(answer["decision_result"]["decision"], answer["decision_result"]["rerun_reason"]) for answer in answers]


def fatigues(answers):
    return [answer["reflection_result"]["reflection_fatigue"] for answer in answers]


def trace_of(orchestrator, loop_id):
    (trace,) = [one for one in orchestrator.family(loop_id)["family"]["loops"] if one["loop_id"] == loop_id]
    return trace


def test_completion_with_defaults(make):
    orchestrator = make()
    assert submit(orchestrator, reflection_persona="SAGE")
    answer = process_loop_completion("loop_001", "done", "SAGE", orchestrator=orchestrator)
    assert answer["status"] == "success"
    assert answer["reflection_result"] == {
        "alignment_score": 0.72,
        "drift_score": 0.28,
        "summary_valid": True,
        "reflection_persona": "SAGE",
        "bias_echo": False,
        "repeated_tags": [],
        "repetition_counts": {},
        "reflection_fatigue": 0.0,
    }
    assert answer["decision_result"] == {
        "decision": "rerun",
        "original_loop_id": "loop_001",
        "new_loop_id": "loop_001_r1",
        "rerun_reason": "alignment_threshold_not_met",
        "rerun_number": 1,
        "rerun_count": 1,
        "max_reruns": 3,
    }
    assert (answer["loop_id"], answer["orchestrator_persona"]) == ("loop_001", "SAGE")
    assert answer["timestamp"] == "2026-01-01T00:00:00.000Z"


def test_completion_with_overrides(make, walk):
    orchestrator = make()
    (*_, last) = walk(orchestrator, [POOR] * 9)
    assert (last["loop_id"], last["decision_result"]["rerun_reason"]) == ("loop_r3", "max_reruns_reached")
    again = process_loop_completion(
        "loop_r3",
        "done",
        override_max_reruns=True,
        override_by="operator",
        override_reason="one more",
        orchestrator=orchestrator,
    )
    assert again["decision_result"]["new_loop_id"] == "loop_r4"
    assert trace_of(orchestrator, "loop_r3")["overridden_by"] == "operator"
    submit(orchestrator, "loop_r4")
    assert orchestrator.complete("loop_r4")["decision_result"]["rerun_reason"] == "max_reruns_reached"


def test_an_override_of_one_guardrail_leaves_the_others(make, walk):
    orchestrator = make(rerun_limit__max_reruns=4)
    (*_, last) = walk(orchestrator, [POOR] * 9)
    assert trace_of(orchestrator, last["loop_id"])["rerun_trigger"] == ("rerun_limit", "fatigue")
    for kinds, decision in (({"override_fatigue"}, "finalize"), ({"override_fatigue", "override_max_reruns"}, "rerun")):
        answer = process_loop_completion(
            "loop_r4",
            "done",
            override_by="me",
            override_reason="go",
            orchestrator=orchestrator,
            **dict.fromkeys(kinds, True),
        )
        assert answer["decision_result"]["decision"] == decision


def test_guardrails_status(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR, POOR], root="loop_001")
    status = get_guardrails_status("loop_001_r1", orchestrator=orchestrator)
    assert status == {
        "status": "success",
        "guardrails_status": {
            "loop_id": "loop_001_r1",
            "rerun_count": 2,
            "max_reruns": 3,
            "rerun_limit_reached": False,
            "bias_echo": False,
            "reflection_fatigue": 0.15,
            "fatigue_threshold_exceeded": False,
            "force_finalize": False,
            "rerun_reason": "alignment_threshold_not_met",
            "rerun_trigger": ["alignment", "drift"],
            "alignment_score": 0.72,
            "drift_score": 0.28,
            "summary_valid": True,
            "reflection_persona": None,
        },
    }


def test_the_status_of_a_loop_that_was_granted(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR])
    status = get_guardrails_status("loop_r1", orchestrator=orchestrator)["guardrails_status"]
    assert (status["rerun_reason"], status["alignment_score"], status["force_finalize"]) == (None, None, False)


def test_manual_override(make, walk):
    orchestrator = make()
    (*_, last) = walk(orchestrator, [POOR] * 9)
    told = override_guardrails(
        "loop", override_max_reruns=True, override_by="operator", override_reason="explore", orchestrator=orchestrator
    )
    assert told == {
        "status": "success",
        "loop_id": "loop",
        "override_fatigue": False,
        "override_max_reruns": True,
        "override_bias_echo": False,
        "overridden_by": "operator",
        "override_reason": "explore",
        "override_expires_at": None,
    }
    again = orchestrator.complete(last["loop_id"])["decision_result"]
    assert again["decision"] == "rerun"
    assert trace_of(orchestrator, last["loop_id"])["overridden_by"] == "operator"
    assert len(walk(orchestrator, [POOR] * 9, root="loop_r4")) == 1


def test_an_override_until_an_expiry_counts_more_than_once(make, walk, clock):
    orchestrator = make(reflection_fatigue__critical_threshold=1.0, reflection_fatigue__fatigue_threshold=1.0)
    walk(orchestrator, [POOR])
    override_guardrails(
        "loop",
        override_max_reruns=True,
        override_by="me",
        override_reason="an hour",
        override_seconds=3600,
        orchestrator=orchestrator,
    )
    assert len(walk(orchestrator, [POOR] * 5, root="loop_r1")) == 5
    clock.sleep(3600)
    (last,) = walk(orchestrator, [POOR], root="loop_r6")
    assert last["decision_result"]["rerun_reason"] == "max_reruns_reached"


def test_bias_echo_at_the_third_sighting_and_not_before(make, walk):
    orchestrator = make(rerun_limit__max_reruns=9)
    answers = walk(orchestrator, [POOR] * 9, tags=["haste", "haste"])
    assert [answer["reflection_result"]["bias_echo"] for answer in answers] == [False, False, True]
    assert decisions(answers)[-1] == ("finalize", "bias_echo")
    last = trace_of(orchestrator, answers[-1]["loop_id"])
    assert (last["bias_echo"], last["repeated_tags"], last["rerun_trigger"]) == (True, ("haste",), ("pessimist",))


def test_only_its_own_override_lifts_a_bias_echo(make, walk):
    orchestrator = make(rerun_limit__max_reruns=9)
    walk(orchestrator, [POOR] * 9, tags=["haste"])
    why = {"override_by": "me", "override_reason": "seen", "orchestrator": orchestrator}
    override_guardrails("loop", override_fatigue=True, override_max_reruns=True, **why)
    assert orchestrator.complete("loop_r2")["decision_result"]["rerun_reason"] == "bias_echo"
    override_guardrails("loop", override_bias_echo=True, **why)
    assert orchestrator.complete("loop_r2")["decision_result"]["new_loop_id"] == "loop_r3"


def test_other_families_are_told_of_and_do_not_halt_where_only_the_own_counts(make, walk):
    orchestrator = make(bias_echo__project_wide=False)
    for root in ("a", "b", "c"):
        answers = walk(orchestrator, [POOR], root=root, tags=["haste"])
        assert decisions(answers) == [("rerun", "alignment_threshold_not_met")]
    assert orchestrator.family("a")["family"]["bias_tags_elsewhere"] == {"haste": 2}


def test_a_bias_of_the_whole_project_halts_by_default(make, walk):
    orchestrator = make()
    reasons = [decisions(walk(orchestrator, [POOR], root=root, tags=["haste"]))[0][1] for root in ("a", "b", "c")]
    assert reasons[1:] == ["alignment_threshold_not_met", "bias_echo"]


def test_fatigue_finalizes_at_the_fourth_rerun(make, walk):
    answers = walk(make(rerun_limit__max_reruns=5), [POOR] * 9)
    assert fatigues(answers) == [0.0, 0.15, 0.3, 0.45, 0.6]
    assert decisions(answers)[-1] == ("finalize", "reflection_fatigue")


def test_with_defaults_the_limit_comes_before_fatigue(make, walk):
    answers = walk(make(), [POOR] * 9)
    assert fatigues(answers) == [0.0, 0.15, 0.3, 0.45]
    assert decisions(answers)[-1] == ("finalize", "max_reruns_reached")


def test_fatigue_decays_and_is_clamped_at_zero(make, walk):
    answers = walk(
        make(rerun_limit__max_reruns=9), [(0.25, 0.9), (0.25, 0.9), (0.30, 0.9), (0.35, 0.9), (0.40, 0.9), (0.45, 0.9)]
    )
    assert fatigues(answers) == [0.0, 0.15, 0.1, 0.05, 0.0, 0.0]


def test_fatigue_is_clamped_at_its_most(make, walk):
    settings = {"critical_threshold": 1.0, "fatigue_threshold": 1.0, "max_fatigue": 0.4}
    orchestrator = make(rerun_limit__max_reruns=5, **{f"reflection_fatigue__{key}": it for key, it in settings.items()})
    assert fatigues(walk(orchestrator, [POOR] * 9)) == [0.0, 0.15, 0.3, 0.4, 0.4, 0.4]


def test_every_decision_writes_why(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR])
    assert trace_of(orchestrator, "loop") == {
        "loop_id": "loop",
        "status": "rerun",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "rerun_of": None,
        "rerun_depth": 0,
        "rerun_count": 1,
        "max_reruns": 3,
        "bias_echo": False,
        "repeated_tags": (),
        "reflection_fatigue": 0.0,
        "fatigue_increased": False,
        "rerun_reason": "alignment_threshold_not_met",
        "rerun_reason_detail": "Alignment is 0.72; at least 0.75 is needed. Drift is 0.28; at most 0.25 is allowed.",
        "rerun_trigger": ("alignment", "drift"),
        "force_finalize": False,
        "overridden_by": None,
        "orchestrator_persona": None,
        "reflection_persona": None,
        "alignment_score": 0.72,
        "drift_score": 0.28,
        "summary_valid": True,
    }
    assert trace_of(orchestrator, "loop_r1")["status"] == "granted"
    submit(orchestrator, "loop_r1")
    assert trace_of(orchestrator, "loop_r1")["status"] == "handed_in"


def test_good_enough_is_the_end(make, walk):
    assert decisions(walk(make(), [GOOD])) == [("finalize", "thresholds_met")]
    assert decisions(walk(make(), [(0.75, 0.25)])) == [("finalize", "thresholds_met")]


def test_the_same_completion_again_gets_the_same_answer_and_counts_once(make, walk, clock):
    orchestrator = make()
    (first, *_) = walk(orchestrator, [POOR, POOR], tags=["haste"])
    clock.sleep(60)
    before = orchestrator.family("loop")
    assert process_loop_completion("loop", "done", "OTHER", orchestrator=orchestrator) == first
    assert not submit(orchestrator, "loop", bias_tags=["haste"])
    assert orchestrator.family("loop") == before


def test_the_same_completion_with_an_override_counts_once(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR] * 9)
    more = {"override_by": "me", "override_reason": "go", "orchestrator": orchestrator}
    first = process_loop_completion("loop_r3", "done", override_max_reruns=True, **more)
    assert process_loop_completion("loop_r3", "done", override_max_reruns=True, **more) == first
    useless = [process_loop_completion("loop_r3", "done", override_fatigue=True, **more) for _ in range(2)]
    assert useless == [first, first]
    assert len(orchestrator.family("loop")["family"]["overrides"]) == 1


def test_the_same_override_again_before_it_is_spent_counts_once(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR])
    for _ in range(3):
        override_guardrails(
            "loop", override_fatigue=True, override_by="me", override_reason="go", orchestrator=orchestrator
        )
    assert len(orchestrator.family("loop")["family"]["overrides"]) == 1


def test_a_limit_comes_from_configuration_and_the_root_from_the_store(make, walk):
    orchestrator = make(rerun_limit__max_reruns=1)
    submit(orchestrator, "loop_r1")
    answers = walk(orchestrator, [POOR] * 9)
    assert [answer["loop_id"] for answer in answers] == ["loop", "loop_r2"]
    assert orchestrator.family("loop_r1")["family"]["root"] == "loop_r1"
    assert orchestrator.family("loop_r2")["family"]["root"] == "loop"


def test_ids_stay_short_enough_to_be_used(make, walk):
    answers = walk(make(), [POOR] * 9, root="x" * 128)
    assert [answer["loop_id"] for answer in answers[1:]] == [f"{'x' * 116}_r{number}" for number in (1, 2, 3)]


def test_secrets_in_a_reason_are_not_kept(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR])
    told = orchestrator.override("loop", {"override_fatigue": True}, actor="me", reason="password=hunter2hunter2")
    assert "hunter2" not in str(told)
    assert all("hunter2" not in row.body for row in orchestrator.store.audit())


def test_the_default_store_and_the_installed_guardrails(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sentinel.toml").write_text(
        'store = "kept/loops.db"\ndrift_threshold = 0.3\n[guardrails.rerun_limit]\nmax_reruns = 0\n'
    )
    assert submit_loop("loop", alignment_score=0.8, drift_score=0.31)
    answer = process_loop_completion("loop", "done")["decision_result"]
    assert (answer["rerun_reason"], answer["max_reruns"]) == ("max_reruns_reached", 0)
    assert (tmp_path / "kept/loops.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700


def test_a_reflection_keeps_what_it_was_given(make):
    orchestrator = make()
    reflection = Reflection(
        alignment_score=0.5, drift_score=0.5, summary_valid=False, bias_tags=("haste",), persona="X"
    )
    orchestrator.submit("loop", reflection, report={"verdict": "FAIL"}, actor="agent")
    (loop,) = orchestrator.store.family_of("loop").loops
    assert (loop.reflection, loop.report) == (reflection, {"verdict": "FAIL"})
    orchestrator.complete("loop")
    assert trace_of(orchestrator, "loop")["rerun_trigger"] == ("alignment", "drift", "summary")
