"""What the signal can find."""

from sentinel_core import Rule

__all__ = ["RULES"]

RULES = (
    Rule(
        id="broken_off",
        severity="error",
        title="The run was broken off",
        since="0.1.0",
        help="A limit, a failure of the framework or the provider, or a call that was written as text ended the run, and nothing was"
        " handed in. Look at the quoted notice or the recorded outcome; raise the limit or mend the failure, and run it again.",
    ),
    Rule(
        id="handed_in_at_the_limit",
        severity="warning",
        title="An answer was handed in when the run was broken off",
        since="0.1.0",
        help="The framework ended the run and handed in what was there. It may be right by chance: check the answer itself.",
    ),
    Rule(
        id="empty_artifact",
        severity="error",
        title="What was handed in is empty",
        since="0.1.0",
        help="The last call hands in an answer, report or patch, and there is nothing in it.",
    ),
    Rule(
        id="only_new_files",
        severity="error",
        title="The patch only adds new files where a fix was asked",
        since="0.1.0",
        help="The request speaks of something broken, and the patch that was handed in changes no file that was there: often a script"
        " that shows the defect, without its repair.",
    ),
    Rule(
        id="error_last",
        severity="warning",
        title="The last result is an error",
        since="0.1.0",
        help="The last call that was answered failed, and nothing that worked follows it.",
    ),
    Rule(
        id="handed_in_after_failure",
        severity="warning",
        title="The answer was handed in after a failure",
        since="0.1.0",
        help="The last call before the answer failed: what was handed in was not seen to work.",
    ),
    Rule(
        id="handed_in_after_refusal",
        severity="warning",
        title="The answer was handed in after a call that was given nothing",
        since="0.1.0",
        help="The last call before the answer had empty arguments and failed. What was tried before it may have worked.",
    ),
    Rule(
        id="unread_result",
        severity="warning",
        title="Nobody read the last result",
        since="0.1.0",
        help="The agent looked something up or ran something, and the run ends with what came back.",
    ),
    Rule(
        id="came_to_nothing",
        severity="error",
        title="The run ends with a call that came to nothing",
        since="0.1.0",
        help="The last call failed, found nothing, or brought the same as the same call before, and the agent did and said nothing more.",
    ),
    Rule(
        id="no_answer",
        severity="warning",
        title="The agent's last message is empty",
        since="0.1.0",
        help="The run ends with a message of the agent in which nothing stands.",
    ),
    Rule(
        id="answered_after_failure",
        severity="warning",
        title="The last call before the answer failed",
        since="0.1.0",
        help="The agent answered in words right after a call that failed, and does not speak of a failure. Check what the answer rests on.",
    ),
    Rule(
        id="failure_told",
        severity="note",
        title="The last call before the answer failed, and the answer says so",
        since="0.1.0",
        help="The agent answered in words right after a call that failed, and speaks of a failure. Mostly that is honest.",
    ),
    Rule(
        id="missing_name",
        severity="warning",
        title="A name that the request gives is missing",
        since="0.1.0",
        help="The request shows in code how what is to be written is called, and the code that was handed in has none of these names.",
    ),
    Rule(
        id="wrong_arithmetic",
        severity="warning",
        title="A stated sum is wrong",
        since="0.1.0",
        help="The agent's last text states a sum of plain numbers that comes out otherwise.",
    ),
)
