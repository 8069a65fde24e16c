"""How calls and their output are spelt where an agent writes them as text."""

import re
from typing import NamedTuple

from sentinel_signal_hallucination.tables import regex

__all__ = ["MARKS", "Mark"]


class Mark(NamedTuple):
    """Spellings of a call or of output, none without the gate, nor that without the sign, which is quickly searched for. Group ``tool``, where given, is the tool."""

    rule: str
    sign: str
    gate: str
    pattern: re.Pattern[str]


MARKS = (
    Mark("imitated_call", "<", "<invoke name=", regex(r"<invoke name=[\"'](?P<tool>[^\"'\n]{1,100})")),
    Mark("imitated_call", "<", "<function", regex(r"<function_calls?>|<function=(?P<tool>[\w.-]{1,100})>")),
    Mark("imitated_call", "_", "tool_call", regex(r"</?tool_call>|\[tool_calls?\s?:")),
    Mark("imitated_call", '"', '"name"', regex(r"\"name\"\s{0,4}:\s{0,4}\"(?P<tool>[^\"\n]{1,100})\"\s{0,4},\s{0,4}\"(?:arguments|parameters|input)\"\s{0,4}:\s{0,4}\{")),
    Mark("imitated_output", "_", "tool_res", regex(r"<tool_response>|<tool_results?>|\[tool_results?\s?:")),
    Mark("imitated_output", "<", "<function_result", regex(r"<function_results?>")),
    Mark("imitated_output", "`", "```tool_output", regex(r"```tool_outputs?\b")),
    Mark("imitated_output", "O", "Observation", regex(r"Action(?<!\wAction)(?: \d{1,3})?:[^\n]{1,400}(?:\n\s{0,8}Action Input[^\n]{0,400})?\s{0,8}Observation(?: \d{1,3})?:")),
    Mark("imitated_output", "<", "</", regex(r"</(?:execute|tool_call|code)>\s{0,8}(?:Observation(?: \d{1,3})?|(?:Code |Execution )?[Oo]utput):")),
)  # fmt: skip
