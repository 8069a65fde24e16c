"""Makes secrets as the table of kinds describes them, and what looks alike and is none, at run time: the repository holds none."""

import random
import string
import uuid

from sentinel_core.runtime.secret_shapes import ODD, Kind

LETTERS = string.ascii_letters + string.digits
SETS = {
    "a": LETTERS,
    "u": LETTERS + "_-",
    "b": LETTERS + "+/",
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase + string.digits,
    "c": string.ascii_uppercase + string.digits,
    "d": string.digits,
}


def of_shape(shape: str, chance: random.Random) -> str:
    """A text of a shape: ``h8-h4``."""
    import re

    return "".join(
        some(SETS[group], int(length), chance) if group else between
        for group, length, between in re.findall(r"([aubhlcd])(\d+)|(.)", shape.removeprefix("~"))
    )


def some(letters: str, count: int, chance: random.Random) -> str:
    """``count`` of the letters; neither end is a dash, which a text around it could own."""
    found = "".join(chance.choices(letters, k=count))
    return found if found[0] not in "_-" and found[-1] not in "_-" else some(letters, count, chance)


def example(kind: Kind, seed: int) -> str:
    """One of a kind; where other names start so, too, one with a digit, without which it is taken for a name."""
    chance = random.Random(f"{kind.name} {seed}")
    rest = of_shape(kind.shape, chance)
    while kind.shape[0] == "~" and not any(map(str.isdigit, rest[:10])):
        rest = of_shape(kind.shape, chance)
    return kind.start + rest


def odd_examples(seed: int) -> dict[str, str]:
    """One of each kind that its start does not tell; a test holds that none of them is missing."""
    chance = random.Random(seed)

    def of(shape: str) -> str:
        return of_shape(shape, chance)

    identity = of("h8-h4-h4-h4-h12")
    azure = {
        odd.name: of("b76") + odd.mark.lstrip("\\") + of("b6") + "=="
        for odd in ODD
        if odd.name.startswith("azure-") and odd.source.startswith("github.com/microsoft")
    }
    return {
        **azure,
        "telegram": of("d10") + ":AA" + of("u33"),
        "azure-client": of("a3") + of("d1") + "Q~" + of("u34"),
        "azure-devops": of("a76") + "AZDO" + of("a4"),
        "mailchimp": of("h32") + "-us" + of("d2"),
        "discord-bot": "M" + of("a23") + "." + of("u6") + "." + of("u38"),
        "airtable": "pat" + of("a14") + "." + of("h64"),
        "terraform": of("a14") + ".atlasv1." + of("u67"),
        "asana": "1/" + of("d16") + ":" + of("h32"),
        "fal": identity + ":" + of("h32"),
        "deepl": identity + ":fx",
        "facebook-app": of("d15") + "|" + of("u27"),
        "facebook-user": "EAA" + of("a180"),
        "firebase": "AAAA" + of("u7") + ":APA91b" + of("u134"),
        "google-refresh": "1//0" + of("u60"),
        "rancher": "token-" + of("l5") + ":" + of("l54"),
        "paypal": "access_token$production$" + of("l16") + "$" + of("h32"),
        "newrelic-license": of("h32") + "FFFFNRAL",
        "asaas": "$aact_" + of("a60"),
        "bitwarden": "0." + identity + "." + of("a30") + ":" + of("b22") + "==",
        "maxmind": of("a6") + "_" + of("a29") + "_mmk",
        "configcat": "configcat-sdk-1/" + of("u22") + "/" + of("u22"),
        "ably": of("a6") + "." + of("a6") + ":" + of("u43"),
        "unleash": "default:production." + of("h56"),
        "dropbox-long": of("a11") + "A" * 10 + of("u43"),
        "twitter-bearer": "A" * 22 + of("a12") + "%2B" + of("a40") + "%3D" + of("a40"),
        "yandex-iam": "t1." + of("u215") + "." + of("u86"),
        "authress": "sc_" + of("l24") + "." + of("l4") + ".acc_" + of("l16") + "." + of("b43") + "=",
        "crypt": "$6$rounds=656000$" + of("a16") + "$" + of("a86"),
        "bcrypt": "$2y$10$" + of("a53"),
        "argon2": "$argon2id$v=19$m=65536,t=3,p=4$" + of("b22") + "$" + of("b43"),
        "vault-before": "s." + "aB3" + of("a21"),
    }


def harmless(seed: int) -> list[str]:
    """Hashes and names of things, as traces are full of them: 26 a seed."""
    chance = random.Random(seed)

    def of(shape: str) -> str:
        return of_shape(shape, chance)

    return [
        str(uuid.UUID(int=chance.getrandbits(128))),
        *(of(f"h{length}") for length in (7, 12, 32, 40, 64, 96, 128)),
        *(
            start + of("a24")
            for start in ("call_", "toolu_", "toolu_01", "chatcmpl-", "msg_", "resp_", "run_", "asst_")
        ),
        *(start + of("h32") for start in ("thread_", "span-", "trace_", "sha256:", "req_")),
        "data:image/png;base64," + of("b2000") + "==",
        "sha512-" + of("b86") + "==",
        of("b400"),
        f"{of('h8')}-{of('h4')}/{of('h32')}",
        f"/srv/{of('l12')}/{of('a20')}.{of('l3')}",
    ]
