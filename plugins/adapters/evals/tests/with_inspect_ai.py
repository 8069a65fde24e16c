"""The real Inspect, with its own scripted model."""

import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool
from runs import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import judge
from sentinel_evals.inspect_ai import sentinel

pytestmark = pytest.mark.filterwarnings("default")


@tool
def run_tests():
    async def execute() -> str:
        """Run the tests."""
        return RESULT

    return execute


def log_of(answer, folder, scorer):
    import asyncio

    outputs = [
        ModelOutput.for_tool_call("mockllm/model", "run_tests", {}),
        ModelOutput.from_content("mockllm/model", answer),
    ]
    for output in outputs:  # without it, the model counts tokens with a file from the net
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    task = Task(dataset=[Sample(input=ASKED, target="x")], solver=[use_tools(run_tests()), generate()], scorer=scorer)
    (log,) = asyncio.run(eval_async(task, model=model, log_dir=str(folder)))
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(("answer", "value"), [(LIE, "I"), (TRUTH, "C")])
def test_each_sample_is_scored(answer, value, tmp_path):
    log = log_of(answer, tmp_path, sentinel())
    found = log.samples[0].scores["sentinel"]
    assert (found.value, found.answer) == (value, answer)
    assert found.metadata == {"verdict": {"I": "FAIL", "C": "PASS"}[value], "rules": [RULE] if value == "I" else []}
    assert log.results.scores[0].metrics["accuracy"].value == (value == "C")
    assert judge(Path(log.location)).verdict == found.metadata["verdict"]


def test_expectations_are_kept_in_the_log(tmp_path):
    log = log_of(TRUTH, tmp_path, sentinel(expect=["called:deploy"]))
    assert log.samples[0].scores["sentinel"].value == "I"
    assert log.results.scores[0].params == {"expect": ["called:deploy"]}


def test_a_log_is_scored_afterwards(tmp_path):
    log = log_of(LIE, tmp_path, includes())
    command = [Path(sys.executable).parent / "inspect", "score", log.location, "--scorer", "sentinel_evals/sentinel"]
    options = ["--action", "append", "--overwrite", "--display", "none"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    scores = read_eval_log(log.location).samples[0].scores
    assert {name: one.value for name, one in scores.items()} == {"includes": "I", "sentinel": "I"}
    assert RULE in scores["sentinel"].explanation
