"""The page of a day's session: folded, searched, filtered, linked to and printed, in a real Chromium."""

import json
import re

import pytest
from commanding import run_command
from lying import CLAIM, messages
from page_looks import each_look

from sentinel_core import ExecutionTrace, Message
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.output.show import report_page

pytestmark = pytest.mark.unmeasured

REQUEST = "Please mend the login and run the tests."
SUMMARIES = "[...document.querySelectorAll('.stretch > summary')].map((one) => one.innerText)"
SHOWN = "[...document.querySelectorAll('.message')].map((one) => one.id)"
HITS = "document.querySelector('#hits').textContent"
OPEN = "[...document.querySelectorAll('.stretch')].map((one) => one.open)"


def step(number, name, arguments, result):
    call = {"id": f"s{number}", "name": name, "arguments": arguments}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": call["id"], "content": result}]},
    ]


def session(reads=14, searches=3):
    """A request, uneventful steps, and a lie: 1 + 2 * steps + 4 messages."""
    said = [{"role": "user", "content": REQUEST}]
    for number in range(reads):
        said += step(number, "Read", {"path": f"src/part{number}.py"}, f"def part{number}(): ...\n" * 30 + "the needle")
    for number in range(searches):
        said += step(f"g{number}", "Grep", {"pattern": f"login{number}"}, "no <b>match</b>")
    return [*said, *messages(CLAIM)]


@pytest.fixture
def page_of(tmp_path):
    def write(said, **more):
        trace, page = tmp_path / "t.json", tmp_path / "t.html"
        trace.write_text(json.dumps({"trace_id": "t", "messages": said, **more}))
        run_command(tmp_path, "evaluate", trace, "-o", page)
        return page

    return write


@each_look(400)
def test_the_first_screen_has_the_request_the_verdict_the_claim_and_the_timeline(browse, page_of, width, theme):
    above = "[...document.querySelectorAll('h1, .pill, .says, .shows, .map')].map((one) => one.getBoundingClientRect().top < innerHeight)"
    told = browse(page_of(session()), width=width, theme=theme, axe=True, steps=[
        ["eval", "document.title"], ["eval", "document.querySelector('h1').innerText"], ["eval", above],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ["press", "e"],
    ])  # fmt: skip
    assert told["values"] == [f"FAIL: {REQUEST}", REQUEST, [True] * 5, True]
    assert told["axe"] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_honest_run_and_repeated_context_are_legible(browse, page_of, theme):
    repeated = {
        "role": "user",
        "content": "Earlier: hello.",
        "timestamp": "2026-01-01T10:00:00Z",
        "details": {"is_copied_context": True},
    }
    page = page_of([repeated, *messages("Order 1017 is shipped.")], schema=2)
    told = browse(
        page,
        theme=theme,
        axe=True,
        steps=[["eval", "document.title"], ["press", "e"], ["eval", "document.querySelectorAll('.copied').length"]],
    )
    assert told["values"] == ["PASS: Please write to the customer of order 1017.", 1]
    assert told["axe"] == []


def test_an_uneventful_stretch_says_what_it_holds_and_opens_by_click_key_and_link(browse, page_of):
    page = page_of(session())
    told = browse(
        page,
        steps=[
            ["eval", SUMMARIES],
            ["eval", f"{SHOWN}.length"],
            ["click", ".stretch > summary"],
            ["wait", "#m34"],
            ["eval", OPEN],
            ["eval", SHOWN],
        ],
    )
    (held,), few, opened, shown = told["values"]
    assert held == "14 reads, 3 searches · messages 1 to 34"
    assert few == 5
    assert opened == [True]
    assert shown == [f"m{number}" for number in range(39)]
    assert browse(page, steps=[["press", "e"], ["eval", OPEN], ["press", "e"], ["eval", OPEN]])["values"] == [
        [True],
        [False],
    ]
    linked = browse(page, hash="#m20", steps=[["eval", "document.activeElement.id"], ["eval", OPEN]])
    assert linked["values"] == ["m20", [True]]


