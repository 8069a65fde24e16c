"""Commands of plugins: found by entry point, listed without their weight, never in the way of the core's."""

import re
import subprocess
import sys

import pytest

from sentinel_core.cli import commands, plugins
from sentinel_core.host.validate_offers import RESERVED

pytestmark = pytest.mark.unmeasured

HEAD = "from sentinel_core import Command, hookimpl\n"
OFFER = """
@hookimpl
def sentinel_commands():
    return [Command(name={name!r}, summary="Says hello.", load=load)]
"""
HELLO = """
def load():
    import click
    import wave

    @click.command("hello")
    @click.option("--to", default="you", help="Whom to greet.")
    def hello(to):
        \"\"\"Say hello.

        \\b
        sentinel hello
        sentinel hello --to me
        \"\"\"
        click.echo(f"hello {to}")
        return 2

    return hello
"""


def source(name: str = "hello", load: str = HELLO) -> str:
    return HEAD + load + OFFER.format(name=name)


@pytest.fixture
def installs(distribution):
    """The path on which a distribution offers commands: name to source."""

    def make(distribution_name: str = "greeter", **sources: str) -> str:
        modules = {name: f"fake_{name.replace('.', '_')}" for name in sources}
        texts = {modules[name]: text for name, text in sources.items()}
        return str(distribution(distribution_name, texts, {"sentinel.commands": modules}))

    return make


def test_it_is_listed_and_called_and_its_number_is_the_exit_code(sentinel, installs):
    path = installs(hello=source())
    listed = sentinel("--help", PYTHONPATH=path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "\n  hello     Says hello.\n" in listed.stdout
    called = sentinel("hello", "--to", "me", PYTHONPATH=path)
    assert (called.returncode, called.stdout, called.stderr) == (2, "hello me\n", "")
    helped = sentinel("hello", "--help", PYTHONPATH=path)
    assert "\n  sentinel hello --to me\n" in helped.stdout
    assert "--no-config" in helped.stdout
    assert sentinel("hello", "--too", PYTHONPATH=path).returncode == 3


def test_help_imports_what_offers_and_not_what_works(installs):
    code = "import sys; from sentinel_core.cli import commands; print(commands.summaries()[0]['hello']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": installs(hello=source())},
    )
    summary, loaded = done.stdout.splitlines()
    assert summary == "Says hello."
    modules = set(loaded.split())
    assert "fake_hello" in modules
    heavy = {"wave", "asyncio", "sqlite3", "starlette", "uvicorn", "opentelemetry", "httpx2", "multiprocessing"}
    assert not modules & heavy


def test_a_broken_one_costs_itself_alone(sentinel, installs):
    path = installs(bad="raise SystemExit('no luck')", hello=source())
    listed = sentinel("--help", PYTHONPATH=path)
    assert listed.returncode == 0
    assert listed.stderr == "sentinel: warning: command bad (greeter 1.0) cannot be imported: SystemExit: no luck\n"
    assert "  hello     Says hello." in listed.stdout
    called = sentinel("bad", PYTHONPATH=path)
    assert called.returncode == 3
    assert called.stderr == "sentinel: error: command bad (greeter 1.0) cannot be imported: SystemExit: no luck\n"
    assert sentinel("hello", PYTHONPATH=path).stdout == "hello you\n"


@pytest.mark.parametrize(
    ("load", "told"),
    [
        (
            "def load():\n    import no_such_package\n",
            "cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'",
        ),
        (
            "def load():\n    return print\n",
            "cannot be used: its load() must return a click.Command, but returned a builtin_function_or_method",
        ),
    ],
)
def test_one_that_cannot_be_used(sentinel, installs, load, told):
    path = installs(odd=source("odd", load))
    called = sentinel("odd", PYTHONPATH=path)
    assert (called.returncode, called.stderr) == (3, f"sentinel: error: command odd (greeter 1.0) {told}\n")
    checked = sentinel("plugins", "--check", "--plugins", "", PYTHONPATH=path)
    assert checked.returncode == 3
    (row,) = [line for line in checked.stdout.splitlines() if line.split()[:2] == ["commands", "odd"]]
    assert row.endswith(f"broken  {told}")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Hello", "a command's name must consist of lowercase letters, digits, - and _, and must begin with a letter"),
        ("evaluate", "is a built-in command; rename yours"),
    ],
)
def test_a_name_that_no_command_can_have(sentinel, installs, folder, name, told):
    path = installs(**{name: source(name)})
    listed = sentinel("--help", PYTHONPATH=path)
    assert (
        listed.stderr
        == f'sentinel: warning: command {name} (greeter 1.0) "{name}"{":" if name == "Hello" else ""} {told}\n'
    )
    assert "Says hello." not in listed.stdout
    assert "Judge traces: PASS, WARN or FAIL, with evidence." in listed.stdout


