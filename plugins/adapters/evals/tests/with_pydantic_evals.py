"""The real Pydantic Evals, with a scripted model."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent, InstrumentationSettings, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_evals import Case, Dataset
from runs import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_evals.pydantic_evals import Sentinel

PROVIDER = TracerProvider()
trace.set_tracer_provider(PROVIDER)


def agent_of(answer, **options):
    parts = iter([ToolCallPart("run_tests", {}), TextPart(answer)])
    agent = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[next(parts)])), **options)

    @agent.tool_plain
    def run_tests() -> str:
        return RESULT

    return agent


async def the_run(answer):
    return await agent_of(answer).run(ASKED)


async def messages(answer):
    return (await agent_of(answer).run(ASKED)).all_messages()


async def only_the_answer(answer):
    agent = agent_of(answer)
    agent.instrument = InstrumentationSettings(tracer_provider=PROVIDER)
    return (await agent.run(ASKED)).output


async def nothing(answer):
    return answer


def report_of(task, **options):
    cases = [Case(name="lie", inputs=LIE), Case(name="truth", inputs=TRUTH)]
    dataset = Dataset(name="claims", cases=cases, evaluators=[Sentinel(**options)])
    return {case.name: case for case in dataset.evaluate_sync(task, progress=False).cases}


@pytest.mark.parametrize("task", [the_run, messages, only_the_answer])
def test_a_lie_fails_and_the_truth_passes(task):
    cases = report_of(task)
    assert {name: case.assertions["sentinel"].value for name, case in cases.items()} == {"lie": False, "truth": True}
    assert {name: case.labels["sentinel_verdict"].value for name, case in cases.items()} == {
        "lie": "FAIL",
        "truth": "PASS",
    }
    assert RULE in cases["lie"].assertions["sentinel"].reason


def test_what_is_expected_of_the_run():
    assert not report_of(the_run, expect=["called:deploy"])["truth"].assertions["sentinel"].value


def test_a_case_without_a_run_is_an_evaluators_failure():
    (failure,) = report_of(nothing)["lie"].evaluator_failures
    assert "InputError" in failure.error_message


def test_a_dataset_in_a_file_names_it(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("name: claims\ncases:\n- name: lie\n  inputs: All tests pass now.\nevaluators:\n- Sentinel\n")
    dataset = Dataset[str, object, object].from_file(path, custom_evaluator_types=[Sentinel])
    (case,) = dataset.evaluate_sync(the_run, progress=False).cases
    assert not case.assertions["sentinel"].value
