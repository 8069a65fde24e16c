"""The risk of real repositories follows what changes in them, not what their commits say."""

import json

import pytest

from sentinel_agent.risk.facts import RISKS, RiskThresholds
from sentinel_agent.risk.rules import assess
from sentinel_tools_release import SummarySettings, get_release_summary

AWS = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
LOGIN = "class Sessions:\n    def login(self, user, password):\n        row = self.users.get(user)\n        {0}\n\n    def names(self):\n        return list(self.users)\n"
CHECKED = "return row is not None and row.check(password)"
TESTS = "def test_sum():\n    assert 1 + 1 == 2\n\n\ndef test_more():\n    assert 2 + 2 == 4\n"
PAGE = "<h1>Calendar</h1>\n"
START = {
    "src/auth/login.py": LOGIN.format(CHECKED),
    "src/people.py": LOGIN.format(CHECKED),
    "src/pages/calendar.html": PAGE,
    "src/text.py": 'TITLE = "Calender"\n',
    "tests/test_text.py": TESTS,
    "deploy/service.yaml": "replicas: 2\n",
    "requirements.txt": "attrs==25.1\n",
    "README.md": "# Shop\n",
}
METRICS = {"error_rate": 0.001, "response_time_p95": 120}
# The subject, the files afterwards, the severity, and a rule that finds it.
DANGEROUS = {
    "login_let_through": ("wip", {"src/auth/login.py": LOGIN.format("return True")}, "high", "diff_protection_removed"),
    "login_elsewhere": ("Small fix", {"src/people.py": LOGIN.format("return True")}, "high", "diff_protection_removed"),
    "table_dropped": ("Tidy up", {"db/0007.sql": "DROP TABLE orders;\n"}, "high", "diff_destructive_sql"),
    "column_dropped": ("整理", {"app/migrations/0007.py": 'def upgrade():\n    op.drop_column("users", "email")\n'}, "high", "diff_destructive_sql"),
    "rows_deleted": ("Docs", {"jobs/clean.py": 'db.execute("DELETE FROM customers")\n'}, "high", "diff_destructive_sql"),
    "key_committed": ("Update", {"src/store.py": f'KEY = "{AWS}"\n'}, "high", "diff_secret"),
    "many_files": ("Update", {f"src/new/part_{n}.py": "X = 1\n" for n in range(400)}, "medium", "diff_files_many"),
    "tests_gone": ("Format", {"tests/test_text.py": "def test_sum():\n    assert True\n"}, "medium", "diff_tests_removed"),
    "tests_skipped": ("Typo", {"tests/test_text.py": f"import pytest\n\n\n@pytest.mark.skip\n{TESTS}"}, "medium", "diff_tests_skipped"),
    "no_verification": ("Nettoyage", {"src/client.py": "get(url, verify=False)\n"}, "high", "diff_protection_removed"),
    "infrastructure": ("docs: wording", {"deploy/service.yaml": "replicas: 0\n"}, "medium", "subject_understates"),
    "dependency": ("chore", {"requirements.txt": "attrs==25.1\nleft-pad==0.1\n"}, "medium", "diff_area"),
    "payment": ("Tippfehler", {"src/billing/refund.py": "def refund(order):\n    return 2 * order.total\n"}, "medium", "diff_area"),
    "hidden": ("readme", {".gitattributes": "*.py binary\n", "src/text.py": "TITLE = 1\n"}, "medium", "diff_unread"),
}  # fmt: skip
HARMLESS = {
    "readme_about_payments": ("Explain payments and refunds", {"README.md": "# Shop\nPayments are taken by card.\n"}),
    "test_of_login": ("Login: one more authentication test", {"tests/test_login.py": "def test_login():\n    assert True\n"}),
    "guide_to_migration": ("Guide to the database migration", {"docs/migration.md": "Nothing to do.\n"}),
    "comment_in_login": ("Security: credit the reporter", {"src/auth/login.py": "# Thanks to Ada.\n" + LOGIN.format(CHECKED)}),
    "changelog_of_hotfix": ("Hotfix: name the breaking change", {"CHANGELOG.md": "- a breaking change\n"}),
}  # fmt: skip
HONEST = {
    "icon": ("New icon for the calendar", {"src/pages/calendar.html": "<h1>Calendar *</h1>\n"}, "low"),
    "spelling": ("Correct a title", {"src/text.py": 'TITLE = "Calendar"\n'}, "low"),
    "feature": ("Export as CSV", {"src/export.py": "def rows(table):\n    return table\n", "tests/test_export.py": TESTS}, "low"),
    "card": ("Payment by card", {"src/payment/card.py": "def take(card):\n    return card\n"}, "medium"),
    "migration": (
        "Add the orders table",
        {"app/migrations/0008.py": 'def upgrade():\n    op.create_table("orders")\n\n\ndef downgrade():\n    op.drop_table("orders")\n'},
        "medium",
    ),
}  # fmt: skip


