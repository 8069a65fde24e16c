"""Runs a batch from its first split to its summary, on any engine."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import attrs

from sentinel_core.judging.batch.assignment import Answer
from sentinel_core.judging.batch.manifest import Manifest
from sentinel_core.judging.batch.outputs import Output
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.records import CUT_SHORT

__all__ = ["Engine", "Talk", "run_batch"]

_BETWEEN_NOTES = 1.0
_SHARE_OF_NOTES = 20  # at most one twentieth of the time goes into the manifest

Engine = Callable[[int, list[str]], Iterator[Answer]]


@attrs.frozen(kw_only=True)
class Talk:
    """Callbacks of a batch: ``error_rows`` for records whose row is an error, and ``progress``.

    ``progress`` receives finished records and bytes of the input, including those of earlier runs.
    """

    error_rows: Callable[[Summary], None]
    progress: Callable[[int, int], None]


def run_batch(
    work: Manifest, output: Output, engine: Engine, talk: Talk, *, resume: bool
) -> tuple[Summary, str | None]:
    """Do all of ``work``, or the rest of it; returns the summary, and its place.

    ``engine(skip, columns)`` gives the answers from split ``skip`` on and fills in the signals' names. Raises ``InputError``
    if the work cannot be done or differs from what was begun, ``OSError`` if the output cannot be written.
    """
    begun = _begun(output, work) if resume else None
    try:
        output.begin(None if begun is None else begun.offset)
    except BaseException:
        output.close(forget=False)  # the existing files may be another batch's
        raise
    manifest = begun or work
    forget = not manifest.splits
    try:
        if not manifest.complete:
            output.note(manifest.encoded())
            talk.progress(manifest.summary.total, manifest.size)
            for answer in _noted(engine(manifest.splits, manifest.columns), manifest, output):
                forget = False
                talk.error_rows(answer.summary)
                talk.progress(manifest.summary.total, manifest.size)
            manifest.complete = True
            _note(manifest, output)
        place = output.finish(json.dumps(manifest.summary.document(), indent=1).encode())
    except BaseException:
        output.close(forget=forget)
        raise
    return manifest.summary, place


def _begun(output: Output, work: Manifest) -> Manifest | None:
    data = output.known()
    if data is None:
        return None
    begun = Manifest.decoded(data)
    begun.check(work)
    work.columns[:] = begun.columns
    begun.columns = work.columns  # the writer of tables holds this list
    return begun


def _noted(answers: Iterator[Answer], manifest: Manifest, output: Output) -> Iterator[Answer]:
    """Each answer after it is written; stores the manifest from time to time."""
    due = time.monotonic() + _BETWEEN_NOTES
    cut_short = _cut_short(manifest.summary)
    for given in answers:
        answer = _without_repeat(given, cut_short)
        with closing(answer):
            output.put(answer)
        manifest.summary.merge(answer.summary)
        manifest.splits += 1
        manifest.size += answer.split.size
        yield answer
        if time.monotonic() > due:
            started = time.monotonic()
            _note(manifest, output)
            now = time.monotonic()
            due = now + max(_BETWEEN_NOTES, (now - started) * _SHARE_OF_NOTES)


def _without_repeat(answer: Answer, cut_short: set[str]) -> Answer:
    """The answer; an empty one if it only repeats that a file was cut short, which every part reports."""
    files = _cut_short(answer.summary)
    if files and files <= cut_short and answer.summary.total == 1:
        answer.close()
        return Answer.to(answer.split)
    cut_short |= files
    return answer


def _cut_short(summary: Summary) -> set[str]:
    return {row["named"] for row in summary.unreadable if row["message"] == CUT_SHORT}


def _note(manifest: Manifest, output: Output) -> None:
    manifest.offset = output.settle()
    output.note(manifest.encoded())
