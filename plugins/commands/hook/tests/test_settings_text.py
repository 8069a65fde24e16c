"""Installing and uninstalling gives the text from before, to the byte; nothing else is touched in between."""

import itertools
import json
import random

import pytest
from tables import each_row

from sentinel_command_hook.json_text import parsed
from sentinel_command_hook.settings_text import Form, FormError, holds_own, put_in, take_out

EVENT, FORM = "Stop", Form("Stop")
ENTRY = {"type": "command", "command": "sentinel hook run claude-code", "timeout": 15}
FLAT = Form("Stop", "bash", is_grouped=False, head=(("version", 1),))
FLAT_ENTRY = {"type": "command", "bash": ENTRY["command"], "powershell": ENTRY["command"], "timeoutSec": 15}
SCALARS = [
    "1E400", "-0.0", "1.10", "12345678901234567890123", "1e-7", "true", "null", '""', '"\\ud800"', '"\\u00e9é"', '"a // b"',
    '"/* no */ \\" ] } ,"', '"\\/x"', "[]", "{}", "[ 1,2 ,3 ]", '[ { "k" : [ ] } ]', '"🜚"',
]  # fmt: skip
GROUPS = ['{"hooks": []}', '{"matcher":"Bash","hooks":[{"type":"command","command":"true"}]}', "3", '{"hooks": 4}']
COMMENTS = ["// a, { comment\n", "/* [ * ** , */", "/**/"]


def is_own(command):
    return command.startswith("sentinel hook run claude-code")


def settings(chance):
    """The text of a file as people and tools write them."""
    newline = chance.choice(["\n", "\r\n", "\n", ""])
    unit = chance.choice(["", " ", "  ", "    ", "\t"])
    has_comments, has_last_comma = chance.random() < 0.4, chance.random() < 0.3

    def gap(depth):
        parts = [newline + unit * depth if chance.random() < 0.8 else chance.choice(["", " ", "  "])]
        if has_comments and chance.random() < 0.3:
            comment = chance.choice(COMMENTS)
            parts.insert(chance.randrange(2), comment.replace("\n", newline or "\n"))
        return "".join(parts)

    def joined(brackets, parts, depth):
        if not parts:
            return brackets[0] + (gap(depth) if chance.random() < 0.3 else "") + brackets[1]
        inner = f"{gap(depth + 1) if has_comments else ''},".join(gap(depth + 1) + part for part in parts)
        return brackets[0] + inner + ("," if has_last_comma else "") + gap(depth) + brackets[1]

    def members(pairs, depth):
        colon = chance.choice([":", ": ", " : "])
        return joined("{}", [f"{json.dumps(key)}{colon}{value}" for key, value in pairs], depth)

    def others(depth):
        return [(f"key {number}", chance.choice(SCALARS)) for number in range(chance.randrange(3))]

    pairs = others(0)
    if chance.random() < 0.6:
        events = others(1)
        events = [("PreToolUse", joined("[]", chance.sample(GROUPS, chance.randrange(3)), 2))] if events else []
        if chance.random() < 0.6:
            events.append((EVENT, joined("[]", chance.sample(GROUPS, chance.randrange(4)), 2)))
        chance.shuffle(events)
        pairs.append(("hooks", members(events, 1)))
    chance.shuffle(pairs)
    return chance.choice(["", "\ufeff"]) + gap(0) + members(pairs, 0) + chance.choice(["", newline, newline * 2])


FILES = [settings(random.Random(seed)) for seed in range(400)]
BLANK = [
    "",
    "\n",
    "\ufeff",
    "\ufeff\r\n",
    " \t",
    "{}",
    "{}\n",
    "{\n}",
    "{\n}\n",
    "{\r\n}\r\n",
    "{ }",
    "[]"[:0] + "{/**/}",
]
NESTED = [
    before + text + after
    for text, before, after in itertools.product(
        ['{"hooks":{}}', '{"hooks": {\n}}', '{"hooks":{"Stop":[]}}', '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}'],
        ["", "\ufeff"],
        ["", "\n", "\r\n"],
    )
]


@each_row("text", [*FILES, *BLANK, *NESTED])
def test_install_and_uninstall_leave_every_byte(text):
    installed = put_in(text, FORM, ENTRY, is_own)
    assert holds_own(installed, FORM, is_own)
    assert put_in(installed, FORM, ENTRY, is_own) == installed
    assert take_out(installed, FORM, is_own) == text
    other = put_in(installed, FORM, {**ENTRY, "command": ENTRY["command"] + ' --quiet "ü"'}, is_own)
    assert take_out(other, FORM, is_own) == text


@each_row("text", [*FILES, *BLANK, *NESTED])
def test_an_entry_without_a_group_leaves_every_byte_too(text):
    installed = put_in(text, FLAT, FLAT_ENTRY, is_own)
    assert holds_own(installed, FLAT, is_own)
    assert put_in(installed, FLAT, FLAT_ENTRY, is_own) == installed
    assert take_out(installed, FLAT, is_own) == text


