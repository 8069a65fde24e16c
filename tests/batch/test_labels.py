"""What files are called in rows, manifests and messages: text, without a password or a signature."""

import io
import json
import os
import sys

import pytest
from fsspec.spec import AbstractFileSystem
from tables import each_row

from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.records import Unreadable
from sentinel_core.trace import from_json
from sentinel_core.traces.sources.file_source import as_text, shown_url, without_secrets
from sentinel_core.traces.sources.remote import remote_identity

pytestmark = pytest.mark.unmeasured

BAD = b'{"trace_id": "bad", "messages": [{"role": "robot"}]}\n'


@pytest.fixture
def odd(folder, write, tools):
    """Files whose names are no UTF-8: a good one, two bad ones, and a link that leads nowhere."""
    for name, line in {b"\xffa.jsonl": tools.line_of(1), b"\xffb.jsonl": BAD, b"c\xfe.jsonl": BAD}.items():
        write(f"odd/{os.fsdecode(name)}", [line])
    nowhere = folder / "odd" / os.fsdecode(b"\xffgone.json")
    if not nowhere.is_symlink():
        nowhere.symlink_to("nowhere")
    return "odd"


@pytest.mark.parametrize("output", ["t.parquet", "t/"])
def test_a_table_of_files_whose_names_are_no_text(inside, folder, odd, output):
    import pyarrow.parquet as pq

    options = ("-o", output, "--output-format", "parquet", "-j", 2)
    assert inside("evaluate", odd, *options).returncode == 3
    path = folder / "t" / "part-00000.parquet" if output == "t/" else folder / output
    found = [(row["source"], row["trace_id"]) for row in pq.read_table(path, partitioning=None).to_pylist()]
    assert found == [
        (r"odd/c\xfe.jsonl", None),
        (r"odd/\xffa.jsonl", "day-1"),
        (r"odd/\xffb.jsonl", None),
        (r"odd/\xffgone.json", None),
    ]
    assert inside("evaluate", odd, *options, "--resume").returncode == 3


def test_rows_of_files_whose_names_are_no_text(inside, folder, odd):
    done = inside("evaluate", odd, "-o", "rows.jsonl")
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_bytes().splitlines()]
    errors = [row["error"] for row in rows if "error" in row]
    assert [error["source"] for error in errors] == [r"c\xfe.jsonl", r"\xffb.jsonl", r"\xffgone.json"]
    assert errors[2]["message"] == "is not a file, or is a link to a missing file"
    assert done.stderr.startswith(r'sentinel: error: "odd/c\xfe.jsonl" line 1: "robot" is not one of')
    summary = json.loads((folder / "rows.summary.json").read_bytes())
    assert [row["file"] for row in summary["unreadable"]] == [*(r"c\xfe.jsonl", r"\xffb.jsonl", r"\xffgone.json")]


def test_a_summary_is_the_same_from_wherever_the_command_runs(inside, folder, odd):
    assert inside("evaluate", odd, "-o", "here.jsonl").returncode == 3
    assert inside("evaluate", folder / odd, "-o", "there.jsonl").returncode == 3
    for suffix in (".jsonl", ".summary.json"):
        assert (folder / f"here{suffix}").read_bytes() == (folder / f"there{suffix}").read_bytes()


def test_a_message_that_is_no_text():
    row = Unreadable(message="half \ud800")
    summary = Summary()
    summary.add_unreadable(row)
    assert from_json(row.rendered())["error"]["message"] == r"half \ud800"
    assert from_json(json.dumps(summary.document()).encode())["unreadable"][0]["message"] == r"half \ud800"


def test_names_as_text():
    assert as_text(os.fsdecode(b"a\xff\x80")) == r"a\xff\x80"
    assert as_text("\ud800 \udbff ä") == r"\ud800 \udbff ä"


SHOWN = {
    "https://user:pa55@web/a.jsonl?X-Amz-Signature=5ec7e7": "https://web/a.jsonl",
    "https://5ec7e7@web/a.jsonl?5ec7e7": "https://web/a.jsonl",
    "http://user:5e/c7@e7:8080/a": "http://e7:8080/a",
    "http://user:5e@c7?e@web/a#5ec7e7": "http://web/a",
    "http://user:1234@web/a": "http://web/a",
    "ftp://user:5ec7e7@web/a": "ftp://web/a",
    "abfs://box@account.dfs/a.jsonl?sig=5ec7e7": "abfs://box@account.dfs/a.jsonl",
    "zip://a.json::https://user:5ec7e7@web/a.zip?sig=5ec7e7": "zip://a.json::https://web/a.zip",
    **{
        url: url
        for url in (
            *("http://web:8080/a@b", "http://web:80", "http://[::1]:80/a@b", "s3://box/day=?/?.json", "s3://box/a#b=c"),
            *("memory:///in/a.jsonl", "file:///a b@c", "abfs://box@account.dfs/a"),
        )
    },
}


@each_row(("url", "shown"), SHOWN.items())
def test_urls_as_they_are_shown(url, shown):
    assert shown_url(url) == shown


