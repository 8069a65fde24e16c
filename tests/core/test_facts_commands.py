"""What a command can be: told by program and subcommand, of scripts by the words of their target, and never by what it prints."""

import pytest
from tables import each_row

from sentinel_core.evaluate.facts import command_table
from sentinel_core.evaluate.facts.commands import EVERY, NOTHING, check_kind, kinds_of, kinds_of_call, prepared_by

ANY = "*"


def told(kinds):
    may = ANY if kinds.may == EVERY.may else " ".join(sorted(kinds.may))
    return " ".join(sorted(kinds.sure)), may


# Command, what it is, what it may be besides; a star is for every kind.
COMMANDS = [
    ("pytest -q", "tests", ""),
    ("FOO=1 .venv/bin/python -m pytest -n 4", "tests", ""),
    ("if pytest -q; then echo yes; fi", "tests", ""),
    ("cargo test", "tests", "build format types"),
    ("make test", "tests", "build lint types"),
    ("mypy src", "types", ""),
    ("npx tsc --noEmit", "types", "build types"),
    ("ruff check --fix", "edit lint", "format"),
    ("ruff format .", "edit format", ""),
    ("black --check .", "lint", "format"),
    ("make build", "build", "edit types"),
    ("make", "build", "lint tests types"),
    ("npm run build", "build", "types"),
    ("./gradlew build", "build", "lint tests types"),
    ("git commit -am x && git push", "commit push", "deploy publish"),
    ("git -C sub push origin main", "push", "deploy publish"),
    ("git checkout src/x.py", "edit", ""),
    ("sed -i s/a/b/ src/x.py", "edit", ""),
    ("cat > docs/a.md <<'E'\nnpm test\nE", "edit", ""),
    ("gh pr create --body x", "pull_request push", ""),
    ("alembic upgrade head", "migrate", ""),
    ("pip install pytest", "install", ""),
    ("npm install --save-dev jest", "install", ""),
    ("rm -rf .cache", "delete", ""),
    ("kill 3", "restart", ""),
    ("gh run watch", "ci", ""),
    # Scripts and targets: the words that they have, else everything.
    ("./x.sh", "", ANY),
    ("python x.py", "", ANY),
    ("npm run foo", "", ANY),
    ("rake", "", ANY),
    ("source ./x", "", ANY),
    ("$PY", "", ANY),
    ("docker run img", "deploy restart", ANY),
    ("./scripts/deploy.sh staging", "", "build deploy push"),
    ("node server.js", "", "restart"),
    ("bash scripts/runTests.sh", "", "tests"),
    ("$PY -m pytest -q", "", "tests"),
    ("conda run -n x pytest", "", "tests"),
    ("cd x && bash -c 'pytest -q'", "", "tests"),
    ("ls | xargs pytest", "", "tests"),
    ("grep -rl a src | xargs sed -i s/a/b/", "", "edit"),
    ("ssh web git push", "push", "deploy publish"),
    ("ssh -p 22 web 'sudo systemctl restart nginx'", "restart", ""),
    ("ssh web", "", "delete deploy install migrate restart"),
    ("npx playwright test", "tests", ""),
    ("git merge main", "commit edit", ""),
    ("node bin/hoist.js status --json", "", ""),
    ("node bin/hoist.js sync", "", "edit push deploy"),
    ("node /tmp/check.mjs", "", "build ci lint tests types"),
    ("source .venv/bin/activate", "", ""),
    # Code as it stands.
    ("python -c 'import pytest; pytest.main()'", "", ANY),
    ("python - <<'E'\nopen('a', 'w')\nE", "", "edit"),
    ("python -c 'print(\"3 passed\")'", "", ""),
    ("python", "", ""),
    # What checks nothing, whatever it prints.
    *((command, "", "") for command in (
        "curl http://ci/test", "sleep 1", "ls tests", "docker ps", "which pytest", "pytest --version", "pytest --co", "pytest --fixtures", "npm ls", "npm -v", "npm run",
        "make -n test", "just --list", "cat test.log", "grep -r test .", "git status", "git log", "git push --dry-run", "npm run build -- --help", "echo tests pass", "ls 2>/dev/null", "man pytest", "foo bar", "nginx -v 2>/dev/null", "alembic -c a.ini history", "php -l src/A.php", "bash -n x.sh", "npx prisma migrate status",
        "manage.py showmigrations", "systemctl status nginx", "kubectl rollout status deploy/web", "docker compose config -q", "terraform plan", "git tag -l", "git branch --show-current", "npm run status",
    )),
    ("curl -X POST http://x/pulls", "", "comment commit delete deploy install migrate publish pull_request push restart"),
]  # fmt: skip


