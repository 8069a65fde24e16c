"""What the real files hold, each counted once by hand, and the hash of what its reader makes of it.

A row: file, format, traces, messages, calls, results, prompt tokens, completion tokens, children, and the SHA-256 of the
traces in the native format, a line each. ``-``: the file tells no tokens.
"""

FILES = """
adk/sample.session.json                                                           adk             1    9    2   2   -       -      0  68e73d9ac724560cc55da0615891e26fef591bf30fcb7a7b25b794738706b52e
atif/openhands_hello-world.trajectory.json                                        atif            1    7    2   1   220     80     0  8e2a656a82625b4cf2f000f64a97b1b0d2df164753ac4de8314e573bc256b7f6
atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.json  atif            1    8    0   0   2252    160    0  441bf65efa4ee73adf26fc0808db222969febb6decdc39a531ebcfff83ea6794
claude-code/claude-code-log/edge_cases.jsonl                                      claude-code     1    12   3   1   488     435    0  55960f85dd7a2dcbb9f7a7b2b7ceac4b05949289f52891c202d71af7121a7690
claude-code/claude-code-log/representative_messages.jsonl                         claude-code     1    11   2   2   218     445    0  cc2b4498b21263acfd18cf7d18cdac95c3d8e4ffe19781df96f047bc94d52ea8
claude-code/inspect_scout/agent-atest01.jsonl                                     claude-code     1    4    1   1   200     60     0  473ba5b8df2a77afe0542e6a0055cf392b8f3ea7b4e7d8f41cf330ff7d27eac2
claude-code/inspect_scout/agent_session.jsonl                                     claude-code     1    4    1   1   300     80     1  103c8a60475ad3768a64ffd0f31f50e526b376adf0e840378d954eee445c31c7
claude-code/inspect_scout/compaction_session.jsonl                                claude-code     1    5    0   0   180     40     0  b3b397894fe956413f9bb5231d77b0adf4a3923e801312b60136b1afb77d3959
claude-code/inspect_scout/simple_conversation.jsonl                               claude-code     1    4    0   0   250     50     0  f0bb241d7d17f6be6c681e4fa71fb1a1199d2fcff0aa840cef0999ca4855d36b
claude-code/inspect_scout/tool_call_conversation.jsonl                            claude-code     1    4    1   1   600     90     0  1c00f3dca7435d18ed37316ecbb719a0e3a70bc7b1b6963bbba5415c3a720219
inspect/2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval      inspect         100  200  0   0   11102   25135  0  6db23d29241c0ba9b307e2b6124e38efb07ef6bc6379155fbbb32b2dff6781a2
openai-chat/tau-bench-gpt-4o-airline-16.json                                      openai-chat     16   504  95  95  -       -      0  452b60592cf5f0f2ea7286b0530576e527bed186e2ad8deed3ee8ae046d2caf8
openhands/output.jsonl                                                            openhands       2    52   26  24  -       -      0  015dbc68c19ccbe12ac09f4e19a43a16d1850f5d00e691649b025402f8769611
otlp/agentevals/helm.json                                                         jaeger          1    5    1   1   3776    130    0  0228c9337d08bbee39b8092bf7232bbde1349a86716cf2592b59cadacb3b1737
otlp/agentevals/tempo_export_with_batches.json                                    otlp            1    5    1   1   4648    129    0  48cf3769b4a005b7bbede1491d8d00311d9c6dbf6cee1a91098faa4fa4c1b2af
otlp/openinference/openinference_client_span_input_output_only.json               otlp            1    4    1   1   97      52     0  684e0d1f831c3ebded3abd575168dcc9de7f667918f031a81ea83439ac68c570
otlp/openinference/openinference_client_span_tool_calls.json                      otlp            1    4    1   1   97      52     0  863f3f18dcbcf3f490dfb495b180a5a59914767bb94b7a879a396c5e14ed53d1
otlp/openinference/otel_genai_client_span_tool_calls.json                         otlp            1    4    1   1   97      52     0  a29279c10c76c2383ee3297742c000177c434d8338baf974ecd5aaa92afe180f
otlp/openinference/otel_genai_deprecated_client_span_tool_calls.json              otlp            1    4    1   1   97      52     0  03b78603dd626e3a01d70eef5095e6182e57904ae6f2637de84ffd08066edf85
otlp/openinference/otel_genai_tool_execution_span.json                            otlp            1    2    1   1   -       -      0  f57fe86badceca96bf298db13d2473a0e44714d07070aea8aa69e5e97372d9cd
swe-agent/function_calling_simple.traj                                            swe-agent       1    12   5   5   -       -      0  96a6c553757c4e331e6504be73c8a7ada4341a78130e6203d7379c1d169cf66e
swe-agent/katy.traj                                                               swe-agent       1    37   18  17  -       -      0  c87e2ef6ceb8f2b78c570242daf200e4221e087fe4e066e8b935615c4c28a05c
swe-agent/mini/local.traj.json                                                    mini-swe-agent  1    6    2   2   -       -      0  e6244f62c79bc383031b3793d928bc5faa940d2fdc73055641139dabc101d140
swe-agent/pydicom__pydicom-1458.traj                                              swe-agent       1    26   12  12  122612  1369   0  32165e156d0b3d04937ae795d3377fb28a61dacd795ab2be6738eb25a2a22d25
"""

# Runs in which something did go wrong: the position of the trace in its file, and how often each rule finds something.
FINDINGS = {
    # A tool that fails and is not called again.
    "claude-code/claude-code-log/edge_cases.jsonl": {0: {"ending.error_last": 1, "tool_misuse.failed_call": 1}},
    # Bookings that the tool refuses, put right or given up later; a flight that was to be cancelled and was not; in one the same refused
    # call comes again and again.
    "openai-chat/tau-bench-gpt-4o-airline-16.json": {
        0: {"tool_misuse.failed_call": 1},
        1: {"ending.order_not_carried_out": 1},
        6: {"loop.identical_calls": 1, "tool_misuse.failed_call": 6},
        15: {"tool_misuse.failed_call": 2},
    },
    # The same edit twice in a row, and files opened again that had not changed.
    "openhands/output.jsonl": {1: {"loop.identical_calls": 2}},
    # The last script runs into its time limit, and the agent submits what it has.
    "swe-agent/katy.traj": {0: {"ending.handed_in_after_failure": 1, "tool_misuse.failed_call": 1}},
    # A script that fails to show the bug, then three edits refused for their syntax, two of them the same.
    "swe-agent/pydicom__pydicom-1458.traj": {0: {"loop.identical_calls": 1, "tool_misuse.failed_call": 4}},
}