def test_urls_in_a_text():
    text = "403, url='https://web/a?sig=5ec7e7', and (s3://box/a)"
    assert without_secrets(text) == "403, url='https://web/a', and (s3://box/a)"


SIGNED = "https://user:pa55word@web/{}?X-Amz-Credential=AKID5ec7e7%2F2026&X-Amz-Signature=5ec7e7{}&token=5ec7e7"
SECRETS = ("pa55word", "5ec7e7")


class Web(AbstractFileSystem):
    """Web servers, of which a whole URL is the path, as of fsspec's own; ``denied.jsonl`` is there for nobody."""

    protocol = "https"
    cachable = False
    files: dict[str, bytes] = {}  # noqa: RUF012 - the test's, not each one's

    @classmethod
    def _strip_protocol(cls, path):
        return path

    def _bytes(self, path):
        return self.files[shown_url(path).rpartition("/")[2]]

    def exists(self, path):
        return shown_url(path).rpartition("/")[2] in self.files

    def info(self, path):
        data = self._bytes(path)
        return {"name": path, "size": len(data), "type": "file", "ETag": hash(data)}

    def glob(self, path, **_):
        return {path: self.info(path)} if self.exists(path) else {}

    def _open(self, path, mode="rb", **_):
        if "denied" in path:
            raise PermissionError(f"403, message='Forbidden', url='{path}'")
        return io.BytesIO(self._bytes(path))


@pytest.fixture
def web(tools, monkeypatch):
    """A good file, one with a bad line, and one that is refused."""
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, "https", Web)
    files = {"good.jsonl": tools.line_of(1), "bad.jsonl": tools.line_of(2) + BAD, "denied.jsonl": BAD}
    monkeypatch.setattr(Web, "files", files)
    return files


def signed(*names: str, at: int = 1) -> list[str]:
    return [SIGNED.format(name, at) for name in names]


def told(folder, name: str) -> str:
    """All that was written with this name, or in a folder of this name."""
    paths = [*folder.glob(f"*{name}*"), *folder.glob(f"{name}/*")]
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in paths if path.is_file())


@pytest.mark.parametrize("output", ["web.jsonl", "web.parquet", "webfolder/", "web.txt"])
def test_no_secret_of_a_url_is_written_or_shown(inside, folder, web, output):
    done = inside("evaluate", *signed("good.jsonl", "bad.jsonl", "denied.jsonl", "gone.jsonl"), "-o", output, "-j", 2)
    assert (done.returncode, len(done.stderr.splitlines()) > 3) == (3, True)
    written = told(folder, output.rstrip("/"))
    assert not any(secret in done.stdout + done.stderr + written for secret in SECRETS)
    assert done.stderr.startswith('sentinel: error: "https://web/bad.jsonl" line 2: ')
    assert '"https://web/gone.jsonl": no such file or folder\n' in done.stderr
    assert (
        "\"https://web/denied.jsonl\": cannot be read: PermissionError: 403, message='Forbidden', "
        "url='https://web/denied.jsonl'\n" in done.stderr
    )
    if output == "web.jsonl":
        rows = [json.loads(line) for line in written.splitlines() if "error" in line[:10]]
        assert [row["error"]["source"] for row in rows] == ["bad.jsonl", "denied.jsonl", "gone.jsonl"]


def test_nor_by_a_command_that_reads_no_urls(inside, web):
    done = inside("convert", *signed("good.jsonl"), "--to", "native")
    assert (done.returncode, done.stderr.startswith('sentinel: error: "https://web/good.jsonl": ')) == (3, True)
    assert not any(secret in done.stdout + done.stderr for secret in SECRETS)


def test_nor_in_text_on_standard_output(inside, web):
    done = inside("evaluate", *signed("good.jsonl", "good.jsonl"), "-v", "-j", 2)
    assert done.returncode == 0
    assert "day-1  (good.jsonl, record 1)\n" in done.stdout
    assert not any(secret in done.stdout + done.stderr for secret in SECRETS)


def test_resuming_knows_a_file_by_what_it_is(inside, folder, web, tools):
    arguments = ("-o", "kept/", "--output-format", "jsonl", "--resume")
    assert inside("evaluate", *signed("good.jsonl"), *arguments).returncode == 0
    assert not any(secret in told(folder, "kept") for secret in SECRETS)
    assert inside("evaluate", *signed("good.jsonl", at=2), *arguments).returncode == 0
    web["good.jsonl"] = tools.line_of(3)
    done = inside("evaluate", *signed("good.jsonl"), *arguments)
    assert (done.returncode, 'the input "https://web/good.jsonl" has changed' in done.stderr) == (3, True)


def test_where_a_server_tells_no_version_the_url_is_what_is_known(web, monkeypatch):
    monkeypatch.setattr(Web, "info", lambda _, path: {"name": path, "size": 1, "type": "file"})
    first, anew, other = signed("good.jsonl") + signed("good.jsonl", at=2) + signed("bad.jsonl")
    assert remote_identity(first) == remote_identity(anew) != remote_identity(other)
