"""What each tool can do, by its name, description and parameters."""

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, TraceIndex
from sentinel_core.evaluate.tools import facts_of, is_ending, name_words, singular
from sentinel_core.trace import ToolSchema, TraceDetails


@each_row(
    ("name", "description", "effect", "verbs"),
    [
        ("cancel_reservation", "", "writes", {"cancel"}), ("get_reservation_details", "", "reads", {"get"}), ("mcp__github__create_issue", "", "writes", {"create"}),
        ("DeleteFile", "", "writes", {"delete"}), ("order_status", "", "reads", {"get"}), ("find_and_cancel_order", "", "writes", {"find", "cancel"}),
        ("GetRide", "Call a taxi to a destination.", "writes", {"get", "call"}), ("ride", "Books a ride.", "writes", {"book"}), ("lookup", "Use this tool to search flights.", "reads", {"lookup", "search"}),
        ("check_in_passenger", "", "writes", {"checkin"}), ("check_in_stock", "", "reads", {"check"}), ("process_refund", "", "writes", {"refund"}),
        ("claims_open", "", "unknown", {"open"}), ("open_url", "", "reads", {"open"}), ("appeal.resolve", "", "unknown", {"resolve"}),
        ("claim_status", "", "reads", {"get"}), ("file_claim", "", "writes", {"file"}), ("vehicle_log", "", "reads", {"get"}), ("log_event", "", "writes", {"log"}),
        ("order_cancel", "", "writes", {"cancel"}), ("open_slots", "", "reads", {"get"}), ("set_status", "", "writes", {"set"}), ("quote_change", "Price of a change", "reads", {"change"}),
        ("airtable_update_records", "", "writes", {"update"}), ("donor_record", "", "unknown", {"record"}), ("donor_record", "Record of a donor", "reads", {"record"}),
        ("stock_level", "Stock of an item", "reads", {"get"}), ("patron_account", "Hold list of a card", "reads", set()), ("work_orders", "", "unknown", set()),
        ("get_order", "Order, items, status", "reads", {"get"}), ("get_claim", "Claim status", "reads", {"get"}), ("flag_history", "Changes of a flag", "reads", {"get"}),
        ("fs.move", "Move or rename a file", "writes", {"move"}), ("cart.add", "Adds to the cart", "writes", {"add"}), ("monitor_mute", "Mutes a monitor", "writes", {"mute"}),
        ("scenes", "", "reads", {"get"}), ("stock_check", "", "reads", {"check"}), ("case_settlement", "Settlement of a claim", "unknown", set()),
        ("leave_class", "Take out of a class", "unknown", set()), ("vault", "Temporarily lock a vault", "writes", {"lock"}), ("request_inspection", "Ask for an inspector", "writes", {"ask", "request"}),
        ("stock_adjust_level", "", "unknown", set()), ("password_reset_status", "", "reads", set()), ("monitor_ack_incident", "", "writes", {"ack"}), ("order_book_get", "", "reads", {"get"}), ("list_add", "", "writes", {"add"}), ("list_members", "", "reads", {"list"}), ("weather", "", "reads", set()), ("acme_wizard", "", "unknown", set()), ("Please do it", "", "unknown", set()), ("", "", "unknown", set()),
    ],
)  # fmt: skip
def test_effect_and_verbs(name, description, effect, verbs):
    facts = facts_of(name, description)
    assert (facts.effect, set(facts.verbs), facts.runs_anything) == (effect, verbs, False)


@pytest.mark.parametrize(
    "name", ["bash", "execute_python", "run_shell", "browser", "shell_write_stdin", "agent_create_task"]
)
def test_what_runs_anything_is_unknown(name):
    assert (facts_of(name).effect, facts_of(name).runs_anything) == ("unknown", True)


def test_what_only_thinks_is_inert():
    assert facts_of("think").is_inert
    assert not facts_of("bash").is_inert


def test_objects_are_of_name_description_and_parameters():
    assert facts_of("book_table", "Reserve seats in a restaurant", ("party_size",)).objects >= {
        "table",
        "restaurant",
        "party",
        "size",
    }


@pytest.mark.parametrize(
    ("word", "single"),
    [
        ("reports", "report"),
        ("entries", "entry"),
        ("boxes", "box"),
        ("movies", "movie"),
        ("status", "status"),
        ("bus", "bus"),
        ("classes", "class"),
        ("access", "access"),
    ],
)
def test_singulars(word, single):
    assert singular(word) == single


def test_tools_that_end_a_run_and_words_of_names():
    ending = [
        "finish",
        "final_answer",
        "transfer_to_human",
        "attempt_completion",
        "give_up",
        "escalate_to_human",
        "hand_off",
        "submit_patch",
    ]
    other = [
        "submit_order",
        "return_order_items",
        "stop_server",
        "complete_task_list",
        "scroll_up",
        "end_of_edit",
        "code",
        "patch",
    ]
    assert ([name for name in ending if not is_ending(name)], [name for name in other if is_ending(name)]) == ([], [])
    assert name_words("mcp__shop__cancelOrderItems2") == ("cancel", "order", "items", "2")


def test_the_index_knows_tools_on_offer_and_called_and_grows():
    offered = (
        ToolSchema(name="GetRide", description="Call a taxi.", parameters={"properties": {"seats": {}}}),
        ToolSchema(name="bare"),
    )
    index = TraceIndex(ExecutionTrace(trace_id="t", details=TraceDetails(available_tools=offered)))
    assert sorted(index.tools) == ["GetRide", "bare"]
    assert "seat" in index.tools["GetRide"].objects
    index.add(Message(role="assistant", tool_calls=(ToolCall(id="1", name="send_mail"),)))
    assert index.tools["send_mail"].effect == "writes"
    assert index.tools is index.tools


@pytest.mark.parametrize("name", ["___", "123"])
def test_a_name_without_a_word_says_nothing(name):
    facts = facts_of(name)
    assert (facts.effect, facts.verbs, facts.objects) == ("unknown", frozenset(), frozenset())


@pytest.mark.parametrize(
    "description", ["Book a cab.", "Books a cab.", "Use this tool to book a cab.", "This tool will book a cab."]
)
def test_a_description_says_what_a_vague_name_does_not(description):
    facts = facts_of("helper", description)
    assert (facts.effect, facts.verbs) == ("writes", {"book"})
    assert "cab" in facts.objects


def test_the_verb_stands_where_a_verb_stands():
    assert facts_of("cancel_reservation").verbs == {"cancel"}
    assert facts_of("get_booking").effect == "reads"
