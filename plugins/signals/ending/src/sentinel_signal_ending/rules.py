"""What the signal can find."""

from sentinel_core import Rule

__all__ = ["RULES"]

RULES = (
    Rule(
        id="broken_off",
        severity="error",
        title="The run was cut off",
        since="0.1.0",
        help="A limit, a failure of the framework or the provider, or a call written as text ended the run, and nothing was"
        " submitted. Look at the quoted notice or the recorded outcome; raise the limit or fix the failure, and run the agent again.",
    ),
    Rule(
        id="handed_in_at_the_limit",
        severity="warning",
        title="An answer was submitted only when the run was cut off",
        since="0.1.0",
        help="The framework ended the run and submitted the unfinished work. The answer may be right by chance: check it.",
    ),
    Rule(
        id="empty_artifact",
        severity="error",
        title="The submitted answer is empty",
        since="0.1.0",
        help="The last call submits an answer, report or patch that is empty.",
    ),
    Rule(
        id="only_new_files",
        severity="error",
        title="The patch only adds new files, although a fix was requested",
        since="0.1.0",
        help="The request asks for a fix, but the submitted patch changes no existing file. Often the patch only"
        " adds a script that reproduces the bug.",
    ),
    Rule(
        id="error_last",
        severity="warning",
        title="The last result is an error",
        since="0.1.0",
        help="The last call with a result failed, and no successful call follows it.",
    ),
    Rule(
        id="handed_in_after_failure",
        severity="warning",
        title="The answer was submitted after a failure",
        since="0.1.0",
        help="The agent submitted an answer right after a call that failed, so nothing shows that the submitted answer works.",
    ),
    Rule(
        id="handed_in_after_refusal",
        severity="warning",
        title="The answer was submitted after a call with empty arguments",
        since="0.1.0",
        help="The agent submitted an answer right after a call that had empty arguments and failed; earlier attempts may have worked.",
    ),
    Rule(
        id="unread_result",
        severity="warning",
        title="The last result was not read",
        since="0.1.0",
        help="The agent looked something up or ran something, and the run ends before the agent reads the result.",
    ),
    Rule(
        id="came_to_nothing",
        severity="error",
        title="The run ends with a call that achieved nothing",
        since="0.1.0",
        help="The last call failed, found nothing, or returned what an identical earlier call had returned; after that, the agent did and said nothing.",
    ),
    Rule(
        id="no_answer",
        severity="warning",
        title="The agent's last message is empty",
        since="0.1.0",
        help="The run ends with an empty message from the agent.",
    ),
    Rule(
        id="answered_after_failure",
        severity="warning",
        title="The last call failed, and the answer does not say so",
        since="0.1.0",
        help="The agent answered right after a call that failed, and the answer does not mention a failure. Check what the answer is based on.",
    ),
    Rule(
        id="failure_told",
        severity="note",
        title="The last call failed, and the agent says so",
        since="0.1.0",
        help="The agent answered right after a call that failed, and a text after it mentions the failure. Usually such an answer is honest.",
    ),
    Rule(
        id="missing_name",
        severity="warning",
        title="A name given in the request is missing",
        since="0.1.0",
        help="The request contains code with the names to use, but the submitted code contains none of these names.",
    ),
    Rule(
        id="wrong_arithmetic",
        severity="warning",
        title="A stated calculation is wrong",
        since="0.1.0",
        help="The agent's last message states a calculation with plain numbers whose result is wrong.",
    ),
    Rule(
        id="unanswered_go_ahead",
        severity="warning",
        title="The run ends with the user's go-ahead",
        since="0.1.0",
        help="The agent asked for a confirmation, the user gave it, and the run ends there: what was confirmed was not done.",
    ),
    Rule(
        id="order_not_carried_out",
        severity="note",
        title="No call carried out the user's last order",
        since="0.1.0",
        help="After the user's last order or confirmation, every call only read something or failed. Refusing an order can be right,"
        " so this finding is a note: it changes no verdict, and alone it adds 0.05 to the triage score.",
    ),
)
