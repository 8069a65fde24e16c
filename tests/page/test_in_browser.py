"""The page in a real Chromium without a network: what it shows, what it does, and what it must never do."""

import json
import os
from pathlib import Path

import pytest
from commanding import run_command
from lying import CLAIM, messages
from page_looks import each_look
from soaking import SOAK

pytestmark = pytest.mark.unmeasured

EXAMPLES = Path(__file__).parents[2] / "examples" / "traces"
DATA = Path(os.environ.get("SENTINEL_TRACES", Path(__file__).parents[3] / "shared" / "data" / "traces"))
REAL = DATA / "tau_airline_gpt4o.jsonl.gz"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202eevil\u0000<!--<svg onload=alert(3)>]]>"
SEEN = "document.querySelector('main').innerText"


def evaluate_to(page, trace):
    return run_command(page.parent, "evaluate", trace, "-o", page)


def serious(told):
    return [one for one in told["axe"] if one["impact"] in ("serious", "critical")]


def is_quiet(told, page):
    assert told["console"] == []
    assert told["requests"] == [f"file://{page}"[:100]]
    assert told["dialogs"] == []
    return True


@pytest.fixture(scope="module")
def coding(tmp_path_factory):
    page = tmp_path_factory.mktemp("coding") / "coding.html"
    assert evaluate_to(page, EXAMPLES / "coding-session.jsonl").returncode == 2
    return page


@each_look(390)
def test_a_trace_shows_the_claim_beside_the_evidence(browse, coding, theme, width):
    told = browse(coding, theme=theme, width=width, axe=True, steps=[
        ["eval", "document.querySelector('.says').innerText"],
        ["eval", "document.querySelector('.shows').innerText"],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
    ])  # fmt: skip
    assert is_quiet(told, coding)
    assert serious(told) == []
    says, shows, fits = told["values"]
    assert "All tests pass now." in says
    assert "1 failed, 2 passed in 0.31s" in shows
    assert "message 2" in shows
    assert fits


@pytest.mark.parametrize("width", [1280, 390])
def test_every_claim_stands_beside_the_record_and_leads_there(browse, coding, width):
    told = browse(coding, width=width, axe=True, steps=[
        ["eval", "[...document.querySelectorAll('.ledger li')].map((row) => row.innerText)"],
        ["eval", "document.querySelector('#claims .tally').innerText"],
        ["click", ".ledger .claim a"],
        ["eval", "location.hash"],
    ])  # fmt: skip
    assert is_quiet(told, coding)
    assert serious(told) == []
    rows, tally, place = told["values"]
    assert "All tests pass now." in rows[0]
    assert "contradicted" in rows[0]
    assert "not on record" in rows[1]
    assert tally == "1 contradicted, 1 not on record, 1 backed"
    assert place.endswith("m7")


def test_the_verdict_stands_with_what_it_rests_on(browse, coding):
    report = json.loads(run_command(coding.parent, "evaluate", EXAMPLES / "coding-session.jsonl", "--json").stdout)
    told = browse(coding, steps=[
        ["eval", "document.querySelector('.hero').innerText"],
        ["eval", "[...document.querySelectorAll('.hero :is(.gist, .reason) a')].map((one) => one.hash)"],
        ["eval", "document.querySelector('section[aria-labelledby=wrong] > p').innerText"],
        ["eval", "document.querySelector('section[aria-labelledby=facts]').innerText"],
    ])  # fmt: skip
    words, links, hint, facts = told["values"]
    told, rule = report["reasoning"].removeprefix("FAIL: ").rsplit(" (", 1)
    assert told in words
    assert f"FAIL ({rule}" in words
    assert report["scope"] in words
    assert f"{report['overall_score']:.3f}" not in words
    for name in ("overall_score", "triage_score"):
        assert f"for sorting\n{report[name]:.3f}" in facts
    assert report["attribution"] == {
        "message_index": 7,
        "agent": None,
        "basis": "hallucination.contradicted_checks",
    }
    assert "Where to begin" not in words  # the sentence of what is wrong says it
    assert links == ["#f1"]
    assert hint.startswith("sentinel explain hallucination.contradicted_checks says why")


