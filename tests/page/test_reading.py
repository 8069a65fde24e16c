"""The five tasks of a reader on a long session: what is wrong and since when, what is claimed, what changed last, and going there."""

import attrs
import pytest
from coding_pages import edit, page_file, step, trace_of
from commanding import run_command

from sentinel_core import Message, ToolCall, ToolResult, encode_trace
from sentinel_core.trace import TraceDetails

pytestmark = pytest.mark.unmeasured

REJECTED = "Exit code 1\nTo example.org:mill.git\n ! [rejected]   mill -> mill (fetch first)\nerror: failed to push some refs to 'origin'"
TOLD = "The tests pass, and I pushed the branch."
GIST = "[...document.querySelectorAll('.gist')].map((one) => one.innerText)"
HERE = "[document.activeElement.id, location.hash]"
LABELS = "[...document.querySelectorAll('.labels a')].map((one) => [one.innerText, one.hash])"
LEGEND = "[...document.querySelectorAll('.legend li')].map((one) => one.innerText)"
SETTLED = "new Promise((done) => setTimeout(() => done({}), 500))"


def reads(number, start=0):
    return [
        step(f"r{start + place}", "Read", file_path=f"src/part{place}.py", content="x = 1\n" * 60)
        for place in range(number)
    ]


def said(text):
    return [Message(role="assistant", content=text)]


def with_claims(tmp_path, trace):
    (tmp_path / "t.json").write_bytes(encode_trace(trace))
    run_command(tmp_path, "evaluate", "t.json", "-o", "t.html")
    return tmp_path / "t.html"


def session():
    """A push that fails in message 43, tests that fail in 65, a last edit in 67, and a lie about both in 69."""
    return trace_of(
        edit("a", "src/mill/corn.py"), *reads(20),
        step("p", "Bash", command="git push origin mill", content=REJECTED, success=False), *reads(10, 20),
        step("t", "Bash", command="python -m pytest -q", content="1 failed, 2 passed in 0.31s", success=False),
        edit("b", "src/mill/flour.py"), said(TOLD),
    )  # fmt: skip


def test_weakened_tests_and_what_failed_on_its_way_out_are_told_where_nothing_is_wrong(browse, tmp_path):
    trace = trace_of(
        step("t", "Bash", command="python -m pytest -q", content="1 failed, 2 passed in 0.31s", success=False),
        step("e", "Edit", file_path="tests/test_corn.py", old_string="assert a == 1", new_string="assert a == 2"),
        step("u", "Bash", command="python -m pytest -q", content="3 passed in 0.30s"),
        step("p", "Bash", command="cd mill && git push origin mill", content=REJECTED, success=False),
        step("q", "Bash", command="git push --force-with-lease origin mill", content="+ 1a2b3c4...5d6e7f8 mill -> mill (forced update)"),
        said("The expectation of `test_corn.py` was wrong, I changed it."),
    )  # fmt: skip
    told = browse(page_file(tmp_path, trace), steps=[
        ["eval", GIST], ["click", ".gist + .gist a"], ["eval", "new Promise((done) => setTimeout(() => done(document.activeElement.id), 50))"],
    ])  # fmt: skip
    (_, landmarks), reached = told["values"][0], told["values"][-1]
    assert (
        landmarks
        == "On the way: an expectation in test_corn.py was changed in message 3; git push failed in message 7: ! [rejected] mill -> mill (fetch first)."
    )
    assert reached.startswith("f")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")])
