"""What agents claim to have done: one row a family of verbs, with the objects it takes and the tools that could do it.

A claim counts only where verb and object stand in one row: "I've cancelled your order" is one, "I cancelled the common
factor" is none. ``tools`` are words of tool names (``file_risk_report`` has ``file``, ``risk`` and ``report``).
"""

from typing import Literal

from sentinel_signal_hallucination.tables import words

__all__ = ["BY_NAME", "BY_VERB", "FAMILIES", "Family", "Strength", "stem"]

Strength = Literal["effect", "work", "read"]


_SHORTEST_PLURAL = 4


def stem(word: str) -> str:
    """The word without case and plural ending: ``Reports`` and ``report`` are one, so are ``entries`` and ``entry``."""
    word = word.lower()
    if len(word) < _SHORTEST_PLURAL or word.endswith("ss") or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


class Family:
    """Verbs that say the same thing is done.

    ``strength``: ``effect`` changes the world outside the conversation, ``work`` needs a machine, ``read`` needs a source.
    ``objects`` are stems. ``personal`` families also take whatever is the user's ("your ...") and ``it`` or ``them``;
    what ``textual`` families do can also be done to the text of the answer, for which no tool is needed.
    """

    __slots__ = ("name", "objects", "personal", "strength", "textual", "tools", "verbs")

    def __init__(
        self,
        *,
        name: str,
        strength: Strength,
        verbs: str,
        objects: str,
        tools: str,
        personal: bool = False,
        textual: bool = False,
    ) -> None:
        self.name = name
        self.strength = strength
        self.verbs = words(verbs)
        self.objects = frozenset(map(stem, words(objects)))
        self.tools = words(tools)
        self.personal = personal
        self.textual = textual


