"""What a command prints when it did what it is for, and what it prints when it did not, line by line."""

from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.shell import parts_of

__all__ = ["is_shown_done", "undone"]

_DONE = {
    "commit": regex(
        r"\[[^\]]{1,120} [0-9a-f]{4,40}\]|\d files? changed|(?:Fast-forward|Merge made|Already up to date)"
    ),
    "push": regex(r"(?:branch .{1,200} set up to track|Everything up-to-date)"),
    "pull_request": regex(r".{0,300}/(?:pull|pulls|merge_requests|pull-requests|pullrequest)/\d"),
    "publish": regex(r"\+ \S{1,200}@\d|View at:|(?i:published |successfully )"),
}
_UNDONE = {
    "commit": regex(r"(?:error|fatal): |- hook id: |- exit code: [1-9]|nothing to commit|no changes added to commit"),
    "push": regex(r"(?:error|fatal): |! \[(?:remote )?rejected\]|remote: (?:error|fatal)"),
    "pull_request": regex(
        r"(?:error|fatal): |(?:GraphQL|HTTP \d{3}): |pull request create failed|To get started with GitHub CLI"
    ),
    "publish": regex(r"(?:npm )?(?:error|ERR!|fatal)(?:: | )|ERROR[: ]|HTTP(?:Error)?:? \d{3}"),
}
_PROGRAMS = {"commit": {"git"}, "push": {"git"}, "pull_request": {"git", "gh", "glab", "hub"}, "publish": {"npm", "pnpm", "yarn", "uv", "twine", "cargo"}}  # fmt: skip
_BESIDE = {"cd", "echo", "tail", "head"}
_MOST, _LONGEST = 400, 300


def undone(kind: str, command: str, printed: str) -> str:
    """The line that shows that a command did not do what it is for; empty where it did, where nothing tells, or where others printed, too."""
    if kind not in _DONE or any(
        part.text.partition(" ")[0] not in _PROGRAMS[kind] | _BESIDE for part in parts_of(command)
    ):
        return ""
    return "" if is_shown_done(kind, printed) else next(filter(_UNDONE[kind].match, _lines(printed)), "")


def is_shown_done(kind: str, printed: str) -> bool:
    """True where a line shows that it was done, whatever came after it: "branch 'fix' set up to track 'origin/fix'"."""
    if kind not in _DONE:
        return False
    return any(_DONE[kind].match(line) or (kind == "push" and _is_pushed(line)) for line in _lines(printed))


def _lines(printed: str) -> list[str]:
    return [line.strip()[:_LONGEST] for line in printed.splitlines()[-_MOST:]]


def _is_pushed(line: str) -> bool:
    """True for "1a2b3c4..8c1d2e3  main -> main" and "* [new branch]  fix -> fix"."""
    return " -> " in line and not line.startswith("!")