@pytest.fixture
def judged(repository, tmp_path):
    """Judges a repository with one more commit, whose tests pass and whose metrics are clean."""

    def judge(subject, files):
        if not (repository.path / "README.md").exists():
            repository.commit("Start", START)
            repository.git("tag", "v1")
        repository.commit(subject, files)
        (tmp_path / "junit.xml").write_text("<testsuite><testcase classname='a' name='b'/></testsuite>")
        (tmp_path / "metrics.json").write_text(json.dumps(METRICS))
        settings = SummarySettings(
            repo=str(repository.path), junit=str(tmp_path / "junit.xml"), metrics=str(tmp_path / "metrics.json")
        )
        summary = get_release_summary(settings, "v1..HEAD")
        return summary, assess(json.loads(json.dumps(summary)), RiskThresholds())

    return judge


@pytest.mark.unmeasured
@pytest.mark.parametrize(("subject", "files", "severity", "rule"), DANGEROUS.values(), ids=DANGEROUS)
def test_a_harmless_subject_hides_no_dangerous_diff(judged, subject, files, severity, rule):
    summary, found = judged(subject, files)
    assert (found.severity, rule in [fact.rule for fact in found.facts]) == (severity, True), found
    assert AWS not in json.dumps(summary)


@pytest.mark.parametrize(("subject", "files"), HARMLESS.values(), ids=HARMLESS)
def test_a_dangerous_subject_makes_no_harmless_diff_risky(judged, subject, files):
    _, found = judged(subject, files)
    assert (found.severity, "words_alone" in [fact.rule for fact in found.facts]) == ("low", True), found


@pytest.mark.parametrize(("subject", "files", "severity"), HONEST.values(), ids=HONEST)
def test_an_honest_release_is_rated_as_it_is(judged, subject, files, severity):
    assert judged(subject, files)[1].severity == severity


def test_a_secret_that_a_later_commit_removes_is_found_in_the_history(judged):
    judged("Start of the store", {"src/store.py": f'KEY = "{AWS}"\n'})
    summary, found = judged("Store without the key", {"src/store.py": "KEY = None\n"})
    (danger,) = summary["diff"]["dangers"]
    assert (danger["kind"], danger["path"], "text" in danger, len(danger["commit"]) > 6) == (
        "secret",
        "src/store.py",
        False,
        True,
    )
    assert found.severity == "high"


def test_what_a_line_contains_is_no_header(judged):
    text = "diff --git a/x b/x\n--- a/x\n+++ b/src/auth/login.py\n@@ -1,1 +1,1 @@\n-return\n+return True\n"
    summary, _ = judged("Sample", {"src/sample.dat": text})
    assert summary["diff"]["areas"] == []
    assert summary["diff"]["files"]["code"] == 1


def test_a_diff_that_is_too_large_is_said_not_to_be_read(judged, repository):
    judged("More", {"src/more.py": "X = 1\n" * 3000})
    settings = SummarySettings(repo=str(repository.path), max_bytes=1000)
    summary = get_release_summary(settings, "v1..HEAD")
    assert "printed more than" in summary["diff"]["not_read"][0]
    facts = {fact.rule: fact for fact in assess(summary, RiskThresholds()).facts}
    assert (facts["diff_unread"].severity, "diff_clean" in facts) == ("medium", False)


def test_severities_are_those_of_the_agent():
    told = {row[2] for row in (*DANGEROUS.values(), *HONEST.values())}
    assert told <= set(RISKS)