def test_the_risk_is_at_the_top_only_where_it_decided(browse, tmp_path):
    (tmp_path / "t.json").write_bytes((EXAMPLES / "honest.json").read_bytes())
    seen = {}
    for profile in ("standard", "rs1"):
        run_command(tmp_path, "evaluate", "t.json", "--profile", profile, "-o", f"{profile}.html")
        told = browse(
            tmp_path / f"{profile}.html", steps=[["eval", "document.querySelectorAll('.hero .gauge').length"]]
        )
        (seen[profile],) = told["values"]
    assert seen == {"standard": 0, "rs1": 1}


def test_all_false_claims_stand_on_top_and_lead_to_their_calls(browse, tmp_path):
    trace, as_warning = EXAMPLES / "coding-session.jsonl", "hallucination.partial_claim=warning"
    run_command(tmp_path, "evaluate", trace, "--rule", as_warning, "-o", "coding.html")
    told = browse(tmp_path / "coding.html", steps=[
        ["eval", "document.querySelector('.hero .also').innerText"],
        ["eval", "[...document.querySelectorAll('#f2 .small a')].map((one) => one.hash)"],
        ["eval", "[...document.querySelectorAll('#f1 .small a')].map((one) => one.hash)"],
        ["press", "?"], ["eval", "document.querySelector('#keys').innerText"],
    ])  # fmt: skip
    also, calls, result, keys = told["values"]
    assert also == "It also says The change has been committed. (message 7)."  # quotation marks are the style's
    assert calls == ["#m1", "#m3", "#m5"]
    assert result == ["#m2"]
    assert "finding" in keys
    assert "traces" not in keys


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_verdict_is_not_cut(browse, tmp_path, width):
    (tmp_path / "broken.jsonl").write_text('{"messages": 3}\n')
    (tmp_path / "empty.json").write_text('{"messages": []}\n')
    page = tmp_path / "page.html"
    run_command(tmp_path, "evaluate", "broken.jsonl", "empty.json", "-o", page)
    told = browse(page, width=width, steps=[
        ["eval", "[...document.querySelectorAll('td .pill')].map((one) => one.innerText)"],
        ["eval", "[...document.querySelectorAll('td.c-verdict')].every((one) => one.scrollWidth <= one.clientWidth)"],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
    ])  # fmt: skip
    words, fits, page_fits = told["values"]
    assert any("UNREADABLE" in word for word in words)
    assert (fits, page_fits) == (True, True)


def test_a_single_trace_that_cannot_be_read_is_told_so(browse, tmp_path):
    (tmp_path / "broken.jsonl").write_text('{"messages": 3}\n')
    page = tmp_path / "page.html"
    assert run_command(tmp_path, "evaluate", "broken.jsonl", "-o", page).returncode == 3
    (words,) = browse(page, steps=[["eval", "document.querySelector('.hero').innerText"]])["values"]
    assert words.startswith("The trace could not be judged.")
    assert "FAIL" not in words


def test_keys_go_from_finding_to_finding_and_the_address_says_which(browse, coding):
    here = "[location.hash, document.activeElement.id, document.querySelector('#at').textContent]"
    told = browse(coding, steps=[
        ["press", "j"], ["eval", here], ["press", "j"], ["eval", here], ["press", "k"], ["press", "k"], ["eval", here],
    ])  # fmt: skip
    assert told["values"] == [["#f1", "f1", "1 of 3"], ["#f2", "f2", "2 of 3"], ["#f3", "f3", "3 of 3"]]
    linked = browse(coding, hash="#f1", steps=[["eval", "document.activeElement.id"]])
    assert linked["values"] == ["f1"]


def test_a_finding_about_the_whole_trace_is_reached_too(browse, tmp_path):
    page = tmp_path / "page.html"
    trace = EXAMPLES / "coding-session.jsonl"
    assert run_command(tmp_path, "evaluate", trace, "--expect", "called:deploy", "-o", page).returncode == 2
    here = "[document.activeElement.id[0], document.querySelector('#at').textContent]"
    told = browse(page, steps=[step for _ in range(4) for step in (["press", "j"], ["eval", here])])
    assert sorted(told["values"]) == [["f", "1 of 4"], ["f", "3 of 4"], ["f", "4 of 4"], ["h", "2 of 4"]]


