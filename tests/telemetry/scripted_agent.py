"""A small agent with OpenAI's SDK and somebody else's instrumentation, both unchanged: run as a program of its own.

    python scripted_agent.py official|openinference MODEL_URL receive|processor

With ``receive`` its spans go where OTEL_EXPORTER_OTLP_ENDPOINT says; with ``processor`` they are judged in passing, and
each report is printed as a line of JSON.
"""

import json
import sys

import openai
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

TOOLS = [{"type": "function", "function": {"name": "get_stock", "parameters": {"type": "object", "properties": {}}}}]


def instrument(name: str, provider: TracerProvider) -> None:
    if name == "official":
        from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
    else:
        from openinference.instrumentation.openai import OpenAIInstrumentor
    OpenAIInstrumentor().instrument(tracer_provider=provider)


def processor_of(way: str):
    if way == "receive":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return BatchSpanProcessor(OTLPSpanExporter())
    from sentinel_core.telemetry import SentinelSpanProcessor
    from sentinel_core.traces.codec import encode_report

    return SentinelSpanProcessor(on_report=lambda report: sys.stdout.write(f"{encode_report(report).decode()}\n"))


def work(url: str) -> None:
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        messages = [{"role": "user", "content": "How many sacks are there? Cancel order 17 if there are enough."}]
        while True:
            answer = client.chat.completions.create(model="mill-1", messages=messages, tools=TOOLS)
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return
            messages += (
                {"role": "tool", "tool_call_id": call.id, "content": json.dumps({"sacks": 7})}
                for call in message.tool_calls
            )


def main() -> None:
    name, url, way = sys.argv[1:]
    provider = TracerProvider()
    provider.add_span_processor(processor_of(way))
    instrument(name, provider)
    with provider.get_tracer("agent").start_as_current_span("run"):
        work(url)
    provider.shutdown()


if __name__ == "__main__":
    main()
