"""Inspect: a scorer that judges each sample from its messages and events.

from sentinel_evals.inspect_ai import sentinel

task = Task(dataset, solver=react(), scorer=[match(), sentinel()])
"""

from collections.abc import Sequence

from inspect_ai.log import transcript
from inspect_ai.scorer import CORRECT, INCORRECT, PARTIAL, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from sentinel_core.errors import InputError, VerdictError
from sentinel_evals.scores import score

__all__ = ["sentinel"]

_VALUES = {"PASS": CORRECT, "WARN": PARTIAL, "FAIL": INCORRECT}


@scorer(metrics=[accuracy(), stderr()])
def sentinel(profile: str | None = None, expect: Sequence[str] = (), allow: Sequence[str] = ()) -> Scorer:
    """``C`` for PASS, ``P`` for WARN and ``I`` for FAIL; a sample without a verdict is not scored.

    ``profile``, ``expect`` and ``allow`` are those of ``sentinel_core.judge``. In a log, ``inspect score LOG --scorer
    sentinel_evals/sentinel`` adds the same scores. The metadata has the rules of the findings.
    """

    async def judge_sample(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect awaits it, and passes both
        try:
            found = score(_log_of(state), reader="inspect", profile=profile, expect=list(expect), allow=list(allow))
        except (InputError, VerdictError) as error:
            return Score.unscored(reason="scoring_failed", explanation=str(error))
        return Score(
            value=_VALUES[found.verdict],
            answer=state.output.completion,
            explanation=found.reason,
            metadata={"verdict": found.verdict, "rules": list(found.rules)},
        )

    return judge_sample


def _log_of(state: TaskState) -> dict[str, object]:
    """The sample as a log of its own."""
    sample = {
        "id": state.sample_id,
        "epoch": state.epoch,
        "messages": [message.model_dump(mode="json", exclude_none=True) for message in state.messages],
        "events": [event.model_dump(mode="json", exclude_none=True) for event in transcript().events],
    }
    return {"samples": [sample]}