def test_the_evidence_is_marked_in_the_timeline(browse, coding):
    told = browse(coding, steps=[
        ["eval", "[...document.querySelectorAll('#m7 mark')].map((one) => one.textContent)"],
        ["eval", "document.querySelector('#m2 mark.proof').textContent"],
        ["eval", "document.querySelector('#m1 .tokens').textContent"],
    ])  # fmt: skip
    assert told["values"] == [
        ["All tests pass now.", "The change has been committed."],
        "1 failed, 2 passed in 0.31s",
        "1.1k tok",
    ]


def test_the_switch_changes_the_theme(browse, coding):
    ground = "getComputedStyle(document.body).backgroundColor"
    told = browse(
        coding,
        theme="light",
        steps=[["eval", ground], ["press", "t"], ["eval", ground], ["click", "#theme"], ["eval", ground]],
    )
    light, dark, again = told["values"]
    assert light == again != dark


def test_a_batch_filters_sorts_and_leads_to_its_traces(browse, tmp_path):
    page, runs = tmp_path / "batch.html", tmp_path / "runs"
    runs.mkdir()
    for name in ("coding-session.jsonl", "fabricated.json", "honest.json"):
        (runs / name).write_bytes((EXAMPLES / name).read_bytes())
    assert evaluate_to(page, runs).returncode == 2
    verdicts = "[...document.querySelectorAll('tbody .pill')].map((one) => one.innerText.trim().slice(-4))"
    told = browse(page, axe=True, steps=[
        ["eval", "document.querySelector('h1').innerText"],
        ["eval", verdicts],
        ["click", "button.verdict.pass"], ["eval", verdicts], ["click", "button.verdict.pass"],
        ["press", "/"], ["type", "all tests pass"], ["eval", verdicts],
        ["click", "tbody a"], ["wait", ".says"], ["eval", "location.hash.slice(0, 2) + document.querySelector('.says').innerText"],
        ["press", "u"], ["wait", "tbody a"], ["eval", "document.querySelector('h1').innerText"],
    ])  # fmt: skip
    assert is_quiet(told, page)
    assert serious(told) == []
    title, worst_first, passed, filtered, opened, again = told["values"]
    assert title == again == "2 of 3 traces fail."
    assert (worst_first, passed, filtered) == (["FAIL", "FAIL", "PASS"], ["PASS"], ["FAIL"])
    assert opened.startswith("#t")
    assert "All tests pass now." in opened


@pytest.mark.parametrize("width", [1280, 390])
def test_the_table_has_room_for_what_is_wrong(browse, tmp_path, width):
    """Also where there are more rows than are drawn, and where a filter leaves none."""
    runs, page = tmp_path / "runs.jsonl", tmp_path / "page.html"
    runs.write_text("".join(json.dumps({"trace_id": f"t{n}", "messages": messages(CLAIM)}) + "\n" for n in range(200)))
    evaluate_to(page, runs)
    of_table = "{} / document.querySelector('table').offsetWidth"
    told = browse(page, width=width, steps=[
        ["eval", of_table.format("document.querySelector('td.c-text').offsetWidth")],
        ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ["press", "/"], ["type", "nothing has these words"],
        ["eval", of_table.format("document.querySelector('tbody td').offsetWidth")],
    ])  # fmt: skip
    share, fits, empty = told["values"]
    assert share > 0.4
    assert fits
    assert empty > 0.95


def test_hostile_text_is_shown_and_does_nothing(browse, tmp_path):
    trace, page = tmp_path / "hostile.json", tmp_path / "hostile.html"
    call = {"id": HOSTILE, "name": HOSTILE, "arguments": {HOSTILE: HOSTILE, "url": "javascript:alert(4)"}}
    messages = [
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "content": f"{HOSTILE} I have sent the email.", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": HOSTILE, "content": "A" * 10_000_000 + HOSTILE}]},
        {"role": "assistant", "content": f"I've sent the email. {HOSTILE}"},
    ]
    trace.write_text(json.dumps({"trace_id": f"t{HOSTILE}", "messages": messages}))
    evaluate_to(page, trace)
    assert page.stat().st_size < 200_000
    for hash_ in ("", "#m1", "#t1/<img src=x onerror=alert(5)>"):
        told = browse(page, hash=hash_, steps=[
            ["press", "j"], ["eval", SEEN], ["eval", "document.querySelectorAll('main img, main svg, main script').length"],
        ])  # fmt: skip
        assert is_quiet(told | {"requests": [one.split("#")[0] for one in told["requests"]]}, page)
        assert "<img src=x onerror=alert(2)>\\u202eevil\\x00" in told["values"][0]
        assert told["values"][1] == 0