def test_tools_that_do_not_read_or_search_go_by_their_names(browse, page_of):
    calls = ["book_train", "book_train", "TodoWrite", "apply_patch", "exec_command", "webSearch"]
    said = [
        {"role": "user", "content": "Go."},
        *(one for place, name in enumerate(calls) for one in step(place, name, {"at": place}, "ok")),
    ]
    (held,) = browse(page_of([*said, *messages(CLAIM)]), steps=[["eval", SUMMARIES]])["values"]
    assert held == ["2 calls to book_train, 1 call to TodoWrite, 1 edit, 1 command, 1 other call · messages 1 to 12"]


def test_failures_and_the_answer_to_each_request_are_never_folded(browse, page_of):
    said = session(3, 0)[:-4]
    said[6]["tool_results"][0]["success"] = False
    said += [
        {"role": "assistant", "content": "It is done so far."},
        {"role": "user", "content": "Go on."},
        *session(8, 0)[9:],
    ]
    shown, held = browse(page_of(said), steps=[["eval", SHOWN], ["eval", SUMMARIES]])["values"]
    assert {"m0", "m5", "m6", "m7", "m8"} <= set(shown)
    assert "m1" not in shown
    assert [one.split(" · ")[0] for one in held] == ["2 reads", "4 reads"]


def test_the_last_edit_before_a_failure_is_shown_with_it(browse, page_of):
    said = [{"role": "user", "content": "Mend it."}]
    for number, name in enumerate(
        ["Edit", "Read", "Edit", *["Read"] * 4, "Bash", *["Read"] * 4, "Edit", *["Read"] * 3]
    ):
        said += step(number, name, {"at": number}, "ok")
    said[16]["tool_results"][0] |= {"content": "1 failed", "success": False}
    (shown,) = browse(page_of([*said, *messages(CLAIM)]), steps=[["eval", SHOWN]])["values"]
    assert shown[:5] == ["m0", "m5", "m6", "m15", "m16"]


def test_a_search_finds_what_is_folded_and_steps_through_the_hits(browse, page_of):
    here = "[...CSS.highlights.get('hit')].map((one) => [one.toString(), one.startContainer.parentElement.closest('.message').id])"
    told = browse(page_of(session()), axe=True, steps=[
        ["press", "/"], ["type", "NEEDLE"], ["eval", HITS],
        ["press", "Enter"], ["eval", here], ["eval", OPEN], ["press", "Enter"], ["eval", HITS], ["eval", here],
        ["press", "Shift+Enter"], ["press", "Shift+Enter"], ["eval", HITS], ["eval", here],
        ["eval", "(() => { const { top, bottom } = [...CSS.highlights.get('hit')][0].getBoundingClientRect(); return top > 0 && bottom < innerHeight; })()"],
        ["press", "Escape"], ["press", "n"], ["eval", HITS], ["press", "p"], ["eval", HITS],
    ])  # fmt: skip
    found, first, opened, second, there, last, end, is_seen, around, back = told["values"]
    assert found == "14 hits, Enter shows it"
    assert first == [["needle", "m2"]]
    assert opened == [True]
    assert (second, there) == ("2 of 14", [["needle", "m4"]])
    assert (last, end) == ("14 of 14", [["needle", "m28"]])
    assert is_seen
    assert (around, back) == ("1 of 14", "14 of 14")
    assert told["axe"] == []


def test_the_link_to_a_hit_is_copied_by_its_key(browse, page_of):
    page = page_of(session())
    told = browse(page, permissions=["clipboard-read", "clipboard-write"], steps=[
        ["press", "/"], ["type", "src/part3"], ["press", "Enter"], ["press", "Escape"], ["press", "c"],
        ["eval", "navigator.clipboard.readText()"], ["eval", "document.querySelector('#toast').textContent"],
    ])  # fmt: skip
    assert told["values"] == [f"file://{page}#m7", "Link to message 7 copied"]