@each_row("text", [*FILES[:80], *BLANK, *NESTED, None])
def test_entries_of_several_events_leave_every_byte(text):
    forms = [FLAT._replace(event=event) for event in ("postToolUse", "Stop", "afterAgentResponse")]
    changed = text
    for form in forms:
        changed = put_in(changed, form, FLAT_ENTRY, is_own)
    assert all(holds_own(changed, form, is_own) for form in forms)
    for form in reversed(forms):
        changed = take_out(changed, form, is_own)
    assert changed == text


def test_a_new_file_of_entries_without_groups_has_its_version():
    made = put_in(None, FLAT, FLAT_ENTRY, is_own)
    assert made == json.dumps({"version": 1, "hooks": {"Stop": [FLAT_ENTRY]}}, indent=2) + "\n"


def test_the_files_are_of_every_kind():
    found = "".join(FILES)
    wanted = ["1E400", "\\ud800", "\r\n", "\ufeff", "//", "/*", ",}", "\t", "[ 1,2 ,3 ]", '"Stop"']
    assert [one for one in wanted if one not in found] == []
    assert len(set(FILES)) > 300


@each_row("text", [text for text in FILES if "//" not in text and "/*" not in text and "," not in text])
def test_what_is_installed_is_where_the_tool_looks_for_it(text):
    found = json.loads(put_in(text, FORM, ENTRY, is_own).removeprefix("\ufeff"))
    before = json.loads(text.removeprefix("\ufeff"))
    assert found["hooks"][EVENT] == [*before.get("hooks", {}).get(EVENT, []), {"hooks": [ENTRY]}]
    assert {name: value for name, value in found.items() if name != "hooks"} == {
        name: value for name, value in before.items() if name != "hooks"
    }


def test_a_file_that_was_not_there_is_gone_and_an_empty_one_stays():
    made = put_in(None, FORM, ENTRY, is_own)
    assert made == json.dumps({"hooks": {EVENT: [{"hooks": [ENTRY]}]}}, indent=2) + "\n"
    assert take_out(made, FORM, is_own) is None
    assert take_out("", FORM, is_own) == ""


OURS, THEIRS = json.dumps(ENTRY), '{"type": "command", "command": "true"}'


@each_row(
    ("text", "left"),
    [
        (f'{{"hooks":{{"Stop":[{{"hooks":[{OURS},]}},]}}, /* c */ "a": 1}}', '{/* c */ "a": 1}'),
        (f'{{"hooks": {{"Stop": [{{"hooks": [{OURS}]}}, 5]}}}}', '{"hooks": {"Stop": [5]}}'),
        (f'{{"hooks": {{"Stop": [5, /* c */ {{"hooks": [{OURS}]}}]}}}}', '{"hooks": {"Stop": [5 /* c */ ]}}'),
        (f'{{"hooks": {{"Stop": [{{"hooks": [{OURS}, {THEIRS}]}}]}}}}', f'{{"hooks": {{"Stop": [{{"hooks": [{THEIRS}]}}]}}}}'),
        (f'{{"hooks": {{"Stop": [{{"hooks": [{THEIRS},{OURS},]}}]}}}}', f'{{"hooks": {{"Stop": [{{"hooks": [{THEIRS},]}}]}}}}'),
        (f'{{"hooks": {{"Stop": [{{"x": 1, "hooks": [{OURS}]}}, {{"hooks": [{OURS}]}}], "X": []}}}}', '{"hooks": {"X": []}}'),
        (f'{{"hooks": {{"X": [], "Stop": [{{"hooks": [{OURS}]}}]}}}}', '{"hooks": {"X": []}}'),
        (f'{{ // c\n"hooks": {{"Stop": [{{"hooks": [{OURS}]}}],}}, // d\n}}', "{ // c\n // d\n}"),
    ],
)  # fmt: skip
def test_of_what_others_wrote_or_changed_ours_goes_and_what_it_alone_filled(text, left):
    taken = take_out(text, FORM, is_own)
    assert taken == left
    parsed(taken)


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "5", '"x"'])
def test_another_form_is_refused(text):
    for change in (lambda: put_in(text, FORM, ENTRY, is_own), lambda: take_out(text, FORM, is_own)):
        with pytest.raises(FormError):
            change()


@each_row("seed", range(50))
def test_what_is_read_is_what_json_says(seed):
    """Every cut of a file is refused, and so is every other text that is no JSON."""
    text = FILES[seed].removeprefix("\ufeff")
    whole = len(text.rstrip()) if "//" not in text and "/*" not in text else 1
    for size in range(whole):
        with pytest.raises(ValueError, match="line"):
            parsed(text[:size])