FAMILIES: tuple[Family, ...] = (
    Family(
        name="file",
        strength="effect",
        verbs="filed submitted lodged raised logged escalated staged",
        objects="report ticket issue claim complaint form application request incident case bug pr dispute appeal "
        "petition return paperwork order inquiry proposal registration expense timesheet",
        tools="file submit lodge raise log escalate create open post report add send issue publish push upload register "
        "insert write new",
    ),
    Family(
        name="book",
        strength="effect",
        verbs="booked reserved rebooked rescheduled scheduled ordered purchased bought placed enrolled arranged subscribed",
        objects="flight hotel room table reservation seat ticket appointment meeting car trip booking slot call demo order "
        "item cab taxi ride stay visit session interview pickup delivery course purchase rental tour train bus event newsletter "
        "replacement",
        tools="book reserve rebook reschedule schedule order purchase buy place enroll arrange create add make update change "
        "modify set confirm checkout checkin insert new subscribe upsert",
        personal=True,
    ),
    Family(
        name="confirm",
        strength="effect",
        verbs="confirmed approved finalized finalised completed",
        objects="reservation booking appointment order purchase payment registration subscription enrollment",
        tools="confirm approve finalize complete book reserve schedule order purchase buy place create add make set submit "
        "update change modify pay checkout register subscribe enroll reschedule rebook",
    ),
    Family(
        name="cancel",
        strength="effect",
        verbs="cancelled canceled unsubscribed revoked deactivated closed",
        objects="order reservation booking flight subscription appointment meeting membership account ticket trip hotel "
        "room plan service contract policy request card license token key access claim case issue delivery",
        tools="cancel unsubscribe revoke deactivate close terminate delete remove disable stop end update modify change "
        "refund set abort void transition drop",
    ),
    Family(
        name="send",
        strength="effect",
        verbs="sent emailed e-mailed mailed messaged notified texted forwarded posted alerted informed contacted commented",
        objects="email e-mail mail message notification invoice link confirmation text sms invitation invite report copy "
        "certificate reminder alert reply team manager customer client department support supervisor channel slack "
        "letter receipt package engineer owner vendor colleague hr staff stakeholder doctor",
        tools="send email mail message notify text forward post reply alert inform contact publish share submit deliver "
        "respond sms slack invite create ping page escalate issue broadcast write call comment review",
        textual=True,
    ),
    Family(
        name="pay",
        strength="effect",
        verbs="refunded paid charged reimbursed credited debited deposited issued processed transferred withdrawn waived settled",
        objects="refund payment card account amount invoice credit voucher certificate money fund fee fine bill balance "
        "deposit charge compensation reimbursement withdrawal salary transaction subscription transfer",
        tools="refund pay payment charge reimburse credit debit deposit issue transfer withdraw waive cancel send compensate "
        "transact return purchase buy process wire settle update modify exchange bill invoice",
    ),
    Family(
        name="transfer",
        strength="effect",
        verbs="transferred connected escalated handed",
        objects="you call agent human specialist representative case chat conversation",
        tools="transfer connect escalate handoff hand route forward assign redirect human",
    ),
    Family(
        name="update",
        strength="effect",
        verbs="updated changed modified upgraded downgraded renamed moved applied added adjusted corrected switched enabled "
        "disabled activated reset set extended assigned linked merged transitioned",
        objects="reservation booking flight address profile account record order database setting password email e-mail "
        "phone subscription passenger baggage bag luggage cabin seat calendar payment appointment ticket item cart address "
        "permission role user member contact number spreadsheet sheet crm inventory stock schedule dns policy plan status "
        "discount coupon voucher insurance flag newsletter",
        tools="update change modify edit upgrade downgrade rename move apply add adjust correct switch enable disable "
        "activate reset set extend assign link merge create write insert patch put replace save exchange book rebook "
        "reschedule alter append configure toggle upsert sync cancel return transition editor",
        textual=True,
    ),
    Family(
        name="delete",
        strength="effect",
        verbs="deleted removed erased purged dropped wiped",
        objects="file record account user row table entry directory folder branch item database message event passenger "
        "bag product index bucket instance volume container backup email subscription contact photo post comment artifact",
        tools="delete remove erase purge drop wipe clean clear rm unlink prune update modify edit editor patch cancel destroy "
        "trash unsubscribe",
        textual=True,
    ),
    Family(
        name="create",
        strength="effect",
        verbs="created opened provisioned registered",
        objects="account event branch repository repo user reminder order calendar invoice instance "
        "cluster bucket database record case incident alert appointment meeting reservation booking task card page",
        tools="create open provision register add make new insert file submit post book schedule set start launch put "
        "write generate setup init build raise log upsert save push",
        textual=True,
    ),
    Family(
        name="open",
        strength="effect",
        verbs="created opened",
        objects="ticket issue pr pull",
        tools="create open add make new submit file post raise log publish insert push upsert save start put generate",
        textual=True,
    ),
    Family(
        name="save",
        strength="effect",
        verbs="saved exported uploaded downloaded stored copied synced",
        objects="file disk database folder repository repo branch change server cloud drive spreadsheet bucket backup "
        "s3 image photo dataset",
        tools="save write export upload download commit push merge store copy put create edit editor patch replace insert "
        "append git persist backup dump sync add update fetch get generate train",
        textual=True,
    ),
    Family(
        name="commit",
        strength="effect",
        verbs="committed cherry-picked backported rebased",
        objects="file repository repo branch change commit server cloud pr database image dataset fix main master origin",
        tools="commit push merge git save create update upload publish deploy sync",
        textual=True,
    ),
    Family(
        name="push",
        strength="effect",
        verbs="pushed force-pushed",
        objects="file repository repo branch change commit server cloud pr database image dataset tag fix",
        tools="push merge git save create update upload publish deploy sync",
        textual=True,
    ),
    Family(
        name="merge",
        strength="effect",
        verbs="merged squash-merged",
        objects="pr pull request branch commit repository repo",
        tools="merge commit push git update accept",
        textual=True,
    ),
    Family(
        name="deploy",
        strength="effect",
        verbs="deployed released redeployed restarted rebooted shipped installed launched published rolled",
        objects="service server release version build app application cluster site website pod deployment package container "
        "patch production staging update fix dependency library instance machine router device firmware hotfix article",
        tools="deploy release redeploy restart reboot ship install launch revert rollback publish start stop scale apply "
        "upgrade pip npm push promote update rollout resize autoscale",
    ),
    Family(
        name="revert",
        strength="effect",
        verbs="reverted rolled",
        objects="service server release version build app application cluster site website deployment change commit package "
        "patch production staging update fix dependency migration pr merge hotfix article",
        tools="revert rollback undo restore reset deploy redeploy release publish git commit push checkout apply update edit "
        "editor patch replace write install pip npm",
    ),
    Family(
        name="pause",
        strength="effect",
        verbs="blocked paused suspended archived snoozed acknowledged acked",
        objects="campaign lead alert page incident card account user subscription membership job schedule case file project "
        "repository repo contact order",
        tools="pause suspend block freeze lock archive snooze ack acknowledge update modify set disable deactivate cancel close "
        "move stop change transition add",
    ),
    Family(
        name="trigger",
        strength="work",
        verbs="triggered retriggered re-triggered",
        objects="pipeline workflow job build run ci deployment release",
        tools="run rerun trigger start launch push commit merge dispatch create retry deploy release tag publish",
    ),
    Family(
        name="scale",
        strength="effect",
        verbs="scaled resized",
        objects="replica pod service cluster deployment node worker instance database server",
        tools="scale resize autoscale update apply set patch modify deploy rollout edit editor replace write insert create put",
    ),
    Family(
        name="renew",
        strength="effect",
        verbs="rotated renewed reissued",
        objects="secret key token certificate cert password credential subscription membership license domain prescription "
        "contract policy insurance passport",
        tools="rotate renew reissue update create write put set extend issue generate vault certbot order",
    ),
    Family(
        name="share",
        strength="effect",
        verbs="shared granted invited",
        objects="access permission file document doc folder sheet spreadsheet calendar board role user member viewer editor",
        tools="share grant invite add update set permission create modify assign give send change",
    ),
    Family(
        name="run",
        strength="work",
        verbs="ran executed rerun re-ran run tested compiled benchmarked",
        objects="test suite script command query program pipeline job build benchmark linter migration notebook scan unit "
        "integration regression simulation workflow code playbook",
        tools="run test compile benchmark build lint check scan trigger start launch migrate simulate query script train "
        "pytest make job pipeline evaluate eval validate verify",
        textual=True,
    ),
    Family(
        name="search",
        strength="read",
        verbs="searched queried googled browsed retrieved fetched accessed crawled scraped looked checked pulled",
        objects="web internet online database system record account website site api log calendar inventory catalog catalogue "
        "google wikipedia server repository crm ticket booking reservation order backend dashboard page index inbox archive",
        tools="",
    ),
)


def _by_verb() -> dict[str, tuple[Family, ...]]:
    table: dict[str, list[Family]] = {}
    for family in FAMILIES:
        for verb in sorted(family.verbs):
            table.setdefault(verb, []).append(family)
    return {verb: tuple(families) for verb, families in table.items()}


BY_NAME = {family.name: family for family in FAMILIES}
BY_VERB = _by_verb()
