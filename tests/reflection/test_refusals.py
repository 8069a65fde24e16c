"""What cannot be done is said, and changes nothing."""

import pytest

from sentinel_core import get_guardrails_status, override_guardrails, process_loop_completion, submit_loop
from sentinel_core.errors import LoopConflictError, LoopRequestError, StoreError, UnknownLoopError

POOR = (0.72, 0.28)


def submit(orchestrator, loop_id="loop_001", alignment=0.72, drift=0.28, **more):
    return submit_loop(loop_id, alignment_score=alignment, drift_score=drift, orchestrator=orchestrator, **more)


def test_another_reflection_on_the_same_loop_is_refused(make):
    orchestrator = make()
    submit(orchestrator)
    with pytest.raises(LoopConflictError, match='"loop_001" was already submitted with different scores'):
        submit(orchestrator, alignment=1.0)


def test_what_is_not_there_cannot_be_completed(make, walk):
    orchestrator = make()
    walk(orchestrator, [POOR])
    with pytest.raises(LoopConflictError, match='"loop_r1" is a granted rerun, but its attempt has not been submitted'):
        orchestrator.complete("loop_r1")
    for call in (orchestrator.complete, orchestrator.status, orchestrator.family):
        with pytest.raises(UnknownLoopError, match='unknown loop "other"'):
            call("other")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (
            lambda o: process_loop_completion("a", "running", orchestrator=o),
            '"done" was expected at $.reflection_status',
        ),
        (lambda o: process_loop_completion("a/b", "done", orchestrator=o), "loop_id"),
        (
            lambda o: process_loop_completion("a", "done", override_fatigue=True, override_reason="x", orchestrator=o),
            "the person who decides",
        ),
        (
            lambda o: override_guardrails("a", override_by="me", override_reason="x", orchestrator=o),
            "nothing to override",
        ),
        (
            lambda o: override_guardrails("a", override_fatigue=True, override_by="me", orchestrator=o),
            "override_reason",
        ),
        (
            lambda o: override_guardrails(
                "a", override_fatigue=True, override_by="me", override_reason=" ", orchestrator=o
            ),
            "override_reason must contain a visible character and no control characters at $.override_reason",
        ),
        (lambda o: get_guardrails_status("a b", orchestrator=o), '"a b" cannot be used'),
        (lambda o: submit(o, alignment=float("nan")), "nan is not a finite number"),
        (lambda o: submit(o, drift=float("inf")), "inf is not a finite number"),
        (lambda o: submit(o, alignment=1.01), "maximum of 1 at $.alignment_score"),
        (lambda o: submit(o, bias_tags=["In Haste"]), "bias_tags[0]"),
        (lambda o: submit(o, "x\n"), "cannot be used"),
    ],
)
def test_what_is_malformed_is_refused_and_nothing_is_kept(make, call, problem):
    orchestrator = make()
    with pytest.raises(LoopRequestError) as caught:
        call(orchestrator)
    assert problem in str(caught.value)
    assert orchestrator.store.families() == []


def test_a_store_that_cannot_be_read_means_finalize(make):
    orchestrator = make()

    def broken(_loop_id):
        raise StoreError('store "x" cannot be used: the disk is gone')

    orchestrator.store.family_of = broken
    answer = process_loop_completion("loop", "done", orchestrator=orchestrator)
    assert answer["status"] == "error"
    assert answer["decision_result"]["decision"] == "finalize"
    assert answer["decision_result"]["rerun_reason"] == "guardrail_failed"
    with pytest.raises(StoreError, match="the disk is gone"):
        get_guardrails_status("loop", orchestrator=orchestrator)