def test_a_search_reads_no_pattern_and_goes_into_sub_agents_and_names(browse, page_of):
    child = {"trace_id": "helper", "messages": session(5, 1), "details": {"parent_call_id": "s0"}}
    page = page_of(session(5, 1), schema=2, details={"children": [child]})
    where = "[...CSS.highlights.get('hit')].map((one) => one.startContainer.parentElement.closest('.message').id)"
    for words, hits, place in (
        ("(): ...", "300 hits, Enter shows it", "m2"),
        ("src/part3", "2 hits, Enter shows it", "m7"),
        ("Grep", "4 hits, Enter shows it", "m11"),
        ("<b>match", "2 hits, Enter shows it", "m12"),
        ("[z", "0 hits", None),
    ):
        told = browse(
            page,
            steps=[
                ["press", "/"],
                ["type", words],
                ["eval", HITS],
                ["press", "Enter"],
                *([["eval", where]] if place else []),
            ],
        )
        assert told["values"] == [hits, *([[place]] if place else [])]
        assert told["console"] == []
    told = browse(page, steps=[["press", "/"], ["type", "<b>match"], ["press", "Shift+Enter"], ["eval", where]])
    assert told["values"] == [["m0.12"]]


def test_a_search_finds_what_the_filter_by_tool_leaves(browse, page_of):
    told = browse(page_of(session()), steps=[
        ["press", "/"], ["type", "part3"], ["eval", HITS],
        ["select", ["[aria-label='Only this tool']", "=Grep"]], ["eval", HITS],
        ["select", ["[aria-label='Only this tool']", "=Read"]], ["eval", HITS],
        ["eval", "document.querySelector('select').focus()"], ["press", "/"], ["eval", "document.activeElement.id"],
    ])  # fmt: skip
    every, of_grep, of_read, _, focused = told["values"]
    assert (of_grep, focused) == ("0 hits", "search")
    assert every == of_read != of_grep


def test_filters_leave_a_tool_or_a_finding_and_fold_the_rest(browse, page_of):
    told = browse(page_of(session()), axe=True, steps=[
        ["select", ["[aria-label='Only this tool']", "=Grep"]], ["eval", SHOWN], ["eval", SUMMARIES],
        ["select", ["[aria-label='Only this tool']", ""]], ["select", ["[aria-label='Only this finding']", "*"]], ["eval", SHOWN],
        ["select", ["[aria-label='Only this finding']", "=hallucination.claim_without_call"]], ["eval", SHOWN], ["eval", "document.querySelector('#live').textContent"],
        ["press", "/"], ["type", "part3"], ["press", "Enter"], ["eval", f"{SHOWN}.includes('m7')"],
    ])  # fmt: skip
    of_tool, held, of_any, of_rule, said, is_reached = told["values"]
    assert of_tool == [f"m{number}" for number in range(29, 35)]
    assert [one.split(" · ")[1] for one in held] == ["messages 0 to 28", "messages 35 to 38"]
    assert "m38" in of_any
    assert of_rule == ["m38"]
    assert said == "1 message shown, the others are folded"
    assert is_reached
    assert told["axe"] == []


def test_links_to_messages_and_findings_are_copied(browse, page_of):
    page = page_of(session())
    copied = "navigator.clipboard.readText()"
    told = browse(page, permissions=["clipboard-read", "clipboard-write"], steps=[
        ["click", "#m38 .rail .copy"], ["eval", copied], ["eval", "document.querySelector('#toast').textContent"],
        ["click", "#f1 .copy"], ["eval", copied], ["press", "j"], ["press", "c"], ["eval", f"{copied}.then((text) => text.split('#')[1] === document.activeElement.id)"],
    ])  # fmt: skip
    assert told["values"] == [f"file://{page}#m38", "Link to message 38 copied", f"file://{page}#f1", True]
    refused = browse(
        page,
        steps=[
            ["eval", "navigator.clipboard.writeText = () => Promise.reject(new Error('no'))"],
            ["click", "#m38 .rail .copy"],
            ["eval", "[location.hash, document.querySelector('#toast').textContent]"],
        ],
    )
    assert refused["values"][-1] == ["#m38", "The address bar has the link"]


