"""Files whose tests failed, and whether a later run had them."""

from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex
from sentinel_core.evaluate.facts.failing import failing_files, left_failing

TWO = "FAILED tests/test_a.py::test_one - assert 1\nFAILED tests/test_b.py::test_two\n2 failed, 76 passed in 3.9s"
GREEN = "9 passed in 0.8s"


def left(*steps):
    messages = [Message(role="user", content="Get it green.")]
    for number, (command, shown) in enumerate(steps):
        call = ToolCall(id=f"c{number}", name="Bash", arguments={"command": command})
        messages += [Message(role="assistant", tool_calls=[call])]
        messages += [Message(role="tool", tool_results=[ToolResult(tool_call_id=call.id, content=shown)])]
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=messages))
    found = left_failing([(call, check) for call in index.calls for check in call.checks], index.calls)
    return None if found is None else (found[0].position, found[1])


@each_row(
    ("output", "files"),
    [
        (TWO, ("tests/test_a.py", "tests/test_b.py")),
        (
            "FAIL src/cart.test.ts\n  ✕ adds (2 ms)\nFAIL  src/tax.test.ts > rounds",
            ("src/cart.test.ts", "src/tax.test.ts"),
        ),
        ("rspec ./spec/cart_spec.rb:12 # Cart adds", ("spec/cart_spec.rb",)),
        (" ❯ src/a.test.ts (5 tests | 1 failed)", ("src/a.test.ts",)),
        ("FAIL\texample.com/pkg\t0.2s", ()),
        ("3 passed", ()),
    ],
)
def test_the_files_are_read_from_what_a_run_printed(output, files):
    assert failing_files(output) == files


@each_row(
    ("steps", "found"),
    [
        ([("pytest", TWO), ("pytest tests/test_a.py", GREEN)], (0, "tests/test_b.py")),
        ([("pytest", TWO), ("pytest tests/test_a.py::test_one", GREEN)], (0, "tests/test_b.py")),
        ([("pytest", TWO), ("pytest tests/unit", GREEN)], (0, "tests/test_a.py")),
        ([("pytest", TWO), ("pytest tests/test_a.py", "FAILED tests/test_a.py::test_one\n1 failed in 1s")], (1, "tests/test_a.py")),
        ([("pytest", TWO), ("pytest", GREEN)], None),
        ([("pytest", TWO), ("pytest tests", GREEN)], None),
        ([("pytest", TWO), ("pytest /work/tests/test_a.py tests/test_b.py", GREEN)], None),
        ([("pytest", TWO), ("pytest tests/test_a.py", GREEN), ("pytest tests/test_b.py", GREEN)], None),
        ([("pytest", TWO), ("pytest -k one", GREEN)], None),  # nobody knows what it had
        ([("pytest", TWO), ("pytest tests/test_a.py", "odd")], None),
        ([("pytest", TWO), ("git rm tests/test_b.py", ""), ("pytest tests/test_a.py", GREEN)], None),
        ([("pytest", "2 failed, 76 passed in 3.9s"), ("pytest tests/test_a.py", GREEN)], None),
        ([("pytest", GREEN)], None),
    ],
)  # fmt: skip
def test_a_file_stays_open_until_a_run_has_it_again(steps, found):
    assert left(*steps) == found
