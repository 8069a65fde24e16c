"""Every error that Sentinel raises on purpose.

    SentinelError
    ├── ConfigError                a setting, flag, weight or profile that cannot be used
    ├── PluginError                a plugin that cannot be found or loaded, or that broke its contract
    │   └── DuplicatePluginError   two distributions offer one name
    ├── InputError                 a file or record that cannot be read
    │   └── TraceDecodeError       one record; carries every problem with its path
    ├── JournalError               a run's record that cannot be read, or a run that cannot be resumed
    │   └── RunHeldError           another process works on it
    ├── VerdictError               a verdict that the caller does not take; from ``raise_for_verdict`` alone
    ├── WorkerError                a child process that gave no answer
    │   ├── WorkerDied             it ended by itself
    │   ├── WorkerJobError         the job in it raised
    │   └── WorkerTimeout          it was stopped at its time limit
    ├── LoopError                  a loop that cannot be completed, shown or overridden as asked
    │   ├── LoopConflictError
    │   ├── LoopRequestError
    │   ├── StoreError             the place where loops are kept cannot be used
    │   └── UnknownLoopError
    ├── ToolError                  told to the model as a result
    │   ├── ToolNotFoundError
    │   ├── InvalidArgumentsError
    │   ├── ToolExecutionError
    │   │   └── OutcomeUnknownError  it may have taken effect, or not
    │   │       └── NotRepeatedError     and the tool does not do it again
    │   └── ToolTimeoutError
    └── ModelError                 a provider gave no usable reply
        ├── AuthenticationError
        ├── RateLimitError
        ├── ValidationError
        │   └── ContextLengthError
        ├── NetworkError
        └── ProviderError

Every text is one line that names the thing, says where it is, and what to do.
"""

__all__ = [
    "AuthenticationError",
    "ConfigError",
    "ContextLengthError",
    "DuplicatePluginError",
    "InputError",
    "InvalidArgumentsError",
    "JournalError",
    "LoopConflictError",
    "LoopError",
    "LoopRequestError",
    "ModelError",
    "NetworkError",
    "NotRepeatedError",
    "OutcomeUnknownError",
    "PluginError",
    "ProviderError",
    "RateLimitError",
    "RunHeldError",
    "SentinelError",
    "StoreError",
    "ToolError",
    "ToolExecutionError",
    "ToolNotFoundError",
    "ToolTimeoutError",
    "TraceDecodeError",
    "UnknownLoopError",
    "ValidationError",
    "VerdictError",
    "WorkerDied",
    "WorkerError",
    "WorkerJobError",
    "WorkerTimeout",
]


ERROR = 3
"""The exit code of everything that is no verdict; 0, 1 and 2 are PASS, WARN and FAIL."""

TERMINATED = 143
"""The exit code of a service that SIGTERM ended, as shells tell it: 128 and the signal's number."""


class SentinelError(Exception):
    """The base class of Sentinel's errors; its text can be shown to a user."""


class ConfigError(SentinelError, ValueError):
    """A setting, flag, weight or profile that cannot be used."""


class PluginError(SentinelError):
    """A plugin that cannot be found or loaded, or that broke its contract."""


class DuplicatePluginError(PluginError):
    """Two installed distributions offer one name of one kind."""


class InputError(SentinelError):
    """A file or record that cannot be read, and the ``reason``.

    Where it is one file: ``label`` is that file as the user named it, with which the text begins, and ``place`` its path below the
    folder that they named.
    """

    def __init__(self, reason: str, *, label: str = "", place: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.label = label
        self.place = place

    def __str__(self) -> str:
        return f'"{self.label}": {self.reason}' if self.label else self.reason


class TraceDecodeError(InputError):
    """A record that is not a trace. ``problems`` holds each as "what at $.path"."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class JournalError(SentinelError):
    """A run's record that cannot be read or written, or a run that cannot be resumed."""


class RunHeldError(JournalError):
    """Another process works on the run."""


class VerdictError(SentinelError):
    """What ``ReliabilityReport.raise_for_verdict`` raises; its text is the report."""


class WorkerError(SentinelError):
    """A child process that gave no answer. ``mark`` is what was at work, ``last`` the plugin that was at work last."""

    mark = ""
    last = ""


class WorkerDied(WorkerError):
    """The child ended by itself before it had answered; ``signal`` is the number of the one that ended it, if one did."""

    def __init__(self, message: str, signal: int | None = None) -> None:
        super().__init__(message)
        self.signal = signal


class WorkerJobError(WorkerError):
    """The job in the child raised; the text is the exception's name and message."""


class WorkerTimeout(WorkerError):
    """The child was stopped at its time limit."""


class LoopError(SentinelError):
    """A loop that cannot be completed, shown or overridden as asked."""


class LoopConflictError(LoopError):
    """The loop is not in a state in which this can be done."""


class LoopRequestError(LoopError, ValueError):
    """What was asked for is malformed or out of range."""


class StoreError(LoopError):
    """The place where loops are kept cannot be read or written, or is of a version that is not known here."""


class UnknownLoopError(LoopError):
    """No loop of that id was submitted or granted."""


class ToolError(SentinelError):
    """A tool call that failed; the model is told and may try again."""


class ToolNotFoundError(ToolError):
    """No tool of that name is registered."""


class InvalidArgumentsError(ToolError):
    """The arguments do not fit the tool's JSON schema; the handler was not called."""


class ToolExecutionError(ToolError):
    """The tool's handler raised."""


class OutcomeUnknownError(ToolExecutionError):
    """A write that may have taken effect, or not: the connection broke after it was sent. Never tried again blindly."""


class NotRepeatedError(OutcomeUnknownError):
    """A write of unknown outcome that the tool itself does not do a second time: to call it again changes nothing."""


class ToolTimeoutError(ToolError):
    """The tool's handler was stopped at its time limit."""


class ModelError(SentinelError):
    """A provider gave no usable reply.

    ``status`` is the HTTP status, None where there was none. ``retryable`` says whether the same request may do better.
    """

    retryable = False
    resume_after: str | None = None  # from when another try makes sense (ISO 8601, UTC), where the run could not wait

    def __init__(self, message: str, *, status: int | None = None, retryable: bool | None = None) -> None:
        super().__init__(message)
        self.status = status
        if retryable is not None:
            self.retryable = retryable


class AuthenticationError(ModelError):
    """The key is missing, wrong, or not allowed to do this."""


class RateLimitError(ModelError):
    """The provider asks to slow down; ``retry_after`` is in seconds, None where it did not say."""

    retryable = True

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class ValidationError(ModelError):
    """The provider refused the request as malformed; the same request will be refused again."""


class ContextLengthError(ValidationError):
    """The request is longer than the model's context window."""


class NetworkError(ModelError):
    """A server could not be reached, or the connection broke before the reply was whole."""

    retryable = True


class ProviderError(ModelError):
    """Any other failure on the provider's side; a status of 5xx or a reply that cannot be read is ``retryable``."""


def error_text(error: BaseException) -> str:
    """What an error says, as text that UTF-8 can hold; a stranger's may say nothing, or raise when it is asked."""
    try:
        return str.encode(str(error), "utf-8", "replace").decode()
    except KeyboardInterrupt:
        raise
    except BaseException as unsaid:  # noqa: BLE001 - its __str__ is a stranger's code; or what it holds is too deep, or too long
        return f"its text is not available: {type(unsaid).__name__}"