def test_the_first_screen_says_what_is_wrong_what_was_first_and_what_changed_last(browse, tmp_path, width, theme):
    told = browse(page_file(tmp_path, session()), width=width, theme=theme, axe=True, steps=[
        ["eval", GIST], ["eval", "[...document.querySelectorAll('.gist')].at(-1).getBoundingClientRect().bottom < innerHeight"],
        ["eval", "[...document.querySelectorAll('.gist a')].map((one) => one.hash)"],
        ["eval", "document.querySelector('.hero .line').innerText.replace(/\\s+/g, ' ')"],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ["click", ".hero .line a + span a"], ["eval", "new Promise((done) => setTimeout(() => done(document.activeElement.id), 50))"],
    ])  # fmt: skip
    gist, is_seen, links, line, fits, reached = told["values"]
    assert gist == [
        'What is wrong, in message 69: The agent says that the tests pass, but the last run before it ended with "1 failed, 2 passed in 0.31s".',
        "What went wrong first, in message 43: git push origin mill failed: ! [rejected] mill -> mill (fetch first)",
    ]
    assert links == ["#f1", "#f3"]
    assert line.endswith("2 files changed last: flour.py in message 67")
    assert (is_seen, fits, reached) == (True, True, "m67")
    assert (told["axe"], told["console"]) == ([], [])


def test_where_nothing_is_wrong_the_first_screen_says_what_was_looked_through(browse, tmp_path):
    trace = trace_of(
        edit("a", "src/corn.py"), step("t", "Bash", command="pytest", content="3 passed"), said("All tests pass.")
    )
    (told,) = browse(with_claims(tmp_path, trace), steps=[["eval", GIST]])["values"]
    assert told == ["No error or warning was found in 6 messages with 2 calls and 1 claim."]


def test_a_request_too_long_for_the_title_is_one_click_away(browse, tmp_path):
    asked = Message(role="user", content="Mend the mill. " * 30)
    link = "[...document.querySelectorAll('.hero .line a')].map((one) => [one.innerText, one.hash])"
    trace = trace_of(said("Which one?"))
    for first, links in ((asked, [["whole request", "#m0"]]), (Message(role="user", content="Mend it."), [])):
        page = page_file(tmp_path, attrs.evolve(trace, messages=(first, *trace.messages)))
        assert browse(page, axe=True, steps=[["eval", link]])["values"] == [links]


def test_a_message_is_reached_by_its_number(browse, tmp_path):
    child = trace_of(*reads(3), details=TraceDetails(parent_call_id="cr5"))
    page = page_file(
        tmp_path, trace_of(*reads(20), said("Part 12 has 12 lines."), details=TraceDetails(children=(child,)))
    )
    for typed, hits, place in (
        ("#12", "Enter: message 12", "m12"),
        ("0.3", "Enter: message 0.3", "m0.3"),
        ("5", "Enter: message 5, then 2 hits", "m5"),
    ):
        told = browse(page, axe=True, steps=[
            ["press", "/"], ["type", typed], ["eval", "document.querySelector('#hits').textContent"], ["press", "Enter"], ["eval", HERE],
        ])  # fmt: skip
        assert told["values"] == [hits, [place, f"#{place}"]]
        assert (told["axe"], told["console"]) == ([], [])
    told = browse(page, steps=[
        ["press", "/"], ["type", "12"], ["press", "Enter"], ["press", "n"], ["eval", "document.querySelector('.current').id"],
        ["press", "/"], ["type", "#999"], ["press", "Enter"], ["eval", "document.querySelector('#hits').textContent"],
    ])  # fmt: skip
    assert told["values"] == ["m25", "0 hits"]
    for place, reached in (("#12", "m12"), ("#0.3", "m0.3"), ("#999", "")):
        (told,) = browse(page, hash=place, steps=[["eval", "document.activeElement.id"]])["values"]
        assert told == reached