def test_long_texts_are_folded_and_unfold(browse, tmp_path):
    trace, page = tmp_path / "t.json", tmp_path / "t.html"
    lines = "".join(f"line {number}\n" for number in range(900))
    trace.write_text(json.dumps({"trace_id": "t", "messages": [{"role": "user", "content": lines}]}))
    evaluate_to(page, trace)
    told = browse(page, steps=[["eval", SEEN], ["click", "button.more"], ["eval", SEEN]])
    assert "line 899" not in told["values"][0]
    assert "line 899" in told["values"][1]


def test_sub_agents_stand_under_the_call_that_started_them(browse, tmp_path):
    trace, page = tmp_path / "t.json", tmp_path / "t.html"
    child = {
        "trace_id": "helper",
        "messages": messages(CLAIM),
        "details": {"parent_call_id": "c1"},
    }
    said = [
        {"role": "assistant", "content": "Delegating.", "tool_calls": [{"id": "c1", "name": "task", "arguments": {}}]},
        {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": "done"}]},
    ]
    whole = {"schema": 2, "trace_id": "t", "messages": said, "details": {"children": [child]}}
    trace.write_text(json.dumps(whole))
    evaluate_to(page, trace)
    told = browse(page, hash="#m0.3", steps=[
        ["eval", "document.activeElement.id"],
        ["eval", "document.querySelector('#m0 .call details.child').innerText"],
        ["eval", "document.querySelector('.hero').innerText"],
        ["click", ".hero .gist a"],
        ["eval", "new Promise((done) => setTimeout(() => done(document.activeElement.closest('.message').id), 50))"],
    ])  # fmt: skip
    focused, words, hero, begun = told["values"]
    assert focused == "m0.3"
    assert CLAIM in words
    assert "This is wrong, in message 0.3 of helper." in hero
    assert begun == "m0.3"


def test_thousands_of_rows_and_messages_cost_what_is_seen(browse, tmp_path):
    rows, steps = (10_000, 5_000) if SOAK else (2_000, 1_000)
    many, long, page = tmp_path / "many.jsonl", tmp_path / "long.json", tmp_path / "page.html"
    lie = messages(CLAIM)
    many.write_text("".join(json.dumps({"trace_id": f"t{n}", "messages": lie}) + "\n" for n in range(rows)))
    evaluate_to(page, many)
    told = browse(page, steps=[
        ["eval", "document.querySelectorAll('*').length"], ["eval", "document.querySelector('table').ariaRowCount ?? document.querySelector('table').getAttribute('aria-rowcount')"],
        ["eval", "(() => { const box = document.querySelector('.scroll'); box.scrollTop = box.scrollHeight; return new Promise((done) => setTimeout(() => done(document.querySelector('tbody').innerText.includes('t" + str(rows - 1) + "')), 300)); })()"],
    ])  # fmt: skip
    assert told["values"][0] < 1500
    assert told["values"][1:] == [str(rows + 1), True]
    step = [{"role": "assistant", "content": f"Step {n}.", "tool_calls": []} for n in range(steps)]
    long.write_text(json.dumps({"trace_id": "long", "messages": [*step, *lie]}))
    evaluate_to(page, long)
    shown = "[document.activeElement.id, document.querySelectorAll('.message').length]"
    told = browse(page, hash="#f2", steps=[["eval", shown], ["press", "e"], ["eval", shown]])
    few, all_of_them = told["values"]
    assert few[0] == "f2"
    assert few[1] < 20
    assert all_of_them == ["f2", steps + 4]


def test_on_paper_everything_is_open(browse, tmp_path, coding):
    pdf = tmp_path / "page.pdf"
    told = browse(coding, pdf=str(pdf))
    assert is_quiet(told, coding)
    assert pdf.read_bytes().startswith(b"%PDF")


def test_real_traces_open_without_a_word_on_the_console(browse, tmp_path):
    if not REAL.exists():
        pytest.skip(f"no {REAL.name} in {DATA}; SENTINEL_TRACES names the folder")
    page = tmp_path / "real.html"
    evaluate_to(page, REAL)
    told = browse(page, axe=True)
    assert is_quiet(told, page)
    assert serious(told) == []