def test_a_long_session_prints_on_two_pages_and_an_appendix(browse, page_of, tmp_path):
    page, pdf = page_of(session(120, 40)), tmp_path / "t.pdf"
    browse(page, pdf=str(pdf))
    assert 3 <= len(re.findall(rb"/Type /Page\b(?!s)", pdf.read_bytes())) <= 28
    width, height = 697, 1024  # CSS pixels of A4 inside its margins
    told = browse(page, width=width, steps=[
        ["print", ""], ["eval", "dispatchEvent(new Event('beforeprint'))"], ["eval", "document.querySelector('.timeline').offsetTop"], ["eval", f"[{OPEN}, {SHOWN}.length]"],
        ["eval", "getComputedStyle(document.querySelector('.timeline')).breakBefore"], ["eval", "dispatchEvent(new Event('afterprint'))"], ["eval", OPEN],
    ])  # fmt: skip
    _, top, unfolded, breaks, _, folded = told["values"]
    assert top < 2 * height
    assert all(unfolded[0])
    assert unfolded[1] == 325
    assert breaks == "page"
    assert not any(folded)


def test_a_report_without_its_trace_answers_the_same_keys(browse, tmp_path):
    trace = ExecutionTrace(trace_id="t", messages=[Message(role="user", content="Hello.")])
    for given, hits in ((None, ""), (trace, "0 hits")):
        page = tmp_path / "report.html"
        page.write_text(report_page(evaluate_trace(trace), given), encoding="utf-8")
        keys = [["press", key] for key in ("e", "n", "j", "c", "/", "x", "Enter", "Escape", "e")]
        told = browse(page, axe=True, steps=[*keys, ["eval", "document.querySelector('#hits').textContent"]])
        assert told["values"] == [hits]
        assert told["console"] == []
        assert told["axe"] == []


def test_the_key_for_a_link_copies_the_worst_finding_where_nothing_has_the_focus(browse, page_of):
    page, copied = page_of(session()), ["eval", "navigator.clipboard.readText()"]
    toast = ["eval", "document.querySelector('#toast').textContent"]
    for step in (["press", "c"], ["click", ".card .copy"]):
        told = browse(page, permissions=["clipboard-read", "clipboard-write"], axe=True, steps=[step, copied, toast])
        assert (told["values"], told["axe"]) == ([f"file://{page}#f1", "Link to finding 1 copied"], [])
    page = page_of([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello, how can I help?"}])
    told = browse(page, steps=[["press", "c"], ["eval", "location.hash"], toast])
    assert told["values"] == ["", ""]


def test_the_first_finding_is_reached_by_its_link(browse, page_of, tmp_path):
    focus = ["eval", "[document.activeElement.id, document.activeElement.querySelector('.rule')?.textContent]"]
    lie = ["f1", "hallucination.claim_without_call"]
    assert browse(page_of(session()), hash="#f1", steps=[focus])["values"] == [lie]
    honest = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}]
    for name, said in (("a", honest), ("b", session(3, 0))):
        (tmp_path / f"{name}.json").write_text(json.dumps({"trace_id": name, "messages": said}))
    run_command(tmp_path, "evaluate", tmp_path / "a.json", tmp_path / "b.json", "-o", tmp_path / "both.html")
    assert browse(tmp_path / "both.html", hash="#f1", steps=[focus])["values"] == [lie]


def test_a_finding_about_the_whole_trace_is_reached_at_its_card(browse, tmp_path):
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}]
    trace, page = tmp_path / "t.json", tmp_path / "t.html"
    trace.write_text(json.dumps({"trace_id": "t", "messages": said, "token_usage": usage}))
    run_command(tmp_path, "evaluate", trace, "--set", "cost.budget_tokens=10", "-o", page)
    told = browse(page, hash="#f1", steps=[
        ["eval", "document.activeElement.innerText"], ["eval", "[...document.querySelectorAll('.card .permalink a')].length"],
    ])  # fmt: skip
    assert (told["values"][0].startswith("The run used 100 tokens"), told["values"][1]) == (True, 0), told["values"]
