"""What the real files hold, each counted once by hand, and the hash of what its reader makes of it.

A row: file, format, traces, messages, calls, results, prompt tokens, completion tokens, children, and the SHA-256 of the
traces in the native format, a line each. ``-``: the file tells no tokens.
"""

FILES = """
adk/sample.session.json                                                           adk             1    9    2   2   -       -      0  8115c4a508850851a32fec06217d9de47f8b4d27a599435b69cc716dbae8a110
atif/openhands_hello-world.trajectory.json                                        atif            1    7    2   1   220     80     0  29cae6a0a02898d68ee1bac7c12598a0828779979d6aeda7f9c346d346a415f1
atif/terminus_2_hello-world-context-summarization-linear-history.trajectory.json  atif            1    8    0   0   2252    160    0  1d802d2a3e3d5ed2171b1fbe2413d0c8fc02846bef6ae96c935727ccd0f06f8a
claude-code/claude-code-log/edge_cases.jsonl                                      claude-code     1    12   3   1   488     435    0  3fcdce8a4ffc978a9a42fb8235da8e79fcaeb9fca6d75e7645c373d110fa3321
claude-code/claude-code-log/representative_messages.jsonl                         claude-code     1    11   2   2   218     445    0  1f9c8ed1b748571bc200026a667af030e8d92e980fa9b38129a4151d55697715
claude-code/inspect_scout/agent-atest01.jsonl                                     claude-code     1    4    1   1   200     60     0  f84924314956d9097307ef64949aaea1d51afe2f1396c30fa9e2f0fad03e430a
claude-code/inspect_scout/agent_session.jsonl                                     claude-code     1    4    1   1   300     80     1  eeb66b2c68d4d5fc93546bc5ed5f2223efd4a5e3bfc626f3519bfe98eedb86d6
claude-code/inspect_scout/compaction_session.jsonl                                claude-code     1    5    0   0   180     40     0  1ec1936ebee80d6a27e9d489bdcf62efd4470d5ff8aa9fe6e42a7c4ae8eccc66
claude-code/inspect_scout/simple_conversation.jsonl                               claude-code     1    4    0   0   250     50     0  e5c5c718672df2920ffe68be77e7670d97b0e2f1baaaf0e184efdc9b639b6d3f
claude-code/inspect_scout/tool_call_conversation.jsonl                            claude-code     1    4    1   1   600     90     0  ff873330cf40d68b14cb55f589bb5df292c0fec041033e2119ba3e5712cceb04
inspect/2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval      inspect         100  200  0   0   11102   25135  0  1fcf4e7edac7bae4bac6a50a09b485e294b8a22c62c94304fa31072d43b6fda8
openai-chat/tau-bench-gpt-4o-airline-16.json                                      openai-chat     16   504  95  95  -       -      0  67589de3ad9b96a30f6cc535cbd3bc06d3ba72b85429aaa41fbf49c8abb7d33b
openhands/output.jsonl                                                            openhands       2    52   26  24  -       -      0  ffae16bfd45fcbacd1873c34d6779a7aaa57ead39745a115db11f345ff58fac0
otlp/agentevals/helm.json                                                         jaeger          1    5    1   1   3776    130    0  808a7a76da86bc4f23ebecc839e2981813136190d174fb0ed150b9872c8af225
otlp/agentevals/tempo_export_with_batches.json                                    otlp            1    5    1   1   4648    129    0  de5e077e044f6e4bf54bd3c557a1e51421aa3f90eea3a6d0ed29e665c9c2bcf7
otlp/openinference/openinference_client_span_input_output_only.json               otlp            1    4    1   1   97      52     0  5d73831000035343833efc76113de4afb498978cef6b92c1218f2d3f83870d0b
otlp/openinference/openinference_client_span_tool_calls.json                      otlp            1    4    1   1   97      52     0  e56c84a34bf86b599cc94ae260a4321b7816898832ed9ffc5c30a1799b472813
otlp/openinference/otel_genai_client_span_tool_calls.json                         otlp            1    4    1   1   97      52     0  c5d617e6d38f5b8170248d4e1dc4f6a1945412bf4540cff092bc39cc1b6f691b
otlp/openinference/otel_genai_deprecated_client_span_tool_calls.json              otlp            1    4    1   1   97      52     0  1d5cf6d0b17613d59fb3aa5464db6e32bfa4ca8a9614b35168478c04d9622f93
otlp/openinference/otel_genai_tool_execution_span.json                            otlp            1    2    1   1   -       -      0  b6c9358be27f2228f6b21890aec312eef3fd82544a304bdee35df481e75852b4
swe-agent/function_calling_simple.traj                                            swe-agent       1    12   5   5   -       -      0  454c3e531f286ca895ef34c8526e114c769da6d7193f5783b36869f9be895018
swe-agent/katy.traj                                                               swe-agent       1    37   18  17  -       -      0  d0b5ff59b6e3e17b2626346fa3b7ed8efd1601247ed4fc4e5f5948e0b7db68f3
swe-agent/mini/local.traj.json                                                    mini-swe-agent  1    6    2   2   -       -      0  c1a2910d05690e13b46514062d8c4edc266014862136cc3b1da15b7e3bab388a
swe-agent/pydicom__pydicom-1458.traj                                              swe-agent       1    26   12  12  122612  1369   0  a4a1b71b31cfe127b35704c68b0e9d10a322db5586cd227bef2daee03288b3d1
"""

# Runs in which something did go wrong: the position of the trace in its file, and how often each rule finds something.
FINDINGS = {
    # A tool that fails and is not called again; a call after which the session goes on without a result.
    "claude-code/claude-code-log/edge_cases.jsonl": {
        0: {"ending.error_last": 1, "hallucination.call_without_result": 1, "tool_misuse.failed_call": 1}
    },
    # Bookings that the tool refuses, put right or given up later; in one the same refused call comes again and again.
    "openai-chat/tau-bench-gpt-4o-airline-16.json": {
        0: {"tool_misuse.failed_call": 1},
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
