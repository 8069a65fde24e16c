"""D: 64 processes complete the same 300 families at once, on each store: reruns granted are the limit, no id twice.

With ``SENTINEL_SOAK=1`` (``make soak``); else 4 processes and 5 families.
"""

import multiprocessing
import os
import pickle
from collections import Counter
from pathlib import Path

import pytest
from loop_fixtures import guardrails

from sentinel_core.guardrails.audit import audit_problems
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import open_store

pytestmark = [pytest.mark.unmeasured, pytest.mark.process]

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
PROCESSES, FAMILIES = (64, 300) if SOAK else (4, 5)
LIMIT = 3
POOR = Reflection(alignment_score=0.5, drift_score=0.5)


def drive(place: str, number: int, told: Path) -> None:
    """One process takes each family to its end, beginning at another one than its neighbours, and notes the answers."""
    orchestrator = Orchestrator(store=open_store(place), guardrails=guardrails())
    answers = {}
    for root in range(FAMILIES):
        loop_id = f"loop_{(root + number) % FAMILIES}"
        while loop_id is not None:
            orchestrator.submit(loop_id, POOR)
            answers[loop_id] = orchestrator.complete(loop_id)["decision_result"]
            loop_id = answers[loop_id]["new_loop_id"]
    told.write_bytes(pickle.dumps(answers))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_race_on_one_store(kind, address, tmp_path):
    place = address(kind)
    open_store(place).close()
    context = multiprocessing.get_context("spawn")
    files = [tmp_path / f"told-{number}" for number in range(PROCESSES)]
    running = [
        context.Process(target=drive, args=(place, number, file), daemon=True) for number, file in enumerate(files)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert {process.exitcode for process in running} == {0}
    first, *others = [pickle.loads(file.read_bytes()) for file in files]
    assert all(other == first for other in others)
    granted = [answer["new_loop_id"] for answer in first.values() if answer["new_loop_id"] is not None]
    assert len(granted) == len(set(granted)) == FAMILIES * LIMIT
    assert Counter(answer["original_loop_id"] for answer in first.values()) == {
        f"loop_{number}": LIMIT + 1 for number in range(FAMILIES)
    }
    store = open_store(place)
    families = store.families()
    assert all(family.version == family.rows == 2 * (LIMIT + 1) for family in families)
    assert list(audit_problems(families, store.audit())) == []
    store.close()
    print(f"{PROCESSES} processes, {FAMILIES} families, {kind}: {len(granted)} reruns granted")  # noqa: T201 - a figure
