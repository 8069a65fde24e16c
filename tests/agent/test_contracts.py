import attrs
import pytest
from tables import each_row

from sentinel_core.errors import ProviderError
from sentinel_core.guardrails.facts import Ruling
from sentinel_core.model import Reply
from sentinel_core.offers import Guardrail, Tool
from sentinel_core.testing._contracts_base import Contract
from sentinel_core.testing._contracts_guardrail import GuardrailContract
from sentinel_core.testing._contracts_provider import ProviderContract
from sentinel_core.testing._contracts_tool import ToolContract
from sentinel_core.testing.scripted import scripted_provider

CONTRACTS = (GuardrailContract, ProviderContract, ToolContract)
SHOUT = Tool(
    name="shout",
    description="Says it loud.",
    parameters={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    handler=lambda text: text.upper(),
)


class ShoutContract(ToolContract):
    tool = SHOUT

    def make(self):
        return self.tool

    def arguments(self):
        return {"text": "hey"}


class TestShout(ShoutContract):
    pass


class TestScripted(ProviderContract):
    def make(self):
        return scripted_provider(Reply(content="hello"))


class TestNeverAgain(GuardrailContract):
    def make(self):
        ruling = Ruling(action="finalize", reason="never", detail="Once is enough.")
        return Guardrail(name="never", summary="no rerun", check=lambda _history: ruling)


def fixed_tests(contract):
    return sorted(name for name in dir(contract) if name.startswith("test_"))


@pytest.mark.parametrize("contract", CONTRACTS)
def test_no_test_of_a_contract_can_be_overridden(contract):
    assert len(fixed_tests(contract)) >= 5
    for name in fixed_tests(contract):
        with pytest.raises(TypeError, match=f"Weak overrides attributes that its contract defines: {name}"):
            type("Weak", (contract,), {name: lambda self: None, "__module__": "somebody"})


@pytest.mark.parametrize("name", ["__init_subclass__", "__test__", "fixed", "pytestmark", "complete"])
def test_what_carries_the_tests_cannot_be_overridden(name):
    with pytest.raises(TypeError, match=name):
        type("Weak", (ProviderContract,), {name: None, "__module__": "somebody"})


def test_mixin_cannot_override_either():
    class Mixin:
        def test_schema_is_valid(self):
            pass

    with pytest.raises(TypeError, match="test_schema_is_valid"):
        type("Weak", (Mixin, ToolContract), {"__module__": "somebody"})


def test_subclass_of_a_subclass_cannot_override_either():
    with pytest.raises(TypeError, match="test_schema_is_valid"):
        type("Weak", (ShoutContract,), {"test_schema_is_valid": None, "__module__": "somebody"})


def test_given_methods_and_new_tests_are_free():
    free = {"make": None, "settings": None, "test_more": None, "__module__": "somebody"}
    assert issubclass(type("Strong", (ToolContract,), free), Contract)


def test_what_must_be_given_says_so():
    for contract in CONTRACTS:
        with pytest.raises(NotImplementedError, match=r"make\(\) must return"):
            contract().make()
    with pytest.raises(NotImplementedError, match="arguments"):
        ToolContract().arguments()


@each_row(
    ("changes", "test", "said"),
    [
        ({"name": "two words"}, "test_name_fits_every_provider", "letters, digits"),
        ({"name": ""}, "test_name_fits_every_provider", "1 to 64"),
        ({"name": "x" * 65}, "test_name_fits_every_provider", "1 to 64"),
        ({"description": " "}, "test_description_says_something", "description"),
        ({"effect": "delete"}, "test_effect_is_known", "'read' or 'write'"),
        ({"timeout": 0}, "test_time_limit_is_positive", "timeout"),
        ({"handler": lambda text: object()}, "test_good_call_succeeds", "the call failed"),
        ({"parameters": {"type": "object"}}, "test_schema_refuses_unknown_arguments", "the schema must reject"),
    ],
)
def test_tool_contract_finds_what_is_wrong(changes, test, said):
    contract = ShoutContract()
    contract.tool = attrs.evolve(SHOUT, **changes)
    with pytest.raises(AssertionError, match=said):
        getattr(contract, test)()


def test_contract_sees_a_required_argument_that_is_not_required():
    contract = ShoutContract()
    contract.tool = attrs.evolve(SHOUT, parameters={**SHOUT.parameters, "required": []})
    contract.test_schema_refuses_missing_arguments()
    contract.arguments = dict
    with pytest.raises(AssertionError, match="the call failed"):
        contract.test_good_call_succeeds()


def test_provider_contract_finds_what_is_wrong():
    contract = TestScripted()
    contract.make = lambda: scripted_provider(Reply())
    with pytest.raises(AssertionError, match="must say something"):
        contract.test_complete_gives_a_reply()
    contract.make = lambda: scripted_provider(ProviderError("no messages"))
    contract.test_failure_is_a_model_error()
    contract.make = lambda: scripted_provider(KeyError("x"))
    with pytest.raises(KeyError):
        contract.test_failure_is_a_model_error()


@pytest.mark.parametrize(
    ("check", "test", "said"),
    [
        (lambda history: None, "test_empty_history_has_a_ruling", "must return a Ruling"),
        (lambda history: Ruling(action="retry"), "test_rulings_are_valid", "unknown action 'retry'"),
        (lambda history: Ruling(action="finalize"), "test_rulings_are_valid", "needs a reason"),
    ],
)
def test_guardrail_contract_finds_what_is_wrong(check, test, said):
    contract = TestNeverAgain()
    contract.make = lambda: Guardrail(name="bad", summary="bad", check=check)
    with pytest.raises(AssertionError, match=said):
        getattr(contract, test)()


def test_guardrail_contract_finds_a_memory():
    seen = []

    def check(history):
        seen.append(history)
        return Ruling(action="allow", reason=str(len(seen)))

    contract = TestNeverAgain()
    contract.make = lambda: Guardrail(name="bad", summary="bad", check=check)
    with pytest.raises(AssertionError, match="two different rulings"):
        contract.test_same_history_same_ruling()
