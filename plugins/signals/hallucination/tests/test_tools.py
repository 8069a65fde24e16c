"""What tools could do, told from their names, and the table of families."""

import pytest

from sentinel_signal_hallucination.families import FAMILIES, stem
from sentinel_signal_hallucination.tools import ability, is_terminal


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("get_report", "read"),
        ("file_read", "read"),
        ("file_risk_report", "write"),
        ("updateOrder", "write"),
        ("orderStatus", "read"),
        ("change_status", "write"),
        ("status", "read"),
        ("time_log", "write"),
        ("log", "write"),
        ("run_info", "any"),
        ("TodoRead", "read"),
        ("HTTPRequest", "any"),
        ("python", "any"),
        ("frobnicate", "any"),
        ("", "any"),
        ("think", "inert"),
        ("wikipedia", "read"),
        ("Edit", "write"),
        ("MultiEdit", "write"),
        ("NotebookEdit", "write"),
        ("str_replace_based_edit_tool", "write"),
        ("apply_patch", "write"),
        ("applyDiff", "write"),
        ("terraform_apply", "any"),
        ("send_email_tool", "write"),
        ("process_refund", "write"),
        ("process_payment", "any"),
        ("mcp__github__create_pull_request", "write"),
        ("send_request", "any"),
        ("edit_and_run", "any"),
        ("ask_followup_question", "inert"),
        ("AskUserQuestion", "inert"),
        ("attempt_completion", "inert"),
        ("resolve-library-id", "inert"),
        ("mcp__sequential-thinking__sequentialthinking", "inert"),
        ("ban_user", "any"),
        ("finish_booking", "any"),
        ("resolve_dispute", "any"),
        ("mcp__shop__frobnicate", "any"),
        ("resolve_ticket", "any"),
        ("ToolSearch", "read"),
        ("Task", "any"),
        ("create_task", "any"),
    ],
)
def test_ability(name, kind):
    assert ability(name).kind == kind


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("finish", True),
        ("submit", True),
        ("final_answer", True),
        ("FinalAnswer", True),
        ("propose_solution", True),
        ("complete_task", True),
        ("transfer_to_human_agents", True),
        ("submit_order", False),
        ("answer_email", False),
        ("search", False),
        ("report", False),
        ("", False),
    ],
)
def test_terminal_tools(name, ends):
    assert is_terminal(name) is ends


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Reports", "report"),
        ("entries", "entry"),
        ("boxes", "box"),
        ("address", "address"),
        ("bus", "bus"),
        ("tickets", "ticket"),
    ],
)
def test_a_word_is_reduced_to_its_stem(word, expected):
    assert stem(word) == expected


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_row_of_the_table_is_whole(family):
    assert family.verbs
    assert family.objects
    assert bool(family.tools) == (family.strength != "read")


@pytest.mark.parametrize("name", ["TodoWrite", "update_todos", "TaskCreate", "TaskUpdate", "TaskList", "update_plan"])
def test_lists_of_what_is_to_do(name):
    assert (ability(name).kind, ability(name).families) == ("write", frozenset())
    assert "task" in ability(name).nouns
