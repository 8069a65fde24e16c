"""The list of files that a session changed: what counts as a change, in which order, and what the page shows of it."""

import pytest
from coding_pages import FAILED, REFUSED, edit, page_file, step, trace_of

from sentinel_core import Message, TraceIndex
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.output.page.files import MOST_FILES, files_changed
from sentinel_core.judging.output.show import page_of, page_record, report_page
from sentinel_core.trace import MessageDetails, TraceDetails

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\n.py"
ROWS = "[...document.querySelectorAll('.files li')].map((row) => row.innerText.replace(/\\s+/g, ' '))"
FOCUSED = "new Promise((done) => setTimeout(() => done(document.activeElement.id), 50))"


def told(trace):
    found = files_changed(TraceIndex(trace))
    return found and [tuple(row.values()) for row in found["rows"]]


def test_the_file_that_changed_last_comes_first_with_its_changes():
    trace = trace_of(
        edit(1, "a.py"), step(2, "Write", file_path="b.py", contents="1"), edit(3, "a.py"), edit(4, "c.py")
    )
    assert told(trace) == [
        ("c.py", "edited", 1, "7", "7"), ("a.py", "edited", 2, "1", "5"), ("b.py", "written", 1, "3", "3"),
    ]  # fmt: skip
    assert told(trace_of(step(1, "Read", file_path="a.py"))) is None


def test_an_edit_that_failed_or_was_refused_is_no_change():
    trace = trace_of(edit(1, "a.py"), edit(2, "a.py", **REFUSED), edit(3, "a.py", **FAILED), edit(4, "b.py", **REFUSED))
    assert told(trace) == [("a.py", "edited", 1, "1", "1")]
    assert told(trace_of(edit(1, "b.py", success=None, content="Error: no such file"))) is None


def test_an_edit_without_a_result_says_so_and_repeated_context_is_no_second_change():
    (asked, _), (copied, _) = edit(1, "a.py"), edit(2, "b.py")
    repeated = Message(role="assistant", tool_calls=copied.tool_calls, details=MessageDetails(is_copied_context=True))
    assert told(trace_of([repeated, asked])) == [("a.py", "edited", 1, "2", "2", True)]


def test_a_file_has_one_name_in_the_folder_of_the_session():
    paths = ("/home/ada/shop/src/a.py", "src/a.py", "./src/../src/a.py", "/etc/hosts")
    trace = trace_of(*(edit(number, path) for number, path in enumerate(paths)), metadata={"cwd": "/home/ada/shop"})
    assert told(trace) == [("/etc/hosts", "edited", 1, "7", "7"), ("src/a.py", "edited", 3, "1", "5")]
    trace = trace_of(edit(1, "C:\\shop\\src\\a.py"), edit(2, "src/a.py"), metadata={"cwd": "C:\\shop"})
    assert told(trace) == [("src/a.py", "edited", 2, "1", "3")]


def test_a_sub_agents_changes_come_where_its_call_is():
    child = trace_of(edit(1, "a.py"), edit(2, "b.py"), details=TraceDetails(parent_call_id="c1"))
    lost = trace_of(edit(1, "lost.py"))
    trace = trace_of(step(1, "Task", prompt="go"), edit(2, "a.py"), details=TraceDetails(children=(child, lost)))
    assert told(trace) == [
        ("lost.py", "edited", 1, "1.1", "1.1"), ("a.py", "edited", 2, "0.1", "3"), ("b.py", "edited", 1, "0.3", "0.3"),
    ]  # fmt: skip


def test_a_long_list_is_cut_and_says_what_is_left_and_commands_that_name_nothing_are_counted():
    steps = [edit(number, f"part{number}.py") for number in range(MOST_FILES + 5)]
    found = files_changed(TraceIndex(trace_of(*steps, step("f", "Bash", command="ruff format ."))))
    assert (len(found["rows"]), found["files"], found["calls"]) == (MOST_FILES, MOST_FILES + 5, MOST_FILES + 5)
    assert found["rows"][0]["path"] == f"part{MOST_FILES + 4}.py"
    assert found["unnamed"] == {"calls": 1, "last": str(2 * MOST_FILES + 11)}
    (row,) = files_changed(TraceIndex(trace_of(edit(1, "x" * 5000))))["rows"]
    assert len(row["path"]) == 301


def test_without_a_script_the_list_is_there_as_text():
    trace = trace_of(edit(1, HOSTILE), edit(2, "a.py"), edit(3, "sk-ant-" + "api03-" + "Ab1" * 20))
    html = report_page(evaluate_trace(trace), trace)
    assert html == report_page(evaluate_trace(trace), trace)
    plain = html.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "<li><code>a.py</code>: edited in message 3, 1 change</li>" in plain
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\\u202e\\n.py" in plain
    assert "Ab1Ab1" not in html
    assert html.count("<script") == 3
    several = [page_record(evaluate_trace(one), one) for one in (trace, trace_of(edit(1, "b.py")))]
    assert "Files changed</h2>" not in page_of(several)


@pytest.mark.unmeasured
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (400, "dark")])
def test_the_files_stand_beside_the_claims_and_lead_to_their_changes(browse, tmp_path, width, theme):
    steps = [
        *(edit(number, f"src/part{number}.py") for number in range(20)),
        edit("h", HOSTILE),
        edit("l", "src/part3.py"),
    ]
    page = page_file(tmp_path, trace_of(*steps))
    told = browse(page, width=width, theme=theme, axe=True, steps=[
        ["eval", "document.querySelector('.hero a[href=\"#files\"]').getBoundingClientRect().bottom < innerHeight"],
        ["eval", ROWS], ["eval", "document.querySelector('.files summary').innerText"],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ["eval", "document.querySelector('.hero a[href=\"#files\"]').focus()"], ["press", "Enter"], ["eval", FOCUSED],
        ["press", "Tab"], ["eval", "document.activeElement.getAttribute('aria-label')"], ["press", "Enter"], ["eval", FOCUSED],
        ["click", ".files li .small a"], ["eval", FOCUSED],
    ])  # fmt: skip
    is_seen, rows, more, fits, _, heading, label, last, first = told["values"]
    assert (is_seen, fits, more) == (True, True, "15 more files")
    assert rows[0] == "src/part3.py edited in message 43 · 2 changes, the first in message 7"
    assert rows[1].startswith("</script><img src=x onerror=alert(1)>\\u202e\\n.py edited in message 41")
    assert (heading, last, first) == ("files", "m43", "m7")
    assert label == "message 43, last change of src/part3.py"
    assert (told["axe"], told["console"], told["dialogs"]) == ([], [], [])
    linked = browse(page, hash="#files", steps=[["eval", "document.activeElement.id"]])
    assert linked["values"] == ["files"]


@pytest.mark.unmeasured
def test_on_paper_the_list_is_whole(browse, tmp_path):
    page = page_file(tmp_path, trace_of(*(edit(number, f"src/part{number}.py") for number in range(20))))
    told = browse(page, steps=[["print", ""], ["eval", "dispatchEvent(new Event('beforeprint'))"], ["eval", ROWS],
        ["eval", "document.querySelector('.files details').open"]])  # fmt: skip
    assert (len(told["values"][1]), told["values"][2]) == (20, True)
