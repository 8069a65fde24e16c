"""The forms for issues are what the host of the repository takes, and what they ask for is there."""

import re
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
FORMS = sorted((REPOSITORY / ".github/ISSUE_TEMPLATE").glob("[0-9]*.yml"))
KINDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


@pytest.mark.parametrize("form", FORMS, ids=lambda one: one.stem)
def test_a_form_is_whole(form):
    told = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert set(told) == {"name", "description", "labels", "body"}
    ids = [part["id"] for part in told["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 1
    for part in told["body"]:
        assert part["type"] in KINDS
        assert part["attributes"].get("label") or part["attributes"]["value"]
        if part["type"] in ("dropdown", "checkboxes"):
            assert part["attributes"]["options"]
    assert any(part.get("validations", {}).get("required") for part in told["body"])


def test_the_first_choice_is_a_wrong_verdict_and_a_vulnerability_goes_elsewhere():
    assert [form.stem[2:] for form in FORMS] == ["wrong-verdict", "defect", "format-or-framework", "idea"]
    told = yaml.safe_load((FORMS[0].parent / "config.yml").read_text(encoding="utf-8"))
    assert told["blank_issues_enabled"] is False
    assert told["contact_links"][0]["url"] in (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")


def test_commands_that_the_forms_name_are_there():
    from sentinel_core.cli import commands

    text = "\n".join(form.read_text(encoding="utf-8") for form in FORMS)
    named = set(re.findall(r'"sentinel ([a-z]+)', text))
    assert {"convert", "rules", "plugins", "evaluate"} <= named <= set(commands.names())


def test_the_roadmap_is_a_page():
    text = (REPOSITORY / "docs/roadmap.md").read_text(encoding="utf-8")
    assert len(text.split()) < 500
    assert {"## Next", "## Out of scope"} <= set(text.splitlines())