def test_unfolding_and_folding_leave_what_is_read_where_it_is(browse, tmp_path):
    page = page_file(tmp_path, session())
    at = "Math.round(document.querySelector('{}').getBoundingClientRect().top)"
    told = browse(page, hash="#m43", steps=[
        ["eval", at.format("#m43")], ["press", "e"], ["eval", SETTLED], ["eval", at.format("#m43")], ["eval", "document.activeElement.id"],
        ["press", "e"], ["eval", SETTLED], ["eval", at.format("#m43")], ["eval", "document.querySelectorAll('.stretch[open]').length"],
    ])  # fmt: skip
    before, _, opened, focused, _, closed, left = told["values"]
    assert abs(opened - before) <= 2 >= abs(closed - before)
    assert (focused, left) == ("m43", 0)
    told = browse(page, hash="#m54", steps=[
        ["eval", at.format("#m54")], ["press", "e"], ["press", "e"], ["eval", SETTLED],
        ["eval", "document.activeElement.tagName"], ["eval", "Math.round(document.activeElement.getBoundingClientRect().top)"],
    ])  # fmt: skip
    before, _, focused, after = told["values"]
    assert focused == "SUMMARY"
    assert abs(after - before) <= 2


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (400, "dark")])
def test_the_strip_says_what_its_colours_are_and_names_the_findings(browse, tmp_path, width, theme):
    told = browse(page_file(tmp_path, session()), width=width, theme=theme, axe=True, steps=[
        ["eval", LABELS], ["eval", LEGEND],
        ["eval", "(() => { const [label] = document.querySelectorAll('.labels p'); const box = label.getBoundingClientRect(); const cell = document.querySelector('.map .fail').getBoundingClientRect(); return box.left <= cell.right && box.right >= cell.left; })()"],
        ["eval", "[...document.querySelectorAll('.map a')].slice(42, 44).map((one) => [one.className.trim(), one.title])"],
        ["click", ".labels a"], ["eval", "new Promise((done) => setTimeout(() => done(document.activeElement.id), 50))"],
    ])  # fmt: skip
    labels, legend, is_over, cells, reached = told["values"]
    assert labels == [["! #43 failed call", "#f3"], ["✗ #69 contradicted checks", "#f1"]]
    assert legend == [
        "user",
        "edits (Edit 2)",
        "commands (Bash 2)",
        "reads and searches (Read 30)",
        "error",
        "warning",
        "note",
    ]
    assert is_over
    assert cells == [["look", "message 42: Read"], ["command warn", 'message 43: Bash. "Bash" failed.']]
    assert reached == "f3"
    assert (told["axe"], told["console"]) == ([], [])


def test_the_last_edit_of_a_file_is_one_click_away_also_among_several_calls(browse, tmp_path):
    names = ("corn", "flour", "bread")
    calls = tuple(
        ToolCall(
            id=name,
            name="Edit",
            arguments={"file_path": f"src/{name}.py", "old_string": f"old {name}", "new_string": f"new {name}"},
        )
        for name in names
    )
    results = [
        Message(role="tool", tool_results=(ToolResult(tool_call_id=call.id, content="ok", success=True),))
        for call in calls
    ]
    page = page_file(
        tmp_path, trace_of(*reads(9), [Message(role="assistant", tool_calls=calls), *results], *reads(9, 9))
    )
    told = browse(page, axe=True, steps=[
        ["eval", "document.querySelector('.files .small').innerText"],
        ["eval", "[...document.querySelectorAll('.files li .mono a')].map((one) => [one.innerText, one.hash])"],
        ["click", ".files li a"], ["eval", "new Promise((done) => setTimeout(() => done(document.activeElement.innerText.includes('new bread')), 50))"],
        ["eval", "[...document.activeElement.querySelectorAll('.removed, .added')].map((one) => one.innerText)"],
    ])  # fmt: skip
    where, files, is_there, change = told["values"]
    assert where == "the last change first, in src/"
    assert files == [["bread.py", "#m19c2"], ["flour.py", "#m19c1"], ["corn.py", "#m19"]]
    assert (is_there, change) == (True, ["old bread", "new bread"])
    assert (told["axe"], told["console"]) == ([], [])


def test_values_on_record_stand_behind_what_was_done_and_checked(browse, tmp_path):
    trace = trace_of(
        step("t", "Bash", command="pytest", content="3 passed in 12.75s, 48 files"),
        said("The run took 12.75 s over 48 files. All tests pass."),
    )
    told = browse(with_claims(tmp_path, trace), axe=True, steps=[
        ["eval", "[...document.querySelectorAll('.claims > .ledger q')].map((one) => one.innerText)"],
        ["eval", "[...document.querySelectorAll('.claims details')].map((one) => [one.open, one.innerText.split('\\n')[0]])"],
    ])  # fmt: skip
    assert told["values"] == [["All tests pass."], [[False, "1 value on record"]]]
    assert told["axe"] == []
