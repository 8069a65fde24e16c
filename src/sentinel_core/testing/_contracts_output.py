"""The contract of every output."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import panel_of
from sentinel_core.judging.output.findings import decoded, fingerprints, identity_of
from sentinel_core.judging.output.record import Extra, Record, Recorder, Unread, parse
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.text import render_report
from sentinel_core.judging.records import Readable
from sentinel_core.offers import Output, Signal
from sentinel_core.report import Detection, Finding
from sentinel_core.runtime.printable import printable_json
from sentinel_core.testing._contracts_base import Contract, require, require_taken
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_report, encode_trace
from sentinel_core.traces.sources import FileSource

__all__ = ["OutputContract"]

_UGLY = "a\x1b[31m\x07\x00b\x9d0;c\u202ed\x85<script>]]>&\"'|`%0A::error::\r\ne"
_RAW = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_EXTRAS: frozenset[Extra] = frozenset({"text", "line", "rules", "page"})


def _says(index: TraceIndex) -> Detection:
    text = index.messages[0].content
    finding = Finding(rule="said", severity="warning", text=f"It says {text}.", message_index=0, quote=text)
    return Detection(score=0.9, findings=[finding])


class OutputContract(Contract, given=("make",)):
    """Subclass it, and give the output."""

    def make(self) -> Output:
        """The output as the plugin offers it."""
        raise NotImplementedError("make() must return the Output to test")

    def write(self, records: Sequence[Record], settings: OutputSettings | None = None) -> bytes:
        """All that the output writes for these records."""
        stream = io.BytesIO()
        document = self.make().open(stream, settings or OutputSettings())
        for record in records:
            document.add(record)
        document.finish()
        return stream.getvalue()

    def record(self, folder: Path, trace_id: str, text: str) -> Record:
        """A judged record whose trace has this id, and one finding that quotes this text."""
        trace = ExecutionTrace(trace_id=trace_id, messages=(Message(role="assistant", content=text),))
        path = folder / "trace.json"
        path.write_bytes(encode_trace(trace))
        file = FileSource(path=path, label="trace.json")
        outcome = Readable(trace=trace, file=file, grain="file", number=1, reader="native")
        report = evaluate(TraceIndex(trace), panel_of(Signal(name="mine", summary="s", detect=_says)))
        data = printable_json(encode_report(report))
        return parse(Recorder(_EXTRAS).record(report, data, outcome, render_report(report, origin="record 1")))

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "outputs")

    def test_an_empty_run_can_be_written(self) -> None:
        """A run without records ends without an error."""
        self.write(())

    def test_same_bytes_twice(self, tmp_path: Path) -> None:
        """The same records give the same bytes."""
        records = [self.record(tmp_path, name, "Hello.") for name in ("b", "a")]
        require(self.write(records) == self.write(records), "the same records must give the same bytes")

    def test_hostile_text_is_harmless(self, tmp_path: Path) -> None:
        """No control or direction character of an id, a quote or a message is written as it is."""
        refused = Record(error=Unread(message=f"cannot be read: {_UGLY}", source=f"x{_UGLY}.json", line=3))
        text = self.write([self.record(tmp_path, _UGLY, _UGLY), refused]).decode("utf-8", "replace")
        found = _RAW.search(text)
        around = "" if found is None else ascii(text[max(0, found.start() - 20) : found.end() + 20])
        require(found is None, f"a control character must be escaped (runtime.printable does): {around}")

    def test_a_refused_record_is_told(self, tmp_path: Path) -> None:
        """A record that could not be judged is no success: what is written differs from a run without it."""
        judged = self.record(tmp_path, "fine", "Hello.")
        refused = Record(error=Unread(message="is not JSON", source="broken.json"))
        if self.make().name != "text":  # the command prints it on standard error instead
            require(self.write([judged, refused]) != self.write([judged]), "a refused record must be written, too")

    def test_a_baseline_is_taken(self, tmp_path: Path) -> None:
        """Findings that a baseline knows are written without an error, and new ones, too."""
        record = self.record(tmp_path, "known", "Hello.")
        report = decoded(record.report)
        known = frozenset(fingerprints(report, identity_of(report["trace_id"], record.label, record.source)))
        for update in (False, True):
            settings = OutputSettings(has_baseline=True, updates_baseline=update, known=known)
            self.write([record, self.record(tmp_path, "new", "Goodbye.")], settings)
