"""What strangers put in the way: configuration of another user's, links as and in ``.sentinel``."""

import os
import pwd
from pathlib import Path

import pytest

from sentinel_agent.journal import Journal
from sentinel_command_serve.tokens import make_tokens
from sentinel_command_suite.journal import Journal as SuiteJournal
from sentinel_core.errors import ConfigError, JournalError, StoreError
from sentinel_core.guardrails.sqlite import SqliteStore
from sentinel_core.host.settings import read_layers
from sentinel_core.runtime.state_files import append_lines, check_writable, make_folder, write_whole
from sentinel_tools_release.files import locked

STRANGER = 54_321
LINK = r"is a symbolic link, which may point anywhere: remove it"
ELSEWHERE = (
    "; to use another place, set --store and --reports (sentinel run), --dir (sentinel suite), or -o (sentinel receive)"
)


@pytest.fixture
def give_away(monkeypatch):
    """Makes a file a stranger's; all else stays this user's."""
    lstat, stat = Path.lstat, Path.stat

    def give(*paths: Path) -> None:
        given = {Path(path).absolute() for path in paths}

        def owned_by_others(seen):
            def look(path, **options):
                found = seen(path, **options)
                owner = STRANGER if Path(path).absolute() in given else found.st_uid
                return os.stat_result((*found[:4], owner, *found[5:]))

            return look

        monkeypatch.setattr(Path, "lstat", owned_by_others(lstat))
        monkeypatch.setattr(Path, "stat", owned_by_others(stat))

    return give


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A ``.sentinel`` with a folder and a file outside of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".sentinel").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "precious").write_text("mine")
    return Path(".sentinel")


@pytest.mark.parametrize(
    ("name", "text"),
    [("sentinel.toml", "strict = true"), ("pyproject.toml", "[tool.sentinel]\nstrict = true")],
)
def test_configuration_of_a_stranger_is_refused(tmp_path, give_away, name, text):
    below = tmp_path / "a"
    below.mkdir()
    file = tmp_path / name
    file.write_text(text)
    assert read_layers({}, environ={}, folder=below).host().strict
    give_away(file)
    with pytest.raises(ConfigError) as caught:
        read_layers({}, environ={}, folder=below)
    assert str(caught.value) == (
        f'"{file}" belongs to user 54321, who owns neither its folder nor the working directory, and settings can run '
        "code: put your own sentinel.toml here, or read no settings file (--no-config, SENTINEL_NO_CONFIG=1)"
    )
    assert not read_layers({}, environ={"SENTINEL_NO_CONFIG": "1"}, folder=below).host().strict


@pytest.mark.parametrize("given", [(".", "sentinel.toml"), ("a", "sentinel.toml")])
def test_who_works_with_a_user_takes_that_users_files(tmp_path, give_away, given):
    """As root does in a container, on a checkout that is mounted; below it root may have made the folder itself."""
    (tmp_path / "a").mkdir()
    (tmp_path / "sentinel.toml").write_text("strict = true")
    give_away(*(tmp_path / one for one in given))
    assert read_layers({}, environ={}, folder=tmp_path / "a").host().strict


def test_a_file_in_the_working_directory_is_read_whoever_owns_it(tmp_path, give_away):
    (tmp_path / "sentinel.toml").write_text("strict = true")
    give_away(tmp_path / "sentinel.toml")
    assert read_layers({}, environ={}, folder=tmp_path).host().strict


def test_where_files_have_no_such_owners(tmp_path, give_away, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "sentinel.toml").write_text("strict = true")
    give_away(tmp_path / "sentinel.toml")
    monkeypatch.delattr(os, "geteuid")
    assert read_layers({}, environ={}, folder=tmp_path / "a").host().strict


def test_a_user_is_named(tmp_path, give_away, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "sentinel.toml").write_text("strict = true")
    give_away(tmp_path / "sentinel.toml")
    monkeypatch.setattr(pwd, "getpwuid", lambda number: pwd.struct_passwd(("bob", "", number, 0, "", "", "")))
    with pytest.raises(ConfigError, match='belongs to "bob", '):
        read_layers({}, environ={}, folder=tmp_path / "a")


def test_a_project_of_a_stranger_that_sets_nothing_here_is_passed_over(tmp_path, give_away):
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'sentinel'")
    give_away(file)
    assert read_layers({}, environ={}, folder=tmp_path).values == {}


def test_a_strangers_link_to_configuration_is_refused(tmp_path, give_away):
    (tmp_path / "real.toml").write_text("strict = true")
    link = tmp_path / "sentinel.toml"
    link.symlink_to("real.toml")
    (tmp_path / "a").mkdir()
    assert read_layers({}, environ={}, folder=tmp_path / "a").host().strict
    give_away(link)
    with pytest.raises(ConfigError, match="belongs to user 54321"):
        read_layers({}, environ={}, folder=tmp_path / "a")