def test_nobody_shadows_a_command_of_the_core(sentinel, installs):
    path = installs(evaluate=source("evaluate"))
    done = sentinel("evaluate", "--help", PYTHONPATH=path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: sentinel evaluate [OPTIONS] PATH...")


def test_the_names_of_the_core_are_reserved():
    assert set(commands.CORE) == RESERVED


def test_two_of_one_name_stop_only_the_call_of_either_and_the_distribution_settles_it(sentinel, distribution, write):
    for name, says in (("greeter", "hi"), ("welcomer", "welcome")):
        own = source().replace("Says hello.", f"Says {says}.")
        path = str(distribution(name, {f"fake_{name}": own}, {"sentinel.commands": {"hello": f"fake_{name}"}}))
    told = (
        'two plugins are named "commands:hello": greeter 1.0 and welcomer 1.0; '
        "call it as greeter:hello, or uninstall one of them\n"
    )
    done = sentinel("hello", PYTHONPATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"sentinel: error: {told}")
    listed = sentinel("--help", PYTHONPATH=path)
    assert (listed.returncode, listed.stderr) == (0, f"sentinel: warning: {told}")
    assert {"greeter:hello": "hi.", "welcomer:hello": "welcome."}.items() <= {
        line.split()[0]: line.split()[-1] for line in listed.stdout.splitlines() if line.strip()
    }.items()
    assert sentinel("welcomer:hello", "--help", PYTHONPATH=path).returncode == 0
    plugins_ = sentinel("plugins", PYTHONPATH=path)
    assert (plugins_.returncode, plugins_.stderr) == (0, f"sentinel: warning: {told}")
    write("t.json", "0")
    assert sentinel("evaluate", "t.json", PYTHONPATH=path).returncode == 0


def test_a_built_in_one_that_is_missing_says_what_to_install(inside, monkeypatch):
    monkeypatch.setattr(commands, "CORE", {name: text for name, text in commands.CORE.items() if name in RESERVED})
    monkeypatch.setattr(commands, "names", lambda: sorted(commands.CORE))
    monkeypatch.setattr(plugins, "below", lambda _group: [])
    for name, package in (
        ("serve", "serve"),
        ("loops", "serve"),
        ("receive", "receive"),
        ("suite", "suite"),
        ("demo", "start"),
    ):
        done = inside(name, "--help")
        told = f'the command "{name}" is not installed: pip install reliability-sentinel-command-{package}'
        assert (done.returncode, done.stdout, done.stderr) == (3, "", f"sentinel: error: {told}\n")
    done = inside("plugins", "new", "signal", "mine")
    told = 'the command "plugins new" is not installed: pip install reliability-sentinel-command-start'
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"sentinel: error: {told}\n")


def test_a_name_that_is_nearly_one(sentinel, installs):
    done = sentinel("helo", PYTHONPATH=installs(hello=source()))
    assert done.returncode == 3
    assert done.stderr == 'sentinel: error: there is no command "helo"; did you mean "hello"? (see "sentinel --help")\n'


def test_it_is_among_the_plugins_and_not_selected(sentinel, installs):
    path = installs(hello=source())
    listed = sentinel("plugins", PYTHONPATH=path)
    assert ["commands", "hello", "greeter", "1.0", "installed"] in [line.split() for line in listed.stdout.splitlines()]
    shown = sentinel("plugins", "show", "hello", PYTHONPATH=path)
    assert "summary:      Says hello.\n" in shown.stdout
    refused = sentinel("plugins", "--plugins", "commands:hello", PYTHONPATH=path)
    assert refused.returncode == 3
    assert (
        'there is no kind "commands"; the kinds are guardrails, providers, signals, tools, trace_readers'
        in refused.stderr
    )


def test_a_file_that_offers_a_command_alone(sentinel, folder, write):
    (folder / "mine.py").write_text(source())
    write("t.json", "0")
    done = sentinel("evaluate", "t.json", "--plugins", "./mine.py")
    assert done.returncode == 3
    assert 'plugin "./mine.py": it offers only commands' in done.stderr


def test_one_below_plugins_is_called_there_and_not_listed_with_the_others(sentinel, installs):
    path = installs(**{"plugins.hello": source("plugins.hello"), "plugins.bad": "raise SystemExit('no luck')"})
    listed = sentinel("--help", PYTHONPATH=path)
    assert (listed.returncode, listed.stderr, "hello" in listed.stdout) == (0, "", False)
    assert sentinel("hello", PYTHONPATH=path).returncode == 3
    called = sentinel("plugins", "hello", "--to", "me", PYTHONPATH=path)
    assert (called.returncode, called.stdout, called.stderr) == (2, "hello me\n", "")
    helped = sentinel("plugins", "--help", PYTHONPATH=path)
    assert re.search(r"^  hello +Say hello.$", helped.stdout, re.MULTILINE)
    told = "command plugins.bad (greeter 1.0) cannot be imported: SystemExit: no luck\n"
    assert (helped.returncode, helped.stderr) == (0, f"sentinel: warning: {told}")
    broken = sentinel("plugins", "bad", PYTHONPATH=path)
    assert (broken.returncode, broken.stderr) == (3, f"sentinel: error: {told}")
    assert "--no-config" in sentinel("plugins", "hello", "--help", PYTHONPATH=path).stdout


def test_no_group_but_plugins_takes_more(sentinel, installs):
    listed = sentinel("plugins", "--check", PYTHONPATH=installs(**{"runs.hello": source("runs.hello")}))
    (row,) = [line for line in listed.stdout.splitlines() if "runs.hello" in line]
    assert "a command's name must consist of lowercase letters" in row


def test_a_name_that_is_nearly_one_below_plugins(inside):
    done = inside("plugins", "shwo")
    assert (done.returncode, "No such command 'shwo'" in done.stderr) == (3, True), done.stderr
