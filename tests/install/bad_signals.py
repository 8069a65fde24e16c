"""Signals that break every promise a signal makes: name, source of the module, and what must be said of it."""

_HEAD = "from sentinel_core import Detection, Finding, Signal, hookimpl\n"
_TAIL = """
@hookimpl
def sentinel_signals():
    return [Signal(name={name!r}, summary="bad on purpose", detect=detect)]
"""


def _at_call(body: str) -> str:
    return f"{_HEAD}def detect(index):\n    {body}\n{_TAIL}"


def _at_import(body: str) -> str:
    return f"{_HEAD}{body}\ndef detect(index):\n    return 0.0\n{_TAIL}"


# name: (source, words that the error must hold)
BAD_SIGNALS = {
    "raises": (_at_call("raise RuntimeError('no luck')"), "raised RuntimeError: no luck"),
    "raises_base": (_at_call("raise BaseException('odd')"), "raised BaseException: odd"),
    "interrupts": (_at_call("raise KeyboardInterrupt"), "KeyboardInterrupt"),
    "recurses": (_at_call("return detect(index)"), "raised RecursionError"),
    "exits_at_call": (_at_call("import sys; sys.exit(0)"), "raised SystemExit: 0"),
    "ends_at_call": (_at_call("import os; os._exit(0)"), "ended the process with exit code 0"),
    "crashes": (_at_call("import os; os.kill(os.getpid(), 11)"), "was killed by signal 11 (SIGSEGV)"),
    "hangs": (_at_call("import time; time.sleep(600)"), "did not finish within 2 s"),
    "spins": (_at_call("while True: pass"), "did not finish within 2 s"),
    "eats_memory": (_at_call("x = [bytes(1 << 26) for _ in range(9999)]"), "raised MemoryError"),
    "nan": (_at_call("return float('nan')"), "score nan"),
    "infinite": (_at_call("return Detection(score=float('inf'))"), "score inf"),
    "negative": (_at_call("return -0.5"), "score -0.5"),
    "over_one": (_at_call("return Detection(score=1.0000001)"), "score 1.0000001"),
    "boolean": (_at_call("return True"), "returned bool"),
    "nothing": (_at_call("return None"), "returned NoneType"),
    "text": (_at_call("return '0.5'"), "returned str"),
    "bad_score": (_at_call("return Detection(score='0.5')"), "returned a Detection whose score is a str"),
    "bad_finding": (_at_call("return Detection(score=0.5, findings=['look'])"), "raised TypeError"),
    "bad_severity": (
        _at_call("return Detection(score=0.5, findings=[Finding(rule='x', severity='fatal', text='y')])"),
        "raised ValueError",
    ),
    "changes_arguments": (_at_call("index.calls[0].call.arguments.clear(); return 0.0"), "changed the trace"),
    "changes_metadata": (_at_call("index.trace.metadata['x'] = 1; return 0.0"), "changed the trace"),
    "changes_index": (_at_call("index.messages.clear(); index.calls.clear(); return 0.0"), "changed the trace"),
    "changes_text": (
        _at_call("object.__setattr__(index.messages[0], 'content', 'never said'); return 0.0"),
        "raised TypeError",
    ),
    "assigns": (_at_call("index.trace.trace_id = 'mine'; return 0.0"), "raised AttributeError"),
    "prints": (_at_call("print('PASS'); return 0.0"), "wrote to standard output"),
    "moves": (_at_call("import os; os.chdir('/'); return 0.0"), "changed the working directory"),
    "speaks": (_at_call("import locale; locale.setlocale(locale.LC_ALL, 'C'); return 0.0"), "changed the locale"),
    "raises_at_import": (_at_import("raise RuntimeError('no luck')"), "RuntimeError: no luck"),
    "exits_at_import": (_at_import("import sys; sys.exit(0)"), "SystemExit: 0"),
    "ends_at_import": (_at_import("import os; os._exit(0)"), "ended the process with exit code 0"),
    "crashes_at_import": (_at_import("import os; os.kill(os.getpid(), 11)"), "was killed by signal 11 (SIGSEGV)"),
    "slow_import": (_at_import("import time; time.sleep(600)"), "did not finish within 2 s"),
    "prints_at_import": (_at_import("print('PASS')"), "wrote to standard output"),
    "moves_at_import": (_at_import("import os; os.chdir('/')"), "changed the working directory"),
    "lacks_dependency": (_at_import("import no_such_package"), "No module named 'no_such_package'"),
    "syntax": (_at_import("def ("), "SyntaxError"),
    "unmarked": ("def sentinel_signals():\n    return []\n", "does not implement sentinel_signals"),
    "misnamed": (_at_import("").replace("{name!r}", "'another'"), 'offers nothing named "misnamed"'),
    "misoffered": (_HEAD + "@hookimpl\ndef sentinel_signals():\n    return ['signal']\n", "offered str"),
    "wraps": (
        _HEAD + "@hookimpl(wrapper=True)\ndef sentinel_signals():\n    return (yield)\n",
        "is a hook wrapper",
    ),
    "takes_arguments": (
        _HEAD + "@hookimpl\ndef sentinel_signals(config):\n    return []\n",
        "takes arguments (config)",
    ),
    "mistyped_hook": (_HEAD + "@hookimpl\ndef sentinel_signal():\n    return []\n", '"sentinel_signal" is not a hook'),
    "lists_nothing": (_HEAD + "@hookimpl\ndef sentinel_signals():\n    pass\n", "but returned None"),
    "unknown_type": (
        "import attrs\n"
        + _at_import("@attrs.frozen\nclass Settings:\n    a: 'Nope' = 1\n").replace(
            "detect)", "detect, settings=Settings)"
        ),
        'the type of its setting "a" cannot be resolved',
    ),
}


def source_of(name: str) -> str:
    """The module's text."""
    return BAD_SIGNALS[name][0].replace("{name!r}", repr(name))
