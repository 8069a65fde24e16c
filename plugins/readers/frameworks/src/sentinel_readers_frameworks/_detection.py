"""Recognises dumped chats by keys that no other format has; keys inside a string have escaped quotes and do not count."""

import re

__all__ = ["sniff_agno", "sniff_ai_sdk", "sniff_bedrock", "sniff_genai", "sniff_llama_index", "sniff_semantic_kernel",
"sniff_smolagents", "sniff_strands"]  # fmt: skip

# Platforms and telemetry that hold such messages in records of their own.
_OTHERS = (
    b'"invocationId"', b'"invocation_id"', b'"observations"', b'"parentUuid"', b'"part_kind"', b'"resourceSpans"',
    b'"run_type"', b'"sessionId"', b'"spanId"', b'"span_id"', b'"traceId"',
)  # fmt: skip
_UNTYPED_TEXT = rb'"content"\s{0,9}:\s{0,9}\[\s{0,99}\{\s{0,99}"text"\s{0,9}:\s{0,9}"(?:[^"\\]|\\.){0,4096}"\s{0,99}\}'
_UI_PART = rb'"type"\s{0,9}:\s{0,9}"(?:tool-(?!call"|result")[^"]{1,128}|dynamic-tool|step-start)"'
_UI_TEXT = rb'"parts"\s{0,9}:\s{0,9}\[\s{0,99}\{\s{0,99}"type"\s{0,9}:\s{0,9}"text"\s{0,9},\s{0,99}"text"'
_PARTS = rb'"parts"\s{0,9}:\s{0,9}\[\s{0,99}\{'
_GEMINI = rb'"role"\s{0,9}:\s{0,9}"model"|"function_?(?:Call|call|Response|response)"\s{0,9}:\s{0,9}\{|"(?:contents|candidates)"\s{0,9}:\s{0,9}\['
_KERNEL = rb'"content_type"\s{0,9}:\s{0,9}"(?:message|function_call|function_result)"'
_AGNO = rb'"(?:from_history|tool_call_error)"\s{0,9}:\s{0,9}(?:true|false)|"run_data"\s{0,9}:\s{0,9}\{\s{0,99}"run_id"'


def _is_json(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[") and not any(key in head for key in _OTHERS)


def sniff_bedrock(head: bytes, filename: str) -> int:
    """90 for a call or a result of Converse, 75 for its texts, which have no type; 0 where another reader knows what is around them."""
    if not _is_json(head) or b'"role"' not in head or sniff_strands(head, filename):
        return 0
    if b'"toolUseId"' in head and (b'"toolUse"' in head or b'"toolResult"' in head):
        return 90
    return 75 if b'"type"' not in head and re.search(_UNTYPED_TEXT, head) is not None else 0


def sniff_strands(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """94 for a message with its number in a session."""
    keys = (b'"message"', b'"message_id"', b'"redact_message"')
    return 94 if _is_json(head) and all(key in head for key in keys) else 0


def sniff_genai(head: bytes, filename: str) -> int:
    """88 for contents whose parts have no type."""
    if not _is_json(head) or sniff_ai_sdk(head, filename) or re.search(_PARTS, head) is None:
        return 0
    return 88 if re.search(_GEMINI, head) is not None else 0


def sniff_ai_sdk(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """90 for a tool's part, 85 for texts among parts."""
    if not _is_json(head) or b'"role"' not in head or b'"parts"' not in head:
        return 0
    return 90 if re.search(_UI_PART, head) is not None else 85 if re.search(_UI_TEXT, head) is not None else 0


def sniff_semantic_kernel(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """92 for messages with items."""
    return 92 if _is_json(head) and b'"items"' in head and re.search(_KERNEL, head) is not None else 0


def sniff_llama_index(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """92 for messages with blocks."""
    return 92 if _is_json(head) and b'"block_type"' in head and b'"blocks"' in head else 0


def sniff_smolagents(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """92 for a step's own keys."""
    own = (b'"task_images"', b'"model_output_message"', b'"code_action"', b'"observations_images"')
    is_json = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    return 92 if is_json and (b'"task_images"' in head or sum(key in head for key in own) > 1) else 0


def sniff_agno(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """91 for messages with Agno's marks."""
    return 91 if _is_json(head) and b'"role"' in head and re.search(_AGNO, head) is not None else 0