@each_row(("command", "sure", "may"), COMMANDS)
def test_a_command_is_what_it_can_be(command, sure, may):
    kinds = kinds_of(command)
    wanted = EVERY.may - kinds.sure if may == ANY else frozenset(may.split()) - kinds.sure
    assert (kinds.sure, kinds.may) == (frozenset(sure.split()), wanted)


def test_of_a_very_long_command_nothing_is_known():
    assert kinds_of("x" * 30_000) == EVERY
    assert kinds_of("pytest" + " a" * 100).can_be("tests")
    assert kinds_of("./x").can_be("push")
    assert not kinds_of("ls").can_be("push")


@each_row(
    ("name", "sure", "may"),
    [
        ("Edit", "edit", ""),
        ("search_replace", "edit", ""),
        ("apply_patch", "edit", ""),
        ("Read", "", ""),
        ("BashOutput", "", ""),
        ("TodoWrite", "", ""),
        ("think", "", ""),
        ("getDiagnostics", "", "ci"),
        ("Task", "", ANY),
        ("Agent", "", ANY),
        ("write_stdin", "", ANY),
        ("bash", "", ANY),
        ("run_tests", "tests", ""),
        ("mcp__git__git_commit", "commit", "delete deploy install migrate publish restart"),
        (
            "mcp__github__create_pull_request",
            "edit pull_request",
            "comment commit delete deploy install migrate publish pull_request push restart",
        ),
        ("browser_click", "", "comment commit delete deploy install migrate publish pull_request push restart"),
    ],
)
def test_a_tool_without_a_command_is_what_its_name_says(name, sure, may):
    assert told(kinds_of_call(name, {"id": 1})) == (sure, may)


def test_a_tool_with_a_command_is_what_the_command_is():
    assert told(kinds_of_call("Bash", {"command": "git push"})) == ("push", "deploy publish")
    assert kinds_of_call("Edit", {"command": "create", "path": "a"}).sure == {"edit"}
    assert kinds_of_call("Bash", {"command": "ls"}) == NOTHING
    assert kinds_of_call("mcp__vercel__deploy", {"command": "ls"}) == kinds_of_call("mcp__vercel__deploy", {})
    assert kinds_of_call("Bash", ["ls"]) == EVERY
    assert kinds_of_call("python", {"code": "import a\na.main()"}) == EVERY


def test_a_cell_may_run_code_and_commands():
    assert told(kinds_of_call("execute_code", {"code": "!git push\nopen('a', 'w')"})) == ("push", "deploy edit publish")


@pytest.mark.parametrize(("command", "kind"), [("pytest", "tests"), ("black .", None), ("isort -c .", "lint"), ("pytest --co", None), ("ls", None)])  # fmt: skip
def test_what_only_writes_or_asks_is_no_check(command, kind):
    assert check_kind(command) == kind


def test_every_kind_that_a_table_names_is_one():
    kinds = {*command_table.DOES, *command_table.CHECKS}
    kinds.update(kind for _, row in command_table.ALSO for kind in row.split())
    kinds.update(kind for _, row in command_table.CODE if row != ANY for kind in row.split())
    assert kinds == EVERY.may


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("terraform plan", {"deploy"}),
        ("npm publish --dry-run", {"publish"}),
        ("cd app && git push --dry-run origin main", {"push"}),
        ("terraform apply -auto-approve", set()),
        ("npm publish", set()),
    ],
)
def test_what_only_shows_what_it_would_do_is_a_preparation(command, kinds):
    assert prepared_by(command) == kinds
