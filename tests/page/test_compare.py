"""Two runs beside each other: how their steps are aligned, and what the page shows of it."""

import json

import pytest
from commanding import run_command
from lying import CLAIM, messages
from page_looks import each_look

from sentinel_core.judging.output.page.alignment import Pair, aligned, first_divergence

STEPS = "[...document.querySelectorAll('.step')].map((one) => one.getAttribute('aria-label'))"


def said(text, role="assistant"):
    return {"role": role, "content": {"text": text}}


def called(name, **arguments):
    return {"role": "assistant", "calls": [{"id": "x", "name": name, "arguments": arguments}]}


def came(text, asked):
    return {"role": "tool", "results": [{"id": "x", "ok": None, "text": text, "asked": asked}]}


def test_equal_calls_stand_beside_each_other_whatever_was_put_in_between():
    left = [said("Go.", "user"), called("read", path="a"), came("1", 1), called("edit"), came("ok", 3)]
    right = [
        said("Go.", "user"),
        called("list"),
        came("a", 1),
        called("read", path="a"),
        came("2", 3),
        called("edit"),
        came("ok", 5),
    ]
    pairs = aligned(left, right)
    assert pairs == [
        Pair(0, 0, ()),
        Pair(None, 1, ("step",)),
        Pair(None, 2, ("step",)),
        Pair(1, 3, ()),
        Pair(2, 4, ("results",)),
        Pair(3, 5, ()),
        Pair(4, 6, ()),
    ]
    assert first_divergence(pairs) == 1


def test_what_is_done_diverges_before_what_is_said():
    left = [said("Go.", "user"), said("I look."), called("read", path="a")]
    right = [said("Go.", "user"), said("Let me look."), called("read", path="b")]
    pairs = aligned(left, right)
    assert [pair.differs for pair in pairs] == [(), ("text",), ("calls",)]
    assert first_divergence(pairs) == 2
    assert first_divergence(pairs[:2]) == 1
    assert first_divergence(pairs[:1]) is None


def test_another_speaker_and_an_empty_run_are_told():
    assert aligned([said("a")], [said("a", "user")]) == [Pair(0, 0, ("role",))]
    assert aligned([], [said("a")]) == [Pair(None, 0, ("step",))]


def test_runs_of_thousands_of_equal_steps_are_paired_by_position():
    pairs = aligned([called("poll")] * 3000, [called("poll")] * 2999)
    assert len(pairs) == 3000
    assert pairs[-1] == Pair(2999, None, ("step",))
    assert first_divergence(pairs) == 2999


def runs(tmp_path, *traces):
    names = []
    for place, trace in enumerate(traces):
        names.append(f"r{place}.json")
        (tmp_path / names[-1]).write_text(json.dumps({"trace_id": f"run-{place}", "messages": trace}))
    return names


@pytest.mark.unmeasured
@each_look(400)
def test_two_runs_stand_beside_each_other_with_the_first_divergence_marked(browse, tmp_path, width, theme):
    lie, page = messages(CLAIM), tmp_path / "page.html"
    call = {"id": "m1", "name": "send_email", "arguments": {"to": "<b>a</b>"}}
    sent = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": "m1", "content": "sent", "success": True}]},
    ]
    names = runs(tmp_path, lie, [*lie[:-1], *sent, lie[-1]])
    run_command(tmp_path, "evaluate", *names, "--compare", "-o", page)
    told = browse(page, width=width, theme=theme, axe=True, steps=[
        ["eval", "document.querySelector('h1').innerText"], ["eval", "[...document.querySelectorAll('.hero .id')].map((one) => one.innerText)"],
        ["eval", STEPS], ["eval", "document.querySelector('.step.first').innerText"], ["eval", "document.documentElement.scrollWidth <= innerWidth"],
        ["press", "j"], ["eval", "[location.hash, document.activeElement.id]"], ["press", "j"], ["eval", "document.activeElement.id"],
        ["press", "e"], ["eval", f"{STEPS}.length"],
        ["click", ".hero .id"], ["wait", ".finder"], ["press", "u"], ["wait", ".step"], ["eval", "document.querySelectorAll('main b b').length"],
    ])  # fmt: skip
    title, ids, steps, first, fits, at, next_one, everything, markup = told["values"]
    assert title == "2 of 6 steps differ. First divergence: step 3"
    assert ids == ["run-0", "run-1"]
    assert steps == ["Step 3, only in the second run", "Step 4, only in the second run"]
    assert "first divergence" in first
    assert "<b>a</b>" in first
    assert fits
    assert (at, next_one) == (["#s3", "s3"], "s4")
    assert everything == 6
    assert markup == 0
    assert told["axe"] == []
    assert told["console"] == []


@pytest.mark.unmeasured
def test_a_link_leads_into_the_steps_that_are_the_same(browse, tmp_path):
    page = tmp_path / "page.html"
    run_command(tmp_path, "evaluate", *runs(tmp_path, messages(CLAIM), messages(CLAIM)), "--compare", "-o", page)
    printed = browse(page, steps=[["eval", "dispatchEvent(new Event('beforeprint'))"], ["eval", f"{STEPS}.length"]])
    assert printed["values"] == [True, 0]
    told = browse(
        page,
        hash="#s2",
        steps=[["eval", "document.querySelector('h1').innerText"], ["eval", "document.activeElement.id"]],
    )
    assert told["values"] == ["Both runs do and say the same.", "s2"]


def test_only_two_runs_on_a_page_can_be_compared(tmp_path):
    names = runs(tmp_path, messages(CLAIM), messages(CLAIM), messages(CLAIM))
    for given, told in ((names, "here are 3; name"), (names[:1], "here are 1; name")):
        done = run_command(tmp_path, "evaluate", *given, "--compare", "-o", "page.html")
        assert done.returncode == 3
        assert f"--compare needs exactly two traces, and {told}" in done.stderr
    (tmp_path / "broken.json").write_text("{")
    done = run_command(tmp_path, "evaluate", names[0], "broken.json", "--compare", "-o", "page.html")
    assert done.returncode == 3
    assert "1 of them unreadable" in done.stderr
    assert not (tmp_path / "page.html").exists()
    done = run_command(tmp_path, "evaluate", *names[:2], "--compare")
    assert done.returncode == 3
    assert "--compare needs a page to write" in done.stderr
