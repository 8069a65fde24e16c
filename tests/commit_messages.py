"""Holds commit messages to their form: a subject of at most 72 characters, an empty line, and a body.

    python tests/commit_messages.py .git/COMMIT_EDITMSG

Run by ``pre-commit`` before each commit; ``tests/ci/test_commit_messages.py`` judges the history.
"""

import re
import sys
from pathlib import Path

__all__ = ["faults", "written"]

LONGEST_SUBJECT = 72
SCISSORS = re.compile(r"^. -+ >8 -+$.*", re.MULTILINE | re.DOTALL)
PASSING = ("Merge ", "fixup! ", "squash! ", "amend! ")  # git writes these, and a rebase ends the last three


def faults(message: str) -> list[str]:
    """What is wrong with a message; nothing where its form holds."""
    subject, *rest = message.strip().split("\n")
    found = []
    if len(subject) > LONGEST_SUBJECT:
        found.append(f"the subject has {len(subject)} characters; {LONGEST_SUBJECT} are allowed: {subject}")
    if rest and rest[0].strip():
        found.append(f"no empty line after the subject: {subject}")
    if not "".join(rest).strip():
        found.append(f"no body that says why: {subject}")
    return found


def written(text: str) -> str:
    """What a commit will say, of what an editor holds: without git's comments."""
    return "\n".join(line for line in SCISSORS.sub("", text).split("\n") if not line.startswith("#"))


if __name__ == "__main__":
    message = written(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.exit("\n".join([] if message.startswith(PASSING) else faults(message)) or 0)
