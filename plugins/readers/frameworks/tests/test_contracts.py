import json
from pathlib import Path

from tables import each_row

from sentinel_core import ExecutionTrace, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_core.traces.sources import choose_reader
from sentinel_readers_frameworks import sentinel_trace_readers

DATA = Path(__file__).parent / "data"
READERS = {reader.name: reader for reader in sentinel_trace_readers()}
FILES = sorted(path.name for path in DATA.iterdir())
NATIVE = b'{"trace_id": "t", "messages": [{"role": "user", "content": "hi", "tool_calls": [], "tool_results": []}]}'
OPENAI = b'{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": []}]}'
CLAUDE = b'{"sessionId": "s", "uuid": "u", "parentUuid": null, "type": "user", "message": {"role": "user"}}'
SWE_AGENT = b'{"trajectory": [], "history": [{"role": "user", "content": "x", "agent": "main"}], "info": {}}'
OTLP = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "name": "invoke_agent", "kind": 1}]}]}]}'
CALL = {"toolUse": {"toolUseId": "c1", "name": "cancel_order", "input": {"order": "A-7"}}}
STRANDS = json.dumps(
    {
        "message": {"role": "assistant", "content": [{"text": "I cancel it."}, CALL], "tracking_id": "t-1"},
        "message_id": 0,
        "redact_message": None,
        "created_at": "2026-01-02T03:04:05.678901+00:00",
        "updated_at": "2026-01-02T03:04:05.678901+00:00",
    }
).encode()
OTHERS = {"native": NATIVE, "openai": OPENAI, "claude": CLAUDE, "swe-agent": SWE_AGENT, "otlp": OTLP}


class OfFile(TraceReaderContract):
    file = ""

    def make(self) -> TraceReader:
        return READERS[self.file.rpartition("-")[0]]

    def sample(self) -> bytes:
        return (DATA / self.file).read_bytes()

    def filename(self) -> str:
        return self.file


class TestAdk(OfFile):
    file = "adk-clean.json"


class TestAgno(OfFile):
    file = "agno-clean.json"


class TestAiSdk(OfFile):
    file = "ai-sdk-clean.json"


class TestAutogen(OfFile):
    file = "autogen-clean.json"


class TestBedrockConverse(OfFile):
    file = "bedrock-converse-clean.json"


class TestGeminiCli(OfFile):
    file = "gemini-cli-clean.jsonl"


class TestGoogleGenai(OfFile):
    file = "google-genai-clean.json"


class TestLangchain(OfFile):
    file = "langchain-clean.json"


class TestLangfuse(OfFile):
    file = "langfuse-clean.json"


class TestLangsmith(OfFile):
    file = "langsmith-clean.json"


class TestLlamaIndex(OfFile):
    file = "llama-index-clean.json"


class TestPydanticAi(OfFile):
    file = "pydantic-ai-clean.json"


class TestSemanticKernel(OfFile):
    file = "semantic-kernel-clean.json"


class TestSmolagents(OfFile):
    file = "smolagents-clean.json"


class TestStrands(TraceReaderContract):
    def make(self) -> TraceReader:
        return READERS["strands"]

    def sample(self) -> bytes:
        return STRANDS

    def filename(self) -> str:
        return "message_0.json"


def test_every_reader_has_two_files():
    assert {name.rpartition("-")[0] for name in FILES} == READERS.keys() - {"strands"}  # a file for each message
    assert len(FILES) == 2 * (len(READERS) - 1)


@each_row("name", FILES)
def test_the_right_reader_is_surest(name):
    from sentinel_readers_native import sentinel_trace_readers as native

    source = BytesSource(data=(DATA / name).read_bytes(), name=name)
    assert choose_reader(source, [*READERS.values(), *native()]).name == name.rpartition("-")[0]


@each_row("name", OTHERS)
@each_row("reader", READERS)
def test_other_formats_are_left_alone(name, reader):
    assert READERS[reader].sniff(OTHERS[name], "x.json") == 0


@each_row("name", [name for name in FILES if "-clean" in name])
def test_clean_runs_have_no_finding(name):
    (trace,) = READERS[name.rpartition("-")[0]].read(BytesSource(data=(DATA / name).read_bytes()))
    assert isinstance(trace, ExecutionTrace)
    report = evaluate_trace(trace)
    assert (report.verdict, report.findings) == ("PASS", ())


@each_row("name", [name for name in FILES if "-rough" in name])
def test_rough_runs_have_no_finding_but_the_failed_calls(name):
    """Parallel calls, retries, cancelled and server-side calls are no findings; the errors that are there are."""
    for trace in READERS[name.rpartition("-")[0]].read(BytesSource(data=(DATA / name).read_bytes())):
        if isinstance(trace, ExecutionTrace):
            rules = {finding.rule for finding in evaluate_trace(trace).findings}
            assert "tool_misuse.failed_call" in rules
            assert rules <= {
                "tool_misuse.failed_call",
                "tool_misuse.arguments_not_json",
                "ending.answered_after_failure",
                "ending.error_last",
                "ending.failure_told",
            }
