"""How calls and their output are spelt where an agent writes them as text."""

from sentinel_signal_hallucination.tables import regex

__all__ = ["MARKS", "Mark"]


class Mark:
    """One spelling of a call or of output. Group ``tool``, where given, is the tool.

    The sign, one character where there is a rare one, is searched for first, then the gate: most texts hold neither.
    """

    __slots__ = ("gate", "pattern", "rule", "sign")

    def __init__(self, rule: str, sign: str, gate: str, pattern: str) -> None:
        self.rule = rule
        self.sign = sign
        self.gate = gate
        self.pattern = regex(pattern)


MARKS: tuple[Mark, ...] = (
    Mark("imitated_call", "<", "<invoke name=", r"<invoke name=[\"'](?P<tool>[^\"'\n]{1,100})"),
    Mark("imitated_call", "<", "<function_call", r"<function_calls?>"),
    Mark("imitated_call", "<", "<tool_call>", r"<tool_call>"),
    Mark("imitated_call", "<", "</tool_call>", r"</tool_call>"),
    Mark("imitated_call", "<", "<function=", r"<function=(?P<tool>[\w.-]{1,100})>"),
    Mark("imitated_call", "[", "[tool_call", r"\[tool_calls?\s?:"),
    Mark(
        "imitated_call",
        "{",
        '"name"',
        r"\"name\"\s{0,4}:\s{0,4}\"(?P<tool>[^\"\n]{1,100})\"\s{0,4},\s{0,4}\"(?:arguments|parameters|input)\"\s{0,4}:\s{0,4}\{",
    ),
    Mark("imitated_output", "<", "<tool_response>", r"<tool_response>"),
    Mark("imitated_output", "<", "<tool_result", r"<tool_results?>"),
    Mark("imitated_output", "<", "<function_result", r"<function_results?>"),
    Mark("imitated_output", "[", "[tool_result", r"\[tool_results?\s?:"),
    Mark("imitated_output", "`", "```tool_output", r"```tool_outputs?\b"),
    Mark(
        "imitated_output",
        "O",
        "bservation",
        r"\bAction(?: \d{1,3})?:[^\n]{1,400}(?:\n\s{0,8}Action Input[^\n]{0,400})?\s{0,8}Observation(?: \d{1,3})?:",
    ),
    Mark(
        "imitated_output",
        "<",
        "</",
        r"</(?:execute|tool_call|code)>\s{0,8}(?:Observation(?: \d{1,3})?|(?:Code |Execution )?[Oo]utput):",
    ),
)