@pytest.mark.parametrize("value", ["1", "true"])
def test_without_configuration(tmp_path, value):
    (tmp_path / "sentinel.toml").write_text("= what")
    made = read_layers({}, environ={"SENTINEL_NO_CONFIG": value, "SENTINEL_STRICT": "1"}, folder=tmp_path)
    assert (made.host().no_config, made.host().strict) == (True, True)
    assert read_layers({"no_config": ("1", "--set")}, environ={}, folder=tmp_path).host().no_config


def test_with_configuration_after_all(tmp_path):
    (tmp_path / "sentinel.toml").write_text("strict = true")
    assert read_layers({}, environ={"SENTINEL_NO_CONFIG": "0"}, folder=tmp_path).host().strict
    with pytest.raises(ConfigError, match='"no_config" from SENTINEL_NO_CONFIG: expected true or false, but it is ""'):
        read_layers({}, environ={"SENTINEL_NO_CONFIG": ""}, folder=tmp_path)
    told = read_layers({}, environ={"SENTINEL_NOCONFIG": "1"}, folder=tmp_path).suspects
    assert told == (
        'the environment variable "SENTINEL_NOCONFIG" is not a setting; did you mean "SENTINEL_NO_CONFIG"?',
    )


def test_no_file_can_say_that_no_file_is_read(tmp_path):
    (tmp_path / "sentinel.toml").write_text("no_config = true")
    with pytest.raises(ConfigError, match=r'^"no_config" from sentinel.toml: no file can set it; use --no-config or'):
        read_layers({}, environ={}, folder=tmp_path)


def hold(folder: Path) -> None:
    with locked(folder):
        pass


WRITERS = {
    "lines": (lambda home: append_lines(home / "file", [b"{}\n"]), OSError),
    "check": (lambda home: check_writable(home / "file"), OSError),
    "whole": (lambda home: write_whole(home / "file", b"{}"), OSError),
    "folder": (lambda home: make_folder(home / "file"), OSError),
    "journal": (lambda home: Journal(home).close(), JournalError),
    "store": (lambda home: SqliteStore(home / "loops.sqlite3").close(), StoreError),
    "tokens": (lambda home: make_tokens(home / "tokens.toml"), ConfigError),
    "suite": (lambda home: SuiteJournal(home / "journal.jsonl", {}, resume=False).begin(), OSError),
    "report": (lambda home: hold(home / "reports"), OSError),
}


def told(writer, home) -> str:
    write, error = WRITERS[writer]
    with pytest.raises(error) as caught:
        write(home)
    return str(getattr(caught.value, "strerror", None) or caught.value)


@pytest.mark.parametrize(
    ("writer", "name", "target"),
    [
        ("lines", "file", "precious"),
        ("check", "file", "precious"),
        ("folder", "file", "outside"),
        ("journal", "journal.db", "precious"),
        ("journal", "journal.db", "new"),
        ("journal", "journal.lock", "new"),
        ("store", "loops.sqlite3", "precious"),
        ("store", "loops.sqlite3", "new"),
        ("suite", "journal.jsonl", "precious"),
        ("suite", "journal.jsonl", "new"),
        ("report", "reports", "outside"),
    ],
)
def test_links_in_our_folder_lead_nowhere(home, writer, name, target):
    (home / name).symlink_to(f"../{target}")
    before = sorted(Path().rglob("*"))
    assert told(writer, home).endswith(f'"{home / name}" {LINK}')
    assert sorted(Path().rglob("*")) == before
    assert Path("precious").read_text() == "mine"


@pytest.mark.parametrize("writer", ["lines", "check", "whole", "folder", "tokens"])
def test_folders_in_our_folder_that_are_links(home, writer):
    (home / "sub").symlink_to("../outside")
    assert told(writer, home / "sub" / "deeper").endswith(f'"{home / "sub"}" {LINK}')
    assert list(Path("outside").iterdir()) == []


def test_the_lock_of_a_folder_of_reports(home):
    (home / "reports").mkdir()
    (home / "reports" / ".lock").symlink_to("../../new")
    assert told("report", home).endswith(LINK)
    assert not Path("new").exists()


@pytest.mark.parametrize("writer", WRITERS)
def test_our_folder_is_no_link(home, writer):
    """Git makes links as the user who checks out."""
    home.rmdir()
    home.symlink_to("outside")
    assert told(writer, home).endswith(f'".sentinel" {LINK}{ELSEWHERE}')
    assert list(Path("outside").iterdir()) == []


@pytest.mark.parametrize("writer", WRITERS)
def test_our_folder_may_be_of_another_user(home, give_away, writer):
    """As it is where a network file system or a mount gives its own owner."""
    give_away(home)
    write, _ = WRITERS[writer]
    write(home)
    assert home.is_dir()


@pytest.mark.parametrize("writer", ["lines", "check", "whole", "journal", "tokens"])
def test_our_folder_that_is_a_file(home, writer):
    home.rmdir()
    home.touch()
    assert "is a file, but must be a folder" in told(writer, home)


def test_links_elsewhere_are_the_users_own(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    append_lines(tmp_path / "link" / "file", [b"{}\n"])
    (tmp_path / "grown").symlink_to("real/file")
    append_lines(tmp_path / "grown", [b"{}\n"])
    assert (tmp_path / "real" / "file").read_bytes() == b"{}\n{}\n"
