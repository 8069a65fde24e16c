"""The verbs of tools: what a tool whose name or description has such a verb can do."""

__all__ = [
    "ANYTHING",
    "ENDING",
    "ENDING_COMPANIONS",
    "NOTHING",
    "READING",
    "STATES",
    "THINGS_OF_READING",
    "VAGUE",
    "WRITING",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Shells, interpreters and delegates run whatever they are given.
ANYTHING = _words(
    "execute exec bash sh zsh shell powershell terminal console python ipython jupyter notebook repl run code interpreter "
    "command cmd script browser computer playwright puppeteer selenium http https curl api graphql sql psql agent subagent "
    "delegate assistant workflow invoke click type keyboard mouse eval dispatch codex"
)
READING = _words(
    "get list search read fetch lookup look find retrieve query show view describe check count calculate calc compute "
    "browse scrape crawl grep glob cat ls head tail load inspect summarize summarise analyze analyse compare validate verify "
    "scroll goto estimate predict translate detect monitor recall recommend suggest preview see explore locate "
    "identify determine diagnose test ping watch track obtain access examine evaluate convert parse ask display "
    "whois geocode navigate know review quote extract resolve open"
)
WRITING = _words(
    "create update cancel delete remove send submit write add set modify insert upload purchase buy reserve book deploy "
    "install notify upsert put patch push save commit merge replace append rename upgrade downgrade publish assign escalate "
    "refund pay reschedule rebook approve reject enable disable restart revoke edit order exchange schedule register enroll "
    "transfer charge deposit withdraw post reply forward share email mail text message call invite move copy drop "
    "destroy clear reset lock unlock block unblock activate deactivate suspend resume pause start stop play stream launch queue "
    "apply grant authorize confirm place file log record report issue release rent hire subscribe unsubscribe toggle switch "
    "turn change adjust extend renew archive restore attach detach link unlink tag label follow unfollow like vote rate "
    "comment close reopen finalize checkout checkin void mark provision migrate rollback revert rotate print export import "
    "transition borrow lend donate bid trade sell ship dispatch return reimburse compensate generate draft build make terminate kill "
    "shutdown reboot refuel fill swap trigger download sync store redeem claim request alert broadcast str_replace dm tweet"
)
# These say nothing more where another word says what is done: "process_refund" refunds.
VAGUE = _words("process handle manage perform do use apply batch complete action operate")
NOTHING = _words("think thought thinking reflect reflection plan todo todos sleep wait noop sequentialthinking")
THINGS_OF_READING = _words(
    "weather wikipedia arxiv wiki clock time date dictionary translator calculator news forecast map maps retriever knowledge "
    "summary status info information details documentation docs history balance"
)
STATES = _words("status diff log details info history summary balance")
ENDING = _words(
    "finish submit answer final done complete completed terminate terminated end exit stop propose solution conclude handoff "
    "return respond reply transfer yield"
)
ENDING_COMPANIONS = _words(
    "task to the result response work run session conversation report with a user agent human agents and give attempt plan "
    "mode completion"
)
