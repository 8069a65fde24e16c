"""What the page says of its findings, and how a reader goes from one to the next."""

import pytest
from coding_pages import edit, page_file, step, trace_of
from commanding import run_command

from sentinel_core import Message, encode_trace

pytestmark = pytest.mark.unmeasured

SETTLED = "new Promise((done) => setTimeout(() => done({}), 400))"
CUT = "The **tests** pass with `src/**/*.py`."
IN_VIEW = "(() => { const [hit] = CSS.highlights.get('hit'); const { left, top } = hit.getBoundingClientRect(); return document.elementFromPoint(left + 2, top + 2) === hit.startContainer.parentElement; })()"


def reads(start, number):
    return [
        step(f"r{start + place}", "Read", file_path=f"src/p{place}.py", content="x = 1\n" * 60)
        for place in range(number)
    ]


def fails(name):
    return step(name, "Bash", command=f"make {name}", content=f"error: no rule to make {name}", success=False)


def said(text):
    return [Message(role="assistant", content=text)]


def stale(*claims):
    """Checks that ran before the last edit, and claims about them, each to another question: from message 5 on, each second one."""
    passed = step("t", "Bash", command="python -m pytest -q", content="3 passed in 0.31s", success=True)
    return trace_of(
        passed, edit("e", "src/corn.py"), *([*said(claim), Message(role="user", content="Go on.")] for claim in claims)
    )


def with_warnings(tmp_path, trace):
    (tmp_path / "t.json").write_bytes(encode_trace(trace))
    run_command(tmp_path, "evaluate", "t.json", "--rule", "hallucination.stale_checks=warning", "-o", "t.html")
    return tmp_path / "t.html"


@pytest.mark.parametrize("width", [1280, 400])
def test_a_hit_deep_in_a_folded_stretch_is_in_view(browse, tmp_path, width):
    long = "\n".join(f"line {number}" for number in range(200))
    found = step("n", "Read", file_path="src/n.py", content=f"{long}\nthe needle\n{long}")
    page = page_file(tmp_path, trace_of(*reads(0, 60), found, *reads(60, 60)))
    told = browse(page, width=width, steps=[
        ["press", "/"], ["type", "needle"], ["press", "Enter"], ["eval", SETTLED], ["eval", IN_VIEW],
    ])  # fmt: skip
    assert told["values"] == [{}, True]


def test_the_filter_by_a_failed_call_shows_its_result(browse, tmp_path):
    page = page_file(tmp_path, trace_of(*reads(0, 5), fails("corn"), *reads(5, 5)))
    (shown,) = browse(page, steps=[
        ["select", ["[aria-label='Only this finding']", "=tool_misuse.failed_call"]],
        ["eval", "[...document.querySelectorAll('.message')].map((one) => one.id)"],
    ])["values"]  # fmt: skip
    assert shown == ["m11", "m12"]


def test_keys_go_on_from_the_place_in_view_and_the_list_marks_the_finding(browse, tmp_path):
    """Calls fail in messages 19, 39 and 59; notes about the whole run stand elsewhere."""
    names = ("corn", "flour", "bread")
    steps = [one for place, name in enumerate(names) for one in (*reads(place * 9, 9), fails(name))]
    here = "[document.activeElement.closest('.message').id, ...[...document.querySelectorAll('.list [aria-current]')].map((one) => /message (\\d+)/.exec(one.innerText)[1])]"
    told = browse(page_file(tmp_path, trace_of(*steps)), height=480, hash="#m39", axe=True, steps=[
        ["press", "j"], ["eval", here], ["press", "k"], ["eval", here],
        ["eval", "void (location.hash = 'm40')"], ["eval", SETTLED], ["eval", here], ["eval", "document.querySelector('#at').innerText"],
        ["press", "k"], ["eval", here],
        ["eval", SETTLED], ["eval", "void scrollTo(0, 0)"], ["eval", SETTLED], ["press", "j"], ["eval", "location.hash"],
    ])  # fmt: skip
    values = [value for value in told["values"] if value]
    assert values == [["m39", "39"], ["m19", "19"], ["m40"], "6 findings", ["m39", "39"], "#f1"]
    assert told["axe"] == []


def test_a_claim_that_a_call_bears_out_is_not_told_that_no_call_did_it(browse, tmp_path):
    told = browse(with_warnings(tmp_path, stale("All tests pass.")), axe=True, steps=[
        ["eval", "document.querySelector('.card .side + .side').innerText.split('\\n').filter(Boolean)"],
        ["eval", "document.querySelector('.facing .shown').innerText"],
    ])  # fmt: skip
    side, shown = told["values"]
    assert side[:3] == ["The record shows", "The last run was before the last edit.", "All 2 calls up to here:"]
    assert (shown, told["axe"]) == (side[1], [])


def test_the_summary_says_each_quote_once_in_plain_words(browse, tmp_path):
    page = with_warnings(tmp_path, stale("All tests pass.", CUT, CUT))
    told = browse(page, axe=True, steps=[
        ["eval", "document.querySelector('.also').innerText"],
        ["eval", "[...document.querySelectorAll('.also a')].map((one) => one.innerText)"],
    ])  # fmt: skip
    words, places = told["values"]
    assert words == "It also says The tests pass with src/**/*.py. (message 7) (message 9)."
    assert places == ["message 7", "message 9"]
    assert told["axe"] == []


@pytest.mark.parametrize("width", [1280, 400])
def test_a_label_says_how_many_more_findings_there_are(browse, tmp_path, width):
    page = with_warnings(tmp_path, stale(*["All tests pass."] * 5))
    told = browse(page, width=width, axe=True, steps=[
        ["eval", "document.querySelector('.labels').innerText.replace(/\\s+/g, ' ')"],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
    ])  # fmt: skip
    assert told["values"] == ["! #5 stale checks ! #7 stale checks 3 more findings", True]
    assert told["axe"] == []


@pytest.mark.parametrize(("width", "height"), [(1280, 140), (400, 100)])
def test_what_stays_in_sight_leaves_room_and_covers_nothing(browse, tmp_path, width, height):
    page = page_file(tmp_path, trace_of(*reads(0, 60), fails("corn"), *reads(60, 60)))
    told = browse(page, width=width, hash="#m122", axe=True, steps=[
        ["eval", "document.querySelector('#search').getBoundingClientRect().top > 50"],
        ["eval", "document.querySelector('#search').getBoundingClientRect().bottom"],
        ["eval", "document.querySelector('#list').getBoundingClientRect().top >= document.querySelector('.map').getBoundingClientRect().bottom"],
    ])  # fmt: skip
    is_below, bottom, is_whole = told["values"]
    assert is_below
    assert bottom < height
    assert is_whole
    assert told["axe"] == []
