import json
import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from commanding import COMMAND, TIMEOUT, clean_environment, drained, terminal_of

from sentinel_core import decode_trace


def refused(*_):
    raise AssertionError("the demo asked the network")


def test_three_verdicts_each_with_what_decides_and_a_page(inside, folder, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", refused)
    (folder / "sentinel.toml").write_text('profile = "rs1"\n[weights]\nloop = 0.0\n', encoding="utf-8")
    done = inside("demo", "--no-open")
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.split("\n\n")
    assert [block.split(maxsplit=3)[1:3] for block in told[1:4]] == [
        ["FAIL", "lie.json"],
        ["FAIL", "loop.json"],
        ["PASS", "good.json"],
    ]
    assert '"1 failed, 12 passed in 0.42s". (hallucination.contradicted_checks)' in told[1]
    assert "called 9 times with the same arguments; nothing new came back. (loop.identical_calls)" in told[2]
    assert "Nothing in the record contradicts it." in told[3]
    page = folder / ".sentinel" / "demo" / "report.html"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    reports = [json.loads(line) for line in page.with_suffix(".jsonl").read_bytes().splitlines()]
    assert reports[2]["findings"] == []


def test_the_traces_can_be_judged_again(inside, folder):
    inside("demo", "--no-open")
    assert inside("evaluate", ".sentinel/demo/lie.json").returncode == 2
    assert decode_trace((folder / ".sentinel/demo/good.json").read_bytes(), strict=True).trace_id == "good"
    assert inside("demo", "--no-open").returncode == 0


def test_a_link_is_not_written_through(inside, folder, tmp_path):
    (folder / ".sentinel").symlink_to(tmp_path)
    done = inside("demo", "--no-open")
    assert (done.returncode, done.stdout) == (3, "")
    assert "is a symbolic link" in done.stderr
    assert not (tmp_path / "demo").exists()


@pytest.fixture
def browser(tmp_path) -> Path:
    """A browser that notes what it is to open; its folder."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" >> "{tmp_path}/opened"\n', encoding="utf-8")
    script.chmod(stat.S_IRWXU)
    return tmp_path


def test_the_page_is_opened_for_who_sits_at_a_terminal(folder, browser):
    environment = clean_environment(BROWSER=str(browser / "browser"))
    reader, writer = terminal_of(100)
    done = subprocess.run([COMMAND, "demo"], stdout=writer, timeout=TIMEOUT, check=False, cwd=folder, env=environment)
    os.close(writer)
    assert (done.returncode, "The page: .sentinel/demo/report.html" in drained(reader)) == (0, True)
    opened = (browser / "opened").read_text(encoding="utf-8")
    assert opened == f"{(folder / '.sentinel' / 'demo' / 'report.html').as_uri()}\n"


def test_nothing_is_opened_where_nobody_looks(inside, browser):
    assert inside("demo", BROWSER=str(browser / "browser")).returncode == 0
    assert not (browser / "opened").exists()
